/*
 * Recorded windows as text. A line is one block, sixteen windows of one kind one after the other:
 *   LAUNCH MICROSECONDS BODY PLACEMENT KIND T T ... T     sixteen differences in ticks of the TSC
 * all numbers decimal, words parted by blanks; or it is empty, or begins with #. Lines end in LF,
 * CR LF or with the text. Kinds: W 512 NOPs; R and R2 500 and 1000 dependent additions; B and B2
 * the body, 500 and 1000 copies; E the empty window. Bodies that have an E2 are loops, B of 1000
 * and B2 of 2000 turns, E and E2 the empty loop of as many.
 */
#ifndef HOSTED_REPLAY_WINDOWS_TEXT_H
#define HOSTED_REPLAY_WINDOWS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lib/text/sink.h"

#define WINDOWS_BLOCK      16
#define WINDOWS_NOPS       512
#define WINDOWS_ADDS       500          /* that R2 has more than R */
#define WINDOWS_OPS        500          /* that B2 has more than B; ... */
#define WINDOWS_TURNS      1000         /* ... of a loop */
#define WINDOWS_BODY       32           /* bytes of a body's name, NUL included */
#define WINDOWS_TICKS_MOST (1ull << 48) /* of a window; a day and more */

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
    uint32_t body; /* an index of windows_text.body */
    enum windows_kind kind;
    bool after_refused; /* a line that was refused stood before it */
    uint64_t ticks[WINDOWS_BLOCK];
};

struct windows_text {
    struct windows_block *block;
    size_t blocks;
    char (*body)[WINDOWS_BODY]; /* in the order of their first lines */
    size_t bodies;
    size_t refused; /* lines that are none of those above */
};

/*
 * What a line that is none of those above is refused for goes to `said`, one message a line as
 * `replay: FILE: line N: why`, the first WINDOWS_SAID of them, then how many there were. The others
 * are taken. False: there is no block, or no memory; `error` then says why. Free in both cases.
 */
#define WINDOWS_SAID 20
bool windows_text_parse(struct windows_text *t, const char *file, const uint8_t *text, size_t n,
                        struct sink *said, char *error, size_t size);
void windows_text_free(struct windows_text *t);

#endif
