#include "bench/api/survey.h"
#include "bench/api/report.h"
#include "lib/text/fmt.h"

#define READS_LEAST 64
#define MOVES_LEAST 16         /* differences that the resolution is found in, ... */
#define READS_MOST  (1u << 16) /* ... if it moves so often in so many readings */

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

/* 0: not known, or more than 64 bits hold. */
static uint64_t ps_of(const struct timer *t, uint64_t counts)
{
    if (t->hz == 0)
        return 0;
    /* Either hz is far above a terahertz (counts of femtoseconds), or far below it. */
    uint64_t times = t->hz >= PS_A_S ? t->hz_per : t->hz_per * PS_A_S;
    uint64_t by = t->hz >= PS_A_S ? t->hz / PS_A_S : t->hz;
    return counts <= UINT64_MAX / times ? (counts * times + by / 2) / by : 0;
}

/* Where a reading fails nothing is known. */
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
    f->read_ps = ps_of(t, elapsed) / reads;
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

/* Thousandths, without zeros at the end. */
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

static void say(struct sink *out, const char *before, uint64_t v, const char *behind)
{
    char text[24];
    thousandths(text, sizeof text, v);
    fmt(out, "%s%s%s", before, text, behind);
}

static void show_found(const struct timer_found *f, struct sink *out)
{
    fmt(out, "initialises");
    if (f->hz)
        say(out, "; ", (f->hz + 500) / 1000, " MHz");
    if (f->resolution_ps) {
        say(out, ", resolution ", f->resolution_ps, " ns");
        say(out, ", a reading takes ", f->read_ps, " ns");
    } else if (f->resolution) {
        fmt(out, "; resolution %llu, a reading takes %llu counts",
            (unsigned long long)f->resolution, (unsigned long long)f->read);
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
            fmt(out, "not here: %s", found[id].why);
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
    json_member(j, name);
    json_raw(j, text, thousandths(text, sizeof text, ps));
}

void timer_survey_record(const char *kind, const char *words, const struct timer_found found[],
                         unsigned ids, struct report *r)
{
    char name[TIMER_NAME_MAX];
    struct json j;
    for (unsigned id = 0; id < ids; id++) {
        const struct timer_found *f = &found[id];
        if (!report_record(r, &j, "timer"))
            return;
        timer_name(words, id, name);
        json_str(&j, "kind", kind);
        json_str(&j, "name", name);
        json_bool(&j, "initialises", !f->why);
        if (f->why)
            json_str(&j, "why", f->why);
        if (f->hz)
            json_u64(&j, "hz", f->hz);
        if (f->resolution)
            json_u64(&j, "resolution_counts", f->resolution);
        if (f->resolution && !f->hz)
            json_u64(&j, "read_counts", f->read);
        record_ns(&j, "resolution_ns", f->resolution_ps);
        record_ns(&j, "read_ns", f->read_ps);
        json_end(&j);
    }
}
