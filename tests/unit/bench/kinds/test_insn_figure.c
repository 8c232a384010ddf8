/* Figures of suite insn from simulated cells: links are subtracted, shared placements left out. */
#include "bench/result/insn.h"
#include "lib/insn/form.h"
#include "lib/stats/mathx.h"
#include "tests/unit/bench/made_insn.h"
#include "tests/unit/close.h"

static void add_places(struct insn_cell *c, unsigned n, double cycles, bool shared)
{
    while (n-- > 0)
        insn_add_place(c, cycles, shared);
}

/* Gives each link a cost of `cycles`; TEST and CMOVZ together have twice as much. */
static void cost_links(struct insn_table *t, double cycles)
{
    for (unsigned i = 0; i < LINKS; i++)
        if (t->link_row[i])
            add_places(&t->cell[t->row[t->link_row[i] - 1].first], 4,
                       i == LINK_TEST ? 2 * cycles : cycles, false);
}

static struct insn_cell *latency(struct insn_table *t, unsigned out, unsigned part_in, unsigned in)
{
    for (unsigned i = t->row[t->links].first; i < t->cells; i++) {
        struct insn_cell *c = &t->cell[i];
        if (c->id.kind == INSN_TEST_LATENCY && c->id.in.part == part_in && c->id.in.operand == in &&
            c->id.out.part == INSN_DATA && c->id.out.operand == out)
            return c;
    }
    fail_msg("no such pair");
    return NULL;
}

static struct agreed figure(const struct insn_table *t, const struct insn_cell *c, bool *at_most)
{
    return insn_figure(t, &t->row[t->links], c, at_most);
}

TEST(links_are_subtracted)
{
    struct insn_table *t = made_insn_table("mov_r64_m64", false);
    bool at_most;

    cost_links(t, 1);
    struct insn_cell *base = latency(t, 0, INSN_BASE_PART, 1);
    add_places(base, 4, 7, false); /* with MOVSXD or not, AND and ADD */
    struct agreed a = figure(t, base, &at_most);
    assert_false(at_most);
    struct insn_test test;
    insn_test(&test, insn_form(t->row[t->links].form), INSN_PLAIN, &base->id);
    assert_true(test.steps >= 2);
    assert_close(a.value, 7 - test.steps, 1e-6);
    assert_true(a.settled);
}

TEST(a_bound_across_files_has_one_cycle_of_the_move_subtracted)
{
    struct insn_table *t = made_insn_table("movd_r32_xmm", false);
    bool at_most;
    struct insn_cell *c = latency(t, 0, INSN_DATA, 1);

    add_places(c, 4, 6, false);
    struct agreed a = figure(t, c, &at_most);
    assert_true(at_most);
    assert_close(a.value, 5, 1e-6);
}

TEST(a_bound_through_memory_has_nothing_subtracted)
{
    struct insn_table *t = made_insn_table("mov_r64_m64", false);
    bool at_most;

    cost_links(t, 1);
    struct insn_cell *c = latency(t, 0, INSN_DATA, 1);
    add_places(c, 4, 8, false);
    assert_close(figure(t, c, &at_most).value, 8, 1e-6);
    assert_true(at_most);
}

/* Some CPUs predict what a load gets from a store, so that nothing waits for the address. */
TEST(a_bound_is_not_below_0)
{
    struct insn_table *t = made_insn_table("mov_m64_r64", false);
    bool at_most;

    cost_links(t, 1);
    struct insn_cell *c = latency(t, 0, INSN_BASE_PART, 0);
    add_places(c, 4, 1, false); /* of a chain with an AND and an ADD */
    struct agreed a = figure(t, c, &at_most);
    assert_true(at_most);
    assert_close(a.value, 0, 1e-6);
    assert_close(a.lo, 0, 1e-6);
    assert_close(a.hi, 0, 1e-6);
    assert_true(a.settled);
}

/* A chain that takes as long as its links, give or take what the links are uncertain by. */
TEST(a_latency_whose_range_reaches_0_is_a_bound)
{
    static const double noisy[] = {0.98, 1.01, 1.02, 0.99}, less[] = {0.9, 0.9, 0.9, 0.9};
    bool at_most;

    for (unsigned k = 0; k < 2; k++) {
        struct insn_table *t = made_insn_table("mov_r64_m64", false);
        cost_links(t, 0.25);
        struct insn_cell *base = latency(t, 0, INSN_BASE_PART, 1);
        struct insn_test test;
        insn_test(&test, insn_form(t->row[t->links].form), INSN_PLAIN, &base->id);
        for (unsigned i = 0; i < 4; i++)
            insn_add_place(base, (k ? less : noisy)[i] - 1 + 0.25 * test.steps, false);
        struct agreed a = figure(t, base, &at_most);
        assert_true(at_most);
        assert_close(a.value, k ? 0 : 0.02, 1e-6);
        assert_close(a.lo, 0, 1e-6);
    }
}

TEST(exclusive_placements_are_preferred)
{
    struct insn_table *t = made_insn_table("imul_r64_r64", false);
    struct insn_cell *c = latency(t, 0, INSN_DATA, 0);
    bool at_most;

    for (unsigned i = 0; i < 3; i++) {
        insn_add_place(c, 5, true);
        insn_add_place(c, 3, false);
    }
    assert_close(figure(t, c, &at_most).value, 3, 1e-6);
    assert_true(figure(t, c, &at_most).settled);
}

/* A neighbour that takes the same part of the core at all placements: they agree, and are wrong. */
TEST(fewer_than_three_exclusive_placements_are_not_settled)
{
    static const struct {
        unsigned exclusive, shared;
        double value;
        bool settled;
    } cases[] = {{0, 4, 0.63, false}, {1, 4, 0.63, false}, {2, 4, 0.5, false},
                 {3, 4, 0.5, true},   {2, 0, 0.5, false},  {3, 0, 0.5, true}};
    EACH_CASE (one, cases) {
        struct insn_table *t = made_insn_table("inc_r64", false);
        const struct insn_row *row = &t->row[t->links];
        struct insn_cell *c = &t->cell[row->first];
        add_places(c, one->exclusive, 0.5, false);
        add_places(c, one->shared, 0.63, true);
        assert_close(insn_throughput_of(t, row).value, one->value, 1e-6);
        assert_int_equal(insn_throughput_of(t, row).settled, one->settled);
    }
}

TEST(an_exclusive_placement_replaces_a_shared_one)
{
    struct insn_table *t = made_insn_table("inc_r64", false);
    const struct insn_row *row = &t->row[t->links];
    struct insn_cell *c = &t->cell[row->first];

    for (unsigned k = 0; k < INSN_PLACES; k++)
        insn_add_place(c, k % 2 ? 0.5 : 0.63, k % 2 == 0);
    assert_int_equal(c->taken, INSN_PLACES);
    insn_add_place(c, 0.7, true); /* a shared one replaces none */
    assert_int_equal(c->shared, 0x55);
    for (unsigned k = 0; k < 4; k++) {
        assert_true(insn_has_room(c));
        insn_add_place(c, 0.5, false);
    }
    assert_int_equal(c->shared, 0);
    assert_int_equal(c->taken, INSN_PLACES);
    assert_false(insn_has_room(c));
    insn_add_place(c, 0.9, false);
    assert_close(insn_throughput_of(t, row).hi, 0.5, 1e-6);
}

TEST(throughput_is_the_faster_of_two_tests)
{
    struct insn_table *t = made_insn_table("adc_r64_r64", false);
    const struct insn_row *row = &t->row[t->links];

    assert_false(is_known(insn_throughput_of(t, row).value));
    for (unsigned i = 0; i < row->cells; i++) {
        struct insn_cell *c = &t->cell[row->first + i];
        add_places(c, 4, c->id.kind == INSN_TEST_BREAKS ? 0.5 : 1, false);
    }
    assert_close(insn_throughput_of(t, row).value, 0.5, 1e-6);
}

/* Ports can be chosen badly at some placements: a throughput is that of the others. */
TEST(fast_placements_are_the_throughput)
{
    static const double places[] = {1, 0.67, 0.9, 0.68, 1.1, 0.67};
    struct insn_table *t = made_insn_table("inc_r64", false);
    const struct insn_row *row = &t->row[t->links];

    EACH_CASE (c, places)
        insn_add_place(&t->cell[row->first], *c, false);
    struct agreed a = insn_throughput_of(t, row);
    assert_close(a.value, 0.67, 1e-6);
    assert_true(a.settled);
    for (size_t i = 0; i < COUNT_OF(places); i++)
        t->cell[row->first].cycles[i] = (float)(1 + (double)i / 5);
    assert_false(insn_throughput_of(t, row).settled);
    assert_close(insn_throughput_of(t, row).value, 1.5, 1e-6); /* the median */
}

static void take_all(struct insn_table *t, const struct insn_row *row, unsigned kind, double cycles)
{
    for (unsigned i = 0; i < row->cells; i++) {
        struct insn_cell *c = &t->cell[row->first + i];
        if (c->id.kind == kind)
            add_places(c, 4, cycles, false);
        if (c->id.kind == INSN_TEST_SLOTS)
            c->blockers = INSN_FILLERS;
    }
}

/* Slower forms need more fillers, and those that take longer than the most have no figure. */
TEST(slots_are_known_if_fillers_hide_the_form)
{
    static const struct {
        double cycles;
        uint8_t copies, fillers;
    } cases[] = {{0.25, 16, 24}, {2.5, 16, 24}, {2.6, 8, 72}, {20, 4, 240}, {26, 0, 0}};
    EACH_CASE (c, cases) {
        struct insn_table *t = made_insn_table("add_r64_r64", false);
        const struct insn_row *row = &t->row[t->links];
        struct insn_cell *slots = NULL;
        assert_int_equal(insn_filling_of(t, row).copies, 0); /* its throughput is not known */
        take_all(t, row, INSN_TEST_SLOTS, 2);
        assert_false(is_known(insn_slots(t, row).value));
        take_all(t, row, INSN_TEST_DISTINCT, c->cycles);
        struct insn_ratio f = insn_filling_of(t, row);
        assert_int_equal(f.copies, c->copies);
        assert_int_equal(f.others, c->fillers);
        for (unsigned k = 0; k < row->cells; k++)
            if (t->cell[row->first + k].id.kind == INSN_TEST_SLOTS)
                slots = &t->cell[row->first + k];
        assert_non_null(slots);
        slots->blockers = f.others;
        assert_int_equal(is_known(insn_slots(t, row).value), f.others > 0);
        if (f.others > 0)
            assert_close(insn_slots(t, row).value, 2, 1e-6);
        slots->blockers = (uint8_t)(f.others - 1); /* too few */
        assert_false(f.others > 0 && is_known(insn_slots(t, row).value));
    }
}

/* A neighbour takes slots of the core, so shared placements count too many, or too few. */
TEST(slots_are_those_of_two_exclusive_placements)
{
    struct insn_table *t = made_insn_table("add_r64_r64", false);
    const struct insn_row *row = &t->row[t->links];
    struct insn_cell *slots = &t->cell[row->first];

    take_all(t, row, INSN_TEST_DISTINCT, 0.25);
    while (slots->id.kind != INSN_TEST_SLOTS)
        slots++;
    slots->blockers = insn_filling_of(t, row).others;
    add_places(slots, 4, 3, true);
    insn_add_place(slots, 2, false);
    assert_false(is_known(agree_error(insn_slots(t, row))));
    insn_add_place(slots, 2, false);
    assert_close(insn_slots(t, row).value, 2, 1e-6);
    assert_close(agree_error(insn_slots(t, row)), 0, 1e-6);
}

TEST(forms_for_one_decoder_are_slow_in_a_straight_line_only)
{
    static const struct {
        const char *form;
        double loop, straight, slots;
        bool complex;
    } cases[] = {{"bswap_r64", 0.5, 1, 2, true},
                 {"bswap_r64", 0.5, 1, 1, false}, /* long instructions, for example */
                 {"bswap_r64", 0.5, 0.55, 2, false},
                 {"bswap_r64", 1, 1, 2, false},
                 {"add_r16_imm16", 0.25, 3, 2, false}}; /* its prefix is the cause */
    EACH_CASE (c, cases) {
        struct insn_table *t = made_insn_table(c->form, false);
        const struct insn_row *row = &t->row[t->links];
        assert_false(insn_is_complex(t, row));
        take_all(t, row, INSN_TEST_DISTINCT, c->loop);
        take_all(t, row, INSN_TEST_STRAIGHT, c->straight);
        take_all(t, row, INSN_TEST_SLOTS, c->slots);
        assert_int_equal(insn_is_complex(t, row), c->complex);
    }
}

/* Of two histories: all placements must agree, and differ from a settled figure by 0.1 cycles.
 * Another placement is useful as long as all differ. */
TEST(another_history_is_known_if_it_differs)
{
    static const struct {
        double usual, after[INSN_AFTER];
        unsigned wanted; /* placements */
        bool differs;
    } cases[] = {{1, {2.8, 2.81, 2.8}, 3, true},       {1, {1.01, 1, 1}, 1, false},
                 {0.25, {0.34, 0.34, 0.34}, 1, false}, /* less than 0.1 cycles */
                 {1, {2.8, 4, 2.8}, 3, false},         {1, {2.8, 1, 2.8}, 2, false},
                 {1, {2.8, 2.8, 1}, 3, false}};
    EACH_CASE (one, cases) {
        struct insn_table *t = made_insn_table("shlx_r64_r64_r64", false);
        const struct insn_row *row = &t->row[t->links];
        struct insn_cell *c = latency(t, 0, INSN_DATA, 1);
        unsigned wanted = 0;
        add_places(c, 3, one->usual, false);
        while (c->after_taken < INSN_AFTER) {
            assert_false(is_known(insn_after(t, row, c).value));
            wanted += wanted == c->after_taken && insn_wants_after(t, row, c);
            c->after[c->after_taken] = (float)one->after[c->after_taken];
            c->after_taken++;
        }
        assert_int_equal(wanted, one->wanted);
        assert_false(insn_wants_after(t, row, c));
        assert_int_equal(is_known(insn_after(t, row, c).value), one->differs);
    }
}

TEST(every_form_is_run_or_has_a_reason)
{
    struct insn_table *t = made_insn_table("*", false), *exact;
    unsigned run = 0, usual = 0;

    for (unsigned i = t->links; i < t->rows; i++) {
        const struct insn_row *row = &t->row[i];
        run += row->why == INSN_RUNS;
        usual += row->values == INSN_USUAL;
        assert_int_equal(row->why == INSN_RUNS, row->cells > 0);
        assert_true(row->first + row->cells <= t->cells);
    }
    assert_int_equal(usual, insn_count());
    assert_int_equal(run, t->run);
    assert_true(t->run >= 5000 && t->pairs >= 6000); /* if the CPU has AVX-512 */
    unsigned pairs = t->pairs;
    exact = made_insn_table("*", true);
    assert_int_equal(exact->links, 0);
    assert_int_equal(exact->pairs, pairs); /* one test of each form, and all pairs */
    assert_int_equal(exact->cells, exact->run + pairs);
}

TEST(a_missing_instruction_set_is_named_once)
{
    struct options o;
    struct insn_table *t = made_insn_table("vmulps_ymm_ymm_ymm", false);

    assert_int_equal(t->rows - t->links, 2); /* the usual values and denormals */
    options_default(&o);
    strcpy(o.bench, "vmulps_ymm_ymm_ymm");
    support.has[INSN_AVX] = false;
    t = insn_table_make(memory, &o, &support, &links, false);
    assert_int_equal(t->rows - t->links, 1);
    assert_int_equal(t->row[t->links].why, INSN_CPU_LACKS);
    assert_int_equal(t->row[t->links].lacks, INSN_AVX);
    free(memory);
    memory = NULL;
}
