#include "bench/output/insn_groups.h"

/* Bytes, from reports of a Zen 3 and a Zen 4: of a form without its name and pairs, of a pair, both
 * also where instructions are counted, and of a record without its forms. */
enum {
    FORM_BYTES = 18,
    PAIR_BYTES = 6,
    EXACT_FORM_BYTES = 8,
    EXACT_PAIR_BYTES = 5,
    FRAME_BYTES = 240
};

static uint64_t names_bytes(struct insn_groups *g)
{
    if (g->rows == 0)
        return 0;
    insn_groups_match(g);
    return FRAME_BYTES + insn_groups_bytes(g);
}

/* Returns the bytes of the names of the forms that are run, or of those that are not. */
static uint64_t bytes_of_names(const struct insn_table *t, bool run)
{
    static struct insn_groups g;
    uint64_t bytes = 0;

    insn_groups_clear(&g, t, run);
    for (unsigned i = t->links; i < t->rows; i++) {
        if ((t->row[i].why == INSN_RUNS) == run)
            insn_groups_add(&g, &t->row[i]);
        if (g.rows == INSN_GROUPED_MOST) {
            bytes += names_bytes(&g);
            insn_groups_clear(&g, t, run);
        }
    }
    return bytes + names_bytes(&g);
}

static uint64_t bytes_of_figures(const struct insn_table *t)
{
    return (uint64_t)t->run * (t->exact ? EXACT_FORM_BYTES : FORM_BYTES) +
           (uint64_t)t->pairs * (t->exact ? EXACT_PAIR_BYTES : PAIR_BYTES);
}

uint64_t insn_record_bytes(const struct insn_table *t)
{
    return bytes_of_names(t, true) + bytes_of_names(t, false) + bytes_of_figures(t);
}

uint64_t insn_record_bytes_again(const struct insn_table *t)
{
    return (t->rows - t->links) / INSN_GROUPED_MOST * FRAME_BYTES + bytes_of_figures(t);
}
