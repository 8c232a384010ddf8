/*
 * docs/checks.md "Linearity": does a chain of N dependent adds measure as N core cycles? The
 * arithmetic of the table in every report.
 */
#ifndef LIB_STATS_LINEARITY_H
#define LIB_STATS_LINEARITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LINEARITY_POINTS 9
/* N of each point, ascending: 0, 1, 2, 5, 10, 20, 50, 100, 1000. */
extern const unsigned linearity_adds[LINEARITY_POINTS];

struct linearity_point {
    unsigned adds;
    double ticks; /* T(N) as given */
    /* e(N) = (T(N) - T(1)) / c - (N - 1): what the window adds or hides; NaN: c unknown. */
    double cycles;
    double half; /* half-width of e(N), 99%; NaN if c or n is unknown */
    /* False for N = 0 (docs/checks.md) and for N = 1, which the others are measured from. */
    bool judged;
};

/* location[i]: location of the windows over linearity_adds[i] adds, in ticks. c: ticks per core
 * cycle (0: not known). n: windows per point (0: not known). step: the TSC's, in ticks. */
void linearity(const double location[LINEARITY_POINTS], double c, size_t n, double step,
               struct linearity_point points[LINEARITY_POINTS]);

/* The same points as measured in one placement and round: UNKNOWN if no window counts. */
struct linearity_group {
    double location[LINEARITY_POINTS], c;
};

#define LINEARITY_FROM 5 /* adds; shorter chains may lie in a recipe's shadow */
/*
 * The straight line through e(N) for N >= LINEARITY_FROM: e = slope N - shadow. The shadow is the
 * core cycles of a body that the recipe hides; it cancels in differences of two bodies. A recipe is
 * straight if no point is farther from the line than LINEARITY_BEND core cycles plus its
 * half-width, and the slope no farther from 0 than LINEARITY_SLOPE plus its own. On an exclusive
 * Golden Cove, only N = 100 was off, by 1.7 +- 0.5, for a reason specific to that body.
 */
#define LINEARITY_BEND  2.0
#define LINEARITY_SLOPE 0.001
struct linearity_line {
    double shadow, shadow_half;
    double slope, slope_half; /* core cycles per add */
    double bend;              /* the largest distance of a point from the line, core cycles */
    bool straight;
};

/*
 * Averages over groups: e(N) is the mean of theirs; its half-width is that of their values by
 * Student's t, or that of the clock's step over all windows if that is wider. Groups that lack a
 * point or c are left out; returns the number of groups used. With 0, nothing is known. The line is
 * that of the averages.
 */
size_t linearity_over(const struct linearity_group *group, size_t groups, size_t n, double step,
                      struct linearity_point points[LINEARITY_POINTS], struct linearity_line *line);

#define LINEARITY_TESTS 7 /* the six points on the line, and its slope */
/*
 * Tests whether a recipe bends: for each test and side, the probability that groups in their order
 * lie this far beyond the limit (LINEARITY_BEND, LINEARITY_SLOPE) although the recipe is straight.
 * It is the larger of two:
 * - a sign test: each group is beyond the limit with a probability of at most a half;
 * - Student's t of the groups' mean against the limit, with the number of groups that are
 *   independent: groups (1 - rho) / (1 + rho), where rho is the correlation of neighbouring groups
 *   and its own standard error. So groups that a slow disturbance shifts together prove nothing.
 * Groups that lack a point or c are left out. 1 if there is too little data. `before`, if not NULL,
 * is the result of groups that were measured at another time: both must show the same bend.
 *
 * A bend is proven if `least` is at most LINEARITY_FALSE, which takes at least LINEARITY_PROVES
 * groups. Groups may be judged LINEARITY_LOOKS times while their number grows.
 */
#define LINEARITY_FALSE  1e-6
#define LINEARITY_LOOKS  2
#define LINEARITY_PROVES 25
struct linearity_bend {
    double p[LINEARITY_TESTS][2]; /* above the limit, below */
    double least; /* the smallest of them, times their number and LINEARITY_LOOKS; at most 1 */
};
struct linearity_bend linearity_bend(const struct linearity_group *group, size_t groups,
                                     const struct linearity_bend *before);

/* Returns the windows per point that make the half-width at most `half` core cycles: at least 1, or
 * 0 if c or half is not above 0. */
size_t linearity_windows(double half, double c, double step);

/*
 * Determines what executes this code, by its behaviour, because a signature can be hidden
 * (docs/checks.md "Truth"). The caller measures windows over chains of five kinds of instruction,
 * three lengths each; this file decides.
 */

/* One instruction per link, and nothing else in the chain (no mov, no xor before a div). */
enum behave_kind {
    BEHAVE_NOP,   /* nop, one byte */
    BEHAVE_ADD,   /* add r,r, each depends on the previous result */
    BEHAVE_IMUL,  /* imul r,r, likewise */
    BEHAVE_DIV,   /* div r32, edx:eax of one is the next one's (edx < divisor: it cannot fault) */
    BEHAVE_ADDSD, /* addsd x,x, likewise, on zeros or ordinary numbers */
    BEHAVE_KINDS
};
#define BEHAVE_LENGTHS 3  /* chains of behave_lengths[] links */
#define BEHAVE_REPEATS 32 /* windows of each, interleaved, after some that are discarded */
extern const unsigned behave_lengths[BEHAVE_LENGTHS]; /* 64, 128, 256 */
extern const char *const behave_names[BEHAVE_KINDS];  /* "nop", "add", "imul", "div", "addsd" */

struct behave {
    uint64_t delta[BEHAVE_KINDS][BEHAVE_LENGTHS][BEHAVE_REPEATS]; /* ticks per window */
};

enum execution {
    EXEC_SILICON,      /* hardware: the figures are those of a CPU */
    EXEC_INSTRUCTIONS, /* the TSC counts instructions (QEMU -icount, Bochs): exact counts */
    EXEC_EMULATED,     /* an emulator's timing: figures are noise, timing is not judged */
};
extern const char *const execution_names[3]; /* "silicon", "instructions", "emulated" */

struct behave_verdict {
    enum execution execution;
    uint64_t ticks_per_instruction;    /* if execution is EXEC_INSTRUCTIONS, else 0 */
    double ticks_per_op[BEHAVE_KINDS]; /* slope of the median windows over the chain length */
    const char *why;                   /* the rule that decided, in a few words */
};

/* Sorts each array of repeats in ascending order. */
struct behave_verdict behave_judge(struct behave *b);

#endif
