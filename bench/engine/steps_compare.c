#include "bench/engine/step_window.h"
#include "lib/text/fmt.h"

/* Most tries of the four windows: an interrupt adds instructions to a window. */
#define FREE_TRIES 4

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
           (!stepper_has_twin(t) || count_free(t, KIND_EMPTY, 2 * n, &f->of[FREE_EMPTY2]));
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

void steps_compare(struct stepper *t)
{
    if (t->e->facts.execution == EXEC_INSTRUCTIONS)
        compare_with_tsc(t);
    else if (t->e->facts.execution == EXEC_SILICON)
        compare_with_counter(t);
}
