#include "bench/engine/method.h"
#include "bench/api/tsc.h"
#include "bench/engine/cycle.h"
#include "bench/engine/witness.h"
#include "bench/engine/poll.h"
#include "lib/stats/mathx.h"
#include "lib/stats/clock_rate.h"
#include "lib/text/fmt.h"

/* If a row sets no limit. */
#define OPERATIONS_MOST (1ull << 40)
/* Directions from the empty loop to the body and back; even. */
#define WAYS 4
/* Windows of the ruler per direction: if the TSC's step is a fifth of the ruler's growth, its mean
 * is then accurate to 1%. */
#define RULER_WINDOWS 128

/* The duration of an interval: by clock=, by the TSC within the window, by the cycle counter. */
struct stretch {
    bool timed;
    double seconds, ticks, cycles;
};

/* Finds the seconds between two readings of the clock; the ticks tell how often it wrapped. */
static bool seconds_between(const struct timer *t, uint64_t from, uint64_t to, uint64_t ticks,
                            double *seconds)
{
    double steps, hz = (double)t->hz / t->hz_per;
    bool known = clock_steps(from, to, t->bits, (double)ticks / (double)t->tsc_hz * hz, &steps);

    *seconds = steps / hz;
    return known;
}

/* Reads the ticks around an interval, next to its seconds, if cycle=rdtscp. */
static bool ticks_by_rdtscp(struct engine *e, uint64_t *ticks)
{
    return cycle_is(&e->facts.cycle, CYCLE_RDTSCP) && timer_read(&e->facts.cycle.source, ticks);
}

/* Takes n operations in one window, timed from outside: body and empty body must differ in nothing
 * else between the readings. */
static struct stretch take_stretch(struct taking *t, enum window_kind k, uint64_t n)
{
    struct engine *e = t->e;
    struct window_result w;
    uint64_t from = 0, to = 0, began = 0, ended = 0;

    if (k == KIND_BODY)
        stream_warm_wide(t);
    double level = witness_read_before(e);
    struct cycle_mark before = cycle_begin(e);
    bool read = timer_read(&e->facts.clock, &from);
    bool by_rdtscp = ticks_by_rdtscp(e, &began);

    if (!stream_window(t, k, n, &w))
        t->row->taken.errors++;
    by_rdtscp = by_rdtscp && ticks_by_rdtscp(e, &ended);
    read = timer_read(&e->facts.clock, &to) && read;
    struct cycle_mark after = cycle_end(e);
    witness_note(e, level, witness_read(e), t->row);
    struct stretch s = {.ticks = (double)(by_rdtscp ? ended - began : w.ticks),
                        .cycles = cycle_between(e, &before, &after)};
    if (k == KIND_BODY && t->wide.used)
        t->wide.at = tsc_now();
    s.timed = read && seconds_between(e->facts.clock.used, from, to, w.ticks, &s.seconds);
    t->row->taken.unread += e->facts.cycle.counter.used && !is_known(s.cycles);
    return s;
}

/*
 * Returns whether a window of `ops` operations is shorter than the target; then grow() starts from
 * it. Runs of 1, 2, 4... iterations train a branch predictor on lengths that do not recur: on a Zen
 * 5 a loop of calls then took one cycle per iteration more, for seconds.
 */
static bool window_is_short(struct taking *t, double target)
{
    struct stretch s = take_stretch(t, KIND_BODY, t->row->out.bench->ops);

    return t->e->facts.tsc_hz > 0 && s.ticks / t->e->facts.tsc_hz < target;
}

static uint64_t grow(struct taking *t)
{
    const struct bench *b = t->row->out.bench;
    double target = t->e->facts.o->target * 1e-6;
    struct adaptive a;

    adaptive_start(&a, target, bench_grain(b),
                   b->window.most_ops ? b->window.most_ops : OPERATIONS_MOST);
    if (window_is_short(t, target))
        a.n = b->ops;
    while (a.state == ADAPTIVE_MORE && poll_go_on(t->e)) {
        struct stretch s = take_stretch(t, KIND_BODY, a.n);
        adaptive_add(&a, s.timed, s.seconds);
    }
    t->row->method.state = a.state;
    return a.n;
}

/* The differences of body and empty loop, one per direction. */
struct differences {
    struct lag1 seconds, ticks, cycles;
};

static void note(struct differences *d, const struct stretch *body, const struct stretch *empty)
{
    lag1_add(&d->ticks, body->ticks - empty->ticks);
    if (body->timed && empty->timed)
        lag1_add(&d->seconds, body->seconds - empty->seconds);
    if (is_known(body->cycles - empty->cycles))
        lag1_add(&d->cycles, body->cycles - empty->cycles);
}

static void go_there_and_back(struct taking *t, uint64_t n, struct differences *d)
{
    struct method_result *m = &t->row->method;
    struct stream ruler, ruler2;
    const uint64_t spoils = engine_spoils(t->e);

    stream_open(t, &ruler, KIND_RULER, &m->ruler, WAYS * RULER_WINDOWS);
    stream_open(t, &ruler2, KIND_RULER2, &m->ruler2, WAYS * RULER_WINDOWS);
    take_stretch(t, KIND_EMPTY, n); /* warms the empty loop; the body is warm */
    for (unsigned way = 0; way < WAYS && poll_go_on(t->e); way++) {
        bool there = way % 2 == 0;
        struct stretch first = take_stretch(t, there ? KIND_EMPTY : KIND_BODY, n);
        stream_block(t, there ? &ruler : &ruler2, RULER_WINDOWS);
        stream_block(t, there ? &ruler2 : &ruler, RULER_WINDOWS);
        struct stretch last = take_stretch(t, there ? KIND_BODY : KIND_EMPTY, n);
        note(d, there ? &last : &first, there ? &first : &last);
    }
    t->row->taken.disturbed += engine_spoils(t->e) != spoils;
}

/* Returns the mean and its error. `unit`: the clock's resolution. */
static struct method_total total(const struct lag1 *differences, double unit)
{
    struct estimate_part mean = estimate_stream(differences);
    double half = estimate_half(mean.se, differences->all.n);

    return (struct method_total){is_known(half), mean.value, half + unit};
}

void adaptive_take(struct taking *t)
{
    struct engine *e = t->e;
    struct row *row = t->row;
    struct method_result *m = &row->method;
    struct differences d = {0};
    uint64_t again = e->facts.clock.again, failed = e->facts.clock.failed;
    double exact = e->facts.execution == EXEC_INSTRUCTIONS;

    m->operations = grow(t);
    if (m->state != ADAPTIVE_NO_CLOCK)
        go_there_and_back(t, m->operations, &d);
    m->clock_again = e->facts.clock.again - again;
    m->clock_failed = e->facts.clock.failed - failed;
    double count = e->facts.clock.used
                       ? (double)e->facts.clock.used->hz_per / (double)e->facts.clock.used->hz
                       : 0;
    double step = exact ? 0 : e->facts.step;
    if (e->facts.tsc_hz > 0 && step / e->facts.tsc_hz > count)
        count = step / e->facts.tsc_hz;
    m->seconds = total(&d.seconds, count);
    m->in_ticks = total(&d.ticks, step);
    m->by_counter = total(&d.cycles, 1);
    if (m->seconds.valid)
        return;
    fmt_buf(row->out.said, sizeof row->out.said,
            "no seconds: the clock %s could not be read around the stretches; %llu readings failed",
            e->facts.clock.used ? e->facts.clock.used->name : "of clock=",
            (unsigned long long)m->clock_failed);
    outcome_fail(&row->out, ROW_WRONG, row->out.said);
}
