/*
 * The TSC's frequency out of counters of known frequency. The hardware is read in
 * kernel/clock/clocks.c; here is the arithmetic: pairs of reads to a frequency, several windows to
 * one figure, several sources to one answer. Uses SSE: not for boot/ or trap handlers.
 */
#ifndef LIB_STATS_CLOCK_H
#define LIB_STATS_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include "lib/cpu/tsc_rate.h"

enum clock_source {
    CLOCK_CPUID15,
    CLOCK_PMTIMER,
    CLOCK_HPET,
    CLOCK_PIT,
    CLOCK_STATED, /* by the CPU, in another way than leaf 15h alone (lib/cpu/tsc_rate.h) */
    CLOCK_SOURCES,
    CLOCK_VOTERS = CLOCK_STATED /* those before it are held against each other */
};
/* "cpuid15", "pmtimer", "hpet", "pit", "stated" */
extern const char *const clock_source_names[CLOCK_SOURCES];

/* One reading: a TSC read before and one after the other counter was read (that is the error). */
struct clock_read {
    uint64_t tsc_before, tsc_after, count;
};

/*
 * TSC Hz from two readings, a before b, of a counter that counts up at `hz`, `bits` wide (1..64;
 * bits above are not looked at; wraps once at the most). *error_hz gets the half-width from the
 * reads' own length and the counter's one step. 0, and error 0: unusable (the count or the TSC did
 * not move, the TSC went back, or the quotient is below 1 Hz or above 1 THz).
 */
uint64_t clock_hz(const struct clock_read *a, const struct clock_read *b, double hz, unsigned bits,
                  double *error_hz);
/* Of windows; sorts in place. Zeros (unusable windows) are left out; 0 where no other is left. */
uint64_t clock_median(uint64_t *hz, unsigned n);

/*
 * Steps that a counter of `bits` (1..64) made between two readings, whole turns included:
 * `expected` steps, by another clock, tell how many turns there were. False: the counter went back,
 * or is further from what is expected than a quarter of a turn, so that the turns are not known.
 */
bool clock_steps(uint64_t from, uint64_t to, unsigned bits, double expected, double *steps);

/* Sources agree that differ by no more than this, their errors aside. */
#define CLOCK_AGREE_PPM 1000

struct clock_result {
    bool known;
    uint64_t hz;
    double error_hz;     /* half-width by the reads */
    const char *why_not; /* where not known */
};

/* What the CPU states, as a source; leaf 15h's own figure is CLOCK_CPUID15's. */
struct clock_result clock_stated(struct tsc_rate rate);

/* The TSC's frequency over a window of a clock that runs only while the process does. */
struct clock_window {
    uint64_t hz; /* 0: unusable */
    double error_hz;
    double away;       /* share of the window's wall time in which the process did not run, 0..1 */
    uint64_t switches; /* times that others were given the CPU: getrusage(2), ru_nivcsw */
};

/* Whether the window can be used as it is: no switch, and away for CLOCK_AGREE_PPM at the most. */
bool clock_window_quiet(const struct clock_window *w);

/*
 * One figure of n (1..CLOCK_WINDOWS) windows. The TSC goes on while the process does not run, so
 * windows that are not quiet read high. The median of the quiet ones; its error is their largest,
 * with what they were away. If that disagrees with `other`, another measurement of the TSC's
 * frequency, `other` is the figure and the difference is its error. If none is quiet: `other`, or
 * where that is not known the window that was away least, with that in its error. Not known if no
 * window is usable.
 */
#define CLOCK_WINDOWS 16
struct clock_result clock_of_windows(const struct clock_window *w, unsigned n,
                                     const struct clock_result *other);

struct tsc_clock {
    struct clock_result source[CLOCK_SOURCES];
    enum clock_source used; /* means nothing where hz is 0 */
    uint64_t hz;            /* 0: no source at all */
    double worst_ppm;       /* the largest disagreement of a source with the one used */
    bool agree;             /* all within CLOCK_AGREE_PPM plus their errors; false where hz is 0 */
    enum tsc_rate_source stated_by; /* where CLOCK_STATED has its figure from */
};
/*
 * Fills everything but `source`. Chooses the source that agrees with most others; ties by the order
 * pmtimer, hpet, cpuid15, pit. A source whose own error is above CLOCK_AGREE_PPM agrees with
 * anything: it neither votes nor wins as long as there is a better one. A source that is known at 0
 * Hz is passed over. CLOCK_STATED is a label: it is used where there is nothing else, and counts
 * for nothing where there is.
 */
void clock_choose(struct tsc_clock *c);

#endif
