/*
 * A CPU's properties beyond its name: microcode, topology, caches, TLBs, mitigations of
 * speculation. Read once, then shown to the user and written to a record; the same for a live
 * machine, a process and a recording.
 */
#ifndef LIB_CPU_CPU_FACTS_H
#define LIB_CPU_CPU_FACTS_H

#include "lib/cpu/caches.h"
#include "lib/cpu/features.h"
#include "lib/cpu/topology.h"
#include "lib/text/json.h"
#include "lib/text/sink.h"

/* Access to its CPUID and its MSRs; rdmsr NULL: no MSR can be read. */
struct cpu_source {
    cpuid_fn cpuid;
    void *cpuid_ctx;
    msr_fn rdmsr;
    void *msr_ctx;
};

struct cpu_facts {
    const struct cpu *cpu;
    uint32_t microcode;       /* revision; 0: not known */
    struct topology topology; /* logical_cpus 0: not known */
    unsigned caches, tlbs;
    struct cache cache[CACHES_MAX];
    uint32_t shared_by[CACHES_MAX]; /* CPUs, this one included; 0: not known */
    struct tlb tlb[TLBS_MAX];
    struct mitigations mitigations;
};

/* `place`: all n CPUs of the machine in any order; place[self] is this one. n = 0: the others are
 * not known. The caller fills in the microcode. */
void cpu_facts_read(struct cpu_facts *f, const struct cpu *c, const struct cpu_source *s,
                    const struct core_place *place, size_t n, size_t self);

/* Writes the members of lib/cpu/topology.def, of a topology that is known. */
void cpu_facts_record_topology(const struct topology *t, struct json *j);
/* Writes the members of lib/cpu/cpu_facts.def: caches, TLBs, mitigations. */
void cpu_facts_record(const struct cpu_facts *f, struct json *j);

/* Writes lines of a table's head: topology, caches, tlb, spec_ctrl, arch_caps, as far as known. */
void cpu_facts_show(const struct cpu_facts *f, struct sink *out);

#endif
