/*
 * The text recordings of tests/replay/cpuid, and a cpuid_fn that answers from them. A line is one
 * of
 *   cpuid CPU LEAF SUBLEAF EAX EBX ECX EDX    all hexadecimal but CPU
 *   msr ADDRESS VALUE                         CPU 0's; VALUE is `fault` if RDMSR faulted
 *   # anything
 * or empty, and ends in LF, CR LF or the text's end. Blanks separate words. Older recorders wrote
 * all subleaves of a leaf in sequence with subleaf 0: the n-th of these is subleaf n. CPUs other
 * than 0 have only the leaves that differ; CPU 0 answers for the rest.
 */
#ifndef HOSTED_REPLAY_CPUID_DUMP_H
#define HOSTED_REPLAY_CPUID_DUMP_H

#include "lib/cpu/cpu.h"

#define DUMP_CPU_MAX 65535 /* the highest CPU number; no machine is near it */

struct dump_leaf {
    uint32_t cpu, leaf, subleaf;
    struct cpuid_regs regs;
};

struct dump_msr {
    uint32_t address;
    bool fault;
    uint64_t value;
};

struct cpuid_dump {
    struct dump_leaf *leaf;
    struct dump_msr *msr;
    uint32_t *cpu; /* the distinct CPU numbers, in the order of their first lines */
    size_t leaves, msrs, cpus;
};

/* Parses a recording. False: a line has another form, or CPU 0 has no CPUID record; `error` then
 * names the line. Free in both cases. */
bool cpuid_dump_parse(struct cpuid_dump *d, const uint8_t *text, size_t n, char *error,
                      size_t size);
void cpuid_dump_free(struct cpuid_dump *d);

struct dump_cpu {
    const struct cpuid_dump *dump;
    uint32_t cpu;
};

/* A cpuid_fn; its context is a struct dump_cpu. Returns zeros for leaves that were not recorded, as
 * CPUs do for leaves that they lack. */
struct cpuid_regs cpuid_dump_get(void *cpu, uint32_t leaf, uint32_t subleaf);
/* Returns whether the recording has this leaf for this CPU itself. */
bool cpuid_dump_has(const struct dump_cpu *cpu, uint32_t leaf, uint32_t subleaf);
/* Returns false if RDMSR faulted or was not recorded. The context is a struct dump_cpu too: the
 * MSRs of CPU 0 answer for all. */
bool cpuid_dump_rdmsr(void *cpu, uint32_t address, uint64_t *value);

#endif
