/*
 * A row of planted windows, through the engine, and what that calls in the rest of the program. The
 * test that includes this defines OPS before, and `placed` after it.
 */
#ifndef TESTS_UNIT_BENCH_MADE_ROW_H
#define TESTS_UNIT_BENCH_MADE_ROW_H

#include "tests/unit/bench/fake_program.h"

static const struct cpu cpu = {
    .vendor = VENDOR_INTEL, .tsc = true, .sse2 = true, .lfence_always_serializing = true};

static struct options options;
static struct bench bench = {
    .suite = "planted", .name = "row", .window.form = FORM_STRAIGHT, .ops = OPS};
static struct engine engine;
static struct sampler sampler;
static uint64_t memory[1 << 18], store[1 << 18];
static struct gathered *const gathered = (struct gathered *)(void *)store;

static uint64_t ran_before; /* row_begin() was told */
static uint64_t nmis_so_far;

static uint64_t nmis(void)
{
    return nmis_so_far;
}

static void row_begin(const struct platform *p, const char *suite, const char *name, uint64_t ran)
{
    ran_before = ran;
}

static void row_end(const struct platform *p)
{
}

/* How a guarded call ends after it has run; NULL: all return. Of a part these are its setup, its
 * windows and its check: `ends_after` calls return before. */
static const struct guard_ended *ends;
static unsigned ends_after;

static bool guarded(void (*fn)(void *ctx), void *ctx, struct guard_ended *ended)
{
    fn(ctx);
    if (!ends || ends_after-- > 0)
        return true;
    *ended = *ends;
    return ends->by == GUARD_CAME_BACK;
}

/* The row's windows at each of its placements. */
static const struct placed placed;
static struct placed places[LAYOUT_MAX];

const char *not_placed; /* why place_row() cannot; NULL: it can */

bool place_row(struct engine *e, const struct bench *b, enum recipe recipe, struct placed *to,
               unsigned from, unsigned n)
{
    memset(to, 0, sizeof places); /* only those asked for are there */
    for (unsigned i = from; i < from + n; i++) {
        to[i] = placed;
        to[i].check = b->check;
    }
    return !not_placed;
}

const char *place_why(const struct engine *e)
{
    return not_placed;
}

/* One function is placed. */
const char *place_name_at(uint64_t at, uint64_t *offset)
{
    *offset = at - (PLATFORM_CODE_VA + 0x2000);
    return *offset < 8 ? "a_body" : NULL;
}

bool window_holds(const uint8_t *code, size_t at, const char *name, size_t *offset)
{
    *offset = 0x12;
    return at == 0x1000 && strcmp(name, "planted/row/B2") == 0;
}

/* Runs the first `rounds` of its rounds. */
static void row_of(const struct bench *b, unsigned rounds, struct row *row)
{
    assert_true(engine_need(&options) <= sizeof memory / sizeof *memory);
    assert_true(gathered_need(&options, engine.facts.samples, engine.facts.rounds) <=
                sizeof store / sizeof *store);
    engine.sampler = &sampler;
    engine.placed = places;
    engine.facts.execution = EXEC_SILICON;
    engine_begin(&engine, b, gathered);
    for (unsigned i = 0; i < rounds; i++)
        engine_round(&engine, gathered, i);
    engine_end(&engine, gathered, row);
}

static inline struct row whole_row(struct bench b)
{
    static struct row row; /* what it says is in it */

    row_of(&b, engine.facts.rounds, &row);
    return row;
}

#endif
