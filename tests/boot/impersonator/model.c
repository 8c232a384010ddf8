/*
 * A model of a core's time, for runs that are to be judged a real CPU: IMUL r64,r64 takes three
 * cycles, every other instruction one, in straight code between two readings of a clock. Elsewhere
 * an IMUL takes one.
 */
#include "imp.h"

#define LONGEST    8192 /* bytes of straight code */
#define SLACK      64   /* instructions */
#define MORE       2    /* cycles of IMUL beyond the one that passes */
#define KNOWN      1024 /* a power of two */
#define SIGNATURES 8

/* Code that was searched. `sign`: some of its bytes, since other code may replace it. */
static struct {
    u64 from, to, sign, count;
} known[KNOWN];

static u64 signature(const struct core *c, u64 from, u64 to)
{
    u64 sign = 0;

    for (u64 i = 1; i < SIGNATURES; i++) {
        const u8 *at = exits_guest(c, from + (to - from) * i / SIGNATURES);
        sign = (sign << 7 | sign >> 57) ^ (at ? *(const u64 *)(const void *)at : 0);
    }
    return sign;
}

static u64 multiplications(const struct core *c, u64 from, u64 to)
{
    u64 count = 0;

    for (u64 a = from; a + 2 < to; a++) {
        const u8 *p = exits_guest(c, a);
        if (!p)
            return 0;
        for (; a + 2 < to && ~a & (PAGE - 1); a++, p++)
            count += p[0] == 0x0f && p[1] == 0xaf;
    }
    return count;
}

/* Returns the cycles that pass in addition, at an exit that reads a clock. */
u64 model_more_cycles(struct core *c)
{
    u64 from = c->last_read, to = *v64(c, V_RIP);
    u64 done = (c->entered - c->resumed) >> machine->shift;

    c->last_read = to;
    /* Straight code has at most one instruction a byte. */
    if (!machine->model || to <= from || to - from > LONGEST || done > to - from + SLACK)
        return 0;
    u64 sign = signature(c, from, to);
    u64 i = (from ^ from >> 10 ^ to << 3 ^ sign) & (KNOWN - 1);
    if (known[i].from != from || known[i].to != to || known[i].sign != sign) {
        known[i].from = from;
        known[i].to = to;
        known[i].sign = sign;
        known[i].count = multiplications(c, from, to);
    }
    return done >= known[i].count ? MORE * known[i].count : 0;
}
