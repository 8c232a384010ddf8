#include "bench/probe.h"
#include "bench/show.h"
#include "lib/fmt.h"
#include "lib/mem.h"
#include "lib/num.h"

#define RULER_ADDS    1000 /* a ruler of twice as many gives the difference (METHOD "The headline") */
#define STEP_WINDOWS  2048 /* of each of two kinds */
#define POINT_WINDOWS 64   /* a point of the table, where windows are exact or noise anyway */
/* Half-width of a point on silicon, and the error of the default recipe that passes, in core cycles (METHOD). */
#define POINT_HALF    0.5
#define LINEARITY_BAR 2.0
#define WARM_ROUNDS   4

extern const struct unit unit_chain_nop, unit_chain_add, unit_chain_imul, unit_chain_div,
    unit_chain_addsd, unit_chain_before;

/* A window of the probe over `links` copies of a unit; its tag is "probe/NAME/B". */
static window_fn build(struct engine *e, struct code *code, enum recipe recipe,
                       const struct unit *unit, unsigned links, const char *name)
{
    char tag[48];
    fmt_buf(tag, sizeof tag, "probe/%s/B", name);
    return code_window(code, &(struct window_spec){
                                 .recipe = recipe,
                                 .xfence_is_lfence = e->xfence_is_lfence,
                                 .name = tag,
                                 .before = &unit_chain_before,
                                 .unit = unit,
                                 .copies = links,
                             });
}

/* The location of n windows over a chain, alone in the code buffer. */
static double chain_location(struct engine *e, enum recipe recipe, const struct unit *unit,
                             unsigned links, const char *name, size_t n)
{
    struct code code;
    code_begin(&code, e->p);
    window_fn fn = build(e, &code, recipe, unit, links, name);
    code_end(&code);
    return engine_location(e, fn, NULL, n);
}

static void probe_behaviour(struct engine *e, struct probe *p)
{
    static const struct unit *const units[BEHAVE_KINDS] = {
        [BEHAVE_NOP] = &unit_chain_nop,     [BEHAVE_ADD] = &unit_chain_add,
        [BEHAVE_IMUL] = &unit_chain_imul,   [BEHAVE_DIV] = &unit_chain_div,
        [BEHAVE_ADDSD] = &unit_chain_addsd,
    };
    const void *const divisor = (const void *)(uintptr_t)UINT32_MAX;
    window_fn fn[BEHAVE_KINDS][BEHAVE_LENGTHS];
    struct code code;
    code_begin(&code, e->p);
    for (unsigned k = 0; k < BEHAVE_KINDS; k++)
        for (unsigned l = 0; l < BEHAVE_LENGTHS; l++)
            fn[k][l] = build(e, &code, e->recipe, units[k], behave_lengths[l], behave_names[k]);
    code_end(&code);

    struct behave b;
    for (unsigned round = 0; round < WARM_ROUNDS + BEHAVE_REPEATS; round++)
        for (unsigned k = 0; k < BEHAVE_KINDS; k++)
            for (unsigned l = 0; l < BEHAVE_LENGTHS; l++) {
                uint64_t ticks = fn[k][l](e->object, divisor, 0).ticks;
                if (round >= WARM_ROUNDS)
                    b.delta[k][l][round - WARM_ROUNDS] = ticks;
            }
    p->behave = behave_judge(&b);
    e->execution = p->behave.execution;
    e->ticks_per_instruction = p->behave.ticks_per_instruction;
}

/* METHOD "The step": from the deltas of the empty window and of the ruler. */
static void probe_step(struct engine *e)
{
    if (e->execution == EXEC_INSTRUCTIONS) {
        e->step = (double)e->ticks_per_instruction;
        return;
    }
    uint64_t *samples = e->p->samples;
    chain_location(e, e->recipe, NULL, 0, "empty", STEP_WINDOWS);
    uint64_t *kept = samples + 3 * STEP_WINDOWS; /* behind what the second location uses */
    memcpy(kept, samples, STEP_WINDOWS * sizeof *samples);
    chain_location(e, e->recipe, &unit_chain_add, 100, "ruler", STEP_WINDOWS);
    memcpy(samples + STEP_WINDOWS, kept, STEP_WINDOWS * sizeof *samples);
    e->step = stats_step(samples, 2 * STEP_WINDOWS);
}

/* Ticks a core cycle: what twice the ruler takes longer than the ruler. */
static void probe_ruler(struct engine *e)
{
    if (e->execution == EXEC_INSTRUCTIONS) {
        e->ticks_per_cycle = (double)e->ticks_per_instruction;
        return;
    }
    double once = chain_location(e, e->recipe, &unit_chain_add, RULER_ADDS, "ruler", STEP_WINDOWS);
    double twice =
        chain_location(e, e->recipe, &unit_chain_add, 2 * RULER_ADDS, "ruler", STEP_WINDOWS);
    e->ticks_per_cycle = twice > once ? (twice - once) / RULER_ADDS : 0;
}

/* Windows a point: as many as its half-width needs on silicon, a few where more would not help. */
static size_t point_windows(const struct engine *e)
{
    if (e->execution != EXEC_SILICON)
        return POINT_WINDOWS;
    size_t n = linearity_windows(POINT_HALF, e->ticks_per_cycle, e->step);
    if (n < POINT_WINDOWS)
        return POINT_WINDOWS;
    return n < PROBE_WINDOWS ? n : PROBE_WINDOWS;
}

static void probe_linearity(struct engine *e, struct probe *p)
{
    p->windows = point_windows(e);
    for (unsigned r = 0; r < RECIPE_COUNT; r++) {
        p->recipe[r].why_not = cpu_lacks(e->p->cpu, (enum recipe)r);
        if (p->recipe[r].why_not)
            continue;
        double location[LINEARITY_POINTS];
        for (unsigned i = 0; i < LINEARITY_POINTS; i++)
            location[i] = chain_location(e, (enum recipe)r, &unit_chain_add, linearity_adds[i],
                                         recipe_names[r], p->windows);
        linearity(location, e->ticks_per_cycle, p->windows, e->step, p->recipe[r].point);
    }
}

void probe_run(struct engine *e, struct probe *p)
{
    memset(p, 0, sizeof *p);
    memset(e->object, 0, sizeof *e->object);
    probe_behaviour(e, p);
    probe_step(e);
    probe_ruler(e);
    probe_linearity(e, p);
}

static void show_table(const struct engine *e, const struct probe *p, struct report *r)
{
    fmt(r->out,
        "\r\nlinearity: a chain of N adds should cost N - 1 more than one add; shown is what "
        "is\r\nmissing (-) or too much (+), in %s\r\n%-10s",
        e->execution == EXEC_INSTRUCTIONS ? "instructions" : "core cycles", "recipe \\ N");
    for (unsigned i = 0; i < LINEARITY_POINTS; i++)
        fmt(r->out, " %6u", linearity_adds[i]);
    fmt(r->out, "\r\n");
    for (unsigned k = 0; k < RECIPE_COUNT; k++) {
        fmt(r->out, "%-10s", recipe_names[k]);
        if (p->recipe[k].why_not)
            fmt(r->out, " not on this CPU: %s", p->recipe[k].why_not);
        for (unsigned i = 0; !p->recipe[k].why_not && i < LINEARITY_POINTS; i++) {
            fmt(r->out, " ");
            num_f64(r->out, p->recipe[k].point[i].cycles, 1, 6);
        }
        fmt(r->out, "\r\n");
    }
    fmt(r->out, "%zu windows a point", p->windows);
    if (e->execution != EXEC_INSTRUCTIONS) {
        fmt(r->out, ", half-width of each figure ");
        num_f64(r->out, p->recipe[e->recipe].point[1].half, 2, 0);
        fmt(r->out, " (99%%)");
    }
    fmt(r->out, "\r\n");
}

static void record_recipe(const struct engine *e, const struct probe *p, unsigned recipe,
                          struct report *r)
{
    /* A figure is named by what it counts (DESIGN section 4). */
    bool counted = e->execution == EXEC_INSTRUCTIONS;
    struct json j;
    if (!report_record(r, &j, "linearity"))
        return;
    json_str(&j, "recipe", recipe_names[recipe]);
    if (p->recipe[recipe].why_not) {
        json_str(&j, "why", p->recipe[recipe].why_not);
        json_end(&j);
        return;
    }
    json_u64(&j, "n", p->windows);
    if (!counted)
        json_f64(&j, "ticks_per_cycle", e->ticks_per_cycle, 6);
    json_array(&j, "points");
    for (unsigned i = 0; i < LINEARITY_POINTS; i++) {
        const struct linearity_point *point = &p->recipe[recipe].point[i];
        json_object(&j, NULL);
        json_u64(&j, "adds", point->adds);
        json_f64(&j, "ticks", point->ticks, 4);
        json_f64(&j, counted ? "error_instructions" : "error_cycles", point->cycles, 4);
        if (!counted)
            json_f64(&j, "half_cycles", point->half, 4);
        json_close(&j);
    }
    json_close(&j);
    json_end(&j);
}

void probe_report(const struct engine *e, const struct probe *p, struct report *r)
{
    if (report_table(r))
        show_table(e, p, r);
    for (unsigned k = 0; k < RECIPE_COUNT; k++)
        record_recipe(e, p, k, r);
}

void probe_judge(const struct engine *e, const struct probe *p, struct report *r)
{
    char detail[96];
    struct sink_buf text;
    sink_buf_init(&text, detail, sizeof detail);
    if (e->execution == EXEC_EMULATED) {
        report_selftest(r, "linearity", SELFTEST_NOT_JUDGED, "an emulator's time is noise");
        return;
    }
    bool exact = e->execution == EXEC_INSTRUCTIONS;
    const struct linearity_point *point = p->recipe[e->recipe].point;
    double worst = 0, half = 0;
    bool pass = e->ticks_per_cycle > 0;
    for (unsigned i = 0; i < LINEARITY_POINTS; i++) {
        double size = point[i].cycles < 0 ? -point[i].cycles : point[i].cycles;
        if (!point[i].judged)
            continue;
        worst = size > worst ? size : worst;
        half = point[i].half;
        pass = pass && size <= (exact ? 0 : LINEARITY_BAR + half);
    }
    fmt(&text.sink, "%s: worst error of a chain of 2 to 1000 adds ", recipe_names[e->recipe]);
    num_f64(&text.sink, worst, 2, 0);
    fmt(&text.sink, exact ? " instructions" : " core cycles");
    report_selftest(r, "linearity", pass ? SELFTEST_PASS : SELFTEST_FAIL, detail);
}
