/*
 * A map of store forwarding on a simulated core: it forwards a store to a load of which it has all
 * bytes, except to the upper half of 8 bytes; every other load that overlaps waits. The walks move
 * the bytes; a defect in them is found.
 */
// links: bench/cores/one_core.c
#include "tests/unit/fake_tsc.h"

#include "tests/unit/unit.h"
#include <stdlib.h>
#include <string.h>
#include "bench/memory/forward.c"
#include "bench/memory/forward_walk.c"
#include "bench/sample/pairs.c"
#include "tests/unit/close.h"
#include "tests/unit/fake_own.h"

#define TPC 0.5 /* ticks per core cycle */

static struct {
    enum { RIGHT, LOSES_STORES, LOADS_LESS } defect;
    unsigned sizes, stop_at, visits, areas;
    const char *lacks;
} made;

static double cycles_of(unsigned store, unsigned load, int64_t offset)
{
    switch (forward_overlap(store, load, (int)offset)) {
    case FORWARD_APART:
        return 1;
    case FORWARD_PARTIAL:
        return 15;
    default:
        return store == 8 && offset >= 4 ? 14 : 5;
    }
}

static uint64_t walk(uint8_t *store, const uint8_t *load, uint64_t turns, uint8_t *value,
                     unsigned store_bytes, unsigned load_bytes)
{
    uint64_t operations = turns * FORWARD_TURN;
    double cycles = cycles_of(store_bytes, load_bytes, load - store);

    for (uint64_t i = 0; i < operations; i++) {
        if (made.defect != LOSES_STORES)
            memcpy(store, value, store_bytes);
        memset(value, 0, FORWARD_MOST);
        memcpy(value, load, made.defect == LOADS_LESS ? load_bytes / 2 : load_bytes);
    }
    fake_tsc += (uint64_t)(cycles * TPC * (double)operations);
    return 100 + (uint64_t)(cycles * TPC * (double)operations);
}

#define WALK(s, l)                                                                                 \
    static uint64_t walk_##s##_##l(uint8_t *store, uint8_t *load, uint64_t turns, uint8_t *value)  \
    {                                                                                              \
        return walk(store, load, turns, value, 1u << s, 1u << l);                                  \
    }
#define WALKS(s)  WALK(s, 0) WALK(s, 1) WALK(s, 2) WALK(s, 3) WALK(s, 4) WALK(s, 5) WALK(s, 6)
#define ALL_WALKS WALKS(0) WALKS(1) WALKS(2) WALKS(3) WALKS(4) WALKS(5) WALKS(6)
ALL_WALKS

#define NAMES(s)                                                                                   \
    {                                                                                              \
        walk_##s##_0, walk_##s##_1, walk_##s##_2, walk_##s##_3, walk_##s##_4, walk_##s##_5,        \
            walk_##s##_6                                                                           \
    }
forward_walk *const forward_walks[FORWARD_SIZES][FORWARD_SIZES] = {
    NAMES(0), NAMES(1), NAMES(2), NAMES(3), NAMES(4), NAMES(5), NAMES(6)};

const char *needs_lacks(const struct platform *p, const struct bench_curve *kind)
{
    (void)p, (void)kind;
    return made.lacks;
}

unsigned needs_sizes(const struct platform *p)
{
    (void)p;
    return made.sizes;
}

uint32_t own_adds(uint32_t turns)
{
    return (uint32_t)(60 + 64 * turns * TPC);
}

struct cycle_mark cycle_begin(struct engine *e)
{
    (void)e;
    return (struct cycle_mark){0};
}

struct cycle_mark cycle_end(struct engine *e)
{
    (void)e;
    return (struct cycle_mark){0};
}

double cycle_ratio(const struct engine *e, const struct cycle_mark *from,
                   const struct cycle_mark *to)
{
    (void)e, (void)from, (void)to;
    return UNKNOWN;
}

static bool area_made(const struct platform *p, const struct platform_wish *wish,
                      struct platform_area *area, const char **why)
{
    (void)p, (void)why;
    assert_int_equal(wish->page, 4096);
    made.areas++;
    *area = (struct platform_area){
        .at = aligned_alloc(4096, wish->bytes), .bytes = wish->bytes, .page = 4096};
    assert_non_null(area->at);
    return true;
}

static void area_unmade(const struct platform *p, struct platform_area *area)
{
    (void)p;
    made.areas--;
    free(area->at);
}

static void row_begin(const struct platform *p, const char *suite, const char *name, uint64_t ran)
{
    (void)p, (void)suite, (void)name, (void)ran;
}

static void row_longer(const struct platform *p, unsigned ms)
{
    (void)p, (void)ms;
}

static void row_end(const struct platform *p)
{
    (void)p;
}

static uint64_t nmis(void)
{
    return 3;
}

static struct pace pace;

bool pace_go_on(const struct engine *e)
{
    (void)e;
    pace.stopped = ++made.visits == made.stop_at;
    return !pace.stopped;
}

void pace_show(const struct engine *e, double done)
{
    (void)e;
    assert_true(done > 0 && done <= 1);
}

bool guard_run(const struct engine *e, struct row *row, void (*fn)(void *ctx), void *ctx)
{
    (void)e, (void)row;
    fn(ctx);
    return true;
}

struct seat *plan_seat(struct plan *plan, unsigned core)
{
    assert_int_equal(core, 0);
    return plan->seat;
}

const char *plan_on(struct plan *plan, unsigned k, void (*fn)(void *, unsigned), void *ctx)
{
    assert_int_equal(k, 0);
    fn(ctx, 0);
    return plan->seat->back ? NULL : "it did not come back";
}

static struct options options;
static struct seat seat;
static struct plan plan;
static uint64_t memory[INTERLEAVE_NEED];
static struct platform platform;
static const struct bench row = {
    .suite = "memory", .name = "forward", .form = FORM_FORWARD, .curve = {.ms = 1000}};

static void reset(enum execution execution, unsigned sizes)
{
    memset(&made, 0, sizeof made);
    memset(&fake_own, 0, sizeof fake_own);
    made.sizes = sizes;
    options_default(&options);
    platform = (struct platform){.area = area_made,
                                 .area_free = area_unmade,
                                 .row_begin = row_begin,
                                 .row_longer = row_longer,
                                 .row_end = row_end,
                                 .nmis = nmis};
    pace = (struct pace){0};
    seat = (struct seat){.engine = {.p = &platform,
                                    .memory = memory,
                                    .facts = {.o = &options,
                                              .execution = execution,
                                              .ticks_per_instruction = 2,
                                              .ticks_per_cycle = TPC,
                                              .cycle = {.by = CYCLES_RULER}}}};
    plan = (struct plan){.seat = &seat, .pace = &pace};
}

static const struct forward_map *measure_row(void)
{
    const struct forward_map *m = forward_measure(&plan, &row, 0);

    assert_int_equal(made.areas, 0); /* given back, whatever happened */
    return m;
}

static void every_cell_of_every_pair(void **state)
{
    (void)state;
    reset(EXEC_SILICON, 7);
    const struct forward_map *m = measure_row();
    assert_int_equal(m->row.status, ROW_OK);
    assert_int_equal(m->visits, VISITS);
    assert_false(m->shared);
    /* With one more cell per store, which loads of one byte are compared with. */
    assert_int_equal(m->checked, (FORWARD_ALL + FORWARD_SIZES) * VISITS * CHECKED);
    for (unsigned s = 0; s < 7; s++)
        for (unsigned l = 0; l < 7; l++) {
            unsigned store = 1u << s, load = 1u << l, first = forward_first(7, s, l);
            for (unsigned i = 0; i < forward_cells(store, load); i++) {
                int offset = forward_offset(load, i);
                enum forward_how how = forward_overlap(store, load, offset);
                if (how == FORWARD_INSIDE)
                    how = store == 8 && offset >= 4 ? FORWARD_NOT : FORWARD_FORWARDED;
                assert_int_equal(m->how[first + i], how);
                assert_close(m->cell[first + i].cycles, cycles_of(store, load, offset), 0.01);
                assert_close(m->cell[first + i].ticks, TPC * cycles_of(store, load, offset), 0.01);
                assert_true(m->cell[first + i].lo <= m->cell[first + i].cycles);
                assert_true(m->cell[first + i].hi >= m->cell[first + i].cycles);
            }
        }
}

/* Without vectors of 32 and 64 bytes there are fewer pairs, one after the other. */
static void fewer_sizes(void **state)
{
    (void)state;
    reset(EXEC_SILICON, 5);
    const struct forward_map *m = measure_row();
    unsigned last = forward_first(5, 4, 4);
    assert_int_equal(m->sizes, 5);
    assert_int_equal(m->how[last], FORWARD_APART);
    assert_int_equal(m->how[last + 16], FORWARD_FORWARDED);
    assert_int_equal(m->how[last + 32], FORWARD_APART);
    assert_int_equal(m->how[last + 33], 0);
}

static void counted_instructions_are_not_judged(void **state)
{
    (void)state;
    reset(EXEC_INSTRUCTIONS, 4);
    const struct forward_map *m = measure_row();
    assert_int_equal(m->visits, 1);
    assert_int_equal(m->how[forward_first(4, 0, 0) + 1], FORWARD_INSIDE);
    assert_int_equal(m->how[forward_first(4, 3, 3)], FORWARD_APART);
    assert_close(m->cell[forward_first(4, 0, 0) + 1].cycles, 5 * TPC / 2, 0.01);
}

static void defects_fail_the_row(void **state)
{
    (void)state;
    reset(EXEC_SILICON, 7);
    made.defect = LOSES_STORES;
    assert_int_equal(measure_row()->row.status, ROW_WRONG);
    reset(EXEC_SILICON, 7);
    made.defect = LOADS_LESS;
    assert_int_equal(measure_row()->row.status, ROW_WRONG);
}

static bool always(void)
{
    return true;
}

static void a_neighbour_all_the_time(void **state)
{
    (void)state;
    reset(EXEC_SILICON, 2);
    fake_own.is_shared = always;
    const struct forward_map *m = measure_row();
    assert_true(m->shared);
    assert_close(m->cell[1].cycles, 5, 0.01);
}

static void stopped_or_not_supported(void **state)
{
    (void)state;
    reset(EXEC_SILICON, 7);
    made.stop_at = 100;
    assert_null(measure_row());
    reset(EXEC_SILICON, 7);
    made.lacks = "needs more";
    const struct forward_map *m = measure_row();
    assert_int_equal(m->row.status, ROW_UNSUPPORTED);
    assert_string_equal(m->row.why, "needs more");
    reset(EXEC_SILICON, 7);
    platform.area = NULL;
    assert_int_equal(measure_row()->row.status, ROW_UNSUPPORTED);
}

/* The store and all loads of a size are in one line if they fit; never outside of the page. */
static void places(void **state)
{
    static _Alignas(4096) uint8_t page[FORWARD_BYTES];
    struct forward_place p;

    (void)state;
    for (unsigned s = 0; s < 7; s++)
        for (unsigned l = 0; l < 7; l++) {
            unsigned store = 1u << s, load = 1u << l, cells = forward_cells(store, load);
            forward_place_build(&p, s, l, forward_offset(load, 0), page);
            uint8_t *first = p.load;
            assert_int_equal((p.store - page) % store, 0);
            forward_place_build(&p, s, l, forward_offset(load, cells - 1), page);
            uint8_t *end = p.load + load;
            assert_true(first >= page && end <= page + FORWARD_BYTES);
            if (2 * load + store <= 32)
                assert_int_equal((first - page) / 64, (end - 1 - page) / 64);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_cell_of_every_pair),
        cmocka_unit_test(fewer_sizes),
        cmocka_unit_test(counted_instructions_are_not_judged),
        cmocka_unit_test(defects_fail_the_row),
        cmocka_unit_test(a_neighbour_all_the_time),
        cmocka_unit_test(stopped_or_not_supported),
        cmocka_unit_test(places),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
