/*
 * A recording (hosted/replay/replay.h): one of tests/replay/cpuid, or a made-up one,
 * leaf by leaf.
 */
#ifndef TESTS_UNIT_MADE_CPU_H
#define TESTS_UNIT_MADE_CPU_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "hosted/replay/replay.h"
#include "tests/unit/read_file.h"

static struct dump_leaf made_leaves[100];
static struct dump_msr made_msrs[20];
static struct cpuid_dump made;

static inline void made_leaf_of(uint32_t cpu, uint32_t leaf, uint32_t subleaf,
                                struct cpuid_regs regs)
{
    if (made.leaves == sizeof made_leaves / sizeof made_leaves[0])
        abort();
    made_leaves[made.leaves++] = (struct dump_leaf){cpu, leaf, subleaf, regs};
}

static inline void made_leaf(uint32_t leaf, uint32_t eax, uint32_t ebx, uint32_t ecx, uint32_t edx)
{
    made_leaf_of(0, leaf, 0, (struct cpuid_regs){eax, ebx, ecx, edx});
}

static inline void made_msr(uint32_t address, uint64_t value)
{
    if (made.msrs == sizeof made_msrs / sizeof made_msrs[0])
        abort();
    made_msrs[made.msrs++] = (struct dump_msr){.address = address, .value = value};
}

/* Starts a new one. */
static inline void made_none(void)
{
    made = (struct cpuid_dump){.leaf = made_leaves, .msr = made_msrs};
}

static inline void made_vendor(const char id[12], uint32_t max_leaf)
{
    uint32_t r[3];

    memcpy(r, id, 12);
    made_none();
    made_leaf(0, max_leaf, r[0], r[2], r[1]);
}

/* Leaf 1 of a family and model, with a TSC and MSRs. */
static inline void made_model(uint32_t family, uint32_t model, uint32_t ebx, uint32_t ecx,
                              uint32_t edx)
{
    uint32_t base = family < 0xf ? family : 0xf;

    made_leaf(1, (family - base) << 20 | (model >> 4) << 16 | base << 8 | (model & 0xf) << 4, ebx,
              ecx, edx | 1u << 4 | 1u << 5);
}

/* `made`, decoded as CPU 0. */
static inline struct cpu made_cpu(struct dump_cpu *boot)
{
    struct cpu c;

    *boot = (struct dump_cpu){&made, 0};
    memset(&c, 0xff, sizeof c);
    cpu_decode(&c, cpuid_dump_get, boot);
    return c;
}

/* Reads a fixture by its name and keeps it until the next one is read; ends the test program if
 * it is missing. */
static inline struct cpuid_dump *fixture(const char *name)
{
    static struct cpuid_dump d;
    char path[200], wrong[200];
    size_t n;

    cpuid_dump_free(&d);
    snprintf(path, sizeof path, "tests/replay/cpuid/%s.txt", name);
    uint8_t *text = read_file(path, &n);
    if (!cpuid_dump_parse(&d, text, n, wrong, sizeof wrong)) {
        fprintf(stderr, "%s: %s\n", path, wrong);
        exit(1);
    }
    free(text);
    return &d;
}

#endif
