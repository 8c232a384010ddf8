#include "lib/cpu/aperf.h"

#define MPERF 0xe7 /* SDM vol. 4 table 2-2; AMD uses the same numbers */
#define APERF 0xe8

#define LOOKS  16 /* readings at the start, to learn how long one takes */
#define TORN   4  /* a reading that takes this many times as long is discarded */
#define FORGET 8  /* readings over which the usual time is averaged */

/* Reads both registers between two readings of the TSC. False: one faults. */
static bool look(struct aperf *now, const struct counter_access *a)
{
    now->tsc = a->tsc(a->ctx);
    if (!a->msr.read(a->msr.ctx, APERF, &now->aperf) ||
        !a->msr.read(a->msr.ctx, MPERF, &now->mperf))
        return false;
    now->apart = a->tsc(a->ctx) - now->tsc;
    return true;
}

/* t * a / m, rounded; loses at most the last of 32 bits of precision. */
static uint64_t scaled(uint64_t t, uint64_t a, uint64_t m)
{
    unsigned shift = 0;

    for (; (a | m) >> 31; a >>= 1)
        m >>= 1;
    for (; t >> 32; t >>= 1)
        shift++;
    if (m == 0)
        m = 1; /* the values are unrelated: not a CPU's registers */
    return (t * a + m / 2) / m << shift;
}

enum aperf_status aperf_read(struct aperf *p, const struct counter_access *a, uint64_t *cycles)
{
    struct aperf now;

    if (!look(&now, a))
        return APERF_FAILED;
    if (now.apart > p->apart) {
        p->apart += p->apart / FORGET; /* a slower core reads more slowly from now on */
        return APERF_AGAIN;
    }
    if (now.mperf == p->mperf)
        return APERF_AGAIN;
    p->apart += TORN * now.apart / FORGET - p->apart / FORGET;
    /* The counts are 64 bits wide and wrap: differences are modulo 2^64. */
    p->cycles += scaled(now.tsc - p->tsc, now.aperf - p->aperf, now.mperf - p->mperf);
    p->tsc = now.tsc;
    p->aperf = now.aperf;
    p->mperf = now.mperf;
    *cycles = p->cycles;
    return APERF_OK;
}

/* Tries up to LOOKS times for a valid reading. */
static enum aperf_status read_patiently(struct aperf *p, const struct counter_access *a,
                                        uint64_t *cycles)
{
    enum aperf_status status = APERF_AGAIN;

    for (unsigned i = 0; i < LOOKS && status == APERF_AGAIN; i++)
        status = aperf_read(p, a, cycles);
    return status;
}

static const char *prove(struct aperf *p, const struct counter_access *a)
{
    uint64_t counted[COUNTER_PROOF_TRIES];

    for (unsigned i = 0; i < COUNTER_PROOF_TRIES; i++) {
        uint64_t from, to = 0;
        if (read_patiently(p, a, &from) != APERF_OK)
            return "MPERF does not advance: a hypervisor withholds it";
        a->chain(a->ctx, COUNTER_PROOF_ADDS);
        counted[i] = read_patiently(p, a, &to) == APERF_OK ? to - from : 0;
    }
    return core_counter_prove(counted);
}

const char *aperf_start(struct aperf *p, const struct core_counters *has,
                        const struct counter_access *a)
{
    const char *why = aperf_absent(has);

    if (why)
        return why;
    *p = (struct aperf){.apart = UINT64_MAX};
    for (unsigned i = 0; i < LOOKS; i++) {
        struct aperf now;
        if (!look(&now, a))
            return "MSR E7h or E8h faults: a hypervisor withholds them";
        uint64_t apart = p->apart < now.apart ? p->apart : now.apart;
        *p = now;
        p->apart = apart;
        p->cycles = 0;
    }
    p->apart *= TORN;
    return prove(p, a);
}
