#include "bench/engine/guard.h"
#include "bench/engine/check.h"
#include "bench/engine/poll.h"
#include "bench/engine/window.h"
#include "lib/text/fmt.h"

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

/* Runs fn guarded. `body`: fn runs the row's body, so that changed PKRU is reported. */
static bool run(const struct engine *e, struct outcome *out, bool body, void (*fn)(void *ctx),
                void *ctx)
{
    struct guard_ended ended = {.by = GUARD_CAME_BACK};
    struct window_frame *frame = frame_of_before(e, out->bench);

    if (frame)
        frame->before = 0;
    bool back = e->p->guarded(fn, ctx, &ended);
    if (ended.pkru && body)
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

bool guard_run(const struct engine *e, struct outcome *out, void (*fn)(void *ctx), void *ctx)
{
    return run(e, out, true, fn, ctx);
}

struct around {
    const struct placed *p;
    uint64_t operations;
    struct row *row;
    uint32_t changed; /* by setup */
};

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
    else if (!run(e, &row->out, false, set_up, &a))
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

    return run(e, &row->out, false, check, &a);
}
