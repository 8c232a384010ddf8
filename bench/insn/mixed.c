#include "bench/insn/mixed.h"
#include "lib/stats/known.h"

#define BETTER       1.02  /* a larger ratio must be better by this factor */
#define ALONE        1.03  /* blockers may take longer by it, if uneven */
#define ROUNDING     1.01  /* error of the figures of a copy and of a blocker */
#define SLOWER       0.125 /* of an iteration */
#define LEAST_SLOWER 0.03  /* less than this is noise ... */
#define PLACES       0.6   /* ... and so are fewer blockers' places per copy */
enum { ITERATION_CYCLES = 3000, ITERATIONS_LEAST = 4, ITERATIONS_MOST = 64 };

struct insn_ratio mixed_ratio(double copy, double blocker)
{
    struct insn_ratio best = {0, 0};
    double most = 0;

    if (!(copy > 0) || !(blocker > 0))
        return best;
    for (unsigned n = 1; n <= INSN_RATIO_MOST; n++) {
        double room = n * copy * ROUNDING / blocker;
        unsigned blockers = room < INSN_RATIO_MOST ? (unsigned)room : INSN_RATIO_MOST;
        double share = blockers * blocker / (n * copy);
        if (blockers > 0 && share > most * BETTER) {
            most = share;
            best = (struct insn_ratio){(uint8_t)n, (uint8_t)blockers};
        }
    }
    return best;
}

static unsigned groups_of(const struct insn_cell *c)
{
    return INSN_MIX_MOST / (unsigned)(c->copies + c->blockers);
}

bool mixed_choose(const struct insn_table *t, const struct insn_row *row, struct insn_cell *c)
{
    double copy = insn_kind_of(t, row, INSN_TEST_DISTINCT).value;
    struct insn_ratio ratio = mixed_ratio(copy, insn_blocker_cost(t, c->id.other));

    if (ratio.blockers == 0)
        return false;
    c->copies = ratio.copies;
    c->blockers = ratio.blockers;
    double iterations = ITERATION_CYCLES / (groups_of(c) * ratio.copies * copy);
    c->iterations = (uint16_t)(iterations < ITERATIONS_LEAST  ? ITERATIONS_LEAST
                               : iterations < ITERATIONS_MOST ? iterations
                                                              : ITERATIONS_MOST);
    return true;
}

double mixed_score(double mixed, double filled, const struct insn_cell *c, double blocker)
{
    double blocked = groups_of(c) * c->blockers * blocker * ALONE;
    double free = filled > blocked ? filled : blocked, longer = mixed - free;
    double share = longer / free, places = longer / (groups_of(c) * c->copies * blocker);

    if (!(free > 0))
        return UNKNOWN;
    if (share >= LEAST_SLOWER && places / PLACES > share / SLOWER)
        return places / PLACES;
    return share / SLOWER;
}
