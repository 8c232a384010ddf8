/*
 * Words of the declarations in fields.def: types, and the members of objects that several records
 * have. For files that define FIELD() and include fields.def.
 */
#ifndef BENCH_REPORT_DECLARE_H
#define BENCH_REPORT_DECLARE_H

#include "lib/text/json_shape.h"

#define STRING      JSON_STRING
#define INTEGER     JSON_INTEGER
#define ABOVE_0     JSON_ABOVE_0
#define NUMBER      JSON_NUMBER
#define BOOLEAN     JSON_BOOLEAN
#define OBJECT      JSON_OBJECT
#define NOTHING     JSON_NULL
#define ARRAY(type) JSON_ARRAY(type)
#define TUPLE       JSON_TUPLE

/* A declaration a line, as in fields.def. */
/* clang-format off */

/* A timer that was asked for and does not start. */
#define REFUSED(path) \
    FIELD(path "[].name", STRING, "", PRESENT, "") \
    FIELD(path "[].why", STRING, "", PRESENT, "")

/* Windows of one kind, measured with method=doubled. */
#define SUMMARY(path) \
    FIELD(path ".min", INTEGER, "ticks", NEEDED, "") \
    FIELD(path ".p25", NUMBER, "ticks", PRESENT, "quantiles are Hyndman and Fan's type 7") \
    FIELD(path ".median", NUMBER, "ticks", PRESENT, "") \
    FIELD(path ".p75", NUMBER, "ticks", PRESENT, "") \
    FIELD(path ".p99", NUMBER, "ticks", PRESENT, "") \
    FIELD(path ".max", INTEGER, "ticks", NEEDED, "") \
    FIELD(path ".mean", NUMBER, "ticks", PRESENT, "") \
    FIELD(path ".sd", NUMBER, "ticks", PRESENT, "standard deviation, n-1") \
    FIELD(path ".mad", NUMBER, "ticks", PRESENT, \
          "median of the distances from the median, not scaled") \
    FIELD(path ".bin", INTEGER, "ticks", \
          ONLY("there are several rounds and too many different values"), \
          "width of the bins of `hist`, from which quantiles and `mad` are computed: they are " \
          "too low by less than this")

/* Windows of one kind, measured with another method: with each of these, with kbest, and with
 * ensembles. */
#define EXTREMES(path) \
    FIELD(path ".n", INTEGER, "", PRESENT, "windows") \
    FIELD(path ".min", INTEGER, "ticks", NEEDED, "") \
    FIELD(path ".max", INTEGER, "ticks", NEEDED, "") \
    FIELD(path ".mean", NUMBER, "ticks", PRESENT, "") \
    FIELD(path ".sd", NUMBER, "ticks", PRESENT, "standard deviation, n-1")

#define SMALLEST(path) \
    FIELD(path ".kbest", INTEGER, "ticks", PRESENT, "kbest: the smallest") \
    FIELD(path ".converged", BOOLEAN, "", PRESENT, "kbest: the K smallest lie within epsilon") \
    FIELD(path ".timer_interrupts", INTEGER, "", ONLY("`compensate=on`, in a process"), \
          "kbest: subtracted from its windows, including those of the warm-up") \
    FIELD(path ".min_as_read", INTEGER, "ticks", ONLY("`compensate=on`, in a process"), \
          "kbest: the smallest window, including its timer interrupts")

#define ENSEMBLES(path) \
    FIELD(path ".ensembles", INTEGER, "", PRESENT, "ensembles: number of complete ensembles") \
    FIELD(path ".range_of_minima", INTEGER, "ticks", PRESENT, "") \
    FIELD(path ".largest_deviation", INTEGER, "ticks", PRESENT, \
          "max - min of the widest ensemble") \
    FIELD(path ".mean_variance", NUMBER, "ticks^2", PRESENT, "") \
    FIELD(path ".variance_of_variances", NUMBER, "ticks^4", PRESENT, "") \
    FIELD(path ".variance_of_minima", NUMBER, "ticks^2", PRESENT, "") \
    FIELD(path ".variance_of_means", NUMBER, "ticks^2", PRESENT, "") \
    FIELD(path ".variance_f", NUMBER, "", ABSENT("for 0/0"), \
          "variance of the variances / (8 mean variance^2 / (N - 1)): 1 if the noise has an " \
          "exponential distribution") \
    FIELD(path ".variance_f_bound", NUMBER, "", PRESENT, "its 99.9% bound") \
    FIELD(path ".f", NUMBER, "", ABSENT("for 0/0"), \
          "variance of the means / (mean variance / N)") \
    FIELD(path ".f_bound", NUMBER, "", PRESENT, "its 99.9% bound") \
    FIELD(path ".lag1", NUMBER, "", PRESENT, "correlation of consecutive windows in an ensemble") \
    FIELD(path ".lag1_bound", NUMBER, "", PRESENT, "its 99.9% bound") \
    FIELD(path ".ergodic", BOOLEAN, "", PRESENT, \
          "minima, variances, means and correlation are within their bounds, see " \
          "[method.md](method.md)")

/* One part of a sweep over offsets. */
#define SWEEP(path) \
    FIELD(path ".min", NUMBER, "core cycles", PRESENT, \
          "per operation; in instructions where those are counted") \
    FIELD(path ".median", NUMBER, "core cycles", PRESENT, "") \
    FIELD(path ".max", NUMBER, "core cycles", NEEDED, "") \
    FIELD(path ".best", INTEGER, "bytes", NEEDED, "the offset with the lowest cost") \
    FIELD(path ".worst", INTEGER, "bytes", NEEDED, "the offset with the highest cost") \
    FIELD(path ".step_bytes", INTEGER, "bytes", PRESENT, "from one offset to the next") \
    FIELD(path ".cycles", ARRAY(NUMBER | NOTHING), "core cycles", NEEDED, "each offset's figure")

/* What the system did with a process while it measured. */
#define PROCESS(path) \
    FIELD(path ".voluntary_switches", INTEGER, "", PRESENT, "") \
    FIELD(path ".involuntary_switches", INTEGER, "", PRESENT, "") \
    FIELD(path ".page_faults", INTEGER, "", PRESENT, "") \
    FIELD(path ".migrations", INTEGER, "", PRESENT, "moves to another CPU") \
    FIELD(path ".steal_ms", NUMBER, "ms", ABSENT("if the system does not report it"), \
          "time that the hypervisor gave to others") \
    FIELD(path ".away_ms", NUMBER, "ms", PRESENT, \
          "time without the CPU, whoever had it, by the CPU time of the process. A system that " \
          "does not know its hypervisor counts stolen time as time of the process")

/* clang-format on */

#endif
