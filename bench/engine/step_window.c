#include "bench/engine/step_window.h"
#include "bench/engine/guard.h"
#include "bench/api/tsc.h"
#include "lib/text/fmt.h"
#include "lib/text/mem.h"

/* Runs of the known instructions; the fastest gives the ticks of a step. */
#define KNOWN_TRIES 4

static struct stepping steps_for(const struct engine *e, uint64_t most)
{
    const struct platform *p = e->p;

    return (struct stepping){
        .most = most,
        .code = {{PLATFORM_CODE_VA, PLATFORM_CODE_SIZE}, {p->image.text, p->image.text_size}},
    };
}

/* --- test on this core ------------------------------------------------------------------------ */

static void step_through_known(void *ctx)
{
    struct engine *e = ctx;
    struct stepping_state *core = &e->facts.stepping;
    static const uint64_t none[STEP_ARGUMENTS];
    struct stepping s = steps_for(e, 2 * STEP_KNOWN);
    const void *known;
    void (*fn)(void) = step_known;

    memcpy(&known, &fn, sizeof known); /* ISO C has no cast from function to data */
    s.back = (uint64_t)(uintptr_t)step_back;
    for (unsigned i = 0; i < KNOWN_TRIES; i++) {
        uint64_t from = tsc_now();
        e->p->step(&s, step_enter, known, none);
        double ticks = (double)(tsc_now() - from) / (STEP_KNOWN + 1);
        core->ticks = i == 0 || ticks < core->ticks ? ticks : core->ticks;
    }
    if (s.end != STEPPING_BACK || s.instructions != STEP_KNOWN)
        fmt_buf(core->why_not, sizeof core->why_not, "the trap flag showed %llu of %u instructions",
                (unsigned long long)s.instructions, STEP_KNOWN);
}

void step_try(struct engine *e)
{
    struct stepping_state *core = &e->facts.stepping;
    struct guard_ended ended;

    if (core->tried)
        return;
    core->tried = true;
    if (!e->p->step)
        fmt_buf(core->why_not, sizeof core->why_not, "not possible on this platform");
    else if (!e->p->guarded(step_through_known, e, &ended))
        fmt_buf(core->why_not, sizeof core->why_not, "the trap flag ended in %.60s",
                ended.by == GUARD_FAULT ? ended.what : "no return");
}

/* --- a window --------------------------------------------------------------------------------- */

/* A running window. */
struct running {
    struct stepper *t;
    enum window_kind kind;
    uint64_t n;
    struct stepping *steps; /* NULL: it runs without traps */
    struct window_result r; /* its result */
    uint64_t retired;       /* instructions by the counter, if there is one, ... */
    bool read;              /* ... and all its readings are valid */
};

/* Places n copies of straight code at the first placement, whose windows are already measured. */
static bool place_copies(struct stepper *t, uint64_t n)
{
    struct bench few = *t->b;

    if (!bench_is_straight(t->b) || t->copies == n)
        return true;
    few.ops = (uint32_t)n;
    few.window.not_doubled = true;
    t->copies = n;
    t->p = &t->e->placed[0];
    if (place_row(t->e, &few, t->row->recipe, t->e->placed, 0, 1))
        return true;
    outcome_fail(&t->row->out, ROW_WRONG, place_why(t->e));
    return false;
}

static void call_stepped(struct running *w)
{
    struct stepper *t = w->t;
    const struct placed_kind *k = &t->p->kind[w->kind];
    const uint64_t argument[STEP_ARGUMENTS] = {
        (uint64_t)(uintptr_t)t->p->object,
        (uint64_t)(uintptr_t)k->function,
        w->n,
        0,
        WINDOW_STACK + t->p->at.stack,
        (uint64_t)(uintptr_t)t->e->p->data + WINDOW_FRAME_AT,
    };

    w->steps->back = (uint64_t)(uintptr_t)k->part.to;
    struct step_result left = t->e->p->step(w->steps, window_step, k->part.from, argument);
    w->r = (struct window_result){left.rax, (uint32_t)left.rdx, (uint32_t)(left.rdx >> 32)};
}

static uint64_t read_counter(struct running *w)
{
    uint64_t count = 0, again = 0;
    struct timer *counter = w->t->counter;

    if (counter)
        w->read = timer_read_whole(counter, &count, &again) == TIMER_OK && w->read;
    return count;
}

static void call_freely(struct running *w)
{
    const struct placed *p = w->t->p;
    const struct placed_kind *k = &p->kind[w->kind];
    const struct timer *counter = w->t->counter;
    uint64_t stack = WINDOW_STACK + p->at.stack;
    uint64_t before = read_counter(w);

    w->r = k->fn(p->object, k->function, w->n, 0, stack);
    w->retired = read_counter(w) - before;
    if (counter && counter->bits < 64)
        w->retired &= (1ull << counter->bits) - 1;
}

static void call_window(void *ctx)
{
    struct running *w = ctx;
    struct stepped *s = &w->t->row->stepped;

    if (!w->steps) {
        call_freely(w);
        return;
    }
    uint64_t from = tsc_now();
    call_stepped(w);
    s->ticks += tsc_now() - from;
    s->traps += w->steps->traps;
    s->lost += w->steps->lost;
}

/* Runs the row's check. If it rejects this number of operations, the row has no count, but does not
 * fail: the check may need more operations. */
static bool is_right(struct stepper *t, uint64_t n)
{
    struct stepped *s = &t->row->stepped;

    if (t->left)
        return true;
    if (!guard_check(t->e, t->row, t->p, n))
        return false;
    t->wants_more = t->row->out.why != NULL;
    if (!t->wants_more)
        return true;
    fmt_buf(s->why_not, sizeof s->why_not, "after %llu operation%s its check says: %.70s",
            (unsigned long long)n, n == 1 ? "" : "s", t->row->out.why);
    t->row->out.why = NULL;
    t->row->out.status = ROW_OK;
    return false;
}

static bool call_guarded(struct running *w)
{
    struct stepper *t = w->t;

    w->read = true;
    t->wants_more = false;
    t->operations += w->kind == KIND_EMPTY ? 0 : w->n;
    return place_copies(t, w->n) && (t->left || guard_setup(t->e, t->row, t->p)) &&
           guard_run(t->e, &t->row->out, call_window, w) &&
           (w->kind == KIND_EMPTY || is_right(t, w->n));
}

/* Returns whether the stepped window was counted to its end, and no operation failed. */
static bool came_back(const struct running *w)
{
    struct stepped *s = &w->t->row->stepped;
    const char *name = w->kind == KIND_EMPTY ? "what is subtracted" : "the body";
    bool refused = bench_is_function(w->t->b) && w->kind == KIND_BODY && w->r.failed;

    switch (w->steps->end) {
    case STEPPING_BACK:
        if (refused)
            fmt_buf(s->why_not, sizeof s->why_not, "an operation failed");
        return !refused;
    case STEPPING_MOST:
        fmt_buf(s->why_not, sizeof s->why_not, "%s takes more than %llu steps for %llu operation%s",
                name, (unsigned long long)w->steps->most, (unsigned long long)w->n,
                w->n == 1 ? "" : "s");
        break;
    case STEPPING_TRANSACTION:
        fmt_buf(s->why_not, sizeof s->why_not, "a transaction (XBEGIN), which a step would abort");
        break;
    case STEPPING_RUNNING:
        fmt_buf(s->why_not, sizeof s->why_not, "%s cleared the trap flag at %llx", name,
                (unsigned long long)w->steps->at);
        break;
    }
    return false;
}

bool step_window(struct stepper *t, enum window_kind kind, uint64_t n, struct step_window *counts)
{
    uint64_t most = n > t->row->stepped.ops ? 2 * t->most : t->most;
    struct stepping s = steps_for(t->e, most);
    struct running w = {.t = t, .kind = kind, .n = n, .steps = &s};

    if (!call_guarded(&w) || !came_back(&w))
        return false;
    *counts = (struct step_window){s.instructions, s.iterations, s.repeats, s.repeated};
    return true;
}

bool free_window(struct stepper *t, enum window_kind kind, uint64_t n, uint64_t *count)
{
    struct running w = {.t = t, .kind = kind, .n = n};

    if (!call_guarded(&w) || !w.read)
        return false;
    *count = t->counter ? w.retired : w.r.ticks;
    return true;
}
