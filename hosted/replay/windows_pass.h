/*
 * Groups recorded blocks into passes: the blocks between two readings of the witness. Finds whether
 * either reading shows a neighbour. The witness is the program's own (lib/stats/witness_rule.h).
 */
#ifndef HOSTED_REPLAY_WINDOWS_PASS_H
#define HOSTED_REPLAY_WINDOWS_PASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "hosted/replay/windows_text.h"
#include "lib/stats/stats.h"
#include "lib/stats/witness_rule.h"

/* The blocks from one witness to the next, out and back. */
struct pass {
    uint32_t launch, body, placement;
    double sum[WINDOWS_KINDS];
    unsigned n[WINDOWS_KINDS];
    double r[2], r2[2];        /* the ruler's first blocks and its last */
    struct moments witness[2]; /* the NOP windows before and after it, in ticks */
    double level[2], noise[2]; /* of the witnesses, core cycles per NOP */
    bool shared, shown;
};

struct windows_run {
    struct windows_text text;
    struct pass *pass;
    size_t passes, room;
    struct witness witness;
    double step;
    double window; /* cost of the window itself, core cycles */
};

/* Returns the mean of a pass's blocks of a kind, in ticks per window; UNKNOWN: it has no such
 * block. */
double windows_mean(const struct pass *p, enum windows_kind k);

/* Derives from run->text: the TSC's step, the passes, and which of them were shared. False: out of
 * memory. Free run->pass in both cases. */
bool windows_find_passes(struct windows_run *run);

#endif
