/*
 * Temporary changes of MSRs: remember, replace bits, read back, restore. Pure: the accesses come as
 * functions, which return false if the access faults. A hypervisor may also ignore a write, so only
 * what reads back has been written.
 */
#ifndef LIB_CPU_MSR_PLAN_H
#define LIB_CPU_MSR_PLAN_H

#include <stdbool.h>
#include <stdint.h>

struct msr_access {
    void *ctx;
    bool (*read)(void *ctx, uint32_t msr, uint64_t *v);
    bool (*write)(void *ctx, uint32_t msr, uint64_t v);
};

struct msr_kept {
    uint32_t msr;
    uint64_t was;
};

/* Remembers an MSR. False: it cannot be read, and nothing is remembered. */
bool msr_keep(struct msr_kept *k, const struct msr_access *a, uint32_t msr);

/* Replaces the bits of `mask` in a remembered MSR. False: it faulted or does not read back. */
bool msr_change(const struct msr_kept *k, const struct msr_access *a, uint64_t mask, uint64_t bits);

/* Restores the remembered value. False: it does not read back. */
bool msr_put_back(const struct msr_kept *k, const struct msr_access *a);

#endif
