#include "bench/engine/stepped.h"
#include "bench/engine/step_window.h"
#include "lib/text/fmt.h"
#include "bench/engine/poll.h"

/* Most tries of the four windows: an interrupt adds instructions to a window. */
#define FREE_TRIES 4

/* The part of deadline= that a window with a number of operations may take. B, E, and both with
 * twice as many, are six such windows; they come once with few operations, and twice with all. */
#define DEADLINE_PARTS 20

enum { FREE_EMPTY, FREE_BODY, FREE_EMPTY2, FREE_BODY2, FREE_WINDOWS };

/* The TSC's or the counter's counts of the four windows without stepping. */
struct free_counts {
    uint64_t of[FREE_WINDOWS];
};

static bool count_free(struct stepper *t, enum window_kind kind, uint64_t n, uint64_t *count)
{
    if (!free_window(t, kind, n, count))
        return false;
    if (!t->counter)
        *count /= t->e->facts.ticks_per_instruction;
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
           (!bench_has_empty_loop(t->b) || count_free(t, KIND_EMPTY, 2 * n, &f->of[FREE_EMPTY2]));
}

/* Returns the count that a window should have. QEMU's TSC counts each iteration of a repeated
 * string instruction, and one more if RCX ends it: the same number as it traps. A CPU's counter
 * counts the instruction once. */
static uint64_t due(const struct stepper *t, const struct step_window *w)
{
    return t->counter ? w->instructions : w->instructions + w->repeats;
}

/* Compares the counts minus the empty window: not all counts include a window's entry and exit. */
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

/* Repeats windows that an NMI interrupted, because its handler's instructions count too. The
 * deadline's timer sends some NMIs. */
static bool count_all_uninterrupted(struct stepper *t, struct free_counts *f)
{
    for (unsigned i = 0; i < FREE_TRIES; i++) {
        uint64_t spoils = engine_spoils(t->e);
        if (!count_all_free(t, f))
            return false;
        if (engine_spoils(t->e) == spoils)
            return true;
    }
    return false;
}

static void compare_with_tsc(struct stepper *t)
{
    struct stepping_state *core = &t->e->facts.stepping;
    struct free_counts f;

    if (!count_all_uninterrupted(t, &f))
        return;
    t->row->stepped.compared = true;
    core->compared++;
    if (!agrees(t, &f) && !core->unlike++)
        fmt_buf(core->first, sizeof core->first, "%s/%s: %s", t->b->suite, t->b->name,
                t->row->stepped.unlike);
}

/* The counter also counts the operating system's interrupts, so one try that agrees is enough. */
static void compare_with_counter(struct stepper *t)
{
    struct stepped *s = &t->row->stepped;
    struct free_counts f;
    const char *why;

    if (t->e->facts.stepping.no_counter || !t->e->p->timers.retired)
        return;
    t->counter = t->e->p->timers.retired(t->e->p->context, &why);
    t->e->facts.stepping.no_counter = !t->counter || t->counter->start(t->counter) != NULL;
    if (t->e->facts.stepping.no_counter)
        return;
    for (unsigned i = 0; i < FREE_TRIES && (!s->compared || s->unlike[0]); i++) {
        if (!count_all_free(t, &f))
            break;
        s->compared = true;
        s->by_counter = stepped_per_op(s, f.of[FREE_BODY], f.of[FREE_BODY2], f.of[FREE_EMPTY],
                                       f.of[FREE_EMPTY2]);
        agrees(t, &f);
    }
    if (t->counter->stop)
        t->counter->stop(t->counter);
}

/*
 * Compares the stepped counts with another count of the same windows, which are rerun without
 * traps: the TSC if it counts instructions, else the core's counter of retired instructions. Called
 * after the row's four windows were stepped. Fills `compared`, `unlike` and `by_counter` of
 * row->stepped, and the values in e->facts.stepping that the core's self-test judges.
 */
static void steps_compare(struct stepper *t)
{
    if (t->e->facts.execution == EXEC_INSTRUCTIONS)
        compare_with_tsc(t);
    else if (t->e->facts.execution == EXEC_SILICON)
        compare_with_counter(t);
}

/* --- number of operations --------------------------------------------------------------------- */

/* Returns the number of steps that fit into `us`. Unlimited if the TSC counts instructions. */
static uint64_t steps_within(const struct engine *e, double us)
{
    if (e->facts.execution == EXEC_INSTRUCTIONS || !run_has_hz(&e->facts) ||
        !(e->facts.stepping.ticks > 0))
        return UINT64_MAX;
    return (uint64_t)(us / 1e6 * e->facts.tsc_hz / e->facts.stepping.ticks);
}

/* Returns the most steps of a window. Stepping must not make a row miss its deadline. */
static uint64_t most_of(const struct engine *e)
{
    double deadline_us = e->facts.o->deadline * 1e6;
    double us = deadline_us < DEADLINE_PARTS * (double)STEPPED_HARD_US
                    ? deadline_us / DEADLINE_PARTS
                    : STEPPED_HARD_US;
    uint64_t within = steps_within(e, us);
    uint64_t most = within < STEPPED_HARD ? within : STEPPED_HARD;

    return most > STEPPED_WINDOW ? most : STEPPED_WINDOW;
}

/* Returns the fewest operations for stepping. A row that is not doubled has all its operations,
 * unless it declares a grain. */
static uint64_t fewest_of(const struct bench *b)
{
    if (b->window.not_doubled && !bench_is_loop(b) && bench_step_grain(b) == 1)
        return b->ops;
    return bench_step_grain(b);
}

static bool can_step(const struct bench *b, uint64_t n)
{
    return n % fewest_of(b) == 0 && (b->window.most_ops == 0 || n <= b->window.most_ops);
}

static uint64_t work_of(struct step_window w)
{
    return w.instructions + w.repeats;
}

static uint64_t steps_of_longer(struct step_window a, struct step_window b)
{
    return work_of(a) > work_of(b) ? work_of(a) : work_of(b);
}

/*
 * Returns the largest factor for s->ops that the longest of the four windows allows, or 1 if there
 * is no time for that factor. Nothing between the two: it would depend on the cost of a step, and
 * so differ between launches. The count of a row whose operations differ would then differ too.
 */
static uint64_t times_of(const struct stepper *t)
{
    const struct stepped *s = &t->row->stepped;
    uint64_t one = steps_of_longer(s->body, s->empty);
    uint64_t two = steps_of_longer(s->body2, s->empty2);

    if (two <= one || two >= STEPPED_WINDOW ||
        steps_within(t->e, STEPPED_US) < 4ull * STEPPED_WINDOW)
        return 1;
    uint64_t more = two - one, times = (STEPPED_WINDOW - (one - more)) / (2 * more);
    uint64_t most = t->b->ops / s->ops;
    if (t->b->window.most_ops && t->b->window.most_ops / (2 * s->ops) < most)
        most = t->b->window.most_ops / (2 * s->ops);
    times = times < most ? times : most;
    return times ? times : 1;
}

/* --- windows with few operations -------------------------------------------------------------- */

static bool step_single(struct stepper *t)
{
    struct stepped *s = &t->row->stepped;

    return step_window(t, KIND_BODY, s->ops, &s->body) &&
           step_window(t, KIND_EMPTY, s->ops, &s->empty);
}

static bool step_double(struct stepper *t)
{
    struct stepped *s = &t->row->stepped;

    s->empty2 = s->empty;
    return step_window(t, KIND_BODY, 2 * s->ops, &s->body2) &&
           (!bench_has_empty_loop(t->b) || step_window(t, KIND_EMPTY, 2 * s->ops, &s->empty2));
}

/* Steps with the fewest operations that the row's check accepts. */
static bool step_fewest(struct stepper *t)
{
    struct stepped *s = &t->row->stepped;

    for (s->ops = fewest_of(t->b); !step_single(t); s->ops *= 2) {
        if (!t->wants_more || 2 * s->ops > t->b->ops)
            return false;
        s->why_not[0] = '\0';
    }
    return true;
}

/* Steps all windows. False: the row is not counted, or it has failed. */
static bool step_all(struct stepper *t)
{
    struct stepped *s = &t->row->stepped;
    const struct bench *b = t->b;

    if (!step_fewest(t))
        return false;
    s->doubled = !b->window.not_doubled && can_step(b, 2 * s->ops);
    if (!s->doubled)
        return true;
    if (!step_double(t))
        return false;
    uint64_t times = times_of(t);
    s->ops *= times;
    return times == 1 || (step_single(t) && step_double(t));
}

/* Records why there is no count. If the user stopped the run, the row keeps its figures. */
static void give_up(struct stepper *t)
{
    struct stepped *s = &t->row->stepped;

    if (t->row->out.ended && t->e->poll && t->e->poll->stopped) {
        t->row->out.ended = false;
        t->row->out.why = NULL;
        t->row->out.status = ROW_OK;
        fmt_buf(s->why_not, sizeof s->why_not, "the run was stopped");
    }
    if (!s->why_not[0])
        fmt_buf(s->why_not, sizeof s->why_not, "the row failed while it was stepped");
}

/* Begins to count. False: it is not possible, and why_not says why. */
static bool begin(struct stepper *t)
{
    struct stepped *s = &t->row->stepped;

    *s = (struct stepped){.tried = true,
                          .instructions = UNKNOWN,
                          .iterations = UNKNOWN,
                          .by_counter = UNKNOWN,
                          .left = s->left};
    step_try(t->e);
    if (t->b->proof.not_stepped)
        fmt_buf(s->why_not, sizeof s->why_not, "%s", t->b->proof.not_stepped);
    else if (t->e->facts.stepping.why_not[0])
        fmt_buf(s->why_not, sizeof s->why_not, "%s", t->e->facts.stepping.why_not);
    else if (!t->p->kind[KIND_EMPTY].fn)
        fmt_buf(s->why_not, sizeof s->why_not, "its windows are empty");
    return !s->why_not[0];
}

static bool may_count(const struct engine *e, const struct row *row)
{
    return e->facts.o->instructions != INSTRUCTIONS_OFF && !row->out.why &&
           !(e->poll && e->poll->stopped);
}

/* --- windows as long as the timed ones -------------------------------------------------------- */

static bool is_users(const struct bench *b)
{
    return b->code && b->code->user;
}

/* Returns the most steps of a timed window with the row's operations; with twice as many, twice. */
static uint64_t most_at_length(const struct engine *e)
{
    uint64_t within = steps_within(e, e->facts.o->deadline * 1e6 / DEADLINE_PARTS);

    return within < STEPPED_LENGTH ? within : STEPPED_LENGTH;
}

/* Steps a window that has the state of the next timed one: the same window just ran. */
static bool step_next(struct stepper *t, enum window_kind kind, uint64_t n,
                      struct step_window *counts)
{
    uint64_t ticks;

    return free_window(t, kind, n, &ticks) && step_window(t, kind, n, counts);
}

uint64_t stepped_left(struct engine *e, struct row *row, unsigned placement)
{
    struct stepper t = {.e = e,
                        .b = row->out.bench,
                        .row = row,
                        .p = &e->placed[placement],
                        .left = true,
                        .most = most_at_length(e)};
    struct stepped *s = &row->stepped;
    uint64_t ops = t.b->ops;

    if (!is_users(t.b) || !may_count(e, row) || !begin(&t))
        return 0;
    s->ops = ops;
    s->doubled = e->facts.o->method == METHOD_DOUBLED && t.p->kind[KIND_BODY2].fn;
    s->left.calls = 1 + s->doubled;
    s->left.ops = s->doubled ? 3 * ops : ops;
    bool done =
        step_next(&t, KIND_BODY, ops, &s->body) && step_window(&t, KIND_EMPTY, ops, &s->empty);
    s->empty2 = s->empty;
    if (done && s->doubled)
        done = step_next(&t, KIND_BODY2, 2 * ops, &s->body2) &&
               (!bench_has_empty_loop(t.b) || step_window(&t, KIND_EMPTY, 2 * ops, &s->empty2));
    if (!done)
        give_up(&t);
    fmt_buf(s->left.why_not, sizeof s->left.why_not, "%s", s->why_not);
    uint64_t once = work_of(s->body) - work_of(s->empty);
    uint64_t twice = s->doubled ? work_of(s->body2) - work_of(s->empty2) : 0;
    s->left.work = done ? (double)(int64_t)(once + twice) / (double)s->left.ops : UNKNOWN;
    return t.operations;
}

/* Returns whether windows with all of the row's operations have few enough steps. */
static bool is_short(const struct stepped *s, uint64_t ops, uint64_t most)
{
    double op = s->doubled ? (double)work_of(s->body2) - (double)work_of(s->body)
                           : (double)work_of(s->body);

    return (double)work_of(s->body) + op / (double)s->ops * (double)(ops - s->ops) < (double)most;
}

/* Counts a row that somebody else wrote again with all its operations: its body may do something
 * else in a long call, such as eight operations at once. */
static void step_length(struct stepper *t)
{
    struct stepped *s = &t->row->stepped, before = *s;
    uint64_t ops = t->b->ops;

    t->most = most_at_length(t->e);
    if (!is_users(t->b) || s->ops >= ops || !is_short(s, ops, t->most))
        return;
    s->ops = ops;
    if (step_single(t) && (!s->doubled || step_double(t)))
        return;
    before.traps = s->traps;
    before.ticks = s->ticks;
    before.lost = s->lost;
    if (!t->row->out.why)
        *s = before;
}

/* --- a row ------------------------------------------------------------------------------------ */

void stepped_row(struct engine *e, struct row *row, unsigned placement)
{
    struct stepper t = {.e = e, .b = row->out.bench, .row = row, .p = &e->placed[placement]};
    struct stepped *s = &row->stepped;

    if (!may_count(e, row))
        return;
    uint64_t traps = s->traps, ticks = s->ticks, lost = s->lost;
    bool can = begin(&t);
    s->traps = traps;
    s->ticks = ticks;
    s->lost = lost;
    if (!can)
        return;
    t.most = most_of(e);
    bool counted = step_all(&t);
    if (counted)
        step_length(&t);
    if (!counted || row->out.why) {
        give_up(&t);
        return;
    }
    s->short_enough = s->ops == t.b->ops && work_of(s->body) < most_at_length(e) &&
                      work_of(s->body2) < 2 * most_at_length(e);
    s->instructions = stepped_per_op(s, s->body.instructions, s->body2.instructions,
                                     s->empty.instructions, s->empty2.instructions);
    s->iterations = stepped_per_op(s, s->body.iterations, s->body2.iterations, s->empty.iterations,
                                   s->empty2.iterations);
    steps_compare(&t);
}
