/*
 * Finds the steps of a curve over a count: the resource that the count uses up is full there. The
 * rule is strict, because a step must not be invented: a curve that rises evenly has no step.
 */
#ifndef LIB_CURVE_CURVE_STEPS_H
#define LIB_CURVE_CURVE_STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CURVE_STEPS_MOST  6  /* of a curve */
#define CURVE_POINTS_MOST 96 /* of a curve */

/* One count. */
struct step_point {
    uint32_t x;
    double y;      /* UNKNOWN: not measured; the rule leaves the point out */
    double lo, hi; /* its interval; UNKNOWN: not known */
};

/* A step: up to `at` the curve is nearer to `before`, from the next point on nearer to `after`. It
 * is somewhere from `from` to `to`. */
struct curve_step {
    uint32_t at, from, to;
    double before, after; /* the values at either side: the highest before, the lowest after */
};

/* Factors: a step is within this one of counts, and values after it are higher by at least that.
 * Or, if it is not 0, the curve leaves its first level by `leaves`. */
struct curve_rule {
    double within, rise, leaves;
};
#define CURVE_STEPS_RISE 1.25 /* of most curves */

/*
 * Finds the steps of n points, ascending in x. Each value is first replaced by the median of itself
 * and its neighbours, so that one outlier neither makes a step nor hides one. A step is between
 * points i and j:
 * - x of j is at most `within` times that of i, or j is the next point;
 * - every value from j on is higher than every value up to i, by `rise` or more, and the intervals
 *   of i and j do not overlap;
 * - the curve is flatter on either side, over the factor within^1.5, but at least four points and
 *   the width of the step: it rises there by at most the square root of the factor by which it
 *   rises at the step.
 * The steepest step comes first; others must be outside it and its sides. From `from` to `to` are
 * the adjacent points whose values are in the middle half between before and after, or whose
 * intervals hold their mean. Returns the number of steps, in ascending order.
 *
 * With `leaves`, it finds where the curve leaves the level that it begins at, which is the median
 * of its first three points: every value up to `at` is at most `leaves` times the level; every
 * value from `to` on is more than that, and the last ones by at least twice as much. Adjacent
 * points whose intervals hold that limit are between `from` and `to`. Returns 1, or 0: it does not
 * leave its level, or comes back to it.
 */
size_t curve_steps_find(const struct step_point *point, size_t n, const struct curve_rule *rule,
                        struct curve_step step[CURVE_STEPS_MOST]);

/* Returns whether the curve falls: a value is lower than one at a smaller count by more than this
 * factor, after medians were taken, so that something else was measured too. *at gets its x. */
#define CURVE_STEPS_FALL 1.3
bool curve_steps_fall(const struct step_point *point, size_t n, uint32_t *at);

/*
 * Chooses counts at which to measure next: it halves the gaps between neighbours that differ by
 * more than CURVE_STEPS_BEND, beginning with those that differ most. Gaps of 1, and of less than
 * the `finest` part of the count, are not halved. Writes them to x[], ascending, and returns their
 * number, at most `most`.
 */
#define CURVE_STEPS_BEND 1.08
size_t curve_steps_refine(const struct step_point *point, size_t n, uint32_t finest, uint32_t *x,
                          size_t most);

#endif
