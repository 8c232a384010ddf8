/* The kind cpuid: everything that lib/ decodes of CPUID and MSRs, of the CPUs of one recording. */
#include <stdlib.h>
#include "lib/cpu/core_counter.h"
#include "lib/cpu/cpu_facts.h"
#include "lib/cpu/tsc_rate.h"
#include "tests/replay/cpuid_dump.h"
#include "tests/replay/replay.h"

/* A recording, its boot CPU decoded, and where each of its CPUs stands. */
struct recorded {
    const struct cpuid_dump *dump;
    struct dump_cpu boot;
    struct cpu cpu;
    struct core_place *place;
    size_t n, self; /* place[self] is CPU 0's */
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
            r->self = i;
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

static void decode(struct json *j, const struct cpuid_dump *d)
{
    struct recorded r = {.dump = d, .boot = {d, 0}};
    const struct cpu_source source = {cpuid_dump_get, &r.boot, cpuid_dump_rdmsr, &r.boot};
    struct cpu_facts facts;
    cpu_decode(&r.cpu, cpuid_dump_get, &r.boot);
    if (!place_all(&r)) {
        replay_error(j, "out of memory for %zu CPUs", d->cpus);
        return;
    }
    signature(j, &r);
    cpu_facts_read(&facts, &r.cpu, &source, r.place, r.n, r.self);
    json_u64(j, "cpus_recorded", r.n); /* more than logical_cpus where a recorder took one twice */
    cpu_facts_record_topology(&facts, j);
    clock(j, &r);
    measuring(j, &r);
    cpu_facts_record_caches(&facts, j);
    cpu_facts_record_tlbs(&facts, j);
    cpu_facts_record_mitigations(&facts, j);
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
