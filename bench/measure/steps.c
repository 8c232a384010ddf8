#include "bench/measure/steps.h"
#include "bench/measure/guard.h"
#include "bench/measure/pace.h"
#include "bench/measure/place.h"
#include "bench/measure/tsc.h"
#include "lib/stats/known.h"
#include "lib/text/fmt.h"
#include "lib/text/mem.h"

/* --- whether it works on this core ------------------------------------------------------------ */

static void step_through_known(void *ctx)
{
    struct engine *e = ctx;
    static const uint64_t none[STEP_ARGUMENTS];
    struct steps s = {.most = STEPS_WINDOW};
    const void *known;
    void (*fn)(void) = step_known;
    memcpy(&known, &fn, sizeof known); /* ISO C has no cast from function to data */
    for (unsigned i = 0; i < 2; i++) { /* the second one is warm */
        uint64_t from = tsc_now();
        e->p->step(&s, known, none);
        e->stepping.ticks = (double)(tsc_now() - from) / (STEP_KNOWN + 1);
    }
    if (s.end != STEPS_BACK || s.instructions != STEP_KNOWN)
        fmt_buf(e->stepping.why_not, sizeof e->stepping.why_not,
                "the trap flag showed %llu of %u instructions", (unsigned long long)s.instructions,
                STEP_KNOWN);
}

static void try_stepping(struct engine *e)
{
    struct guard_ended ended;
    e->stepping.tried = true;
    if (!e->p->step)
        fmt_buf(e->stepping.why_not, sizeof e->stepping.why_not, "not possible on this platform");
    else if (!e->p->guarded(step_through_known, e, &ended))
        fmt_buf(e->stepping.why_not, sizeof e->stepping.why_not, "the trap flag ended in %.60s",
                ended.by == GUARD_FAULT ? ended.what : "no return");
}

/* --- a window --------------------------------------------------------------------------------- */

/* The row that is stepped. */
struct stepper {
    struct engine *e;
    const struct bench *b;
    struct row *row;
    const struct placed *p;
    uint64_t copies;       /* FORM_STRAIGHT: those that are placed; 0: those of its windows */
    uint64_t most;         /* steps of a window */
    enum kind kind;        /* the window that runs */
    uint64_t n;            /* its operations */
    bool stepped;          /* it is single-stepped */
    bool failed;           /* an operation in it failed */
    uint64_t ticks;        /* second reading minus first */
    struct timer *counter; /* of retired instructions, around free windows; NULL: none */
    uint64_t retired;      /* by it */
    bool read;             /* its readings are whole, if there is one */
    struct steps now;      /* what it came to */
};

/* Copies of the unit stand one behind the other: as many as are wanted are placed anew, where the
 * first placement was. Its windows have been taken. */
static bool place_copies(struct stepper *t, uint64_t n)
{
    struct bench few = *t->b;
    if (t->b->form != FORM_STRAIGHT || t->copies == n)
        return true;
    few.ops = (uint32_t)n;
    few.not_doubled = true;
    t->copies = n;
    t->p = &t->e->placed[0];
    return place_row(t->e, &few, t->row->recipe, t->e->placed, 0, 1);
}

static uint64_t read_counter(struct stepper *t)
{
    uint64_t count = 0, again = 0;
    if (t->counter)
        t->read = timer_read_whole(t->counter, &count, &again) == TIMER_OK && t->read;
    return count;
}

static void call_window(void *ctx)
{
    struct stepper *t = ctx;
    const struct placed_kind *w = &t->p->kind[t->kind];
    struct window_result r;
    uint64_t stack = WINDOW_STACK + t->p->at.stack, from = tsc_now();
    if (t->stepped) {
        const uint64_t argument[STEP_ARGUMENTS] = {
            (uint64_t)(uintptr_t)t->p->object, (uint64_t)(uintptr_t)w->function, t->n, 0, stack};
        const void *fn;
        memcpy(&fn, &w->fn, sizeof fn);
        struct step_result left = t->e->p->step(&t->now, fn, argument);
        r = (struct window_result){left.rax, (uint32_t)left.rdx, (uint32_t)(left.rdx >> 32)};
        t->row->stepped.ticks += tsc_now() - from;
        t->row->stepped.traps += t->now.traps;
        t->row->stepped.lost += t->now.lost;
    } else {
        uint64_t before = read_counter(t);
        r = w->fn(t->p->object, w->function, t->n, 0, stack);
        t->retired = read_counter(t) - before;
        if (t->counter && t->counter->bits < 64)
            t->retired &= (1ull << t->counter->bits) - 1;
    }
    t->ticks = r.ticks;
    t->failed = t->b->form == FORM_FUNCTION && t->kind == KIND_BODY && r.failed;
}

/* A check that is not content with so few operations proves nothing about the row. */
static bool is_right(struct stepper *t, uint64_t n)
{
    struct stepped *s = &t->row->stepped;
    if (!guard_check(t->e, t->row, t->p, n))
        return false;
    if (!t->row->why)
        return true;
    fmt_buf(s->why_not, sizeof s->why_not, "after %llu operation%s its check says: %.70s",
            (unsigned long long)n, n == 1 ? "" : "s", t->row->why);
    t->row->why = NULL;
    t->row->status = ROW_OK;
    return false;
}

/* One window of a kind with n operations, from the row's setup to its check. False: it is not
 * counted, or the row has failed. */
static bool call_guarded(struct stepper *t, enum kind kind, uint64_t n, bool stepped)
{
    t->kind = kind;
    t->n = n;
    t->stepped = stepped;
    t->read = true;
    t->now = (struct steps){.most = t->most};
    if (!place_copies(t, n)) {
        row_fail(t->row, ROW_WRONG, place_why(t->e));
        return false;
    }
    return guard_setup(t->e, t->row, t->p) && guard_run(t->e, t->row, call_window, t) &&
           (kind == KIND_EMPTY || is_right(t, n));
}

/* --- what it came to -------------------------------------------------------------------------- */

static const char *name_of(const struct stepper *t)
{
    return t->kind == KIND_EMPTY ? "what is subtracted" : "the body";
}

/* Why the window that ran is not counted, if so. */
static bool came_back(const struct stepper *t)
{
    char *why = t->row->stepped.why_not;
    size_t size = sizeof t->row->stepped.why_not;
    switch (t->now.end) {
    case STEPS_BACK:
        if (t->failed)
            fmt_buf(why, size, "an operation failed");
        break;
    case STEPS_MOST:
        fmt_buf(why, size, "%s takes more than %llu steps for %llu operation%s", name_of(t),
                (unsigned long long)t->most, (unsigned long long)t->n, t->n == 1 ? "" : "s");
        break;
    case STEPS_TRANSACTION:
        fmt_buf(why, size, "a transaction (XBEGIN), which a step would abort");
        break;
    case STEPS_RUNNING:
        fmt_buf(why, size, "%s cleared the trap flag at %llx", name_of(t),
                (unsigned long long)t->now.at);
        break;
    }
    return !why[0];
}

static bool step(struct stepper *t, enum kind kind, uint64_t n, struct step_window *w)
{
    if (!call_guarded(t, kind, n, true) || !came_back(t))
        return false;
    *w = (struct step_window){t->now.instructions, t->now.iterations, t->now.repeats,
                              t->now.repeated};
    return true;
}

/* --- how many operations ---------------------------------------------------------------------- */

/* Whether what is subtracted turns as often as the body. */
static bool has_twin(const struct bench *b)
{
    return b->form == FORM_LOOP || (b->form == FORM_FUNCTION && bench_has_empty(b));
}

/* Steps for which there is time; instructions are counted as fast as they are executed. */
static uint64_t steps_within(const struct engine *e, double us)
{
    if (e->execution == EXEC_INSTRUCTIONS || !engine_has_hz(e) || !(e->stepping.ticks > 0))
        return UINT64_MAX;
    return (uint64_t)(us / 1e6 * e->tsc_hz / e->stepping.ticks);
}

/*
 * As many times n as the longest of the four windows allows, or once n where there is no time for
 * that. Nothing in between: a number that followed a step's cost would be another at each launch,
 * and so would be the figure of operations that differ.
 */
static uint64_t times_of(const struct stepper *t)
{
    const struct stepped *s = &t->row->stepped;
    uint64_t one = s->body.instructions + s->body.repeats;
    uint64_t two = s->body2.instructions + s->body2.repeats;
    if (two <= one || two >= STEPS_WINDOW || steps_within(t->e, STEPS_US) < 4ull * STEPS_WINDOW)
        return 1;
    uint64_t more = two - one, times = (STEPS_WINDOW - (one - more)) / (2 * more);
    uint64_t most = t->b->ops / s->ops;
    if (t->b->most_ops && t->b->most_ops / (2 * s->ops) < most)
        most = t->b->most_ops / (2 * s->ops);
    times = times < most ? times : most;
    return times ? times : 1;
}

/* --- a row ------------------------------------------------------------------------------------ */

static bool step_single(struct stepper *t)
{
    struct stepped *s = &t->row->stepped;
    return step(t, KIND_BODY, s->ops, &s->body) && step(t, KIND_EMPTY, s->ops, &s->empty);
}

static bool step_double(struct stepper *t)
{
    struct stepped *s = &t->row->stepped;
    s->empty2 = s->empty;
    return step(t, KIND_BODY, 2 * s->ops, &s->body2) &&
           (!has_twin(t->b) || step(t, KIND_EMPTY, 2 * s->ops, &s->empty2));
}

/* All windows. False: it is not counted, or the row has failed. */
static bool step_all(struct stepper *t)
{
    struct stepped *s = &t->row->stepped;
    const struct bench *b = t->b;
    s->ops = b->not_doubled ? b->ops : bench_grain(b);
    if (!step_single(t))
        return false;
    s->doubled = !b->not_doubled && bench_can_do(b, 2 * s->ops) &&
                 2 * (s->body.instructions + s->body.repeats) <= t->most;
    if (!s->doubled)
        return true;
    if (!step_double(t))
        return false;
    uint64_t times = times_of(t);
    s->ops *= times;
    return times == 1 || (step_single(t) && step_double(t));
}

static double per_op(const struct stepped *s, uint64_t body, uint64_t body2, uint64_t empty,
                     uint64_t empty2)
{
    int64_t once = (int64_t)(body - empty), twice = (int64_t)(body2 - empty2);
    return (double)(s->doubled ? twice - once : once) / (double)s->ops;
}

/* --- the same, where something else counts instructions --------------------------------------- */

enum { FREE_EMPTY, FREE_BODY, FREE_EMPTY2, FREE_BODY2, FREE_WINDOWS };

/* What the TSC or the counter made of the four windows, unstepped. */
struct free_counts {
    uint64_t of[FREE_WINDOWS];
};

static bool count_free(struct stepper *t, enum kind kind, uint64_t n, uint64_t *count)
{
    if (!call_guarded(t, kind, n, false) || !t->read)
        return false;
    *count = t->counter ? t->retired : t->ticks / t->e->ticks_per_instruction;
    return true;
}

static bool count_all_free(struct stepper *t, struct free_counts *f)
{
    uint64_t n = t->row->stepped.ops;
    if (!count_free(t, KIND_EMPTY, n, &f->of[FREE_EMPTY]) ||
        !count_free(t, KIND_BODY, n, &f->of[FREE_BODY]))
        return false;
    f->of[FREE_EMPTY2] = f->of[FREE_EMPTY];
    f->of[FREE_BODY2] = f->of[FREE_BODY];
    if (!t->row->stepped.doubled)
        return true;
    return count_free(t, KIND_BODY, 2 * n, &f->of[FREE_BODY2]) &&
           (!has_twin(t->b) || count_free(t, KIND_EMPTY, 2 * n, &f->of[FREE_EMPTY2]));
}

/* What the windows are to come to. QEMU's TSC counts each iteration of a repeated string
 * instruction, and one more where RCX ends it: as many as it traps. A CPU's counter counts the
 * instruction. */
static uint64_t due(const struct stepper *t, const struct step_window *w)
{
    return t->counter ? w->instructions : w->instructions + w->repeats;
}

/* Against the row's empty window: the way into a window and out of it is not in all counts. */
static bool agrees(struct stepper *t, const struct free_counts *f)
{
    struct stepped *s = &t->row->stepped;
    const struct step_window *w[FREE_WINDOWS] = {&s->empty, &s->body, &s->empty2, &s->body2};
    unsigned last = s->doubled ? FREE_BODY2 : FREE_BODY;
    s->unlike[0] = '\0';
    for (unsigned i = FREE_BODY; i <= last; i++) {
        int64_t ours = (int64_t)(due(t, w[i]) - due(t, w[FREE_EMPTY]));
        int64_t theirs = (int64_t)(f->of[i] - f->of[FREE_EMPTY]);
        if (ours == theirs)
            continue;
        fmt_buf(s->unlike, sizeof s->unlike,
                "%s with %llu operations takes %lld instructions more than the empty one by steps, "
                "%lld counted",
                i == FREE_EMPTY2 ? "what is subtracted" : "the body",
                (unsigned long long)(i < FREE_EMPTY2 ? s->ops : 2 * s->ops), (long long)ours,
                (long long)theirs);
        return false;
    }
    return true;
}

static void compare_with_tsc(struct stepper *t)
{
    struct stepping *core = &t->e->stepping;
    struct free_counts f;
    if (!count_all_free(t, &f))
        return;
    t->row->stepped.compared = true;
    core->compared++;
    if (!agrees(t, &f) && !core->unlike++)
        fmt_buf(core->first, sizeof core->first, "%s/%s: %s", t->b->suite, t->b->name,
                t->row->stepped.unlike);
}

/* Counts also what interrupts a window: one of some tries is to agree. */
static void compare_with_counter(struct stepper *t)
{
    struct stepped *s = &t->row->stepped;
    struct free_counts f;
    const char *why;
    if (t->e->stepping.no_counter || !t->e->p->retired)
        return;
    t->counter = t->e->p->retired(t->e->p->context, &why);
    t->e->stepping.no_counter = !t->counter || t->counter->start(t->counter) != NULL;
    if (t->e->stepping.no_counter)
        return;
    for (unsigned i = 0; i < STEPS_TRIES && (!s->compared || s->unlike[0]); i++) {
        if (!count_all_free(t, &f))
            break;
        s->compared = true;
        s->by_counter =
            per_op(s, f.of[FREE_BODY], f.of[FREE_BODY2], f.of[FREE_EMPTY], f.of[FREE_EMPTY2]);
        agrees(t, &f);
    }
    if (t->counter->stop)
        t->counter->stop(t->counter);
}

/* It has no count; a person may have stopped the run, and then the row has its figures. */
static void give_up(struct stepper *t)
{
    struct stepped *s = &t->row->stepped;
    if (t->row->ended && t->e->pace && t->e->pace->stopped) {
        t->row->ended = false;
        t->row->why = NULL;
        t->row->status = ROW_OK;
        fmt_buf(s->why_not, sizeof s->why_not, "the run was stopped");
    }
    if (!s->why_not[0])
        fmt_buf(s->why_not, sizeof s->why_not, "the row failed while it was stepped");
}

void steps_row(struct engine *e, struct row *row, unsigned placement)
{
    struct stepper t = {.e = e, .b = row->bench, .row = row, .p = &e->placed[placement]};
    struct stepped *s = &row->stepped;
    if (e->o->instructions == INSTRUCTIONS_OFF || row->why || (e->pace && e->pace->stopped))
        return;
    *s = (struct stepped){
        .tried = true, .instructions = UNKNOWN, .iterations = UNKNOWN, .by_counter = UNKNOWN};
    if (!e->stepping.tried)
        try_stepping(e);
    if (e->stepping.why_not[0])
        fmt_buf(s->why_not, sizeof s->why_not, "%s", e->stepping.why_not);
    else if (!t.p->kind[KIND_EMPTY].fn)
        fmt_buf(s->why_not, sizeof s->why_not, "its windows are empty");
    if (s->why_not[0])
        return;
    uint64_t hard = steps_within(e, STEPS_HARD_US);
    t.most = hard < STEPS_HARD ? hard : STEPS_HARD;
    t.most = t.most > STEPS_WINDOW ? t.most : STEPS_WINDOW;
    if (!step_all(&t)) {
        give_up(&t);
        return;
    }
    s->instructions = per_op(s, s->body.instructions, s->body2.instructions, s->empty.instructions,
                             s->empty2.instructions);
    s->iterations = per_op(s, s->body.iterations, s->body2.iterations, s->empty.iterations,
                           s->empty2.iterations);
    if (e->execution == EXEC_INSTRUCTIONS)
        compare_with_tsc(&t);
    else if (e->execution == EXEC_SILICON)
        compare_with_counter(&t);
}
