/*
 * Computes the TSC's frequency from counters of known frequency. kernel/devices/clocks.c reads the
 * hardware; this file has the arithmetic: pairs of reads to a frequency, several windows to one
 * figure, several sources to one answer.
 */
#ifndef LIB_STATS_CLOCK_RATE_H
#define LIB_STATS_CLOCK_RATE_H

#include <stdbool.h>
#include <stdint.h>
#include "lib/cpu/tsc_rate.h"

enum clock_source {
    CLOCK_CPUID15,
    CLOCK_PMTIMER,
    CLOCK_HPET,
    CLOCK_PIT,
    CLOCK_STATED, /* stated by the CPU in another way than only by leaf 15h (lib/cpu/tsc_rate.h) */
    CLOCK_SOURCES,
    CLOCK_VOTERS = CLOCK_STATED /* the sources before it are compared with each other */
};
/* "cpuid15", "pmtimer", "hpet", "pit", "stated" */
extern const char *const clock_source_names[CLOCK_SOURCES];

/* One reading: the TSC before and after the other counter was read. Their distance is the error. */
struct clock_read {
    uint64_t tsc_before, tsc_after, count;
};

/*
 * Returns the TSC's Hz from two readings, a before b, of a counter that counts up at `hz` and is
 * `bits` wide (1..64; higher bits are ignored; at most one wrap). *error_hz gets the half-width
 * from the length of the reads and one step of the counter. Returns 0 with error 0 if unusable: the
 * count or the TSC did not move, the TSC went back, or the quotient is below 1 Hz or above 1 THz.
 */
uint64_t clock_hz(const struct clock_read *a, const struct clock_read *b, double hz, unsigned bits,
                  double *error_hz);
/* Median of windows; sorts in place. Zeros (unusable windows) are left out; 0 if none is left. */
uint64_t clock_median(uint64_t *hz, unsigned n);

/*
 * Computes the steps that a counter of `bits` (1..64) made between two readings. `expected` steps,
 * from another clock, give the number of wraps. False: the counter went back, or is more than a
 * quarter of its range off `expected`, so that the wraps are not known.
 */
bool clock_steps(uint64_t from, uint64_t to, unsigned bits, double expected, double *steps);

/* Sources agree if they differ by no more than this, apart from their errors. */
#define CLOCK_AGREE_PPM 1000

struct clock_result {
    bool known;
    uint64_t hz;
    double error_hz;     /* half-width that follows from the reads */
    const char *why_not; /* if not known */
};

/* Returns what the CPU states, as a source. Leaf 15h's own figure belongs to CLOCK_CPUID15. */
struct clock_result clock_stated(struct tsc_rate rate);

/* The TSC's frequency over a window of a clock that runs only while the process does. */
struct clock_window {
    uint64_t hz; /* 0: unusable */
    double error_hz;
    double away;       /* share of the window's wall time in which the process did not run, 0..1 */
    uint64_t switches; /* involuntary context switches: getrusage(2), ru_nivcsw */
};

/* True if the window can be used as it is: no switch, and away for at most CLOCK_AGREE_PPM. */
static inline bool clock_window_undisturbed(const struct clock_window *w)
{
    return w->hz && w->switches == 0 && w->away * 1e6 <= CLOCK_AGREE_PPM;
}

/*
 * Returns one figure of n (1..CLOCK_WINDOWS) windows. The TSC advances while the process does not
 * run, so disturbed windows read high. The figure is the median of the undisturbed windows; its
 * error is the largest of theirs, including the time away. If that disagrees with `other`, another
 * measurement of the TSC's frequency, the figure is `other` and its error is the difference. If no
 * window is undisturbed, the figure is `other`; if `other` is not known, it is the window with the
 * least time away, which its error includes. Not known if no window is usable.
 */
#define CLOCK_WINDOWS 16
struct clock_result clock_of_windows(const struct clock_window *w, unsigned n,
                                     const struct clock_result *other);

struct tsc_clock {
    struct clock_result source[CLOCK_SOURCES];
    enum clock_source used; /* valid only if hz is not 0 */
    uint64_t hz;            /* 0: no source */
    double worst_ppm;       /* the largest disagreement of a source with the one used */
    bool agree;             /* all are within CLOCK_AGREE_PPM plus their errors; false if hz is 0 */
    enum tsc_rate_source stated_by; /* where the figure of CLOCK_STATED comes from */
};
/*
 * Fills everything but `source`. Chooses the source that agrees with most others; ties go in the
 * order pmtimer, hpet, cpuid15, pit. A source whose own error is above CLOCK_AGREE_PPM agrees with
 * anything: it neither votes nor wins while there is a better one. A source that is known at 0 Hz
 * is skipped. CLOCK_STATED is only a label: it is used if there is no other source, and has no vote
 * otherwise.
 */
void clock_choose(struct tsc_clock *c);

/*
 * The cost of a timer interrupt and its compensation (Bryant and O'Hallaron, "Computer Systems: A
 * Programmer's Perspective", 2003, section 9.4, and the timing package that goes with it). A loop
 * reads the TSC and looks for gaps. If the count of timer interrupts rose during a gap, the gap was
 * that interrupt. The shortest such gap is the cost of one interrupt; a window with n of them is
 * too long by n times the cost.
 */
#define TICK_GAP          1000 /* ticks, as in that package: a shorter gap is not an interrupt */
#define TICK_EVENTS       100  /* interrupts to look for, the value of that package */
#define TICK_EVENTS_LEAST 10   /* with fewer, the cost is not known */

struct tick_finder {
    uint64_t tsc, count; /* of the last iteration; at the last event */
    uint64_t first_tsc, first_count;
    unsigned events;
    double least;
};

struct tick_cost {
    bool known;
    unsigned events;
    double cost;     /* TSC ticks per interrupt */
    double interval; /* from one interrupt to the next, ticks */
};

static inline void tick_start(struct tick_finder *f, uint64_t tsc, uint64_t count)
{
    *f = (struct tick_finder){.tsc = tsc, .count = count};
}

/* True if this iteration of the loop was a gap: the count is to be read. Call it in each. */
static inline bool tick_is_gap(struct tick_finder *f, uint64_t tsc)
{
    bool gap = tsc - f->tsc >= TICK_GAP;

    if (!gap)
        f->tsc = tsc;
    return gap;
}

/* Adds a gap of this many ticks that ended at `tsc`. Returns false once enough have been seen. */
bool tick_add(struct tick_finder *f, uint64_t gap, uint64_t tsc, uint64_t count);

struct tick_cost tick_judge(const struct tick_finder *f);

/*
 * Returns a window's ticks without n interrupts of that cost. The count is the system's: another
 * CPU may have taken them. So nothing is subtracted (*taken: 0, else n) if the rest would be 0 or
 * below `least`, the shortest window so far without an interrupt (UINT64_MAX: none yet); nor,
 * before the first, from a window shorter than the time between two interrupts.
 */
uint64_t tick_compensate(const struct tick_cost *c, uint64_t least, uint64_t ticks, uint64_t n,
                         uint64_t *taken);

#endif
