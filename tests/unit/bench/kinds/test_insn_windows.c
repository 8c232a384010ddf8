/* Windows of forms on a simulated core: copies begin faster than they end as long as the reorder
 * buffer has room, so a window that is shorter than it reads too low. */
#include "tests/unit/cmocka_unit.h"
#include "bench/kinds/forms.h"
#include "lib/insn/form.h"
#include "tests/unit/close.h"
#include "tests/unit/bench/fake_witness.h"

#define BUFFER 640 /* copies that the reorder buffer and the schedulers hold */
#define BEGIN  8.0 /* copies per cycle that begin, ... */
#define END    6.0 /* ... and that end */
#define TPC    24  /* ticks per core cycle, so that all times are whole */

static const struct insn_batch *built;
static uint64_t iterations;
static double slow;  /* factor of a copy's time */
static double other; /* the same factor in every second window, in addition, ... */
static double first; /* ... and in windows of n copies */

/* --- the core --------------------------------------------------------------------------------- */

static struct window_result ticks_of(double cycles)
{
    return (struct window_result){.ticks = (uint64_t)(cycles * TPC + 0.5)};
}

static double cycles_of(double copies)
{
    double inside = copies < BUFFER ? copies : BUFFER;

    return slow * (inside / BEGIN + (copies - inside) / END);
}

static struct window_result window(unsigned test, bool twice)
{
    const struct insn_cell *c = built->test[test].cell;
    uint64_t times = c->iterations ? iterations : twice ? 2 : 1;
    static unsigned windows;

    return ticks_of(cycles_of((double)(c->copies * times)) * (windows++ % 2 ? other : 1) *
                    (twice ? 1 : first));
}

#define PARAMETERS                                                                                 \
    struct object *o, const void *function, uint64_t n, uint64_t delay, uint64_t stack
#define UNUSED (void)o, (void)function, (void)n, (void)delay, (void)stack

static struct window_result ruler(PARAMETERS)
{
    UNUSED;
    return ticks_of(INSN_RULER);
}

static struct window_result ruler_twice(PARAMETERS)
{
    UNUSED;
    return ticks_of(2 * INSN_RULER);
}

#define EACH(W)                                                                                    \
    W(0) W(1) W(2) W(3) W(4) W(5) W(6) W(7) W(8) W(9) W(10) W(11) W(12) W(13) W(14) W(15)
#define WINDOWS(i)                                                                                 \
    static struct window_result once_##i(PARAMETERS)                                               \
    {                                                                                              \
        UNUSED;                                                                                    \
        return window(i, false);                                                                   \
    }                                                                                              \
    static struct window_result twice_##i(PARAMETERS)                                              \
    {                                                                                              \
        UNUSED;                                                                                    \
        return window(i, true);                                                                    \
    }
EACH(WINDOWS)
static const struct {
    window_fn once, twice;
} windows[] = {
#define WINDOW_PAIR(i) {once_##i, twice_##i},
    EACH(WINDOW_PAIR)};

/* --- in place of bench/kinds/insn_job.c ----------------------------------------------------- */

void insn_batch_begin(struct insn_batch *b, const struct insn_pass *pass,
                      const struct insn_row *row)
{
    *b = (struct insn_batch){.pass = pass, .row = row, .ruler = ruler, .ruler2 = ruler_twice};
    built = b;
}

bool insn_has_two_bodies(unsigned kind)
{
    return kind == INSN_TEST_SLOTS || kind == INSN_TEST_MIXED;
}

void insn_batch_add(struct insn_batch *b, struct insn_cell *cell)
{
    struct insn_windows *w = &b->test[b->n];

    assert_in_range(b->n, 0, sizeof windows / sizeof windows[0] - 1);
    *w = (struct insn_windows){
        .cell = cell, .once = windows[b->n].once, .twice = windows[b->n].twice};
    insn_test(&w->test, insn_form(b->row->form), b->row->decoration, &cell->id);
    b->n++;
}

bool insn_batch_build(struct insn_batch *b)
{
    b->built = b->n;
    return true;
}

void insn_batch_drop(struct insn_batch *b, unsigned n)
{
    assert_int_equal(n, b->n);
    b->n = 0;
}

void insn_batch_fill(const struct insn_batch *b)
{
}

void insn_batch_iterations(const struct insn_batch *b, uint64_t n)
{
    iterations = n;
}

/* --- the platform ----------------------------------------------------------------------------- */

static bool guarded(void (*fn)(void *ctx), void *ctx, struct guard_ended *ended)
{
    fn(ctx);
    return true;
}

static void row_begin(const struct platform *p, const char *suite, const char *name, uint64_t ran)
{
}

static void row_end(const struct platform *p)
{
}

/* Returns a form's throughput after a pass over it. */
static double throughput_of(const char *form)
{
    static uint64_t samples[2 * (INSN_TESTS_MOST + 1) * 2 * INSN_WINDOWS_MOST];
    static uint8_t data[64];
    struct platform p = {
        .data = data, .guarded = guarded, .row.begin = row_begin, .row.end = row_end};
    struct engine e = {.p = &p, .memory = samples};
    struct insn_support s = {.avx_on = false};
    struct insn_links links;
    struct options o;

    options_default(&o);
    snprintf(o.bench, sizeof o.bench, "%s", form);
    assert_null(insn_links_find(&links));
    e.facts.ticks_per_cycle = TPC;
    s.has[0] = true; /* what every CPU has */
    void *memory = malloc(insn_table_bytes(&o));
    assert_non_null(memory);
    struct insn_table *t = insn_table_make(memory, &o, &s, &links, false);
    struct insn_pass pass = {.e = &e, .links = &links, .table = t, .windows = 3, .aim = AIM_ALL};
    assert_int_equal(t->rows - t->links, 1);
    assert_true(insn_measure(&pass, &t->row[t->links]));
    double found = insn_kind_of(t, &t->row[t->links], INSN_TEST_DISTINCT).value;
    free(memory);
    return found;
}

TEST(a_window_is_longer_than_a_reorder_buffer)
{
    slow = other = first = 1;
    assert_close(throughput_of("add_r64_r64"), 1 / END, 1e-6);   /* in a loop */
    assert_close(throughput_of("cmovz_r64_r64"), 1 / END, 1e-6); /* in a straight line */
    assert_close(throughput_of("push_r64"), 1 / END, 1e-6);
}

TEST(slow_forms_have_fewer_copies)
{
    other = first = 1;
    slow = 100; /* a window of them ends within the time of a reorder buffer of fast ones */
    assert_in_range(throughput_of("rcl_r64_cl") * 1000, slow * 1000 / BEGIN, slow * 1000 / END);
}

TEST(throughput_is_that_of_the_fastest_state)
{
    slow = first = 1;
    other = 1.5;
    assert_close(throughput_of("add_r64_r64"), 1 / END, 1e-6);
    other = 1;
    first = 1.5; /* no window of n copies is in the state of those of 2n */
    assert_close(throughput_of("add_r64_r64"), 1 / END, 0.01 / END);
}
