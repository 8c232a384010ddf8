#include "lib/cpu/cpu_facts.h"

void cpu_facts_read(struct cpu_facts *f, const struct cpu *c, const struct cpu_source *s,
                    const struct core_place *place, size_t n, size_t self)
{
    *f = (struct cpu_facts){.cpu = c};
    if (n > 0)
        topology_count(&f->topology, place, n);
    f->caches = caches_decode(f->cache, c, s->cpuid, s->cpuid_ctx);
    for (unsigned i = 0; n > 0 && i < f->caches; i++)
        if (f->cache[i].shared_known)
            f->shared_by[i] =
                topology_sharing(place, n, place[self].apic_id, f->cache[i].shared_bits);
    f->tlbs = tlbs_decode(f->tlb, c, s->cpuid, s->cpuid_ctx);
    features_mitigations(&f->mitigations, c, s->cpuid, s->cpuid_ctx, s->rdmsr, s->msr_ctx);
}

void cpu_facts_record_topology(const struct cpu_facts *f, struct json *j)
{
    const struct topology *t = &f->topology;
    unsigned kinds = 0;

    if (t->logical_cpus == 0)
        return;
    json_u64(j, "logical_cpus", t->logical_cpus);
    json_u64(j, "packages", t->packages);
    json_u64(j, "cores", t->cores);
    json_u64(j, "threads_per_core", t->threads_per_core);
    if (t->modules != t->cores)
        json_u64(j, "modules", t->modules);
    json_array(j, "core_types");
    for (unsigned i = CORE_TYPE_UNKNOWN + 1; i < CORE_TYPES; i++) {
        if (t->type[i].logical_cpus == 0)
            continue;
        kinds++;
        json_object(j, NULL);
        json_str(j, "type", core_type_names[i]);
        json_u64(j, "cores", t->type[i].cores);
        json_u64(j, "logical_cpus", t->type[i].logical_cpus);
        json_close(j);
    }
    json_close(j);
    json_bool(j, "hybrid", kinds > 1);
}

void cpu_facts_record_caches(const struct cpu_facts *f, struct json *j)
{
    json_array(j, "caches");
    for (unsigned i = 0; i < f->caches; i++) {
        const struct cache *c = &f->cache[i];
        json_object(j, NULL);
        json_u64(j, "level", c->level);
        json_str(j, "type", cache_type_names[c->type]);
        json_u64(j, "size_bytes", c->size);
        json_u64(j, "line_bytes", c->line);
        json_u64(j, "ways", c->ways);
        if (f->shared_by[i] > 0)
            json_u64(j, "shared_by", f->shared_by[i]);
        json_close(j);
    }
    json_close(j);
}

void cpu_facts_record_tlbs(const struct cpu_facts *f, struct json *j)
{
    static const char *const sizes[] = {"4k", "2m", "4m", "1g"}; /* bit by bit, from TLB_4K */

    json_array(j, "tlbs");
    for (unsigned i = 0; i < f->tlbs; i++) {
        const struct tlb *t = &f->tlb[i];
        json_object(j, NULL);
        json_u64(j, "level", t->level);
        json_str(j, "type", tlb_type_names[t->type]);
        json_array(j, "pages");
        for (unsigned k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
            if (t->pages >> k & 1)
                json_str(j, NULL, sizes[k]);
        json_close(j);
        json_u64(j, "entries", t->entries);
        json_u64(j, "ways", t->ways);
        json_close(j);
    }
    json_close(j);
}

void cpu_facts_record_mitigations(const struct cpu_facts *f, struct json *j)
{
    const struct mitigations *m = &f->mitigations;

    json_object(j, "mitigations");
#define RECORD(member, name) json_bool(j, name, m->member);
    MITIGATIONS(RECORD)
#undef RECORD
    if (m->spec_ctrl_known) {
        json_bool(j, "ibrs_on", m->spec_ctrl & SPEC_CTRL_IBRS);
        json_bool(j, "stibp_on", m->spec_ctrl & SPEC_CTRL_STIBP);
        json_bool(j, "ssbd_on", m->spec_ctrl & SPEC_CTRL_SSBD);
    }
    if (m->arch_known) {
        json_array(j, "arch_capabilities");
        for (unsigned i = 0; i < 64; i++)
            if ((m->arch >> i & 1) && features_arch_name(i) != NULL)
                json_str(j, NULL, features_arch_name(i));
        json_close(j);
    }
    json_close(j);
}
