/* MSRs for lib/cpu/register_bits.h: some that exist; a write can be swallowed, or fault. */
#ifndef TESTS_UNIT_LIB_CPU_FAKE_MSR_FILE_H
#define TESTS_UNIT_LIB_CPU_FAKE_MSR_FILE_H

#include <stddef.h>
#include <stdlib.h>
#include "lib/cpu/register_bits.h"

#define FAKE_MSR_FILE 32

struct fake_msr_file {
    unsigned n, writes;
    struct {
        uint32_t msr;
        uint64_t v;
        enum { FAKE_MSR_GOOD, FAKE_MSR_SWALLOWS, FAKE_MSR_FAULTS } is; /* when written */
    } of[FAKE_MSR_FILE];
};

static inline void fake_msr_file_add(struct fake_msr_file *f, uint32_t msr, uint64_t v)
{
    if (f->n == FAKE_MSR_FILE)
        abort();
    f->of[f->n].msr = msr;
    f->of[f->n].is = FAKE_MSR_GOOD;
    f->of[f->n++].v = v;
}

static inline uint64_t *fake_msr_file_at(struct fake_msr_file *f, uint32_t msr)
{
    for (unsigned i = 0; i < f->n; i++)
        if (f->of[i].msr == msr)
            return &f->of[i].v;
    return NULL;
}

static inline bool fake_msr_file_read(void *ctx, uint32_t msr, uint64_t *v)
{
    const uint64_t *at = fake_msr_file_at(ctx, msr);

    *v = at ? *at : 0;
    return at != NULL;
}

static inline bool fake_msr_file_write(void *ctx, uint32_t msr, uint64_t v)
{
    struct fake_msr_file *f = ctx;

    for (unsigned i = 0; i < f->n; i++) {
        if (f->of[i].msr != msr || f->of[i].is == FAKE_MSR_FAULTS)
            continue;
        f->writes++;
        if (f->of[i].is == FAKE_MSR_GOOD)
            f->of[i].v = v;
        return true;
    }
    return false;
}

static inline struct msr_access fake_msr_file_access(struct fake_msr_file *f)
{
    return (struct msr_access){f, fake_msr_file_read, fake_msr_file_write};
}

#endif
