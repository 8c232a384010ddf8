/*
 * Fits a straight line to the shortest windows over growing bodies (Paoloni, "How to Benchmark Code
 * Execution Times on Intel IA-32 and IA-64 Instruction Set Architectures", Intel 324264, 2010,
 * section 3.3): the bodies grow in equal steps, each is measured many times, and its minimum is the
 * point. Uses SSE: not for boot/ or trap handlers.
 */
#ifndef LIB_STATS_REGRESS_H
#define LIB_STATS_REGRESS_H

#include <stdint.h>

/*
 * A window over N operations takes intercept + slope N, by ordinary least squares. All but spurious
 * are UNKNOWN, and n is 0, if fewer than three points are known or the unit is not; r2 is also
 * UNKNOWN if all points are equal.
 */
struct regression {
    unsigned n; /* points */
    double slope, intercept;
    double r2;           /* the coefficient of determination */
    double residual_max; /* the largest distance of a point from the line */
    /* Number of points that lie below the previous one although their body is longer: one of the
     * two minima is not that of an undisturbed window. */
    unsigned spurious;
};

/* least[i]: minimum of the body with i * step operations, in ticks; UINT64_MAX: not known. unit:
 * ticks of the unit of the line, a core cycle or an instruction; 0: not known. */
struct regression regress(const uint64_t *least, unsigned points, unsigned step, double unit);

#endif
