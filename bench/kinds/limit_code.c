#include "bench/kinds/limit_code.h"
#include "bench/engine/window.h"
#include "lib/text/mem.h"

#define PAGE 4096u
#define LINE 64u

/* The data buffer. */
enum { LINE_AT = 0x10000, RUN_AT = LINE_AT + 1024, TABLE_AT = 0x20000, CHAINS_AT = 0x40000 };
#define TABLE_SIZE (CHAINS_AT - TABLE_AT)
_Static_assert(CHAINS_AT + 2 * SETTING_CHAIN * PAGE <= WINDOW_DATA_END, "the chains do not fit");

/* Number of lines on which the code can begin. */
#define PLACES 512

/* Least operations of a walk, or elements of a table that it visits. */
#define STEPS_LEAST 4096
/* Walks before the timed ones, from which predictors learn branches: passes over the table, and the
 * least number of operations. */
#define WARM_LAPS        8
#define WARM_LEAST       16384
#define QUICK            64 /* in place of STEPS_LEAST; nothing is warmed up */
#define ITERATIONS_LEAST 4

/* Returns numbers that look random: Vigna's SplitMix64. */
static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* Returns the numbers from 0 to n - 1 in a random order. */
static void shuffle(uint16_t *order, unsigned n, uint64_t *state)
{
    for (unsigned i = 0; i < n; i++) {
        unsigned k = (unsigned)(next(state) % (i + 1));
        order[i] = order[k];
        order[k] = (uint16_t)i;
    }
}

/* --- data ------------------------------------------------------------------------------------- */

/* Links elements in separate pages, on random lines of them, into two cyclic chains. */
static void make_chains(struct limits_setting *s, uint8_t *pages, uint64_t *state)
{
    uint16_t order[2 * SETTING_CHAIN] = {0};

    shuffle(order, 2 * SETTING_CHAIN, state);
    for (unsigned i = 0; i < 2 * SETTING_CHAIN; i++)
        s->chain[i / SETTING_CHAIN][i % SETTING_CHAIN] =
            pages + order[i] * PAGE + next(state) % (PAGE / LINE) * LINE;
    for (unsigned c = 0; c < 2; c++)
        for (unsigned i = 0; i < SETTING_CHAIN; i++)
            memcpy(s->chain[c][i], &s->chain[c][(i + 1) % SETTING_CHAIN], sizeof(uint8_t *));
}

/* Writes an equal number of ones and zeros, in random order. */
static void make_pattern(uint8_t *table, uint32_t n, uint64_t *state)
{
    for (uint32_t i = 0; i < n; i++) {
        uint64_t k = next(state) % (i + 1);
        table[i] = table[k];
        table[k] = i % 2 == 0;
    }
}

/* Writes the addresses of all targets, in a random order. */
static void make_targets(const struct limits_setting *s, uint8_t *table, uint64_t *state)
{
    uint64_t *to = (uint64_t *)(void *)table;

    for (uint32_t i = 0; i < s->count; i++) {
        uint64_t k = next(state) % (i + 1);
        to[i] = to[k];
        to[k] = (uint64_t)(s->code.at + s->code.targets + limits_target(i));
    }
}

static bool has_table(enum limits_kind kind)
{
    return kind == LIMITS_PATTERN || kind == LIMITS_TARGETS;
}

/* Returns the iterations of the shorter walk: the steps, and whole laps of a table. */
static uint64_t iterations_of(const struct limits_setting *s, uint64_t steps)
{
    uint64_t per_iteration = has_table(s->kind->kind) ? s->count : s->code.operations;
    uint64_t laps = (steps + per_iteration - 1) / per_iteration;
    uint64_t least = steps == QUICK ? 1 : ITERATIONS_LEAST;

    if (s->kind->kind == LIMITS_WINDOW)
        return SETTING_CHAIN / 2;
    if (s->kind->kind == LIMITS_WIDTH)
        return steps / LIMITS_CHAIN;
    return has_table(s->kind->kind) ? laps * s->count : laps > least ? laps : least;
}

static void make_data(struct limits_setting *s, uint8_t *data, uint64_t *state)
{
    memset(data + LINE_AT, 0, LINE);
    s->run = (struct limits_run *)(void *)(data + RUN_AT);
    *s->run = (struct limits_run){.line = (uint64_t)(data + LINE_AT),
                                  .table = (uint64_t)(data + TABLE_AT),
                                  .count = s->count};
    if (s->kind->kind == LIMITS_WINDOW)
        make_chains(s, data + CHAINS_AT, state);
    else if (s->kind->kind == LIMITS_PATTERN)
        make_pattern(data + TABLE_AT, s->count, state);
    else if (s->kind->kind == LIMITS_TARGETS)
        make_targets(s, data + TABLE_AT, state);
}

bool setting_make(struct limits_setting *s, const struct platform *p,
                  const struct bench_limit *kind, uint32_t count, uint64_t seed, bool quick)
{
    uint64_t state = seed, skip = next(&state) % PLACES * LINE;

    *s =
        (struct limits_setting){.p = p, .kind = kind, .count = count, .seed = seed, .quick = quick};
    s->code.at = p->code.at + skip;
    s->code.size = PLATFORM_CODE_SIZE - skip;
    if (has_table(kind->kind) && count > TABLE_SIZE / sizeof(uint64_t) &&
        (kind->kind == LIMITS_TARGETS || count > TABLE_SIZE))
        return false;
    p->code.write(p);
    bool fits = limits_program(&s->code, kind->kind, kind->param, count);
    p->code.execute(p, PLATFORM_CODE_SIZE);
    make_data(s, p->data, &state);
    s->iterations = iterations_of(s, quick ? QUICK : STEPS_LEAST);
    if (kind->kind == LIMITS_PATTERN) /* a NOP for each zero */
        s->more = s->iterations / count * (count / 2);
    return fits;
}

/* --- walks ------------------------------------------------------------------------------------ */

/* Evicts the chains from all caches. */
static void flush(const struct limits_setting *s)
{
    __asm__ volatile("mfence" ::: "memory");
    for (unsigned c = 0; c < 2; c++)
        for (unsigned i = 0; i < SETTING_CHAIN; i++)
            __asm__ volatile("clflush (%0)" ::"r"(s->chain[c][i]) : "memory");
    __asm__ volatile("mfence; lfence" ::: "memory");
}

/* Returns the ticks of a number of iterations. A walk along the chains must end where they are
 * then. */
static uint64_t walk(struct limits_setting *s, uint64_t iterations)
{
    limits_fn fn = (limits_fn)(uintptr_t)s->code.at;
    bool chains = s->kind->kind == LIMITS_WINDOW;

    s->run->iterations = iterations;
    s->run->a = (uint64_t)s->chain[0][0];
    s->run->b = (uint64_t)s->chain[1][0];
    if (chains)
        flush(s);
    uint64_t ticks = fn(s->run);
    for (unsigned c = 0; chains && c < 2; c++)
        if ((c ? s->run->b : s->run->a) != (uint64_t)s->chain[c][iterations % SETTING_CHAIN])
            s->wrong = "a walk did not end at the element where the chain has its end";
    return ticks;
}

void setting_warm(struct limits_setting *s)
{
    uint64_t iterations = s->iterations;

    if (has_table(s->kind->kind)) {
        iterations = WARM_LAPS * s->count > WARM_LEAST ? WARM_LAPS * s->count : WARM_LEAST;
    }
    walk(s, iterations);
    walk(s, s->iterations);
}

/* Makes other code and data for the same count. */
static void make_again(struct limits_setting *s)
{
    struct limits_setting other;

    if (!setting_make(&other, s->p, s->kind, s->count, s->seed + (1ull << 48), s->quick)) {
        s->wrong = "the code of a count does not fit the code buffer at another place";
        return;
    }
    other.operations = s->operations;
    other.per_instruction = s->per_instruction;
    other.wrong = s->wrong;
    *s = other;
    setting_warm(s);
}

static void add_walks(struct limits_setting *s, struct pair_ticks *t)
{
    if (s->kind->kind != LIMITS_WINDOW) /* the witness has used the front end's caches */
        walk(s, 2 * s->iterations);
    uint64_t once = walk(s, s->iterations), twice = walk(s, 2 * s->iterations);
    uint64_t operations = s->iterations * s->code.operations;
    uint64_t instructions = s->iterations * s->code.instructions + s->more;

    *t = (struct pair_ticks){t->once + once, t->twice + twice, t->operations + operations};
    s->operations += operations;
    if (s->per_instruction && twice - once != instructions * s->per_instruction)
        s->wrong = "the code executed another number of instructions than it has";
}

bool setting_walks(void *ctx, unsigned i, struct pair_ticks *t)
{
    struct limits_setting *s = ctx;

    (void)i;
    *t = (struct pair_ticks){0};
    add_walks(s, t);
    for (unsigned other = 1; other < setting_varied(s) && !s->wrong; other++) {
        make_again(s);
        if (!s->wrong)
            add_walks(s, t);
    }
    return !s->wrong;
}
