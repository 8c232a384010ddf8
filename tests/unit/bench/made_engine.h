/*
 * The engine on planted windows: functions with known ticks replace the windows in the code buffer,
 * and the figure must be the planted one.
 */
#ifndef TESTS_UNIT_BENCH_MADE_ENGINE_H
#define TESTS_UNIT_BENCH_MADE_ENGINE_H

#include "tests/unit/cmocka_unit.h"
#include <math.h>
#include "tests/unit/fake_tsc.h"

#define OPS   1000
#define CALLS 100000

#include "tests/unit/bench/made_row.h"
#include "tests/unit/bench/fake_witness.h"

/* One call of a window by the sampler. */
struct call {
    enum window_kind kind;
    uint64_t iterations, delay, stack;
};

/* What the windows do; set by each test. */
static struct {
    struct call call[CALLS];
    size_t calls, of_kind[KINDS];
    double overhead, cycle, operation; /* ticks, ticks a core cycle, core cycles an operation */
    double drift;                      /* relative, each window */
    double (*extra)(enum window_kind k,
                    size_t i); /* ticks on top of the i-th window of a kind, or NULL */
    bool (*fails)(size_t i);   /* the i-th window of the body, ... */
    bool twice_fails;          /* ... or of twice the body */
    uint64_t nmi_at;           /* an NMI comes with this call; 0: none */
    unsigned cooled;
    uint64_t interrupts; /* of the timer, so far */
    double instructions; /* an operation executes; rounded down over all of a window */
    size_t stepped;      /* windows by steps, ... */
    size_t calls_then;   /* ... calls before the first of them, ... */
    uint64_t step_ticks; /* ... and what each takes */
} plant;

void place_cool(const struct placed *p)
{
    plant.cooled++;
}

static double cycles_of(enum window_kind k)
{
    static const unsigned operations[KINDS] = {[KIND_BODY] = OPS, [KIND_BODY2] = 2 * OPS};
    static const unsigned adds[KINDS] = {[KIND_RULER] = RULER_ADDS, [KIND_RULER2] = 2 * RULER_ADDS};

    return operations[k] * plant.operation + adds[k];
}

static struct window_result window(enum window_kind k, uint64_t iterations, uint64_t delay,
                                   uint64_t stack)
{
    size_t i = plant.of_kind[k]++;

    assert_true(plant.calls < CALLS);
    plant.call[plant.calls++] = (struct call){k, iterations, delay, stack};
    if (plant.calls == plant.nmi_at)
        nmis_so_far++;
    double ticks = plant.overhead + cycles_of(k) * plant.cycle;
    ticks *= 1 + plant.drift * (double)plant.calls;
    if (plant.extra)
        ticks += plant.extra(k, i);
    return (struct window_result){
        .ticks = (uint64_t)(ticks + 0.5),
        .failed =
            k == (plant.twice_fails ? KIND_BODY2 : KIND_BODY) && plant.fails && plant.fails(i),
    };
}

#define WINDOW(name_, kind_)                                                                       \
    static struct window_result name_(struct object *o, const void *f, uint64_t iterations,        \
                                      uint64_t delay, uint64_t stack)                              \
    {                                                                                              \
        (void)o, (void)f;                                                                          \
        return window(kind_, iterations, delay, stack);                                            \
    }
WINDOW(empty, KIND_EMPTY)
WINDOW(ruler, KIND_RULER)
WINDOW(ruler2, KIND_RULER2)
WINDOW(body, KIND_BODY)
WINDOW(body2, KIND_BODY2)

/* The stepped part of the row's body; there is no code. */
static const char body_code[2];
#define BODY_PART &body_code[0], &body_code[1]

/* A stepped window: 50 instructions, and those of its operations. */
static struct step_result step_made(struct stepping *s, step_entry *entry, const void *code,
                                    const uint64_t argument[])
{
    s->end = STEPPING_BACK;
    s->instructions = entry == step_enter ? STEP_KNOWN : 50;
    if (entry != step_enter && plant.stepped++ == 0)
        plant.calls_then = plant.calls;
    fake_tsc += plant.step_ticks;
    if (code == body_code)
        s->instructions += (uint64_t)((double)argument[2] * plant.instructions);
    return (struct step_result){0, 0};
}

static uint64_t timer_interrupts(void)
{
    return plant.interrupts;
}

static bool in_a_process;
static const char *lacks(unsigned needs)
{
    return needs && in_a_process ? "a process" : NULL;
}

static const struct platform platform = {.events.nmis = nmis,
                                         .lacks = lacks,
                                         .events.timer_interrupts = timer_interrupts,
                                         .row.begin = row_begin,
                                         .row.end = row_end,
                                         .guarded = guarded,
                                         .step = step_made,
                                         .image.base = 0x40000,
                                         .image.size = 0x20000,
                                         .cpu = &cpu};

static const struct placed placed = {
    .at = {.stack = 160},
    .kind = {[KIND_EMPTY] = {.fn = empty, .iterations = OPS},
             [KIND_RULER] = {.fn = ruler, .iterations = OPS},
             [KIND_RULER2] = {.fn = ruler2, .iterations = OPS},
             [KIND_BODY] = {.fn = body, .iterations = OPS, .part = {BODY_PART}},
             [KIND_BODY2] = {.fn = body2, .iterations = 2 * OPS}},
};

static void start(void)
{
    memset(&plant, 0, sizeof plant);
    memset(&fake_witness, 0, sizeof fake_witness);
    ends = NULL;
    ran_before = nmis_so_far = 0;
    plant.overhead = 100;
    plant.cycle = 0.5;
    plant.operation = 3.25;
    plant.instructions = 1;
    options_default(&options);
    options.warmup = 0;
    engine = (struct engine){.p = &platform,
                             .facts.o = &options,
                             .facts.recipe = RECIPE_LFENCE,
                             .facts.samples = 256,
                             .facts.rounds = 1,
                             .facts.step = 1,
                             .step_cycles = 37,
                             .memory = memory};
}

static inline double now_and_then(enum window_kind k, size_t i)
{
    return k == KIND_BODY && i % 64 == 5 ? 100000 : 0;
}

static inline double three(const struct cpu *c)
{
    return 3;
}

static inline const char *finds_fault(const struct object *o, uint64_t operations)
{
    return "planted";
}

/* A neighbour that is always there. */
static inline bool at_all_times(void)
{
    return true;
}

#endif
