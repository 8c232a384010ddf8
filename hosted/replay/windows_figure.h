/*
 * The figure of recorded passes, by the engine's own path (bench/engine/row_figure.h): each pass is
 * a block of its placement, and each placement is a part.
 */
#ifndef HOSTED_REPLAY_WINDOWS_FIGURE_H
#define HOSTED_REPLAY_WINDOWS_FIGURE_H

#include <stdbool.h>
#include <stddef.h>
#include "hosted/replay/windows_pass.h"
#include "lib/stats/estimate.h"

struct windows_figure {
    size_t known;           /* passes with all of their blocks */
    size_t exclusive;       /* those of them that are not shared */
    struct estimate cycles; /* core cycles per operation */
};

/* Returns whether a pass belongs to the same launch and body. */
bool windows_is_of(const struct pass *p, const struct pass *first);

/* Computes the figure of all passes of first's launch and body; `first` is the first of them. loop:
 * the body is a loop, so that the empty loops are subtracted. False: out of memory. */
bool windows_figure(const struct windows_run *run, const struct pass *first, bool loop,
                    struct windows_figure *figure);

#endif
