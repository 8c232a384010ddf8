/* The record of forms: what its columns say of simulated cells. */
#include "tests/unit/text.h"
#include "bench/output/insn_groups.h"
#include "bench/kinds/forms.h"

static struct insn_links links;
static struct insn_support support;

static void take(struct insn_table *t, unsigned form, unsigned blocker, const double *scores,
                 unsigned n)
{
    struct insn_row *row = &t->row[t->links + form];

    for (unsigned i = 0; i < row->cells; i++) {
        struct insn_cell *c = &t->cell[row->first + i];
        if (c->id.kind != INSN_TEST_MIXED || c->id.other != blocker)
            continue;
        for (unsigned k = 0; k < n; k++)
            c->cycles[c->taken++] = (float)scores[k];
    }
}

static const char *written(const struct insn_table *t)
{
    static struct insn_written told;
    const struct run_facts run = {0};
    struct report r;

    report_init(&r, text_sink(), FORMAT_JSONL);
    insn_record_forms(&run, t, &told, &r);
    return text;
}

static void start(void)
{
    assert_null(insn_links_find(&links));
    for (unsigned i = 0; i < INSN_FEATURES; i++)
        support.has[i] = true;
    support.avx_on = support.avx512_on = true;
}

BEFORE_ALL(start);

TEST(blockers_are_digits_and_unsettled_ones_are_marked)
{
    static const double yes[] = {2, 3, 2}, no[] = {0, 0.1, 0.9}, split[] = {2, 0.9}, few[] = {2};
    struct options o;

    options_default(&o);
    strcpy(o.bench, "add_r64_r64,and_r64_r64,or_r64_r64,nop");
    void *memory = malloc(insn_table_bytes(&o));
    assert_non_null(memory);
    struct insn_table *t = insn_table_make(memory, &o, &support, &links, false);
    assert_int_equal(t->rows - t->links, 4);
    for (unsigned i = t->links; i < t->rows; i++)
        t->row[i].reached = true;
    take(t, 0, BLOCK_MULTIPLY, yes, 3); /* ADD; the order is that of opcodes */
    take(t, 0, BLOCK_LOAD, no, 3);
    take(t, 0, BLOCK_STORE, split, 2);
    take(t, 0, BLOCK_DIVIDE_FLOATS, few, 1);
    take(t, 1, BLOCK_LOAD, no, 3);
    assert_non_null(strstr(written(t), "\"shares\":\"2/49 . - -\""));
    free(memory);
}
