/* The groups of forms in a record: what several mnemonics have in common is written once. */
#include "bench/output/insn_groups.h"
#include "tests/unit/bench/made_insn.h"
#include "tests/unit/text.h"

/* The forms that `bench` selects, on a CPU that has everything. */
static struct insn_groups *groups_of(const char *bench, bool pairs)
{
    static struct insn_groups g;
    struct insn_table *t = made_insn_table(bench, false);

    insn_groups_clear(&g, t, pairs);
    for (unsigned i = t->links; i < t->rows; i++)
        insn_groups_add(&g, &t->row[i]);
    insn_groups_match(&g);
    return &g;
}

static const char *written(const struct insn_groups *g)
{
    struct json j;

    json_line_begin(&j, text_sink());
    insn_groups_record(g, &j);
    json_line_end(&j);
    return text;
}

static void release(void)
{
    free(memory);
}

AFTER_ALL(release);

TEST(a_list_of_operands_is_written_once)
{
    struct insn_groups *g =
        groups_of("add_r64_r64,add_r64_m64,sub_r64_r64,sub_r64_m64,nop,and_r64_r64", true);

    assert_string_equal(written(g), "{\"forms\":[[\"add\",\"r64,r64\",\"r64,m64\"],[\"and\",\"r64,"
                                    "r64\"],[\"sub\",0],[\"nop\",\"\"]]}\n");
    assert_int_equal(g->groups, 4);
    assert_true(insn_groups_spelled(g, 0) && insn_groups_spelled(g, 1) &&
                insn_groups_spelled(g, 2));
    assert_false(insn_groups_spelled(g, 3) || insn_groups_spelled(g, 4));
    assert_true(insn_groups_spelled(g, 5));
}

TEST(the_same_operands_with_other_pairs_are_another_list)
{
    /* MOV does not read its first operand and writes no flags. */
    struct insn_groups *g = groups_of("add_r64_r64,mov_r64_r64", true);

    assert_int_equal(g->group[1].like, 1);
    /* Of forms that were not run only the names are written. */
    g = groups_of("add_r64_r64,mov_r64_r64", false);
    assert_int_equal(g->group[1].like, 0);
}

TEST(groups_of_one_key_that_differ_are_not_confused)
{
    struct insn_groups *g = groups_of("add_r64_r64,add_r64_m64,sub_r64_r64", true);

    g->group[1].key = g->group[0].key;
    insn_groups_match(g);
    assert_int_equal(g->group[1].like, 1);
    g->group[0].rows = 1; /* ADD with registers only */
    insn_groups_match(g);
    assert_int_equal(g->group[1].like, 0);
    g->group[0].first = 1; /* ... or with memory only */
    insn_groups_match(g);
    assert_int_equal(g->group[1].like, 1);
}

TEST(the_bytes_of_a_store_are_the_written_ones)
{
    struct insn_groups *g = groups_of("add_*_r64,sub_*_r64,nop", true);

    assert_int_equal(insn_groups_bytes(g), strlen(written(g)) - strlen("}\n"));
}

/* Returns the record that these groups refer to; 0: none. */
static uint64_t refers(const struct insn_groups *g, struct insn_written *told, uint64_t seq)
{
    const uint64_t *as = insn_groups_written(g, told, seq);

    return as ? *as : 0;
}

TEST(a_record_of_another_core_with_the_same_forms_is_referred_to)
{
    static struct insn_written told;

    assert_int_equal(refers(groups_of("add_r64_r64,sub_r64_r64", true), &told, 7), 0);
    assert_int_equal(refers(groups_of("add_r64_r64", true), &told, 8), 0);
    assert_int_equal(refers(groups_of("add_r32_r32", true), &told, 9), 0);
    assert_int_equal(refers(groups_of("sub_r64_r64", true), &told, 10), 0);
    assert_int_equal(refers(groups_of("add_r64_r64,sub_r64_r64", true), &told, 11), 7);
    assert_int_equal(refers(groups_of("add_r64_r64", true), &told, 12), 8);
    assert_int_equal(told.n, 4);
    told.n = INSN_WRITTEN_MOST; /* it is full: later ones are not kept */
    assert_int_equal(refers(groups_of("nop", true), &told, 13), 0);
    assert_int_equal(told.n, INSN_WRITTEN_MOST);
}
