/*
 * The place of a logical CPU: package, core, thread, core type. CPUID tells each CPU its own APIC
 * id and the fields of that id, so every CPU must read its own (topology_place). All of them
 * together give the machine's shape (topology_count): counts in CPUID are those of possible ids,
 * not of existing CPUs.
 *
 * Sources, in order of preference: leaf 1Fh, leaf 0Bh (Intel SDM vol. 3A section 9.9.1,
 * "Hierarchical Mapping of Shared Resources"; AMD APM vol. 3 E.3.9), AMD leaf 8000_0008 with
 * 8000_001E (E.4.7, E.4.15), leaf 1 with leaf 4 (SDM vol. 3A section 9.9.3).
 */
#ifndef LIB_CPU_TOPOLOGY_H
#define LIB_CPU_TOPOLOGY_H

#include <stddef.h>
#include "lib/cpu/cpu.h"

/* Intel leaf 1Ah EAX[31:24]: 40h Core, 20h Atom; AMD leaf 8000_0026 EBX[31:28]: 0, 1. */
enum core_type { CORE_TYPE_UNKNOWN, CORE_TYPE_PERFORMANCE, CORE_TYPE_EFFICIENCY, CORE_TYPES };

struct core_place {
    uint32_t apic_id;    /* the x2APIC id if the CPU has one: may be above 255 */
    uint32_t package;    /* the id's upper bits: not dense */
    uint32_t module;     /* AMD family 15h: cores that share a front end; else the core */
    uint32_t core;       /* within the package, not dense */
    uint32_t thread;     /* within the core */
    enum core_type type; /* UNKNOWN if the CPU does not report it, as before hybrid parts */
};

/* Fills in the CPU that this CPUID belongs to; `c` is its decoded CPUID. */
void topology_place(struct core_place *p, const struct cpu *c, cpuid_fn cpuid, void *ctx);

struct topology {
    uint32_t logical_cpus; /* distinct APIC ids */
    uint32_t packages, modules, cores;
    uint32_t threads_per_core; /* the maximum of all cores */
    struct {
        uint32_t cores, logical_cpus;
    } type[CORE_TYPES];
};

/* Counts over n CPUs in any order; duplicates count once. Time grows with n^2. */
void topology_count(struct topology *t, const struct core_place *cpus, size_t n);

/* Returns the number of distinct APIC ids that differ from `id` only in the lowest `bits`. */
uint32_t topology_sharing(const struct core_place *cpus, size_t n, uint32_t id, unsigned bits);

/* Returns the number of bits that n different ids need; 0 for n of 0 and 1. */
unsigned topology_bits(uint32_t n);

extern const char *const core_type_names[CORE_TYPES];

#endif
