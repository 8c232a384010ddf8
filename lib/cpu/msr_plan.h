/*
 * MSRs changed for a while: kept, replaced bit by bit, read back, put back. Pure: the accesses come
 * as functions, which return false where the access faults. A hypervisor may also swallow a write,
 * so that only what reads back has happened.
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

/* Replaces the bits of `mask` in an MSR that is kept. False: faulted, or does not read back so. */
bool msr_change(const struct msr_kept *k, const struct msr_access *a, uint64_t mask, uint64_t bits);

/* As it was when it was kept. False: it does not read back so. */
bool msr_put_back(const struct msr_kept *k, const struct msr_access *a);

#endif
