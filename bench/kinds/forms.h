/*
 * Measures forms of instructions: the table of forms, a pass over it, and for each form the windows
 * of its tests.
 */
#ifndef BENCH_KINDS_FORMS_H
#define BENCH_KINDS_FORMS_H

#include <stddef.h>
#include "bench/engine/context.h"
#include "bench/result/insn.h"
#include "bench/engine/layout.h"
#include "bench/api/platform.h"
#include "lib/config/options.h"
#include "lib/insn/form.h"
#include "lib/insn/program.h"
#include "bench/engine/window.h"

#define INSN_WINDOWS_MOST 16 /* of each kind in a block */

/* The tests that a pass measures. */
enum insn_aim {
    AIM_ALL,       /* every test but mixes */
    AIM_UNSETTLED, /* those of them whose placements do not agree */
    AIM_MIXES,     /* mixes that have too few placements, of which all agree */
    AIM_HISTORY,   /* throughput and latencies with the other history of registers */
};

/* A pass. It measures each test once, at one placement. */
struct insn_pass {
    struct engine *e;
    const struct insn_links *links;
    struct insn_table *table;
    unsigned vectors; /* bits of the widest enabled vectors */
    bool avx2;
    struct placement at;
    unsigned windows; /* of each kind in each of the two blocks; at most INSN_WINDOWS_MOST */
    enum insn_aim aim;
};

/* --- insn_forms.c: the forms that a run measures, and memory for their figures ---------------- */

/* Returns the bytes that the table of the forms of bench= needs on any CPU. */
size_t insn_table_bytes(const struct options *o);

/* Makes the table in `memory`, insn_table_bytes() of it on a boundary of 8 bytes: each form with
 * its tests, or with the reason why it is not run. exact: only the first test of each form and
 * its pairs. */
struct insn_table *insn_table_make(void *memory, const struct options *o,
                                   const struct insn_support *s, const struct insn_links *links,
                                   bool exact);

/* Returns what the running core has, by CPUID and XGETBV. */
struct insn_support insn_support_here(const struct platform *p);

/* --- insn_cell.c ------------------------------------------------------------------------------ */

/*
 * Measures the tests of a form with the engine's windows: n copies and 2n copies, in turn with the
 * ruler. The difference contains neither the window nor the code that sets registers.
 */

/* Measures the tests of a row and adds a placement to each. Tests that fault or exceed the deadline
 * are marked. False: the user stopped the run. */
bool insn_measure(const struct insn_pass *pass, struct insn_row *row);

/* --- insn_mixed.c ----------------------------------------------------------------------------- */

/*
 * Copies of a form next to other code: how many of each, and what their time shows. Next to a
 * blocker, whether both need the same unit; next to fillers, the issue slots of a copy.
 */

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

/* --- insn_batch.c ----------------------------------------------------------------------------- */

/*
 * The windows of several tests of one form, built together: writing code costs more than running
 * it.
 */

#define INSN_RULER 512 /* dependent additions of the ruler's window; the other has twice as many */

/* The windows of a test: n copies and 2n copies; where instructions are counted, which makes each
 * exact, no copy and n copies. A loop has one window; the number of its iterations is in memory.
 * Tests of issue slots have copies with fillers, and fillers only. Mixes have copies with blockers,
 * and with fillers. */
struct insn_windows {
    struct insn_cell *cell;
    struct insn_test test;
    window_fn once, twice;
    bool writes; /* it writes to memory, whose values must be restored before the next window */
};

struct insn_batch {
    const struct insn_pass *pass;
    const struct insn_row *row;
    struct insn_place place;
    struct insn_windows test[INSN_TESTS_MOST];
    unsigned n;              /* tests ... */
    unsigned built;          /* ... and those from the first on that fit the code buffer */
    window_fn ruler, ruler2; /* NULL where instructions are counted */
};

/* Begins a batch of a row, with its data at the offset of the placement. */
void insn_batch_begin(struct insn_batch *b, const struct insn_pass *pass,
                      const struct insn_row *row);

/* Returns whether the windows of a test of this kind differ in more than the number of copies. */
bool insn_has_two_bodies(unsigned kind);

/* Adds a test of the row. */
void insn_batch_add(struct insn_batch *b, struct insn_cell *cell);

/* Drops the first n tests. */
void insn_batch_drop(struct insn_batch *b, unsigned n);

/* Builds the windows of as many tests as fit, with `copies` and `iterations` of their cells. False:
 * not even the first one fits, or its copies cannot be encoded. */
bool insn_batch_build(struct insn_batch *b);

/* Fills the memory that the tests use. */
void insn_batch_fill(const struct insn_batch *b);

/* Sets the number of iterations of loops in the next window. */
void insn_batch_iterations(const struct insn_batch *b, uint64_t iterations);

/* --- insn_job.c ------------------------------------------------------------------------------- */

/* The tests of a row in one pass, and the windows that are taken of each. */

struct insn_job {
    struct insn_batch batch;
    struct insn_pass pass;
    struct insn_row *row;
    unsigned at; /* the test that is being measured; `n` of the batch: the ruler */
    uint64_t *samples;
    bool shared[INSN_TESTS_MOST + 1];
    double value[INSN_TESTS_MOST];
    char name[80];
};

enum { INSN_RULER_SLOT = INSN_TESTS_MOST }; /* its index in `shared` and among the samples */

/* Runs a window once. Returns its ticks. iterations: of its loop; 0: a straight line. i: the number
 * of the window, for the delay before its first reading. */
double insn_job_run(const struct insn_job *j, window_fn fn, uint64_t iterations, uint64_t i);

/* Takes a block of each of the two windows of a test between two readings of the witness. Repeats
 * both if the core was shared, unless it appears to be shared all the time. */
void insn_job_take(struct insn_job *j, unsigned slot, bool backward);

/* Returns whether windows of a test can be in two states. */
bool insn_job_has_states(const struct insn_job *j, const struct insn_cell *c);

/* Returns the mean of the undisturbed windows; of throughput, of those in the fastest state. */
double insn_job_mean(const struct insn_job *j, unsigned slot, bool twice);

#endif
