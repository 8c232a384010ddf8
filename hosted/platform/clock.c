#include <sys/resource.h>
#include <sys/times.h>
#include <unistd.h>
#include "bench/api/tsc.h"
#include "hosted/platform/process.h"

#define WINDOWS     5
#define COARSE_MOST 3        /* windows of half a second */
#define WINDOW_NS   10000000 /* 10 ms: two reads of some 50 ns each err by at most 10 ppm */
#define WINDOWS_A_S 100      /* for the clocks that only a process has, ... */
#define COUNTS      50 /* ... and the minimum counts of such a window: half a second of times(2) */
#define TRIES       16 /* reads, of which the shortest is taken: most are not interrupted */

#define FORWARD_READS 1000   /* TSC reads, none of which may be before the previous one */
#define HELD_UP_A_S   100000 /* a reading that lasts longer than 10 us was interrupted */

const char *const hosted_source_names[HOSTED_SOURCES] = {"monotonic_raw", "cpuid15", "stated"};

static const clockid_t raw_time = CLOCK_MONOTONIC_RAW, process_time = CLOCK_PROCESS_CPUTIME_ID,
                       thread_time = CLOCK_THREAD_CPUTIME_ID;

/* Reads one of the system's clocks in nanoseconds, which need no conversion. */
static enum timer_status read_ns(struct timer *t, uint64_t *count)
{
    const clockid_t *id = t->context;
    struct timespec at;

    if (clock_gettime(*id, &at) != 0)
        return TIMER_FAILED;
    *count = (uint64_t)at.tv_sec * 1000000000 + (uint64_t)at.tv_nsec;
    return TIMER_OK;
}

static bool read_between(struct timer *t, struct clock_read *r)
{
    r->tsc_before = tsc_now();
    bool good = t->read(t, &r->count) == TIMER_OK;
    r->tsc_after = tsc_now();
    return good;
}

/* Returns the tightest of a few reads: a clock read between two reads of the TSC. */
static struct clock_read tight_read(void)
{
    static struct timer raw = {.read = read_ns, .context = (void *)&raw_time};
    struct clock_read best = {0, UINT64_MAX, 0}, r;

    for (unsigned i = 0; i < TRIES; i++)
        if (read_between(&raw, &r) && r.tsc_after - r.tsc_before < best.tsc_after - best.tsc_before)
            best = r;
    return best;
}

static struct clock_result measure_raw(void)
{
    static const struct timespec window = {.tv_nsec = WINDOW_NS};
    struct clock_result result = {.why_not = "CLOCK_MONOTONIC_RAW or the TSC does not advance"};
    uint64_t hz[WINDOWS];

    for (unsigned i = 0; i < WINDOWS; i++) {
        double error;
        struct clock_read from = tight_read();
        nanosleep(&window, NULL); /* shorter after a signal, which only costs precision */
        struct clock_read to = tight_read();
        hz[i] = clock_hz(&from, &to, 1e9, 64, &error);
        if (hz[i] && error > result.error_hz)
            result.error_hz = error;
    }
    result.hz = clock_median(hz, WINDOWS);
    result.known = result.hz != 0;
    return result;
}

/* Another CPU's TSC may have an offset, and an interrupted reading has no definite time. */
static enum timer_status read_tsc(struct timer *t, uint64_t *count)
{
    uint64_t moves = events_migrations(), before = tsc_now();

    *count = tsc_now();
    bool held_up = *count - before > t->tsc_hz / HELD_UP_A_S;
    return held_up || events_migrations() != moves ? TIMER_AGAIN : TIMER_OK;
}

static const char *start_tsc(struct timer *t)
{
    uint64_t last = tsc_now();

    t->hz = t->tsc_hz;
    for (unsigned i = 0; i < FORWARD_READS; i++) {
        uint64_t now = tsc_now();
        if (now < last)
            return "goes back";
        last = now;
    }
    return NULL;
}

static struct timer tsc; /* its frequency is measured first */

/* Reads the CPU time of the process with clock(3). */
static enum timer_status read_clock(struct timer *t, uint64_t *count)
{
    clock_t at = clock();

    (void)t;
    *count = (uint64_t)at;
    return at == (clock_t)-1 ? TIMER_FAILED : TIMER_OK;
}

/* User and system time of the process, in units of sysconf(_SC_CLK_TCK). */
static enum timer_status read_times(struct timer *t, uint64_t *count)
{
    struct tms at;

    (void)t;
    if (times(&at) == (clock_t)-1)
        return TIMER_FAILED;
    *count = (uint64_t)at.tms_utime + (uint64_t)at.tms_stime;
    return TIMER_OK;
}

static bool is_coarse(const struct timer *t)
{
    return t->hz / WINDOWS_A_S < COUNTS;
}

static uint64_t window_of(const struct timer *t)
{
    return is_coarse(t) ? COUNTS : t->hz / WINDOWS_A_S;
}

/* A reading takes at least 20 ns. */
#define READS_A_S 50000000

/* Returns the first reading at least `counts` after `from`. The clock runs only while the process
 * does, so this loops instead of sleeping. False: it does not advance or cannot be read. The bound
 * is a number of readings, twice those of a window: other programs may have the CPU meanwhile. */
static bool iteration_until(struct timer *t, const struct clock_read *from, uint64_t counts,
                            struct clock_read *to)
{
    uint64_t most = 2 * window_of(t) * READS_A_S / t->hz;

    do {
        if (!read_between(t, to) || most-- == 0)
            return false;
    } while (to->count - from->count < counts);
    return true;
}

/* Readings before and after a window: wall time, CPU time, and involuntary context switches. */
struct used {
    double wall, cpu; /* seconds */
    uint64_t switches;
};

static struct used used_now(void)
{
    struct rusage usage = {0};

    getrusage(RUSAGE_SELF, &usage);
    return (struct used){.wall = (double)clock_ns(CLOCK_MONOTONIC_RAW) * 1e-9,
                         .cpu = (double)clock_ns(CLOCK_PROCESS_CPUTIME_ID) * 1e-9,
                         .switches = (uint64_t)usage.ru_nivcsw};
}

/* Measures from one step of the clock to another. */
static struct clock_window measure_window(struct timer *t)
{
    struct clock_window w = {0};
    struct clock_read any, from, to;

    if (!read_between(t, &any) || !iteration_until(t, &any, 1, &from))
        return w;
    struct used began = used_now();
    if (!iteration_until(t, &from, window_of(t), &to))
        return w;
    struct used ended = used_now();
    double wall = ended.wall - began.wall, away = wall - (ended.cpu - began.cpu);
    w.hz = clock_hz(&from, &to, (double)t->hz, t->bits, &w.error_hz);
    w.away = away > 0 ? away / wall : 0;
    w.switches = ended.switches - began.switches;
    return w;
}

/* One undisturbed window of a coarse clock is enough. */
static unsigned measure_windows(struct timer *t, struct clock_window *w)
{
    unsigned most = is_coarse(t) ? COARSE_MOST : WINDOWS, n = 0;

    while (n < most) {
        w[n] = measure_window(t);
        if (w[n].hz == 0) /* its bound was reached */
            return n + 1;
        if (clock_window_undisturbed(&w[n++]) && is_coarse(t))
            break;
    }
    return n;
}

static const char *start_process_clock(struct timer *t)
{
    struct clock_window w[CLOCK_WINDOWS];
    const struct clock_result by_tsc = {
        .known = tsc.tsc_hz != 0, .hz = tsc.tsc_hz, .error_hz = (double)tsc.tsc_error_hz};
    struct clock_result r = clock_of_windows(w, measure_windows(t, w), &by_tsc);

    t->tsc_hz = r.hz;
    t->tsc_error_hz = (uint64_t)(r.error_hz + 0.5);
    return r.known ? NULL : r.why_not;
}

static const char *start_times(struct timer *t)
{
    long counts_a_s = sysconf(_SC_CLK_TCK);

    t->hz = counts_a_s > 0 ? (uint64_t)counts_a_s : 0;
    return t->hz ? start_process_clock(t) : "sysconf(_SC_CLK_TCK) does not say how it counts";
}

#define CLOCK(name_, start_, read_, hz_)                                                           \
    .name = (name_), .start = (start_), .read = (read_), .hz = (hz_), .bits = 64, .hz_per = 1
#define CPUTIME(name, of)                                                                          \
    CLOCK(name, start_process_clock, read_ns, 1000000000), .context = (void *)&(of)

static struct timer tsc = {CLOCK("tsc", start_tsc, read_tsc, 0)};
static struct timer cputime = {CPUTIME("cputime", process_time)};
static struct timer process_clock = {
    CLOCK("clock", start_process_clock, read_clock, CLOCKS_PER_SEC)};
static struct timer thread_clock = {CPUTIME("thread", thread_time)};
static struct timer times_clock = {CLOCK("times", start_times, read_times, 0)};

struct timer *clock_source(void *context, unsigned id, const char **why)
{
    static struct timer *const clocks[CLOCK_IDS] = {[CLOCK_ID_TSC] = &tsc,
                                                    [CLOCK_ID_CPUTIME] = &cputime,
                                                    [CLOCK_ID_CLOCK] = &process_clock,
                                                    [CLOCK_ID_THREAD] = &thread_clock,
                                                    [CLOCK_ID_TIMES] = &times_clock};

    (void)context;
    *why = !clocks[id]                         ? "needs ring 0; a process has ring 3"
           : id == CLOCK_ID_TSC && !tsc.tsc_hz ? "its frequency is not known"
                                               : NULL;
    return *why ? NULL : clocks[id];
}

uint64_t clock_timer_interrupts(void)
{
    static uint64_t step;
    struct timespec at;

    if (step == 0 && clock_getres(CLOCK_MONOTONIC_COARSE, &at) == 0)
        step = (uint64_t)at.tv_sec * 1000000000 + (uint64_t)at.tv_nsec;
    /* A tick may be a nanosecond short. */
    return (clock_ns(CLOCK_MONOTONIC_COARSE) + step / 2) / step;
}

struct hosted_clock clock_measure(const struct cpu *cpu)
{
    struct hosted_clock c = {
        .source[HOSTED_MONOTONIC_RAW] = measure_raw(),
        .source[HOSTED_CPUID15] = {.known = cpu->tsc_hz != 0,
                                   .hz = cpu->tsc_hz,
                                   .why_not = "no leaf 15h with a crystal's frequency"},
    };
    struct tsc_rate stated = tsc_rate_decode(cpu, process_cpuid, NULL, NULL, NULL);

    c.source[HOSTED_STATED] = clock_stated(stated);
    c.stated_by = stated.source;
    while (c.used < HOSTED_SOURCES - 1 && !c.source[c.used].known)
        c.used++;
    c.hz = tsc.tsc_hz = c.source[c.used].hz;
    tsc.tsc_error_hz = (uint64_t)(c.source[c.used].error_hz + 0.5);
    return c;
}
