/*
 * Recorded windows as text. A line is one block, sixteen consecutive windows of one kind:
 *   LAUNCH MICROSECONDS BODY PLACEMENT KIND T T ... T     sixteen differences in ticks of the TSC
 * All numbers are decimal, blanks separate words. A line may also be empty or begin with #. Lines
 * end in LF, CR LF or with the text. Kinds: W 512 NOPs; R and R2 500 and 1000 dependent additions;
 * B and B2 the body, 500 and 1000 copies; E the empty window. Bodies with an E2 are loops: B has
 * 1000 and B2 2000 iterations, E and E2 are empty loops with the same numbers.
 */
#ifndef HOSTED_REPLAY_WINDOWS_TEXT_H
#define HOSTED_REPLAY_WINDOWS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lib/text/sink.h"

#define WINDOWS_BLOCK      16
#define WINDOWS_NOPS       512
#define WINDOWS_ADDS       500          /* in R2 minus those in R */
#define WINDOWS_OPS        500          /* in B2 minus those in B; ... */
#define WINDOWS_ITERATIONS 1000         /* ... for a loop */
#define WINDOWS_BODY       32           /* bytes of a body's name, including the NUL */
#define WINDOWS_TICKS_MOST (1ull << 48) /* of a window; more than a day */

enum windows_kind {
    WINDOWS_W,
    WINDOWS_E,
    WINDOWS_E2,
    WINDOWS_R,
    WINDOWS_R2,
    WINDOWS_B,
    WINDOWS_B2
};
#define WINDOWS_KINDS 7

struct windows_block {
    uint32_t launch, placement;
    uint32_t body; /* index in windows_text.body */
    enum windows_kind kind;
    bool after_refused; /* the line before it was refused */
    uint64_t ticks[WINDOWS_BLOCK];
};

struct windows_text {
    struct windows_block *block;
    size_t blocks;
    char (*body)[WINDOWS_BODY]; /* in the order of their first lines */
    size_t bodies;
    size_t refused; /* number of lines of no valid form */
};

/*
 * Parses a text. For an invalid line, the reason goes to `said`, one message per line as `replay:
 * FILE: line N: why`, for the first WINDOWS_SAID of them, then their number. The other lines are
 * used. False: there is no block, or no memory; `error` then says why. Free in both cases.
 */
#define WINDOWS_SAID 20
bool windows_text_parse(struct windows_text *t, const char *file, const uint8_t *text, size_t n,
                        struct sink *said, char *error, size_t size);
void windows_text_free(struct windows_text *t);

#endif
