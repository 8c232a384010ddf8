#include "bench/kinds/forms.h"
#include "lib/stats/mathx.h"

#define FULLEST 0.95  /* of the copies' time that blockers take at the first placement, ... */
#define LESS    0.02  /* ... and this much less at each further one */
#define UNEVEN  1.03  /* blockers may take longer by it between copies */
#define LONGER  0.125 /* of an iteration */
enum { ITERATION_CYCLES = 3000, ITERATIONS_LEAST = 4, ITERATIONS_MOST = 64 };

struct insn_ratio mixed_ratio(double copy, double blocker, unsigned placement)
{
    double per_copy = (FULLEST - LESS * placement) * copy / blocker;

    if (!(copy > 0) || !(blocker > 0) || !(per_copy < INSN_MIX_MOST - 1))
        return (struct insn_ratio){0, 0};
    double copies = (unsigned)(INSN_MIX_MOST / (1 + per_copy));
    return (struct insn_ratio){(uint8_t)copies, (uint8_t)(copies * per_copy)};
}

/* Returns the least cycles of a copy so far: with more than it takes, too many blockers would be
 * chosen. */
static double copy_of(const struct insn_table *t, const struct insn_row *row)
{
    struct agreed breaks = insn_kind_of(t, row, INSN_TEST_BREAKS);
    struct agreed a = is_known(breaks.value) ? breaks : insn_kind_of(t, row, INSN_TEST_DISTINCT);

    return is_known(a.lo) ? a.lo : a.value;
}

bool mixed_choose(const struct insn_table *t, const struct insn_row *row, struct insn_cell *c)
{
    double copy = copy_of(t, row);
    struct insn_ratio ratio = mixed_ratio(copy, insn_blocker_cost(t, c->id.other), c->taken);

    c->copies = ratio.copies;
    c->blockers = ratio.others;
    if (ratio.others == 0) {
        c->copies = 0;
        return false;
    }
    double iterations = ITERATION_CYCLES / (ratio.copies * copy);
    c->iterations = (uint16_t)(iterations < ITERATIONS_LEAST  ? ITERATIONS_LEAST
                               : iterations < ITERATIONS_MOST ? iterations
                                                              : ITERATIONS_MOST);
    return true;
}

bool mixed_choose_fillers(const struct insn_table *t, const struct insn_row *row,
                          struct insn_cell *c)
{
    struct insn_ratio f = c->id.kind == INSN_TEST_FILLERS
                              ? (struct insn_ratio){INSN_FILLED_COPIES, INSN_FILLERS}
                              : insn_filling_of(t, row);

    if (f.copies == 0)
        return false;
    c->copies = f.copies;
    c->blockers = f.others;
    c->iterations =
        (uint16_t)(ITERATIONS_MOST * INSN_FILLED_COPIES * INSN_FILLERS / (f.copies * f.others));
    return true;
}

/* Returns the slots of an iteration of the fillers alone: one for each of them, and about three for
 * the end of the loop. Those of resets, one or two per copy, are not counted. */
static double slots_of_iteration(const struct insn_cell *c)
{
    return c->copies * (c->blockers + 1) + 3;
}

double mixed_slots(double copies, double fillers, const struct insn_cell *c)
{
    double slot = fillers / slots_of_iteration(c);

    return slot > 0 ? 1 + (copies - fillers) / slot / c->copies : UNKNOWN;
}

double mixed_score(double mixed, double filled, const struct insn_cell *c, double blocker)
{
    double blocked = c->blockers * blocker;
    double free = filled > blocked * UNEVEN ? filled : blocked * UNEVEN;

    return filled > 0 && blocked <= filled ? (mixed / free - 1) / LONGER : UNKNOWN;
}
