#include "bench/method/c_program.h"
#include "bench/api/registry.h"
#include "bench/place/place.h"

static const char *const names[C_STEPS] = {C_STEP_NAMES(WORD_NAME)};

/* Returns the row whose function a step calls. The baseline uses the empty window of do_nothing. */
static const struct bench *row_of(enum c_step step)
{
    size_t n;
    const struct bench *const *rows = registry(&n);
    enum c_step called = step == C_BASELINE ? C_DO_NOTHING : step;

    for (size_t i = 0; i < n; i++)
        if (rows[i]->c_step == called)
            return rows[i];
    return NULL;
}

static struct window_result take(const struct placed *p, const struct placed_kind *kind)
{
    return kind->fn(p->object, kind->function, 1, 0, WINDOW_STACK);
}

static void sample(const struct placed *p, const struct placed_kind *kind, uint64_t n,
                   struct c_program *c, enum c_step step)
{
    for (uint64_t i = 0; i < n; i++) {
        struct window_result w = take(p, kind);
        if (step != C_BASELINE && w.failed != 0) {
            c->step[step].errors++;
            continue;
        }
        moments_add(&c->step[step].all, (double)w.ticks);
        if (w.ticks < c->step[step].least)
            c->step[step].least = w.ticks;
        if (w.ticks > c->step[step].greatest)
            c->step[step].greatest = w.ticks;
    }
}

static void warm_up(const struct engine *e, const struct placed *p, const struct placed_kind *kind,
                    const struct c_program *c)
{
    if (c->readings)
        c_program_readings(e);
    for (uint32_t i = 0; i < c->warmup; i++)
        take(p, kind);
}

/* Takes the samples of a step. False: its functions could not be placed. */
static bool take_step(struct engine *e, struct c_program *c, enum c_step step)
{
    const struct bench *b = row_of(step);
    struct placed *p = e->placed;

    c->step[step].least = UINT64_MAX;
    if (!b || !place_row(e, b, e->facts.recipe, p, 0, 1)) {
        c->why_not = b ? place_why(e) : "its rows are not in this program";
        return false;
    }
    place_object(p);
    const struct placed_kind *kind = &p->kind[step == C_BASELINE ? KIND_EMPTY : KIND_BODY];
    if (step == C_BASELINE)
        warm_up(e, p, kind, c);
    sample(p, kind, e->facts.samples, c, step);
    if (step != C_BASELINE && p->check)
        c->step[step].wrong = p->check(p->object, e->facts.samples);
    return true;
}

void c_program(struct engine *e, struct c_program *c)
{
    bool readings = c_program_warms(e);

    *c = (struct c_program){.readings = readings ? C_READINGS : 0,
                            .warmup = readings ? 0 : e->facts.o->warmup * ENGINE_BLOCK};
    for (unsigned step = 0; step < C_STEPS; step++)
        c->step[step].name = names[step];
    for (unsigned step = 0; step < C_STEPS; step++)
        if (!take_step(e, c, (enum c_step)step))
            return;
}
