/*
 * One count of a row of suite `limits`: its code in the code buffer, and its data in the data
 * buffer, at another place for each seed.
 */
#ifndef BENCH_KINDS_LIMIT_CODE_H
#define BENCH_KINDS_LIMIT_CODE_H

#include <stdbool.h>
#include <stdint.h>
#include "bench/api/bench.h"
#include "bench/api/platform.h"
#include "bench/engine/pairs.h"
#include "lib/curve/limit_program.h"

/* Elements of each of the two chains of LIMITS_WINDOW, each in a separate page. The longer walk of
 * a pair loads each element once. */
#define SETTING_CHAIN 32

struct limits_setting {
    const struct platform *p;
    const struct bench_limit *kind;
    uint32_t count;
    uint64_t seed;
    bool quick;
    struct limits_code code;
    struct limits_run *run;
    uint64_t iterations; /* of the shorter walk of a pair */
    uint64_t more;       /* instructions of these iterations that are not in `code.instructions` */
    uint64_t operations; /* that were timed */
    uint8_t *chain[2][SETTING_CHAIN]; /* the elements, in the order of the chain */
    uint64_t per_instruction;         /* ticks, where instructions are counted; 0: they are not */
    const char *wrong;                /* a check that failed; NULL: none */
};

/* Writes code and data. False: the code does not fit the buffer. quick: short walks, where no CPU
 * executes the code. */
bool setting_make(struct limits_setting *s, const struct platform *p,
                  const struct bench_limit *kind, uint32_t count, uint64_t seed, bool quick);

/* Returns the number of settings whose times a pair of walks adds up. The cost of indirect jumps
 * depends on their addresses and order more than on anything else: it is a mean over these. */
static inline unsigned setting_varied(const struct limits_setting *s)
{
    return s->kind->kind == LIMITS_TARGETS && !s->quick ? 4 : 1;
}

/* Runs the code so that caches and predictors know it. */
void setting_warm(struct limits_setting *s);

/* pair_walks of bench/engine/pairs.h; ctx: the setting. */
pair_walks setting_walks;

#endif
