/* The kind cpuid: everything that lib/ decodes of CPUID and MSRs, of the CPUs of one recording. */
#include <stdlib.h>
#include "lib/caches.h"
#include "lib/core_counter.h"
#include "lib/features.h"
#include "lib/tlb.h"
#include "lib/topology.h"
#include "lib/tsc_rate.h"
#include "tests/replay/cpuid_dump.h"
#include "tests/replay/replay.h"

/* A recording, its boot CPU decoded, and where each of its CPUs stands. */
struct recorded {
    const struct cpuid_dump *dump;
    struct dump_cpu boot;
    struct cpu cpu;
    struct core_place *place;
    size_t n;
    uint32_t boot_apic_id;
};

/* Every CPU decodes its own leaves, as it does on a live machine. */
static bool place_all(struct recorded *r)
{
    r->n = r->dump->cpus;
    r->place = calloc(r->n, sizeof *r->place);
    for (size_t i = 0; r->place != NULL && i < r->n; i++) {
        struct dump_cpu one = {r->dump, r->dump->cpu[i]};
        struct cpu c;
        cpu_decode(&c, cpuid_dump_get, &one);
        topology_place(&r->place[i], &c, cpuid_dump_get, &one);
        if (one.cpu == 0)
            r->boot_apic_id = r->place[i].apic_id;
    }
    return r->place != NULL;
}

static void signature(struct json *j, struct recorded *r)
{
    const struct cpu *c = &r->cpu;
    uint64_t v;
    json_str(j, "vendor", c->vendor_id);
    json_str(j, "brand", c->brand);
    json_u64(j, "family", c->family);
    json_u64(j, "model", c->model);
    json_u64(j, "stepping", c->stepping);
    if (cpuid_dump_rdmsr(&r->boot, 0x8b, &v) && features_microcode(c, v) != 0)
        json_u64(j, "microcode", features_microcode(c, v));
}

static void topology(struct json *j, const struct recorded *r)
{
    struct topology t;
    unsigned kinds = 0;
    topology_count(&t, r->place, r->n);
    json_u64(j, "cpus_recorded", r->n); /* more than the next where a recorder took one twice */
    json_u64(j, "logical_cpus", t.logical_cpus);
    json_u64(j, "packages", t.packages);
    json_u64(j, "cores", t.cores);
    json_u64(j, "threads_per_core", t.threads_per_core);
    if (t.modules != t.cores)
        json_u64(j, "modules", t.modules);
    json_array(j, "core_types");
    for (unsigned i = CORE_TYPE_UNKNOWN + 1; i < CORE_TYPES; i++) {
        if (t.type[i].logical_cpus == 0)
            continue;
        kinds++;
        json_object(j, NULL);
        json_str(j, "type", core_type_names[i]);
        json_u64(j, "cores", t.type[i].cores);
        json_u64(j, "logical_cpus", t.type[i].logical_cpus);
        json_close(j);
    }
    json_close(j);
    json_bool(j, "hybrid", kinds > 1);
}

static void clock(struct json *j, struct recorded *r)
{
    struct tsc_rate rate =
        tsc_rate_decode(&r->cpu, cpuid_dump_get, &r->boot, cpuid_dump_rdmsr, &r->boot);
    if (rate.hz != 0)
        json_u64(j, "tsc_hz", rate.hz);
    json_str(j, "tsc_source", tsc_rate_source_names[rate.source]);
    json_bool(j, "tsc_invariant", r->cpu.tsc_invariant);
    if (r->cpu.tsc_nominal_hz != 0)
        json_u64(j, "tsc_nominal_hz", r->cpu.tsc_nominal_hz);
}

static void measuring(struct json *j, struct recorded *r)
{
    const struct cpu *c = &r->cpu;
    struct core_counters counters;
    core_counters_decode(&counters, cpuid_dump_get, &r->boot);
    json_bool(j, "lfence_serializing", features_lfence_serializing(c, cpuid_dump_rdmsr, &r->boot));
    json_str(j, "core_cycle_counter", core_counter_names[core_counters_best(&counters)]);
    json_bool(j, "smi_counter", features_smi_counter(c));
    json_bool(j, "hypervisor", c->hypervisor);
    if (c->hypervisor && c->hypervisor_id[0] != '\0')
        json_str(j, "hypervisor_id", c->hypervisor_id);
    json_bool(j, "page_1g", c->page_1g);
    json_bool(j, "la57", c->la57);
    json_bool(j, "x2apic", c->x2apic);
    json_bool(j, "rdtscp", c->rdtscp);
    json_bool(j, "serialize", c->serialize);
    json_u64(j, "physical_bits", c->phys_bits);
}

static void caches(struct json *j, struct recorded *r)
{
    struct cache cache[CACHES_MAX];
    unsigned n = caches_decode(cache, &r->cpu, cpuid_dump_get, &r->boot);
    json_array(j, "caches");
    for (unsigned i = 0; i < n; i++) {
        json_object(j, NULL);
        json_u64(j, "level", cache[i].level);
        json_str(j, "type", cache_type_names[cache[i].type]);
        json_u64(j, "size_bytes", cache[i].size);
        json_u64(j, "line_bytes", cache[i].line);
        json_u64(j, "ways", cache[i].ways);
        if (cache[i].shared_known)
            json_u64(j, "shared_by",
                     topology_sharing(r->place, r->n, r->boot_apic_id, cache[i].shared_bits));
        json_close(j);
    }
    json_close(j);
}

static void tlbs(struct json *j, struct recorded *r)
{
    static const char *const sizes[] = {"4k", "2m", "4m", "1g"}; /* TLB_4K and on, bit by bit */
    struct tlb tlb[TLBS_MAX];
    unsigned n = tlbs_decode(tlb, &r->cpu, cpuid_dump_get, &r->boot);
    json_array(j, "tlbs");
    for (unsigned i = 0; i < n; i++) {
        json_object(j, NULL);
        json_u64(j, "level", tlb[i].level);
        json_str(j, "type", tlb_type_names[tlb[i].type]);
        json_array(j, "pages");
        for (unsigned k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
            if (tlb[i].pages >> k & 1)
                json_str(j, NULL, sizes[k]);
        json_close(j);
        json_u64(j, "entries", tlb[i].entries);
        json_u64(j, "ways", tlb[i].ways);
        json_close(j);
    }
    json_close(j);
}

static void mitigations(struct json *j, struct recorded *r)
{
    struct mitigations m;
    features_mitigations(&m, &r->cpu, cpuid_dump_get, &r->boot, cpuid_dump_rdmsr, &r->boot);
    json_object(j, "mitigations");
    json_bool(j, "ibrs", m.ibrs);
    json_bool(j, "ibpb", m.ibpb);
    json_bool(j, "stibp", m.stibp);
    json_bool(j, "ssbd", m.ssbd);
    json_bool(j, "ssb_no", m.ssb_no);
    json_bool(j, "l1d_flush", m.l1d_flush);
    json_bool(j, "md_clear", m.md_clear);
    json_bool(j, "ibrs_always", m.ibrs_always);
    json_bool(j, "stibp_always", m.stibp_always);
    if (m.spec_ctrl_known) {
        json_bool(j, "ibrs_on", m.spec_ctrl & SPEC_CTRL_IBRS);
        json_bool(j, "stibp_on", m.spec_ctrl & SPEC_CTRL_STIBP);
        json_bool(j, "ssbd_on", m.spec_ctrl & SPEC_CTRL_SSBD);
    }
    if (m.arch_known) {
        json_array(j, "arch_capabilities");
        for (unsigned i = 0; i < 64; i++)
            if ((m.arch >> i & 1) && features_arch_name(i) != NULL)
                json_str(j, NULL, features_arch_name(i));
        json_close(j);
    }
    json_close(j);
}

static void decode(struct json *j, const struct cpuid_dump *d)
{
    struct recorded r = {.dump = d, .boot = {d, 0}};
    cpu_decode(&r.cpu, cpuid_dump_get, &r.boot);
    if (!place_all(&r)) {
        replay_error(j, "out of memory for %zu CPUs", d->cpus);
        return;
    }
    signature(j, &r);
    topology(j, &r);
    clock(j, &r);
    measuring(j, &r);
    caches(j, &r);
    tlbs(j, &r);
    mitigations(j, &r);
    free(r.place);
}

void replay_cpuid(struct json *j, const uint8_t *bytes, size_t n)
{
    struct cpuid_dump d;
    char wrong[200];
    if (cpuid_dump_parse(&d, bytes, n, wrong, sizeof wrong))
        decode(j, &d);
    else
        replay_error(j, "%s", wrong);
    cpuid_dump_free(&d);
}
