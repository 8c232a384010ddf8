/*
 * A machine with counters of core cycles, for lib/cpu/core_counter.h:
 * MSRs that exist, fault or swallow writes, and a core whose counters advance with its work.
 * `cycles` core cycles pass for each `ticks` of the TSC.
 */
#ifndef TESTS_UNIT_LIB_CPU_FAKE_COUNTERS_H
#define TESTS_UNIT_LIB_CPU_FAKE_COUNTERS_H

#include <string.h>
#include "lib/cpu/core_counter.h"

#define FAKE_COUNTER_MSRS 32

struct fake_counters {
    unsigned n;
    struct {
        uint32_t msr;
        uint64_t v;
        bool swallows;
    } of[FAKE_COUNTER_MSRS];
    bool amd, extended, global; /* which controls let which counter count */
    bool retired;               /* what passes are instructions, not core cycles */
    bool smis;                  /* what passes are SMIs */
    double cycles_per_tick;
    double per_add;       /* core cycles of an addition, as the counters see it */
    double tsc, fraction; /* fraction: of a core cycle, not yet counted */
    bool rdpmc_faults;
    unsigned tear; /* readings of the TSC, from now on, that come 100,000 ticks late */
    struct counter_access access;
};

static inline uint64_t *fake_counter_at(struct fake_counters *f, uint32_t msr)
{
    for (unsigned i = 0; i < f->n; i++)
        if (f->of[i].msr == msr)
            return &f->of[i].v;
    return NULL;
}

static inline void fake_counter_add(struct fake_counters *f, uint32_t msr, uint64_t v)
{
    f->of[f->n].swallows = false;
    f->of[f->n].msr = msr;
    f->of[f->n++].v = v;
}

static inline void fake_counter_swallow(struct fake_counters *f, uint32_t msr)
{
    for (unsigned i = 0; i < f->n; i++)
        f->of[i].swallows = f->of[i].swallows || f->of[i].msr == msr;
}

static inline bool fake_amd_counts(struct fake_counters *f, unsigned i)
{
    /* EN, OS, USR; event 2Bh, C0h, 76h */
    const uint64_t want = f->smis ? 0x43002b : f->retired ? 0x4300c0 : 0x430076;
    const uint64_t *control = fake_counter_at(f, f->extended ? 0xc0010200 + 2 * i : 0xc0010000 + i);
    const uint64_t *global = fake_counter_at(f, 0xc0000301);

    return control && *control == want && (!f->global || (global && *global >> i & 1));
}

/* Lets this number of core cycles pass. */
static inline void fake_counters_pass(struct fake_counters *f, double cycles)
{
    const uint64_t mask = (1ull << 48) - 1;
    uint64_t whole = (uint64_t)(f->fraction + cycles), *count;
    uint64_t *control = fake_counter_at(f, 0x38d), *global = fake_counter_at(f, 0x38f);

    f->fraction += cycles - (double)whole;
    f->tsc += cycles / f->cycles_per_tick;
    unsigned fixed = f->retired ? 0 : 1;
    if (control && global && (*control >> 4 * fixed & 1) && (*global >> (32 + fixed) & 1))
        *fake_counter_at(f, 0x309 + fixed) = (*fake_counter_at(f, 0x309 + fixed) + whole) & mask;
    for (unsigned i = 0; f->amd && i < 6; i++) {
        count = fake_counter_at(f, f->extended ? 0xc0010201 + 2 * i : 0xc0010004 + i);
        if (count && fake_amd_counts(f, i))
            *count = (*count + whole) & mask;
    }
    if ((count = fake_counter_at(f, 0xe8)) != NULL)
        *count += whole;
    if ((count = fake_counter_at(f, 0xe7)) != NULL)
        *count = (uint64_t)(f->tsc + 1e6); /* at the TSC's rate, from elsewhere */
}

static inline bool fake_counter_read(void *ctx, uint32_t msr, uint64_t *v)
{
    const uint64_t *at = fake_counter_at(ctx, msr);

    fake_counters_pass(ctx, 100);
    *v = at ? *at : 0;
    return at != NULL;
}

static inline bool fake_counter_write(void *ctx, uint32_t msr, uint64_t v)
{
    struct fake_counters *f = ctx;

    for (unsigned i = 0; i < f->n; i++) {
        if (f->of[i].msr != msr)
            continue;
        if (!f->of[i].swallows)
            f->of[i].v = v;
        return true;
    }
    return false;
}

static inline bool fake_counter_rdpmc(void *ctx, uint32_t index, uint64_t *v)
{
    struct fake_counters *f = ctx;
    unsigned fixed = f->retired ? 0 : 1;
    uint32_t msr = !f->amd       ? 0x309 + fixed
                   : f->extended ? 0xc0010201 + 2 * index
                                 : 0xc0010004 + index;

    return !f->rdpmc_faults && (f->amd || index == (1u << 30 | fixed)) &&
           fake_counter_read(ctx, msr, v);
}

static inline uint64_t fake_counter_tsc(void *ctx)
{
    struct fake_counters *f = ctx;

    if (f->tear) {
        f->tear--;
        fake_counters_pass(f, 1e5 * f->cycles_per_tick);
    }
    return (uint64_t)f->tsc;
}

static inline void fake_counter_chain(void *ctx, uint32_t adds)
{
    struct fake_counters *f = ctx;

    fake_counters_pass(f, adds * f->per_add);
}

static inline void fake_counters_init(struct fake_counters *f)
{
    memset(f, 0, sizeof *f);
    f->cycles_per_tick = 1.5;
    f->per_add = 1;
    f->access = (struct counter_access){{f, fake_counter_read, fake_counter_write},
                                        f,
                                        fake_counter_rdpmc,
                                        fake_counter_tsc,
                                        fake_counter_chain};
}

#endif
