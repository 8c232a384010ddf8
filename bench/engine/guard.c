#include "bench/engine/guard.h"
#include "lib/text/decimal.h"
#include "lib/stats/mathx.h"
#include "lib/text/fmt.h"
#include "lib/text/mem.h"
#include "bench/engine/poll.h"
#include "bench/engine/window.h"

/*
 * docs/checks.md "Truth": a difference larger than both limits is not noise. Of 200 launches with
 * eight such rows each, at most one may fail by chance. Twice the distance to the interval's end is
 * nine standard errors of the figure, if 16 placements are normally distributed.
 */
#define TRUTH_WITHIN 0.01
#define TRUTH_HALVES 2
/* Core cycles, for one placement, whose interval does not cover others: half a whole latency. */
#define TRUTH_COARSE 0.5

/* Changes of state for which a function fails. Other changes are restored and reported. */
#define WRONG_OF_FUNCTION ((1u << WINDOW_FLAGS) - 1)

/* Fails the row if its function `who` changed registers, which have been restored. False: failed;
 * true: no register was changed. */
static bool check_called(const char *who, uint32_t changed, struct outcome *out)
{
    struct sink_buf text;

    if (!changed || out->why)
        return !changed;
    sink_buf_init(&text, out->said, sizeof out->said);
    fmt(&text.sink, "%s changed ", who);
    window_kept_text(changed, &text.sink);
    fmt(&text.sink, ", which a function must preserve");
    outcome_fail(out, ROW_WRONG, out->said);
    return false;
}

bool check_kept(uint32_t changed, struct row *row)
{
    uint32_t wrong = bench_is_function(row->out.bench) ? changed & WRONG_OF_FUNCTION : 0;

    row->out.changed |= wrong | (changed & ~WRONG_OF_FUNCTION & ~(1u << WINDOW_X87_FAULT));
    row->taken.x87_stack_fault |= changed >> WINDOW_X87_FAULT & 1;
    return check_called("the body", wrong, &row->out);
}

static const char *call_check(const struct placed *p, uint64_t operations, struct row *row)
{
    const void *check;

    memcpy(&check, &p->check, sizeof check); /* ISO C has no cast from functions to data */
    struct window_called called = window_call(check, p->object, operations);
    check_called("check", (uint32_t)called.changed, &row->out);
    return (const char *)(uintptr_t)called.returned;
}

void check_work(const struct placed *p, uint64_t operations, struct row *row)
{
    const char *why = p->check ? call_check(p, operations, row) : NULL;

    if (!why || row->out.why)
        return;
    fmt_buf(row->out.said, sizeof row->out.said, "%s",
            why); /* the text is lost with the placement */
    for (char *c = row->out.said; *c; c++)
        if (*c < ' ' || *c == 0x7f) /* some control a terminal */
            *c = '?';
    outcome_fail(&row->out, ROW_WRONG, row->out.said);
}

void check_errors(const struct bench *b, uint64_t good, struct row *row)
{
    if (good == 0)
        outcome_fail(&row->out, ROW_WRONG, "every operation failed");
    if (b->proof.errors_are_wrong && row->taken.errors)
        outcome_fail(&row->out, ROW_WRONG, "an operation returned an error");
    if (b->proof.errors_are_wrong && row->taken.errors_outside)
        outcome_fail(&row->out, ROW_WRONG,
                     "an operation returned an error, in the warm-up or in twice the body");
    if (b->proof.errors_are_wrong && row->taken.errors_subtracted)
        outcome_fail(&row->out, ROW_WRONG, "the empty body returned an error");
}

/* Rounding error of a count. An operation that is not elided executes at least one instruction per
 * window; a smaller count is rounding. */
#define COUNT_ERROR 1e-6

/* Returns whether the row has work that can be elided: not if it has no windows or bare windows. */
static bool has_work(const struct bench *b)
{
    return !b->proof.may_be_elided && bench_has_body(b);
}

static void say_gone(const struct bench *b, double found, bool left, struct row *row)
{
    struct sink_buf text;

    sink_buf_init(&text, row->out.said, sizeof row->out.said);
    fmt(&text.sink,
        found < COUNT_ERROR
            ? "the work was elided, or the empty body does as much: an operation executes "
            : "the work was elided: an operation executes ");
    num_fmt(&text.sink, "%.3f instructions more than the empty body", found);
    if (left)
        num_fmt(&text.sink, " in the state that its timed windows left, %.3f with fresh data",
                row->stepped.instructions);
    if (bench_least_instructions(b) > 0) {
        num_fmt(&text.sink, "; the row's least_instructions is %.3f", bench_least_instructions(b));
    }
    outcome_fail(&row->out, ROW_WRONG, row->out.said);
}

static bool is_gone(const struct bench *b, double found)
{
    return found < COUNT_ERROR || found < bench_least_instructions(b) - COUNT_ERROR;
}

/* Returns whether the counter contradicts the stepped count. It is not known which of the two is
 * wrong, so neither proves anything. */
static bool is_denied(const struct bench *b, double found, const struct stepped *s)
{
    return s->unlike[0] && is_known(s->by_counter) &&
           is_gone(b, s->by_counter) != is_gone(b, found);
}

void check_instructions(const struct engine *e, struct row *row)
{
    const struct bench *b = row->out.bench;
    double found = run_instructions(&e->facts, row);

    if (!has_work(b) || (b->proof.not_stepped && !is_known(found)))
        return;
    bool proves = is_known(found) && !is_denied(b, found, &row->stepped);
    row->work = proves ? WORK_JUDGED : WORK_NOT_JUDGED;
    if (!row->out.why && proves && is_gone(b, found))
        say_gone(b, found, false, row);
    if (!row->out.why && proves && stepped_differs(&row->stepped) &&
        is_known(row->stepped.left.work) && is_gone(b, row->stepped.left.work))
        say_gone(b, row->stepped.left.work, true, row);
}

/* Returns by how much the figure is off: above 0 too slow, below 0 too fast; 0: within what is
 * allowed. */
static double off_truth(const struct estimate *cycles, double truth)
{
    double off = cycles->theta - truth;
    double allowed = truth * TRUTH_WITHIN;
    double interval = TRUTH_HALVES * estimate_side(cycles, truth);

    if (interval > allowed)
        allowed = interval;
    if (cycles->by == ESTIMATE_BLOCKS || cycles->by == ESTIMATE_METHOD)
        allowed = allowed > TRUTH_COARSE ? allowed : TRUTH_COARSE;
    return off > allowed || off < -allowed ? off : 0;
}

/* Latencies are whole core cycles. If the interval, doubled as in the judgement, reaches the middle
 * between two of them, it does not decide between them. */
static bool is_vague(const struct estimate *cycles)
{
    return TRUTH_HALVES * estimate_longer_side(cycles) >= TRUTH_COARSE;
}

static double documented(const struct bench *b, const struct cpu *cpu)
{
    return b->code ? b->code->truth : b->proof.truth ? b->proof.truth(cpu) : 0;
}

/* Returns whether others can use the core, or its caches through an SMT sibling, without the
 * witness noticing: the witness measures only the front end. */
static bool others_run(const struct engine *e)
{
    return e->p->cpu->hypervisor || e->p->lacks(NEED_RING0);
}

void check_figure(const struct engine *e, const struct bench *b, struct row *row)
{
    const struct row_figure *h = &row->figure;
    /* Without a source of core cycles, uses the ruler. */
    const struct estimate *cycles = is_known(h->cycles.theta) ? &h->cycles : &h->ruler.cycles;

    /* Documented figures are for warm caches. */
    row->truth.cycles = run_is_cold(&e->facts, b) ? 0 : documented(b, e->p->cpu);
    if (e->facts.execution != EXEC_SILICON || !h->known)
        return;
    row->truth.vague = (b->proof.truth || row->truth.cycles > 0) && is_vague(cycles);
    if (row->out.why || row->taken.shared)
        return;
    double off = row->truth.cycles > 0 ? off_truth(cycles, row->truth.cycles) : 0;
    row->truth.above = off > 0 && others_run(e);
    if (off != 0 && !row->truth.above)
        outcome_fail(&row->out, ROW_WRONG, "not the documented figure, by more than its interval");
}

/* Kinds of windows, as at the end of a window's name (bench/engine/place.c). */
static const char *const kinds[] = {"E", "B", "B2", "R", "R2"};
#define KIND_NAMES (sizeof kinds / sizeof kinds[0])

/* Names the function or the window of an address in the code buffer, or the offset there. */
static void say_window(const struct engine *e, const struct bench *b, uint64_t at, struct sink *out)
{
    uint64_t into;
    const char *function = place_name_at(at, &into);

    if (function) {
        fmt(out, " in %.80s+0x%llx", function, (unsigned long long)into);
        return;
    }
    for (size_t i = 0; i < KIND_NAMES; i++) {
        char name[96];
        size_t offset;
        fmt_buf(name, sizeof name, "%s/%s/%s", b->suite, b->name, kinds[i]);
        if (window_holds(e->p->code.at, at - PLATFORM_CODE_VA, name, &offset)) {
            fmt(out, " in %s+0x%zx", name, offset);
            return;
        }
    }
    fmt(out, " in the code buffer+0x%llx", (unsigned long long)(at - PLATFORM_CODE_VA));
}

static void say_place(const struct engine *e, const struct bench *b, uint64_t at, struct sink *out)
{
    fmt(out, " at %llx", (unsigned long long)at);
    if (at - PLATFORM_CODE_VA < PLATFORM_CODE_SIZE) {
        say_window(e, b, at, out);
        return;
    }
    if (at - e->p->image.base < e->p->image.size)
        fmt(out, " (image+0x%llx)", (unsigned long long)(at - e->p->image.base));
}

static void say(const struct engine *e, struct outcome *out, const struct guard_ended *ended)
{
    struct sink_buf text;

    sink_buf_init(&text, out->said, sizeof out->said);
    if (ended->changed[0])
        fmt(&text.sink, "the body changed %s, which has been restored", ended->changed);
    if (ended->by == GUARD_CAME_BACK)
        return;
    if (ended->changed[0])
        fmt(&text.sink, "; ");
    if (ended->by == GUARD_STOPPED)
        fmt(&text.sink, "the run was stopped");
    else if (ended->by == GUARD_DEADLINE)
        fmt(&text.sink, "it ran longer than deadline=%u seconds and was ended",
            e->facts.o->deadline);
    else
        fmt(&text.sink, "%s", ended->what);
    say_place(e, out->bench, ended->at, &text.sink);
}

/* Returns the frame that records the registers which `before` changed; NULL: no `before`. */
static struct window_frame *frame_of_before(const struct engine *e, const struct bench *b)
{
    bool has_before = b->code ? b->code->at[BENCH_CODE_BEFORE].section != 0 : b->before != NULL;

    return has_before ? (struct window_frame *)(void *)(e->p->data + WINDOW_FRAME_AT) : NULL;
}

bool guard_run(const struct engine *e, struct outcome *out, void (*fn)(void *ctx), void *ctx)
{
    struct guard_ended ended = {.by = GUARD_CAME_BACK};
    struct window_frame *frame = frame_of_before(e, out->bench);

    if (frame)
        frame->before = 0;
    bool back = e->p->guarded(fn, ctx, &ended);
    if (ended.pkru)
        out->changed |= 1u << WINDOW_PKRU;
    if (back && !ended.changed[0])
        return !frame || check_called("before", frame->before, out);
    bool refused =
        !back && ended.by == GUARD_FAULT && ended.refused && out->bench->needs.may_be_refused;
    out->ended = !back && !refused;
    if (!back && ended.by == GUARD_STOPPED && e->poll)
        e->poll->stopped = true;
    say(e, out, &ended);
    outcome_fail(out, refused ? ROW_UNSUPPORTED : ROW_WRONG, out->said);
    return false;
}

struct around {
    const struct placed *p;
    uint64_t operations;
    struct row *row;
    uint32_t changed; /* by setup */
};

/* Runs setup or check. What guard_run() adds to out.changed, which is PKRU, is not kept: it is for
 * the state that a body changes. */
static bool run_around(const struct engine *e, void (*fn)(void *ctx), struct around *a)
{
    uint32_t changed = a->row->out.changed;
    bool back = guard_run(e, &a->row->out, fn, a);

    a->row->out.changed = changed;
    return back;
}

static void set_up(void *ctx)
{
    struct around *a = ctx;

    a->changed = place_object(a->p);
}

bool guard_setup(const struct engine *e, struct row *row, const struct placed *p)
{
    struct around a = {p, 0, row, 0};

    if (row->out.bench->faults_outside)
        set_up(&a);
    else if (!run_around(e, set_up, &a))
        return false;
    return check_called("setup", a.changed, &row->out);
}

static void check(void *ctx)
{
    const struct around *a = ctx;

    check_work(a->p, a->operations, a->row);
}

bool guard_check(const struct engine *e, struct row *row, const struct placed *p,
                 uint64_t operations)
{
    struct around a = {p, operations, row, 0};

    return run_around(e, check, &a);
}
