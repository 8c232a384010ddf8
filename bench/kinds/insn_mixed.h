/*
 * Copies of a form next to other code: how many of each, and what their time shows. Next to a
 * blocker, whether both need the same unit; next to fillers, the issue slots of a copy.
 */
#ifndef BENCH_KINDS_INSN_MIXED_H
#define BENCH_KINDS_INSN_MIXED_H

#include "bench/result/insn.h"
#include "lib/insn/program.h"

/*
 * Returns how many blockers keep their unit busy for nearly all of the copies' time, at the n-th
 * placement: for less of it at each, since some cores choose units badly at one ratio, but never at
 * all. `copy` and `blocker`: the cycles of one. 0 blockers: there is no such ratio.
 */
struct insn_ratio mixed_ratio(double copy, double blocker, unsigned placement);

/* Sets ratio and iterations of a cell for its next placement, from the throughputs of row and
 * blocker. False: a throughput is not known, or there is no ratio; the cell then has no copies. */
bool mixed_choose(const struct insn_table *t, const struct insn_row *row, struct insn_cell *c);

/* Sets copies, fillers and iterations of a cell, from the row's throughput: that tells how many
 * fillers hide a copy. All loops take about as long. False: as insn_filling_of() says. */
bool mixed_choose_fillers(const struct insn_table *t, const struct insn_row *row,
                          struct insn_cell *c);

/* Returns the issue slots of a copy, from the ticks of the copies with their fillers, and of the
 * fillers alone. UNKNOWN: the fillers took no time. */
double mixed_slots(double copies, double fillers, const struct insn_cell *c);

/*
 * Returns a score: from 1 on, form and blocker share a unit. It is computed from the cycles of an
 * iteration with blockers, of an iteration with fillers, and of one blocker. Copies that can use
 * any of seven units take nearly 1/7 longer if one of these is blocked. UNKNOWN: the blockers take
 * longer by themselves.
 */
double mixed_score(double mixed, double filled, const struct insn_cell *c, double blocker);

#endif
