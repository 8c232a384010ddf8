#include "bench/output/insn_left.h"
#include "bench/api/declare.h"
#include "bench/output/insn_groups.h"
#include "bench/output/insn_names.h"

static bool has_reason_of(const struct insn_row *a, const struct insn_row *b)
{
    return a->why == b->why && a->lacks == b->lacks;
}

static void record_names(const struct run_facts *run, struct insn_groups *g,
                         struct insn_written *written, struct report *r)
{
    uint64_t seq = r->seq;
    struct json line, *j = &line;

    if (g->rows == 0 || !report_record(r, j, "insn_left"))
        return;
    insn_groups_match(g);
    const uint64_t *as = insn_groups_written(g, written, seq);
#include "bench/api/fields/insn_left.def"
    json_end(j);
}

/* Writes the forms from row `first` on that share its reason. */
static void record_reason(const struct run_facts *run, const struct insn_table *t, unsigned first,
                          struct insn_written *written, struct report *r)
{
    static struct insn_groups g;

    insn_groups_clear(&g, t, false);
    for (unsigned i = first; i < t->rows; i++) {
        if (insn_was_run(&t->row[i]) || !has_reason_of(&t->row[i], &t->row[first]))
            continue;
        insn_groups_add(&g, &t->row[i]);
        if (g.rows == INSN_GROUPED_MOST) {
            record_names(run, &g, written, r);
            insn_groups_clear(&g, t, false);
        }
    }
    record_names(run, &g, written, r);
}

void insn_record_left(const struct run_facts *run, const struct insn_table *t,
                      struct insn_written *written, struct report *r)
{
    for (unsigned i = t->links; i < t->rows; i++) {
        bool is_first = !insn_was_run(&t->row[i]);
        for (unsigned k = t->links; k < i && is_first; k++)
            is_first = insn_was_run(&t->row[k]) || !has_reason_of(&t->row[k], &t->row[i]);
        if (is_first)
            record_reason(run, t, i, written, r);
    }
}
