/* kernel/cpu/msr.h for the host: a handful of MSRs that exist, with their writes in order. */
#ifndef TESTS_UNIT_FAKE_MSR_H
#define TESTS_UNIT_FAKE_MSR_H

#include <string.h>
#include "kernel/cpu/msr.h"

#define FAKE_MSRS 128

static struct {
    unsigned n, writes;
    struct {
        uint32_t msr;
        uint64_t value;
        bool stuck; /* a write is swallowed */
    } of[FAKE_MSRS];
    uint32_t written[FAKE_MSRS];
} fake_msr;

static inline void fake_msr_reset(void)
{
    memset(&fake_msr, 0, sizeof(fake_msr));
}

static inline void fake_msr_add(uint32_t msr, uint64_t value)
{
    fake_msr.of[fake_msr.n].msr = msr;
    fake_msr.of[fake_msr.n++].value = value;
}

bool msr_read(uint32_t msr, uint64_t *v)
{
    *v = 0;
    for (unsigned i = 0; i < fake_msr.n; i++) {
        if (fake_msr.of[i].msr == msr) {
            *v = fake_msr.of[i].value;
            return true;
        }
    }
    return false;
}

bool msr_write(uint32_t msr, uint64_t v)
{
    for (unsigned i = 0; i < fake_msr.n; i++) {
        if (fake_msr.of[i].msr == msr) {
            if (!fake_msr.of[i].stuck)
                fake_msr.of[i].value = v;
            if (fake_msr.writes < FAKE_MSRS)
                fake_msr.written[fake_msr.writes++] = msr;
            return true;
        }
    }
    return false;
}

static inline uint64_t fake_msr_value(uint32_t msr)
{
    uint64_t v;

    (void)msr_read(msr, &v);
    return v;
}

#endif
