#include "hosted/stores/trace.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "lib/text/fmt.h"

#define PAGE       4096u
#define ASIDE      100000u /* steps before and after the counted part that are always allowed */
#define TELL_STEPS 50000   /* a fraction of a second */
#define RED_ZONE   128     /* the function's bytes below the stack pointer: System V ABI, 3.2.2 */
/* A larger rise of the stack pointer is a change to another stack: Valgrind's bound
 * (--max-stackframe). */
#define FRAME_MOST 2000000

enum where { AHEAD, IN_BODY, BEHIND };

/* One call is traced at a time; its handler finds its state here. */
static struct following {
    struct trace *t;
    enum where where;
    struct met *running; /* NULL: no counted instruction */
    bool blind;          /* its operands cannot be read, so it is about to fault */
    struct touch touch[OPERANDS_TOUCHES];
    unsigned touches;
    uint8_t before[OPERANDS_TOUCHES][TOUCH_BYTES];
    struct registers registers;
    uint64_t page[PAGE]; /* cache of readable pages, by their low bits: number plus 1 */
    struct prepare_stretch stretch[2];
    unsigned stretches;
    uint64_t aside;   /* steps outside the body */
    uint64_t stack;   /* where the function's stack begins: this tool's is above it */
    uint8_t *seen[2]; /* the contents before the instruction, if stores are verified */
} f;

static void __attribute__((noreturn)) end(uint64_t at, const char *why)
{
    fmt_buf(f.t->ended, sizeof f.t->ended, "%s", why);
    f.t->ended_at = at;
    step_end();
}

/* --- memory that may not be there ------------------------------------------------------------- */

/* Reads bytes through the kernel: an invalid address is an error, not a fault. */
static bool ask(uint64_t at, uint8_t *to, size_t n)
{
    static int ends[2];

    if (!ends[1] && pipe(ends) != 0)
        return false;
    ssize_t wrote = write(ends[1], (const void *)at, n);
    for (ssize_t left = wrote; left > 0;) {
        ssize_t got = read(ends[0], to + (wrote - left), (size_t)left);
        if (got <= 0)
            return false;
        left -= got;
    }
    return wrote == (ssize_t)n;
}

static bool is_readable(uint64_t at)
{
    uint64_t page = at / PAGE;
    uint64_t *known = &f.page[page % PAGE];
    uint8_t byte;
    if (*known != page + 1 && !ask(at, &byte, 1))
        return false;

    *known = page + 1;
    return true;
}

/* Reads the touched bytes; 0 for the others. */
static bool read_touched(const struct touch *t, uint8_t *to)
{
    if (t->lanes == TOUCH_ALL) {
        if (!is_readable(t->at) || !is_readable(t->at + t->size - 1))
            return false;
        memcpy(to, (const void *)t->at, t->size);
        return true;
    }
    for (uint32_t i = 0; i < t->size; i++) {
        to[i] = 0;
        if (!touch_has(t, i))
            continue;
        if (!is_readable(t->at + i))
            return false;
        to[i] = *(const uint8_t *)(t->at + i);
    }
    return true;
}

/* --- instructions ----------------------------------------------------------------------------- */

/* Returns the instruction there. NULL: its bytes cannot be read, the call is about to fault. */
static struct met *meet(uint64_t address)
{
    struct trace *t = f.t;
    uint8_t bytes[OPERANDS_LENGTH];
    size_t n = sizeof bytes;

    uint32_t number = hash_table_find(&t->met, &address, sizeof address);
    if (number)
        return t->met.entry[number - 1];
    while (n > 0 && !ask(address, bytes, n))
        n--;
    if (n == 0)
        return NULL;
    number = hash_table_get(&t->met, &address, sizeof address, sizeof(struct met));
    if (!number)
        end(address, "no memory for another instruction");
    struct met *m = t->met.entry[number - 1];
    m->number = number - 1;
    if (!operands_decode(&m->decoded, address, bytes, n))
        m->decoded.refused = "Zydis does not know this instruction";
    return m;
}

/* --- a step ----------------------------------------------------------------------------------- */

/* Records what the instruction is about to do, and the current contents. */
static void take(struct met *m)
{
    const struct decoded *d = &m->decoded;

    step_registers(&f.registers, d->needs_vectors, d->needs_segments);
    f.touches = operands_touches(d, &f.registers, f.touch);
    f.running = m;
    f.blind = false;
    for (unsigned i = 0; i < f.touches; i++)
        f.blind = f.blind || !read_touched(&f.touch[i], f.before[i]);
}

static bool is_stored_to(uint64_t at)
{
    for (unsigned i = 0; i < f.touches; i++)
        if (f.touch[i].store && at - f.touch[i].at < f.touch[i].size &&
            touch_has(&f.touch[i], (uint32_t)(at - f.touch[i].at)))
            return true;
    return false;
}

/* Checks that all changes in this piece are expected stores of the instruction. */
static void verify_piece(const struct met *m, const uint8_t *is, uint8_t *was, size_t bytes)
{
    char why[100];

    if (memcmp(was, is, bytes) == 0)
        return;
    for (size_t i = 0; i < bytes; i++) {
        if (was[i] != is[i] && !is_stored_to((uint64_t)(is + i))) {
            fmt_buf(why, sizeof why, "it stored to %llx, which was not expected",
                    (unsigned long long)(is + i));
            end(m->decoded.address, why);
        }
        was[i] = is[i];
    }
}

static void verify(const struct met *m)
{
    for (unsigned i = 0; i < f.stretches; i++)
        for (size_t at = 0; at < f.stretch[i].bytes; at += PAGE) {
            size_t left = f.stretch[i].bytes - at;
            verify_piece(m, f.stretch[i].from + at, f.seen[i] + at, left < PAGE ? left : PAGE);
        }
}

/* The memory below a raised stack pointer dies: what was popped, and after RET also the function's
 * red zone. */
static void rise(const struct met *m, uint64_t from, uint64_t to)
{
    if (to - from > FRAME_MOST)
        return;
    calls_leave(&f.t->calls, to);
    counts_died(&f.t->counts, m->decoded.returns ? from - RED_ZONE : from, to);
}

static void count(const struct met *m)
{
    struct trace *t = f.t;
    uint32_t who = m->number, site = f.touches ? calls_site(&t->calls, who) : 0;
    uint64_t was = f.registers.general[RSP], is = step_stack();
    uint8_t after[TOUCH_BYTES];

    for (unsigned i = 0; i < f.touches; i++)
        if (f.touch[i].load)
            counts_load(&t->counts, site, who, &f.touch[i], f.before[i]);
    for (unsigned i = 0; i < f.touches; i++)
        if (f.touch[i].store) {
            read_touched(&f.touch[i], after);
            counts_store(&t->counts, site, &f.touch[i], f.before[i], after);
        }
    if (m->decoded.calls)
        calls_enter(&t->calls, who, is);
    else if (is > was)
        rise(m, was, is);
}

/* Counts what the previous instruction did. One that faults has done nothing. */
static void finish(uint64_t ip)
{
    const struct met *m = f.running;

    if (!m)
        return;
    f.running = NULL;
    /* Elements before the faulting one are done: the step's trap comes first, and the fault when
     * the instruction continues (SDM volume 2, VPGATHERDD and VPSCATTERDD). */
    if (f.blind && ip == m->decoded.address)
        return;
    if (f.blind)
        end(m->decoded.address, "its operand could not be read, and yet it did not fault");
    if (m->decoded.pushes_flags)
        step_clean_flags();
    count(m);
    if (f.t->verify)
        verify(m);
}

static void tell(const struct trace *t)
{
    fprintf(stderr, "\r%llu steps", (unsigned long long)t->steps);
}

static void watch(void)
{
    f.stretches = prepare_stretches(f.stretch);
    f.stretch[1].bytes = (size_t)(f.stack - (uint64_t)f.stretch[1].from);
    for (unsigned i = 0; i < f.stretches; i++) {
        f.seen[i] = malloc(f.stretch[i].bytes);
        if (!f.seen[i])
            end(0, "no memory for a copy of the verified bytes");
        memcpy(f.seen[i], f.stretch[i].from, f.stretch[i].bytes);
    }
}

static void step(uint64_t ip)
{
    struct trace *t = f.t;
    char why[100];

    if (t->counts.full || t->calls.full)
        end(ip, "no memory for more counts");
    struct met *m = meet(ip);
    if (t->steps == t->steps_most) {
        fmt_buf(why, sizeof why, "it has not ended within %llu step%s",
                (unsigned long long)t->steps_most, t->steps_most == 1 ? "" : "s");
        end(ip, why);
    }
    if (!m)
        return; /* it is about to fault there */
    if (m->decoded.refused)
        end(ip, m->decoded.refused);
    t->steps++;
    m->runs++;
    if (t->progress && t->steps % TELL_STEPS == 0)
        tell(t);
    take(m);
}

/* The uncounted code before and after the body has a separate bound. */
static void step_aside(uint64_t ip)
{
    uint64_t most = f.t->steps_most > ASIDE ? f.t->steps_most : ASIDE;
    char why[100];

    if (f.aside++ < most)
        return;
    fmt_buf(why, sizeof why, "it did not reach %s within %llu steps",
            f.where == AHEAD ? "the code to be counted" : "the end of the counted code",
            (unsigned long long)most);
    end(ip, why);
}

static void before(void *ctx, uint64_t ip, bool back)
{
    const struct prepared *row = f.t->row;

    (void)ctx;
    if (!f.stack) {
        step_registers(&f.registers, false, false);
        f.stack = f.registers.general[RSP];
    }
    finish(ip);
    if (f.where == AHEAD && !back && (!row->from || ip == row->from)) {
        f.where = IN_BODY;
        if (f.t->verify)
            watch();
    }
    if (f.where == IN_BODY && (back || ip == row->to)) /* at once if it is empty */
        f.where = BEHIND;
    if (f.where == IN_BODY)
        step(ip);
    else if (!back)
        step_aside(ip);
}

/* --- a call ----------------------------------------------------------------------------------- */

static void say_end(struct trace *t, const struct guard_ended *ended)
{
    if (t->ended[0])
        return;
    t->ended_at = ended->at;
    if (ended->by == GUARD_FAULT)
        fmt_buf(t->ended, sizeof t->ended, "%s", ended->what);
    else
        fmt_buf(t->ended, sizeof t->ended, "it was stopped");
    size_t n = strlen(t->ended);
    if (n && t->ended[n - 1] == ',') /* the text of a fault may continue with its place */
        t->ended[n - 1] = '\0';
}

void trace_run(struct trace *t)
{
    struct guard_ended ended;
    struct step s = {.function = t->row->function, .before = before};

    memcpy(s.argument, t->row->argument, sizeof s.argument);
    memset(&f, 0, sizeof f);
    f.t = t;
    if (!step_call(&s, &ended))
        say_end(t, &ended);
    else if (f.where == AHEAD)
        fmt_buf(t->ended, sizeof t->ended, "it never reached the code to be counted");
    if (t->progress && t->steps >= TELL_STEPS)
        fprintf(stderr, "\r%20s\r", "");
    t->returned = s.result;
    t->changed = s.changed;
    counts_end(&t->counts);
    for (unsigned i = 0; i < f.stretches; i++)
        free(f.seen[i]);
}
