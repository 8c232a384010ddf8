/*
 * A map of store forwarding on a simulated core: it forwards a store to a load of which it has all
 * bytes, except to the upper half of 8 bytes; every other load that overlaps waits. The walks move
 * the bytes; a defect in them is found.
 */
#include "tests/unit/bench/machine.h"

#include "bench/kinds/kinds.h"
#include "bench/result/series.h"
#include "bench/kinds/forward_kind.h"
#include "bench/kinds/curve_visit.h"
#include "tests/unit/close.h"

enum { VISITS = 9, CHECKED = 64 }; /* visits of a cell, operations that each checks */

static struct {
    enum { RIGHT, LOSES_STORES, LOADS_LESS } defect;
    unsigned sizes;
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

static uint64_t walk(uint8_t *store, const uint8_t *load, uint64_t iterations, uint8_t *value,
                     unsigned store_bytes, unsigned load_bytes)
{
    uint64_t operations = iterations * FORWARD_UNROLL;
    double cycles = cycles_of(store_bytes, load_bytes, load - store);

    for (uint64_t i = 0; i < operations; i++) {
        if (made.defect != LOSES_STORES)
            memcpy(store, value, store_bytes);
        memset(value, 0, FORWARD_MOST);
        memcpy(value, load, made.defect == LOADS_LESS ? load_bytes / 2 : load_bytes);
    }
    machine.tsc += (uint64_t)(cycles * MACHINE_TPC * (double)operations);
    return 100 + (uint64_t)(cycles * MACHINE_TPC * (double)operations);
}

#define WALK(s, l)                                                                                 \
    static uint64_t walk_##s##_##l(uint8_t *store, uint8_t *load, uint64_t iterations,             \
                                   uint8_t *value)                                                 \
    {                                                                                              \
        return walk(store, load, iterations, value, 1u << s, 1u << l);                             \
    }
#define WALKS(s)  WALK(s, 0) WALK(s, 1) WALK(s, 2) WALK(s, 3) WALK(s, 4) WALK(s, 5) WALK(s, 6)
#define ALL_WALKS WALKS(0) WALKS(1) WALKS(2) WALKS(3) WALKS(4) WALKS(5) WALKS(6)
ALL_WALKS

#define NAMES(s)                                                                                   \
    walk_##s##_0, walk_##s##_1, walk_##s##_2, walk_##s##_3, walk_##s##_4, walk_##s##_5, walk_##s##_6
forward_walk *const forward_walks[FORWARD_SIZES][FORWARD_SIZES] = {
    {NAMES(0)}, {NAMES(1)}, {NAMES(2)}, {NAMES(3)}, {NAMES(4)}, {NAMES(5)}, {NAMES(6)}};

unsigned __wrap_needs_sizes(const struct platform *p);
unsigned __wrap_needs_sizes(const struct platform *p)
{
    return made.sizes;
}

static const struct bench row = {.suite = "memory",
                                 .name = "forward",
                                 .kind = &kind_forward,
                                 .of = &(const struct bench_curve){.ms = 1000}};

static void reset(enum execution execution, unsigned sizes)
{
    machine_reset(execution);
    memset(&made, 0, sizeof made);
    made.sizes = sizes;
}

static const struct forward_map *measure_row(void)
{
    const struct forward_map *m = (const struct forward_map *)(const void *)machine_measure(&row);

    assert_int_equal(machine.areas, 0); /* whatever happened */
    return m;
}

TEST(every_cell_of_every_pair_is_judged)
{
    reset(EXEC_SILICON, 7);
    const struct forward_map *m = measure_row();
    assert_int_equal(m->out.status, ROW_OK);
    assert_int_equal(m->out.nmis, machine.guarded);
    assert_int_equal(machine.wish.page, BENCH_4K);
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
                assert_close(m->cell[first + i].ticks, MACHINE_TPC * cycles_of(store, load, offset),
                             0.01);
                assert_true(m->cell[first + i].lo <= m->cell[first + i].cycles);
                assert_true(m->cell[first + i].hi >= m->cell[first + i].cycles);
            }
        }
}

/* Without vectors of 32 and 64 bytes there are fewer pairs, one after the other. */
TEST(without_wide_vectors_there_are_fewer_pairs)
{
    reset(EXEC_SILICON, 5);
    const struct forward_map *m = measure_row();
    unsigned last = forward_first(5, 4, 4);
    assert_int_equal(m->sizes, 5);
    assert_int_equal(m->how[last], FORWARD_APART);
    assert_int_equal(m->how[last + 16], FORWARD_FORWARDED);
    assert_int_equal(m->how[last + 32], FORWARD_APART);
    assert_int_equal(m->how[last + 33], 0);
}

TEST(counted_instructions_are_not_judged)
{
    reset(EXEC_INSTRUCTIONS, 4);
    const struct forward_map *m = measure_row();
    assert_int_equal(m->visits, 1);
    assert_int_equal(m->how[forward_first(4, 0, 0) + 1], FORWARD_INSIDE);
    assert_int_equal(m->how[forward_first(4, 3, 3)], FORWARD_APART);
    assert_close(m->cell[forward_first(4, 0, 0) + 1].cycles, 5 * MACHINE_TPC / 2, 0.01);
}

TEST(defects_fail_the_row)
{
    reset(EXEC_SILICON, 7);
    made.defect = LOSES_STORES;
    assert_int_equal(measure_row()->out.status, ROW_WRONG);
    reset(EXEC_SILICON, 7);
    made.defect = LOADS_LESS;
    assert_int_equal(measure_row()->out.status, ROW_WRONG);
}

TEST(a_neighbour_all_the_time_marks_the_map_shared)
{
    reset(EXEC_SILICON, 2);
    machine.is_shared = always;
    const struct forward_map *m = measure_row();
    assert_true(m->shared);
    assert_close(m->cell[1].cycles, 5, 0.01);
}

TEST(a_row_that_is_stopped_or_not_supported_has_no_map)
{
    static const struct cpu other = {.vendor = VENDOR_UNKNOWN};

    reset(EXEC_SILICON, 7);
    machine.stop_at = 100;
    assert_null(measure_row());
    reset(EXEC_SILICON, 7);
    machine.platform.cpu = &other;
    const struct forward_map *m = measure_row();
    assert_int_equal(m->out.status, ROW_UNSUPPORTED);
    assert_non_null(strstr(m->out.why, "LFENCE"));
    reset(EXEC_SILICON, 7);
    machine.platform.areas.map = NULL;
    assert_int_equal(measure_row()->out.status, ROW_UNSUPPORTED);
}

/* The store and all loads of a size are in one line if they fit; never outside of the page. */
TEST(places_stay_within_their_page)
{
    static _Alignas(4096) uint8_t page[FORWARD_BYTES];
    struct forward_place p;

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
