/* Mixes of forms and blockers: how many of each, what their time says, and their code. */
#include "tests/unit/cmocka_unit.h"
#include "bench/kinds/forms.h"
#include "lib/insn/form.h"
#include "lib/stats/mathx.h"

static struct insn_links links;
static struct insn_support support;
static void *memory;

static struct insn_table *table_of(const char *forms)
{
    struct options o;

    options_default(&o);
    snprintf(o.bench, sizeof o.bench, "%s", forms);
    assert_null(insn_links_find(&links));
    free(memory);
    memory = malloc(insn_table_bytes(&o));
    assert_non_null(memory);
    return insn_table_make(memory, &o, &support, &links, false);
}

static struct insn_cell *mix_of(struct insn_table *t, unsigned blocker)
{
    struct insn_cell *c = t->cell + t->row[t->links].first;

    for (unsigned i = 0; i < t->row[t->links].cells; i++)
        if (c[i].id.kind == INSN_TEST_MIXED && c[i].id.other == blocker)
            return &c[i];
    return NULL;
}

static void take(struct insn_cell *c, double value)
{
    c->cycles[c->taken++] = (float)value;
}

static void support_everything(void)
{
    for (unsigned i = 0; i < INSN_FEATURES; i++)
        support.has[i] = true;
    support.avx_on = support.avx512_on = true;
}

BEFORE_ALL(support_everything);

TEST(blockers_take_a_little_less_time_than_copies)
{
    static const double cycles[] = {0.2, 0.25, 0.33, 0.5, 1, 1.3, 3, 7};

    EACH_CASE (c, cycles)
        EACH_CASE (one, cycles) {
            double before = 1;
            for (unsigned placement = 0; placement < INSN_MIX_PLACES; placement++) {
                struct insn_ratio r = mixed_ratio(*c, *one, placement);
                double part = r.others * *one / (r.copies * *c);
                assert_in_range(r.copies + r.others, INSN_MIX_MOST * 3 / 4, INSN_MIX_MOST);
                assert_in_range(part * 100, 65, 95);
                assert_true(part <= before); /* another ratio at each placement */
                before = part;
            }
        }
    assert_true(mixed_ratio(100, 1, 0).others > 90); /* slow copies have many blockers, ... */
    assert_int_equal(mixed_ratio(100, 1, 0).copies, 1);
    assert_int_equal(mixed_ratio(200, 1, 0).others, 0); /* ... but not more than fit */
    assert_int_equal(mixed_ratio(UNKNOWN, 1, 0).others, 0);
    assert_int_equal(mixed_ratio(1, UNKNOWN, 0).others, 0);
}

TEST(a_mix_that_takes_longer_shares_a_unit)
{
    const struct insn_cell four_to_one = {.copies = 128, .blockers = 30},
                           one_to_four = {.copies = 32, .blockers = 120};

    /* Four copies that use four units, a blocker that uses one of them; or one of seven. */
    assert_true(mixed_score(128 / 4 + 30 / 4., 128 / 4, &four_to_one, 1) >= 1);
    assert_true(mixed_score(128 / 7. + 30 / 7., 128 / 7., &four_to_one, 0.6) >= 1);
    assert_true(mixed_score(1.03 * 128 / 4, 128 / 4, &four_to_one, 1) < 1);
    /* A copy that takes the place of one of four blockers. */
    assert_true(mixed_score((32 + 120) / 4., 32, &one_to_four, 0.25) >= 1);
    assert_true(mixed_score(1.1 * 32, 32, &one_to_four, 0.25) < 1);
    /* Fillers that the width limits are not faster than blockers. */
    assert_true(mixed_score(40, 40, &one_to_four, 0.25) < 1);
    /* Blockers that take longer than copies and fillers say nothing. */
    assert_false(is_known(mixed_score(40, 25, &one_to_four, 0.25)));
    assert_false(is_known(mixed_score(1, 0, &(struct insn_cell){.copies = 1}, 1)));
}

TEST(a_blocker_needs_all_placements_to_agree)
{
    struct insn_table *t = table_of("add_r64_r64");
    const struct insn_row *row = &t->row[t->links];
    struct insn_cell *yes = mix_of(t, BLOCK_MULTIPLY), *no = mix_of(t, BLOCK_LOAD);
    struct insn_cell *split = mix_of(t, BLOCK_STORE), *few = mix_of(t, BLOCK_SHUFFLE);

    take(few, 2);
    for (unsigned i = 0; i < INSN_MIX_PLACES; i++) {
        assert_true(insn_mix_wants(yes) && insn_mix_wants(no));
        take(yes, 2);
        take(no, 0.1);
        if (insn_mix_wants(split))
            take(split, i);
    }
    assert_false(insn_mix_wants(yes) || insn_mix_wants(no) || insn_mix_wants(split));
    assert_int_equal(split->taken, 2); /* more could not make them agree */
    struct insn_sharing s = insn_sharing_of(t, row);
    assert_int_equal(s.shares, 1 << BLOCK_MULTIPLY);
    assert_int_equal(s.free, 1 << BLOCK_LOAD);
    assert_int_equal(s.unsettled, 1 << BLOCK_STORE | 1 << BLOCK_SHUFFLE);
}

static void take_figure(struct insn_table *t, const struct insn_row *row, unsigned kind, double v)
{
    for (unsigned i = 0; i < row->cells; i++)
        for (unsigned k = 0; k < 3 && t->cell[row->first + i].id.kind == kind; k++)
            take(&t->cell[row->first + i], v);
}

TEST(ratios_follow_from_both_throughputs)
{
    static const struct {
        const char *form;
        unsigned kind;
    } cases[] = {{"add_r64_r64", INSN_TEST_DISTINCT},
                 {"adc_r64_r64", INSN_TEST_BREAKS}}; /* its copies do not wait for each other */
    EACH_CASE (one, cases) {
        struct insn_table *t = table_of(one->form);
        const struct insn_row *row = &t->row[t->links];
        struct insn_cell *c = mix_of(t, BLOCK_MULTIPLY);
        assert_false(mixed_choose(t, row, c)); /* nothing is measured yet */
        assert_int_equal(c->copies, 0);
        take_figure(t, &t->row[t->blocker_row[BLOCK_MULTIPLY] - 1], INSN_TEST_DISTINCT, 1);
        take_figure(t, row, INSN_TEST_DISTINCT, one->kind == INSN_TEST_DISTINCT ? 0.25 : 1);
        take_figure(t, row, INSN_TEST_BREAKS, 0.25);
        assert_true(mixed_choose(t, row, c));
        assert_int_equal(c->copies / c->blockers, 4);
        assert_true(c->iterations > 1);
        unsigned blockers = c->blockers;
        take(c, 2);
        assert_true(mixed_choose(t, row, c)); /* another ratio at the next placement */
        assert_true(c->blockers < blockers);
    }
}

TEST(a_blocker_that_the_cpu_lacks_is_not_measured)
{
    support.has[INSN_BMI2] = false;
    struct insn_table *t = table_of("add_r64_r64");
    assert_null(mix_of(t, BLOCK_ROTATE));
    assert_non_null(mix_of(t, BLOCK_MOVE));
    assert_int_equal(t->blocker_row[BLOCK_ROTATE], 0);
    support.has[INSN_BMI2] = true;
    /* Copies that may not be in a loop, or have no operands, have no mixes. */
    assert_non_null(mix_of(table_of("adc_r64_r64"), BLOCK_MOVE));
    assert_null(mix_of(table_of("rep_movsb"), BLOCK_MOVE));
    assert_null(mix_of(table_of("nop"), BLOCK_MOVE));
    assert_null(mix_of(table_of("nop_r64"), BLOCK_MOVE));
}

/* NOPs that are faster than a zeroing idiom do not take a slot each. */
TEST(the_filler_is_the_one_that_takes_a_slot)
{
    static const struct {
        double nop, zero;
        enum insn_filler filler;
    } cases[] = {{0.17, 0.17, FILLER_NOP},
                 {0.087, 0.167, FILLER_ZERO},
                 {0.25, 0.33, FILLER_ZERO},
                 {0.17, 0.165, FILLER_NOP}};
    EACH_CASE (c, cases) {
        struct insn_table *t = table_of("add_r64_r64");
        assert_int_equal(insn_filler_of(t), FILLER_NOP); /* nothing is measured yet */
        take(&t->cell[t->row[t->filler_row[FILLER_NOP] - 1].first], c->nop);
        take(&t->cell[t->row[t->filler_row[FILLER_ZERO] - 1].first], c->zero);
        assert_int_equal(insn_filler_of(t), c->filler);
    }
    free(memory);
    memory = NULL;
}

/* No blocker or filler writes a register that copies use. */
TEST(mixes_have_separate_registers)
{
    for (unsigned f = 0; f < insn_count(); f++) {
        struct insn_test t;
        struct insn_test_id id = {.kind = INSN_TEST_MIXED};
        if (insn_test(&t, insn_form(f), INSN_PLAIN, &id) != INSN_RUNS || !insn_can_mix(&t.view))
            continue;
        for (unsigned i = 0; i < t.view.operands; i++)
            for (unsigned k = 0; k < INSN_MIX_MOST; k++) {
                enum insn_file file = insn_file_of(t.view.operand[i].class);
                if (t.view.operand[i].kind != INSN_REGISTER)
                    continue;
                assert_false(file == FILE_GENERAL && insn_register(&t, i, k) == PLAN_TEMPORARY);
                assert_false(file == FILE_VECTOR &&
                             insn_register(&t, i, k) == PLAN_VECTOR_TEMPORARY);
            }
    }
}

TEST(a_mix_has_a_filler_for_each_blocker)
{
    static uint8_t with[8192], without[8192];
    struct insn_place place = {.links = &links, .area = 0x1000000, .vectors = 128};
    struct insn_code a = {.at = with, .size = sizeof with},
                     b = {.at = without, .size = sizeof without}, none = {.at = with, .size = 100};
    struct insn_contents mixed = {BODY_MIXED, 96, 64, BLOCK_MULTIPLY}, unmixed = mixed;
    struct insn_test t;

    unmixed.body = BODY_UNMIXED;
    assert_null(insn_links_find(&links));
    unsigned form = 0;
    while (!insn_selected("add_r64_r64", insn_form(form), INSN_PLAIN))
        form++;
    insn_throughput(&t, insn_form(form), INSN_PLAIN, INSN_MIXED, false);
    insn_body(&a, &place, &t, &mixed);
    insn_body(&b, &place, &t, &unmixed);
    assert_false(a.full || a.refused || b.full || b.refused);
    assert_int_equal(a.used, b.used);
    for (unsigned f = 0; f < FILLERS; f++)
        for (unsigned blocker = 0; blocker < BLOCKERS; blocker++) {
            place.filler = f;
            a = (struct insn_code){.at = with, .size = sizeof with};
            b = (struct insn_code){.at = without, .size = sizeof without};
            mixed.blocker = unmixed.blocker = (enum insn_blocker)blocker;
            insn_body(&a, &place, &t, &mixed);
            insn_body(&b, &place, &t, &unmixed);
            assert_false(a.full || a.refused || b.full || b.refused);
            assert_int_equal(a.used, b.used); /* as many bytes */
            assert_memory_not_equal(with, without, a.used);
        }
    insn_body(&none, &place, &t, &unmixed);
    assert_true(none.full);
}
