#include "bench/measure/guard.h"
#include "bench/api/registry.h"
#include "bench/measure/pace.h"
#include "bench/window/window.h"
#include "lib/text/fmt.h"
#include "lib/text/mem.h"

#define FUNCTION_BYTES 4096 /* what lies farther behind a function's start is none of it */

/* Kinds of windows, as the texts behind their tags end (bench/measure/place.c). */
static const char *const kinds[] = {"E", "B", "B2", "R", "R2"};
#define KIND_NAMES (sizeof kinds / sizeof kinds[0])

/* In the code buffer: the window, or the place where none is known. */
static void say_window(const struct engine *e, const struct bench *b, uint64_t at, struct sink *out)
{
    for (size_t i = 0; i < KIND_NAMES; i++) {
        char name[96];
        size_t behind;
        fmt_buf(name, sizeof name, "%s/%s/%s", b->suite, b->name, kinds[i]);
        if (window_holds(e->p->code, at - PLATFORM_CODE_VA, name, &behind)) {
            fmt(out, " in %s+0x%zx", name, behind);
            return;
        }
    }
    fmt(out, " in the code buffer+0x%llx", (unsigned long long)(at - PLATFORM_CODE_VA));
}

static uint64_t address_of(body_fn fn)
{
    void *p;
    memcpy(&p, &fn, sizeof p);
    return (uint64_t)p;
}

/* The row whose function begins closest before an address, and where that is; NULL: none near. */
static const struct bench *nearest(uint64_t at, uint64_t *start)
{
    const struct bench *found = NULL;
    size_t n;
    const struct bench *const *rows = registry(&n);
    *start = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t own = rows[i]->function ? address_of(rows[i]->function) : 0;
        if (own == 0 || own > at || at - own >= FUNCTION_BYTES || own <= *start)
            continue;
        *start = own;
        found = rows[i];
    }
    return found;
}

static void say_place(const struct engine *e, const struct bench *b, uint64_t at, struct sink *out)
{
    uint64_t start;
    fmt(out, " at %llx", (unsigned long long)at);
    if (at - PLATFORM_CODE_VA < PLATFORM_CODE_SIZE) {
        say_window(e, b, at, out);
        return;
    }
    /* Rows that cores run with each other have functions of several kinds. */
    const struct bench *near = b->form == FORM_CORES ? NULL : nearest(at, &start);
    if (near)
        fmt(out, " in the function of %s/%s+0x%llx", near->suite, near->name,
            (unsigned long long)(at - start));
    if (at - e->p->image < e->p->image_size)
        fmt(out, " (image+0x%llx)", (unsigned long long)(at - e->p->image));
}

static void say(const struct engine *e, struct row *row, const struct guard_ended *ended)
{
    struct sink_buf text;
    sink_buf_init(&text, row->said, sizeof row->said);
    if (ended->by == GUARD_STOPPED)
        fmt(&text.sink, "the run was stopped");
    else if (ended->by == GUARD_DEADLINE)
        fmt(&text.sink, "it ran longer than deadline=%u seconds and was ended", e->o->deadline);
    else
        fmt(&text.sink, "%s", ended->what);
    say_place(e, row->bench, ended->at, &text.sink);
}

bool guard_run(const struct engine *e, struct row *row, void (*fn)(void *ctx), void *ctx)
{
    struct guard_ended ended;
    if (e->p->guarded(fn, ctx, &ended))
        return true;
    row->ended = true;
    if (ended.by == GUARD_STOPPED && e->pace)
        e->pace->stopped = true;
    say(e, row, &ended);
    row_fail(row, ROW_WRONG, row->said);
    return false;
}
