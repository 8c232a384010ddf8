/*
 * A straight line through the least windows over growing bodies (Paoloni, "How to Benchmark Code
 * Execution Times on Intel IA-32 and IA-64 Instruction Set Architectures", Intel 324264, 2010,
 * section 3.3): the bodies grow evenly, each is measured many times, and its minimum is the point.
 * Uses SSE: not for boot/ or trap handlers.
 */
#ifndef LIB_STATS_REGRESS_H
#define LIB_STATS_REGRESS_H

#include <stdint.h>

/*
 * A window over N operations takes intercept + slope N; by ordinary least squares. UNKNOWN all but
 * spurious, and n 0, where fewer than three points are known, or the unit is not; r2 also where all
 * points are alike.
 */
struct regression {
    unsigned n; /* points */
    double slope, intercept;
    double r2;           /* the coefficient of determination */
    double residual_max; /* the largest distance of a point from the line */
    /* Points that lie below the one before them, though their body is longer: their minimum, or
     * that one, is none that a calm window had. */
    unsigned spurious;
};

/* least[i]: of the body with i * step operations, in ticks; UINT64_MAX: not known. unit: ticks of
 * the unit that the line is wanted in, a core cycle or an instruction; 0: not known. */
struct regression regress(const uint64_t *least, unsigned points, unsigned step, double unit);

#endif
