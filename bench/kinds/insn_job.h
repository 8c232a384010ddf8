/* The tests of a row in one pass, and the windows that are taken of each. */
#ifndef BENCH_KINDS_INSN_JOB_H
#define BENCH_KINDS_INSN_JOB_H

#include "bench/kinds/insn_batch.h"

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
