#include "bench/engine/probe_run.h"
#include "bench/engine/engine.h"
#include "bench/engine/interleave.h"
#include "bench/engine/witness.h"
#include "bench/api/tsc.h"
#include "bench/engine/window.h"
#include "lib/stats/stats.h"
#include "lib/text/fmt.h"
#include "lib/text/mem.h"

#define POINT_WINDOWS 64 /* per point of the table, if windows are exact or noise anyway */
/* On silicon a point of the recipe in use is measured to this half-width in core cycles, within
 * bounds: a quarter of the deviation from the line that a point may have (LINEARITY_BEND). Another
 * recipe gets the lower bound, or as many windows as fit into growing_ticks(): a VM's CPUID takes
 * 10,000 ticks. Each point is measured at several placements of the code in its cache line and in
 * several rounds; their scatter is the point's error. */
#define POINT_HALF       0.5
#define ITERATION        (2 * ENGINE_BLOCK) /* windows of a point, forward and back */
#define ITERATIONS_LEAST 2                  /* per group; with fewer, a neighbour may disturb all */
#define POINT_LEAST      2048
#define POINT_MOST       (1u << 17)
#define PLACEMENTS       4
#define ROUNDS           8  /* enough to prove a bend: LINEARITY_PROVES */
#define MOST_ROUNDS      12 /* if a bend seems likely but is not proven */
#define OTHER_ROUNDS     1  /* of a recipe that is not in use */
#define MOST_GROUPS      (PLACEMENTS * MOST_ROUNDS)
#define GROUP_LEAST      256 /* windows of a group */
#define LINE             64
#define STEP_ADDS        100 /* in the ruler from whose windows the step is found */
#define WARM_ROUNDS      4

extern const struct unit unit_chain_nop, unit_chain_add, unit_chain_imul, unit_chain_div,
    unit_chain_addsd, unit_chain_before;

/* Builds a window of the probe over `links` copies of a unit; its tag is "probe/NAME/B". */
static window_fn build_at(struct engine *e, struct code *code, enum recipe recipe,
                          const struct unit *unit, unsigned links, const char *name,
                          uint32_t offset)
{
    char tag[48];

    fmt_buf(tag, sizeof tag, "probe/%s/B", name);
    return code_window(code, &(struct window_spec){
                                 .recipe = recipe,
                                 .xfence_is_lfence = e->xfence_is_lfence,
                                 .name = tag,
                                 .before = &unit_chain_before,
                                 .unit = unit,
                                 .offset = offset,
                                 .copies = links,
                             });
}

static window_fn build(struct engine *e, struct code *code, enum recipe recipe,
                       const struct unit *unit, unsigned links, const char *name)
{
    return build_at(e, code, recipe, unit, links, name, 0);
}

/* Finds the execution. Uses the CPU's default recipe: a window of recipe=cpuid may contain exits to
 * a hypervisor, which cost more than the chains. */
static void probe_behaviour(struct engine *e, struct probe *p)
{
    const enum recipe recipe = cpu_default_recipe(e->p->cpu);
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
            fn[k][l] = build(e, &code, recipe, units[k], behave_lengths[l], behave_names[k]);
    code_end(&code);

    struct object *object = (struct object *)(void *)e->p->data;
    struct behave b;
    for (unsigned round = 0; round < WARM_ROUNDS + BEHAVE_REPEATS; round++)
        for (unsigned k = 0; k < BEHAVE_KINDS; k++)
            for (unsigned l = 0; l < BEHAVE_LENGTHS; l++) {
                uint64_t ticks = fn[k][l](object, divisor, 0, 0, WINDOW_STACK).ticks;
                if (round >= WARM_ROUNDS)
                    b.delta[k][l][round - WARM_ROUNDS] = ticks;
            }
    p->behave = behave_judge(&b);
    engine_executed_by(e, &p->behave);
}

/* Finds the step from windows, the empty one and the ruler (docs/window.md "The step"). */
static void probe_step(struct engine *e)
{
    window_fn fn[2];
    struct interleaved kind[2];
    struct code code;

    if (e->facts.execution == EXEC_INSTRUCTIONS) {
        e->facts.step = (double)e->facts.ticks_per_instruction;
        return;
    }
    code_begin(&code, e->p);
    fn[0] = build(e, &code, e->facts.probed, NULL, 0, "empty");
    fn[1] = build(e, &code, e->facts.probed, &unit_chain_add, STEP_ADDS, "ruler");
    code_end(&code);
    interleave(e, fn, 2, INTERLEAVE_ROUND, kind);
    e->facts.step = stats_step(e->memory, 2 * INTERLEAVE_ROUND);
}

/* Returns the windows per point: on silicon the number that its half-width needs, elsewhere a few,
 * because more would not help. */
static size_t point_windows(const struct engine *e, enum recipe recipe)
{
    if (e->facts.execution != EXEC_SILICON)
        return POINT_WINDOWS;
    if (recipe != e->facts.probed)
        return POINT_LEAST;
    size_t n = linearity_windows(POINT_HALF, e->facts.ticks_per_cycle, e->facts.step);
    return n < POINT_LEAST ? POINT_LEAST : n < POINT_MOST ? n : POINT_MOST;
}

/*
 * Measures one recipe's points, and as the last kind a chain of twice the longest. The difference
 * between these two is the ruler. Returns its ticks per core cycle; 0: not known.
 */
static double measure_points(struct engine *e, enum recipe recipe, size_t n, uint32_t offset,
                             double *location)
{
    struct interleaved kind[LINEARITY_POINTS + 1];
    window_fn fn[LINEARITY_POINTS + 1];
    struct code code;
    unsigned longest = linearity_adds[LINEARITY_POINTS - 1];

    code_begin(&code, e->p);
    for (unsigned i = 0; i < LINEARITY_POINTS; i++)
        fn[i] = build_at(e, &code, recipe, &unit_chain_add, linearity_adds[i], recipe_names[recipe],
                         offset);
    fn[LINEARITY_POINTS] =
        build_at(e, &code, recipe, &unit_chain_add, 2 * longest, recipe_names[recipe], offset);
    code_end(&code);
    interleave(e, fn, LINEARITY_POINTS + 1, n, kind);
    for (unsigned i = 0; i < LINEARITY_POINTS; i++)
        location[i] = kind[i].location;
    double difference = kind[LINEARITY_POINTS].location - kind[LINEARITY_POINTS - 1].location;
    return difference > 0 ? difference / longest : 0;
}

/* Measures the ticks per core cycle, and sets the range of the dither: one step in core cycles. */
static void probe_ruler(struct engine *e)
{
    double location[LINEARITY_POINTS];
    size_t n = e->facts.execution == EXEC_SILICON ? INTERLEAVE_ROUND : POINT_WINDOWS;

    e->facts.ticks_per_cycle = measure_points(e, e->facts.probed, n, 0, location);
    if (e->facts.execution == EXEC_SILICON && run_has_ruler(&e->facts))
        e->step_cycles = (uint64_t)(e->facts.step / e->facts.ticks_per_cycle + 0.5);
}

/* Measures at one placement in one round: the windows are exact or noise in any case. */
static void probe_once(struct engine *e, struct probe *p, enum recipe r)
{
    double location[LINEARITY_POINTS];
    size_t n = point_windows(e, r);

    p->recipe[r].windows = n;
    p->recipe[r].ticks_per_cycle = measure_points(e, r, n, 0, location);
    p->recipe[r].groups = p->recipe[r].exclusive = 1;
    linearity(location, p->recipe[r].ticks_per_cycle, n, e->facts.step, p->recipe[r].point);
}

/* Measures groups up to number `to`, in each round one per placement, and evaluates them. */
static void probe_groups_to(struct engine *e, struct probe *p, enum recipe r, size_t n, unsigned to,
                            struct linearity_group group[MOST_GROUPS])
{
    struct moments c = {0};

    for (unsigned i = p->recipe[r].groups; i < to; i++) {
        uint32_t offset = i % PLACEMENTS * (LINE / PLACEMENTS);
        group[i].c = measure_points(e, r, n, offset, group[i].location);
    }
    for (unsigned i = 0; i < to; i++)
        if (group[i].c > 0)
            moments_add(&c, group[i].c);
    p->recipe[r].windows = to * n;
    p->recipe[r].ticks_per_cycle = c.mean;
    p->recipe[r].groups = to;
    p->recipe[r].exclusive = (unsigned)linearity_over(group, to, n, e->facts.step,
                                                      p->recipe[r].point, &p->recipe[r].line);
    p->recipe[r].bend = linearity_bend(group, to, NULL);
}

static bool is_mostly_exclusive(const struct probe *p, enum recipe r)
{
    return 2 * p->recipe[r].exclusive >= p->recipe[r].groups;
}

/* Returns the windows per group. */
static size_t group_windows(const struct engine *e, enum recipe r, unsigned groups)
{
    size_t n = (point_windows(e, r) + groups - 1) / groups;

    return interleave_windows(n < GROUP_LEAST ? GROUP_LEAST : n);
}

static bool is_in_doubt(const struct probe *p, enum recipe r)
{
    return !p->recipe[r].line.straight && p->recipe[r].bend.least > LINEARITY_FALSE &&
           is_mostly_exclusive(p, r);
}

static bool is_in_use(const struct engine *e, enum recipe r)
{
    return r == e->facts.probed || r == e->facts.recipe;
}

/* Returns the ticks of one iteration, forward and back, of all points: the shorter of two, because
 * a neighbour may disturb one. */
static double iteration_ticks(struct engine *e, enum recipe r)
{
    double location[LINEARITY_POINTS], least = 0;

    for (int i = 0; i < 2; i++) {
        uint64_t began = tsc_now();
        measure_points(e, r, ITERATION, 0, location);
        double took = (double)(tsc_now() - began);
        least = i == 0 || took < least ? took : least;
    }
    return least;
}

/* Returns the windows of a point in a group that fit into growing_ticks(). */
static size_t windows_in_time(struct engine *e, enum recipe r, unsigned groups)
{
    double iterations = growing_ticks(e) / iteration_ticks(e, r) / groups;

    if (iterations >= INTERLEAVE_ROUND / ITERATION)
        return INTERLEAVE_ROUND;
    return ITERATION * (iterations < ITERATIONS_LEAST ? ITERATIONS_LEAST : (size_t)iterations);
}

static void probe_groups(struct engine *e, struct probe *p, enum recipe r)
{
    struct linearity_group group[MOST_GROUPS];
    unsigned groups = PLACEMENTS * (r == e->facts.probed ? ROUNDS : OTHER_ROUNDS);
    size_t n = is_in_use(e, r) ? group_windows(e, r, groups) : windows_in_time(e, r, groups);

    probe_groups_to(e, p, r, n, groups, group);
    if (r == e->facts.probed && is_in_doubt(p, r))
        probe_groups_to(e, p, r, n, MOST_GROUPS, group);
}

/* Repeats the measurement after all recipes were probed, if a bend is proven. A disturbance that
 * lasted as long as a probe is not a bend. The report has the points of the first measurement. */
static void probe_bend_again(struct engine *e, struct probe *p)
{
    enum recipe r = e->facts.probed;
    struct linearity_group group[MOST_GROUPS];
    unsigned groups = PLACEMENTS * MOST_ROUNDS;

    if (e->facts.execution != EXEC_SILICON || p->recipe[r].bend.least > LINEARITY_FALSE)
        return;
    for (unsigned i = 0; i < groups; i++)
        group[i].c = measure_points(e, r, group_windows(e, r, groups),
                                    i % PLACEMENTS * (LINE / PLACEMENTS), group[i].location);
    p->recipe[r].bend = linearity_bend(group, groups, &p->recipe[r].bend);
}

/* Returns the most that the recipe hides of a body of any length: the shadow plus the bend. */
static double hides_at_most(const struct linearity_line *line)
{
    return (line->shadow > 0 ? line->shadow : 0) + line->bend;
}

static void probe_linearity(struct engine *e, struct probe *p, enum recipe r)
{
    if (e->facts.execution == EXEC_SILICON)
        probe_groups(e, p, r);
    else
        probe_once(e, p, r);
    if (r == e->facts.probed && p->recipe[r].ticks_per_cycle > 0)
        e->facts.ticks_per_cycle = p->recipe[r].ticks_per_cycle;
    if (r == e->facts.recipe && e->facts.execution == EXEC_SILICON)
        e->hides = hides_at_most(&p->recipe[r].line);
}

static void probe_growing(const struct engine *e, struct probe *p, enum recipe r)
{
    p->recipe[r].growing = growing_take(e, r, p->recipe[r].least);
    p->recipe[r].regression =
        regress(p->recipe[r].least, growing_bodies(e->facts.execution),
                growing_step(e->facts.execution), p->recipe[r].ticks_per_cycle);
}

static void probe_begin(struct engine *e, struct probe *p)
{
    memset(p, 0, sizeof *p);
    memset(e->p->data, 0, sizeof(struct object));
    probe_behaviour(e, p);
    probe_step(e);
    probe_ruler(e);
    witness_open(e);
}

void probe_core(struct engine *e, struct probe *p)
{
    probe_begin(e, p);
    probe_linearity(e, p, e->facts.probed);
    if (e->facts.recipe != e->facts.probed)
        probe_linearity(e, p, e->facts.recipe);
}

void probe_run(struct engine *e, struct probe *p)
{
    probe_begin(e, p);
    for (unsigned r = 0; r < RECIPE_COUNT; r++) {
        p->recipe[r].why_not = cpu_lacks(e->p->cpu, (enum recipe)r);
        if (p->recipe[r].why_not)
            continue;
        probe_linearity(e, p, (enum recipe)r);
        probe_growing(e, p, (enum recipe)r);
    }
    probe_bend_again(e, p);
}

static struct probe_check judge_exact(const struct engine *e, const struct linearity_point *point)
{
    bool pass = run_has_ruler(&e->facts);
    double worst = 0;

    for (unsigned i = 0; i < LINEARITY_POINTS; i++) {
        double size = point[i].cycles < 0 ? -point[i].cycles : point[i].cycles;
        if (point[i].judged && size > worst)
            worst = size;
    }
    pass = pass && worst == 0;
    return (struct probe_check){pass ? SELFTEST_PASS : SELFTEST_FAIL, NULL, worst, 0};
}

struct probe_check probe_judge(const struct engine *e, const struct probe *p)
{
    const struct linearity_line *line = &p->recipe[e->facts.probed].line;
    struct probe_check c = {SELFTEST_NOT_JUDGED, NULL, line->bend, line->shadow};

    if (e->facts.execution == EXEC_INSTRUCTIONS)
        return judge_exact(e, p->recipe[e->facts.probed].point);
    if (e->facts.execution == EXEC_EMULATED)
        c.why_not = "an emulator's time is noise";
    else if (!is_mostly_exclusive(p, e->facts.probed))
        c.why_not = "the core was shared for most of the time";
    else if (p->recipe[e->facts.probed].bend.least <= LINEARITY_FALSE)
        c.result = SELFTEST_FAIL;
    else if (line->straight)
        c.result = SELFTEST_PASS;
    else
        c.why_not = "it seems to bend, but the placements and rounds do not agree on it";
    return c;
}
