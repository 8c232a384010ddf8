#include "bench/kinds/insn_due.h"
#include "lib/insn/form.h"

static bool has_history(const struct insn_row *row, const struct insn_cell *c)
{
    unsigned kind = c->id.kind;
    struct insn_test t;

    return (kind == INSN_TEST_DISTINCT || kind == INSN_TEST_BREAKS || kind == INSN_TEST_LATENCY) &&
           insn_test(&t, insn_form(row->form), row->decoration, &c->id) == INSN_RUNS &&
           insn_has_source(&t);
}

bool insn_is_due(const struct insn_pass *pass, const struct insn_row *row,
                 const struct insn_cell *c)
{
    bool at_most, is_mix = c->id.kind == INSN_TEST_MIXED;

    if (c->ended || is_mix != (pass->aim == AIM_MIXES))
        return false;
    /* The throughput of the first pass tells how many fillers hide a copy. */
    if (c->id.kind == INSN_TEST_SLOTS && pass->table->passes == 0)
        return false;
    switch (pass->aim) {
    case AIM_MIXES:
        return insn_mix_wants(c);
    case AIM_HISTORY:
        return c->copies > 0 && row->values == INSN_USUAL && has_history(row, c) &&
               insn_wants_after(pass->table, row, c);
    case AIM_ALL:
        return insn_has_room(c);
    default:
        return insn_has_room(c) && !insn_figure(pass->table, row, c, &at_most).settled;
    }
}
