/*
 * Bodies whose answer is known, to test whether a report finds it: two that differ by one core
 * cycle, missing work, windows so long that a process is stopped in one, an operation with two
 * speeds. They run only when suite= names the suite.
 */
#include "bench/api/counted.h"
#include "bench/api/keep.h"
#include "bench/engine/engine.h"

#define PLANTED(name_, what_, ...)                                                                 \
    BENCH(planted, name_, .what = what_, .on_request = true, __VA_ARGS__)

extern const struct unit unit_planted_offset, unit_planted_adds20, unit_planted_adds21,
    unit_planted_adds1000, unit_planted_rdmsr, unit_planted_found;

#define CHAIN_OPS 50 /* windows of about 1000 cycles: long compared with the step of any TSC */

PLANTED(adds20, "a chain of 20 adds", .window.form = FORM_STRAIGHT, .ops = CHAIN_OPS,
        .window.unit = &unit_planted_adds20, .proof.least_instructions = 20);
PLANTED(adds21, "a chain of 21 adds, one more than adds20", .window.form = FORM_STRAIGHT,
        .ops = CHAIN_OPS, .window.unit = &unit_planted_adds21, .proof.least_instructions = 21);

PLANTED(elided, "nothing in place of the declared add: the run fails, exit status 2",
        .window.form = FORM_STRAIGHT, .ops = CHAIN_OPS, .window.unit = NULL,
        .proof.least_instructions = 1);
PLANTED(elided_loop, "the same in a loop, as method=adaptive needs it", .window.form = FORM_LOOP,
        .ops = 1000, .window.unit = NULL, .proof.least_instructions = 1);

/* Takes nearly all of the run's time, so that a process is most likely stopped in such a window. */
PLANTED(long, "a loop over 1000 adds, 100 times per window", .window.form = FORM_LOOP, .ops = 100,
        .window.unit = &unit_planted_adds1000, .window.not_doubled = true);

/*
 * Rows that show their placement: an operation takes one iteration, plus one for each byte of the
 * code's offset in its cache line.
 */
PLANTED(offset, "one iteration per byte after the start of its line", .window.form = FORM_LOOP,
        .ops = 10, .window.unit = &unit_planted_offset, .proof.varies = true);

static int offset_body(uint64_t n, struct object *o)
{
    (void)o;
    for (; n; n--) {
        BENCH_ITERATION(n);
        uint64_t iterations = ((uintptr_t)offset_body & 63) + 1;
        do
            BENCH_HIDE(iterations);
        while (--iterations);
    }
    return 0;
}

static int offset_empty(uint64_t n, struct object *o)
{
    (void)o;
    for (; n; n--)
        BENCH_ITERATION(n);
    return 0;
}

PLANTED(offset_c, "one iteration per byte after the start of its line, compiled C",
        .window.form = FORM_FUNCTION, .ops = 10, .function = offset_body,
        .empty_function = offset_empty, .proof.errors_are_wrong = true, .proof.varies = true);

PLANTED(rdmsr, "rdmsr of the TSC: ring 0 only", .window.form = FORM_STRAIGHT, .ops = 10,
        .window.unit = &unit_planted_rdmsr, .needs.platform = NEED_RING0);

/*
 * Checks the state that bench/engine/frame.asm gives to every body with every recipe: HISTORY_VALUE
 * in registers, and no flag set, or the flags of `xor eax, eax` if a recipe runs CPUID after that.
 * The unit records the state at the start of each window, for all windows together. A later copy or
 * iteration finds the state that the previous one left.
 */
#define FLAGS     0x8d5 /* CF, PF, AF, ZF, SF, OF: SDM vol. 1, 3.4.3 */
#define FLAGS_AF  0x10  /* XOR leaves it undefined */
#define FLAGS_XOR 0x44  /* ZF, PF */

struct found {
    uint64_t windows, set, clear; /* flags that were set in some window; clear in some window */
    uint64_t unlike;              /* bits of registers that differed from HISTORY_VALUE */
};

static void found_setup(struct object *o)
{
    *(struct found *)o->room = (struct found){0};
}

static const char *found_history(const struct object *o, uint64_t operations)
{
    const struct found *found = o->room;
    uint64_t set = found->set & FLAGS & ~(uint64_t)FLAGS_AF;

    (void)operations;
    if (found->windows == 0)
        return "no window began with the registers that the frame loads";
    if (found->set & found->clear & FLAGS & ~(uint64_t)FLAGS_AF)
        return "bodies of two windows find different flags";
    if (set != FLAGS_XOR && (found->set & FLAGS) != 0)
        return "a body finds other flags than those of the frame's CMP";
    return found->unlike ? "a body finds another value in a register than the frame loads" : NULL;
}

PLANTED(history, "records the flags and registers that a body starts with",
        .window.form = FORM_STRAIGHT, .ops = 10, .window.unit = &unit_planted_found,
        .setup = found_setup, .check = found_history, .needs.room_bytes = sizeof(struct found));
PLANTED(history_loop, "the same in a loop, in its first iteration", .window.form = FORM_LOOP,
        .ops = 10, .window.unit = &unit_planted_found, .setup = found_setup, .check = found_history,
        .needs.room_bytes = sizeof(struct found));

/*
 * docs/figure.md "Modes": 100 or 106 cycles, the slower one 30% of the time. A shift register of 7
 * bits (x^7 + x^6 + 1: period 127) steps after each pair of a block of the body and a block of
 * twice the body, so that both blocks have one speed. Needs retry_budget=0, because a repeated
 * block would be an extra step.
 */
#define PERIOD     127
#define SLOW       38 /* slow states of the period: 29.9% */
#define CALLS      (2 * ENGINE_BLOCK)
#define SPEEDS_OPS 40

/* In the object's room, whose contents are kept from placement to placement. */
struct speeds {
    uint64_t state, calls;
};

static void speeds_setup(struct object *o)
{
    struct speeds *s = o->room;

    if (s->state == 0 || s->state > PERIOD)
        s->state = 1;
    s->calls = 0;
}

static void shift(struct speeds *s)
{
    s->state = (s->state << 1 & PERIOD) | ((s->state >> 6 ^ s->state >> 5) & 1);
}

static int speeds_body(uint64_t n, struct object *o)
{
    struct speeds *s = o->room;
    bool slow = s->state <= SLOW;
    uint32_t x = 1;

    for (uint64_t i = 0; i < n; i++) {
        if (slow)
            __asm__ volatile(".rept 106; add %0, %0; .endr" : "+r"(x) : : "cc");
        else
            __asm__ volatile(".rept 100; add %0, %0; .endr" : "+r"(x) : : "cc");
    }
    if (++s->calls % CALLS == 0)
        shift(s);
    o->counter += n;
    return 0;
}

PLANTED(two_speeds, "100 cycles, or 106 at 30%, by a shift register", .window.form = FORM_FUNCTION,
        .ops = SPEEDS_OPS, .function = speeds_body, .setup = speeds_setup, .check = check_counted,
        .proof.errors_are_wrong = true, .proof.least_instructions = 100, .proof.varies = true);
