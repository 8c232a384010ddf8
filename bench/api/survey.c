#include "bench/api/survey.h"
#include "bench/api/declare.h"
#include "bench/api/report.h"
#include "lib/text/fmt.h"

#define READS_LEAST 64
#define MOVES_LEAST 16         /* differences from which the resolution is found, ... */
#define READS_MOST  (1u << 16) /* ... unless this number of readings has fewer */

#define PS_A_S 1000000000000ull

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Returns the picoseconds of `counts`; 0: not known, or more than 64 bits hold. */
static uint64_t ps_of(const struct timer *t, uint64_t counts)
{
    if (t->hz == 0)
        return 0;
    /* Either hz is far above a terahertz (counts of femtoseconds), or far below it. */
    uint64_t times = t->hz >= PS_A_S ? t->hz_per : t->hz_per * PS_A_S;
    uint64_t by = t->hz >= PS_A_S ? t->hz / PS_A_S : t->hz;
    return counts <= UINT64_MAX / times ? (counts * times + by / 2) / by : 0;
}

/* Returns the picoseconds of one reading. Divides first: an interruption of 20 ms among the
 * readings must not overflow. */
static uint64_t ps_of_each(const struct timer *t, uint64_t counts, uint64_t reads)
{
    return ps_of(t, counts / reads) + ps_of(t, counts % reads) / reads;
}

/* If a reading fails, nothing is known. */
static void try_readings(struct timer *t, struct timer_found *f)
{
    uint64_t mask = ~0ull >> (64 - t->bits), last, now, elapsed = 0, again = 0, reads = 0;
    unsigned moves = 0;

    if (timer_read_whole(t, &last, &again) != TIMER_OK)
        return;
    for (; reads < READS_LEAST || (moves < MOVES_LEAST && reads < READS_MOST); reads++) {
        if (timer_read_whole(t, &now, &again) != TIMER_OK)
            return;
        uint64_t step = (now - last) & mask;
        f->resolution = common_divisor(f->resolution, step);
        elapsed += step;
        moves += step > 0;
        last = now;
    }
    f->read = (elapsed + reads / 2) / reads;
    f->resolution_ps = ps_of(t, f->resolution);
    f->read_ps = ps_of_each(t, elapsed, reads);
}

void timer_survey(struct timer_found found[], unsigned ids, timer_source *source, void *context)
{
    for (unsigned id = 0; id < ids; id++) {
        struct timer_found *f = &found[id];
        *f = (struct timer_found){0};
        struct timer *t = source(context, id, &f->why);
        if (t)
            f->why = t->start(t);
        if (!t || f->why)
            continue;
        if (t->hz)
            f->hz = (t->hz + t->hz_per / 2) / t->hz_per;
        if (t->read)
            try_readings(t, f);
        if (t->stop)
            t->stop(t);
    }
}

/* --- core cycles ------------------------------------------------------------------------------ */

#define CHAIN     65536 /* additions: 20 us, thousands of steps of any TSC */
#define CHAINS    8     /* the fastest one is used: interrupts disturb some */
#define ONE_RULER 1024  /* additions, as in the windows of the ruler */

/* Returns a b / c without overflow below 2^64, for b of at most 2^32. */
static uint64_t scaled(uint64_t a, uint64_t b, uint64_t c)
{
    return a / c * b + a % c * b / c;
}

/* Measures a chain: the least counts and the least ticks. False: the counter's readings fail. */
static bool chain_by_counter(struct timer *t, const struct cycle_survey *s, uint32_t adds,
                             uint64_t *counts, uint64_t *ticks)
{
    uint64_t mask = ~0ull >> (64 - t->bits), from, to, again = 0;

    *counts = *ticks = UINT64_MAX;
    for (unsigned i = 0; i < CHAINS; i++) {
        if (timer_read_whole(t, &from, &again) != TIMER_OK)
            return false;
        uint64_t began = s->tsc();
        s->adds(adds);
        uint64_t took = s->tsc() - began;
        if (timer_read_whole(t, &to, &again) != TIMER_OK)
            return false;
        *counts = ((to - from) & mask) < *counts ? (to - from) & mask : *counts;
        *ticks = took < *ticks ? took : *ticks;
    }
    return true;
}

/* Returns counts per second, from the difference between a chain and one of twice the length: a
 * reading that is a system call adds thousands of cycles. 0: not known. */
static uint64_t hz_of_counter(struct timer *t, const struct cycle_survey *s)
{
    uint64_t counts, ticks, counts2, ticks2;

    if (!chain_by_counter(t, s, CHAIN, &counts, &ticks) ||
        !chain_by_counter(t, s, 2 * CHAIN, &counts2, &ticks2) || counts2 <= counts ||
        ticks2 <= ticks)
        return 0;
    return scaled(s->tsc_hz, counts2 - counts, ticks2 - ticks);
}

/* Returns the ticks of a chain, the fastest of CHAINS. */
static uint64_t ticks_of(const struct cycle_survey *s, uint32_t adds)
{
    uint64_t least = UINT64_MAX;

    for (unsigned i = 0; i < CHAINS; i++) {
        uint64_t began = s->tsc();
        s->adds(adds);
        uint64_t ticks = s->tsc() - began;
        least = ticks < least ? ticks : least;
    }
    return least;
}

static enum timer_status read_tsc(struct timer *t, uint64_t *count)
{
    const struct cycle_survey *s = t->context;

    *count = s->tsc();
    return TIMER_OK;
}

/* Returns the TSC as a clock of known frequency. */
static struct timer tsc_of(const struct cycle_survey *s)
{
    return (struct timer){.read = read_tsc,
                          .context = (void *)(uintptr_t)s,
                          .bits = 64,
                          .hz = s->tsc_hz,
                          .hz_per = 1};
}

static void try_tsc(const struct cycle_survey *s, struct timer_found *f)
{
    struct timer t = tsc_of(s);

    f->hz = s->tsc_hz;
    try_readings(&t, f);
}

/* Measures RDTSCP: the TSC, read with another instruction. */
static void try_rdtscp(const struct timer *t, const struct cycle_survey *s, struct timer_found *f)
{
    struct timer rated = *t;

    rated.hz = f->hz = s->tsc_hz;
    rated.hz_per = 1;
    try_readings(&rated, f);
}

static void try_ruler(const struct cycle_survey *s, struct timer_found *f)
{
    struct timer t = tsc_of(s);
    uint64_t once = ticks_of(s, CHAIN), twice = ticks_of(s, 2 * CHAIN);

    if (twice > once)
        f->hz = scaled(s->tsc_hz, CHAIN, twice - once);
    try_readings(&t, f);
    f->resolution = f->read = 0; /* ticks, and no core cycles */
    f->read_ps = ps_of(&t, ticks_of(s, ONE_RULER));
}

static void try_counter(struct timer *t, const struct cycle_survey *s, struct timer_found *f)
{
    uint64_t count, again = 0;
    struct timer tsc = tsc_of(s), rated = *t;

    try_readings(t, f);
    f->read = f->resolution_ps = f->read_ps = 0;
    if (f->resolution == 0)
        return;
    f->hz = hz_of_counter(t, s);
    rated.hz = f->hz;
    rated.hz_per = 1;
    f->resolution_ps = ps_of(&rated, f->resolution);
    uint64_t began = s->tsc();
    for (unsigned i = 0; i < READS_LEAST; i++)
        if (timer_read_whole(t, &count, &again) != TIMER_OK)
            return;
    f->read_ps = ps_of_each(&tsc, s->tsc() - began, READS_LEAST);
}

void timer_survey_cycles(struct timer_found found[], const struct cycle_survey *s)
{
    for (unsigned id = 0; id < CYCLE_IDS; id++) {
        struct timer_found *f = &found[id];
        *f = (struct timer_found){0};
        struct timer *t = s->source(s->context, id, &f->why);
        if (t)
            f->why = t->start(t);
        if (!t || f->why)
            continue;
        if (id == CYCLE_RDTSCP)
            try_rdtscp(t, s, f);
        else if (t->read)
            try_counter(t, s, f);
        else if (id == CYCLE_RULER)
            try_ruler(s, f);
        else if (id == CYCLE_TSC)
            try_tsc(s, f);
        else
            f->none = "it counts nothing, so it has no frequency, no resolution and no reading";
        if (t->stop)
            t->stop(t);
    }
}

/* --- report ----------------------------------------------------------------------------------- */

/* Writes v thousandths as a decimal without trailing zeros. */
static size_t thousandths(char *text, size_t size, uint64_t v)
{
    size_t n = fmt_buf(text, size, "%llu.%03llu", (unsigned long long)(v / 1000),
                       (unsigned long long)(v % 1000));

    while (text[n - 1] == '0')
        n--;
    if (text[n - 1] == '.')
        n--;
    text[n] = 0;
    return n;
}

static void say(struct sink *out, const char *before, uint64_t v, const char *after)
{
    char text[24];

    thousandths(text, sizeof text, v);
    fmt(out, "%s%s%s", before, text, after);
}

static void show_found(const struct timer_found *f, struct sink *out)
{
    fmt(out, "initialises");
    if (f->hz && f->hz < 1000)
        fmt(out, "; %llu Hz", (unsigned long long)f->hz);
    else if (f->hz)
        say(out, "; ", (f->hz + 500) / 1000, " MHz");
    if (f->none)
        fmt(out, "; %s", f->none);
    if (f->resolution_ps) {
        say(out, ", resolution ", f->resolution_ps, " ns");
        say(out, ", a reading takes ", f->read_ps, " ns");
    } else if (f->resolution) {
        fmt(out, "; resolution %llu counts; counts per second are not known",
            (unsigned long long)f->resolution);
    }
}

void timer_survey_show(const char *kind, const char *words, const struct timer_found found[],
                       unsigned ids, struct sink *out)
{
    char name[TIMER_NAME_MAX];

    fmt(out, "\r\n%s=\r\n", kind);
    for (unsigned id = 0; id < ids; id++) {
        timer_name(words, id, name);
        fmt(out, "  %-10s ", name);
        if (found[id].why)
            fmt(out, "not available: %s", found[id].why);
        else
            show_found(&found[id], out);
        fmt(out, "\r\n");
    }
}

static void record_ns(struct json *j, const char *name, uint64_t ps)
{
    char text[24];

    if (ps == 0)
        return;
    size_t n = thousandths(text, sizeof text, ps);
    json_member(j, name, JSON_FRACTION);
    json_raw(j, text, n);
}

void timer_survey_record(const char *kind, const char *words, const struct timer_found found[],
                         unsigned ids, struct report *r)
{
    char name[TIMER_NAME_MAX];
    struct json line, *j = &line;

    for (unsigned id = 0; id < ids && report_record(r, j, "timer"); id++) {
        const struct timer_found *f = &found[id];
        timer_name(words, id, name);
#include "bench/api/fields/timer.def"
        json_end(j);
    }
}
