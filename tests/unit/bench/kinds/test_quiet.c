/*
 * All cores watch at once, on a machine whose TSC is simulated: each core is stopped at known times
 * for known times, and every such gap must be found with its length.
 */
#include "tests/unit/cmocka_unit.h"
#include "tests/unit/linked_tsc.h"

#include "bench/output/kinds_show.h"
#include "bench/engine/guard.h"
#include "bench/engine/barrier.h"
#include "bench/engine/poll.h"
#include "bench/kinds/team.h"
#include "bench/engine/plan.h"
#include "bench/kinds/kinds.h"
#include "tests/unit/close.h"

#define CORES  3
#define HZ     5000000ull /* five ticks a us */
#define US     5ull
#define STEP   3 /* ticks of a reading */
#define TRAINS 2
#define NONE   CORES

struct train {
    uint64_t every, ticks, first, due;
};

/* --- the machine ------------------------------------------------------------------------------ */

static struct {
    uint64_t now;                      /* the TSC */
    struct train train[CORES][TRAINS]; /* of gaps; every 0: none */
    unsigned here;                     /* the core that runs */
    unsigned absent;                   /* a core that does not reach the start */
    bool starved;                      /* it got no CPU */
    unsigned late;                     /* rendezvous for which it does not */
    unsigned aborted;                  /* a core that is aborted in its second stretch */
    unsigned polls, stop_at;           /* of the key; the poll at which the user stops the run */
    unsigned shown;                    /* progress lines */
    double part;                       /* of the last one */
    unsigned rendezvous, running;      /* rows begun and not ended, on all cores */
    uint64_t own, own_every, own_due;  /* NMIs of the program, and how often they come */
    uint64_t smis[CORES];
} made;

uint64_t tsc_now(void)
{
    return made.now;
}

uint64_t tsc_unfenced(void)
{
    made.now += STEP;
    for (unsigned i = 0; i < TRAINS; i++) {
        struct train *t = &made.train[made.here][i];
        if (t->every == 0 || made.now < t->due)
            continue;
        made.now += t->ticks;
        made.smis[made.here]++;
        t->due += t->every;
    }
    if (made.own_every && made.now >= made.own_due) {
        made.now += 500 * US;
        made.own++;
        made.own_due += made.own_every;
    }
    return made.now;
}

static uint64_t smis(void)
{
    return 7 + made.smis[made.here];
}

static uint64_t nmis(void)
{
    return 0;
}

static uint64_t own_nmis(void)
{
    return made.own;
}

static void row_begin(const struct platform *p, const char *suite, const char *name, uint64_t ran)
{
    assert_string_equal(suite, "quiet");
    assert_string_equal(name, "gaps");
    made.running++;
}

static void row_longer(const struct platform *p, unsigned ms)
{
}

static void row_end(const struct platform *p)
{
    made.running--;
}

static uint64_t starved(const struct platform *p, unsigned *core)
{
    *core = made.absent;
    return made.starved ? PLATFORM_STARVED_NS : 0;
}

static struct platform_cores cores = {.count = CORES, .starved = starved};
static struct platform platform = {.row.begin = row_begin,
                                   .row.longer = row_longer,
                                   .row.end = row_end,
                                   .events.nmis = nmis,
                                   .events.own_nmis = own_nmis,
                                   .events.smis = smis,
                                   .cores = &cores};

/* --- the rest of bench/ ----------------------------------------------------------------------- */

static struct bench row = {.suite = "quiet", .name = "gaps", .kind = &kind_watch};

uint64_t gate_patience(const struct engine *e, uint64_t ticks)
{
    return 1000;
}

int barrier_pass(struct barrier *b, unsigned place, uint64_t patience)
{
    return made.absent != NONE && made.rendezvous <= made.late ? (int)made.absent : BARRIER_GO;
}

void barrier_leave(struct barrier *b, unsigned place)
{
}

bool guard_run(const struct engine *e, struct outcome *of, void (*fn)(void *ctx), void *ctx)
{
    fn(ctx);
    if (e->facts.core != made.aborted || made.rendezvous < 2)
        return true;
    of->ended = true;
    outcome_fail(of, ROW_WRONG, "#UD");
    return false;
}

bool poll_go_on(const struct engine *e)
{
    assert_int_equal(made.running, 0); /* no core watches while the boot core polls */
    if (++made.polls == made.stop_at)
        e->poll->stopped = true;
    return !e->poll->stopped;
}

void poll_show(const struct engine *e, double done)
{
    assert_int_equal(made.running, 0);
    made.shown++;
    made.part = done;
}

static struct plan plan;
static struct plan_core plan_cores[CORES];

struct plan_core *plan_core(struct plan *of, unsigned core)
{
    return &of->core[core];
}

bool plan_starved(const struct plan *of, unsigned *core)
{
    return of->p->cores->starved(of->p, core) >= PLATFORM_STARVED_NS;
}

/* One after another, but each from the same time on. */
const char *plan_on_all(struct plan *of, const unsigned *places, unsigned n,
                        void (*fn)(void *, unsigned), void *ctx)
{
    uint64_t began = made.now, ended = began;

    made.rendezvous++;
    for (unsigned i = 0; i < n; i++) {
        of->present[i] = of->list[places[i]];
        of->core[places[i]].gate.place = i;
    }
    for (unsigned i = 0; i < n; i++) {
        made.here = of->present[i];
        made.now = began;
        made.own_due = made.own_every ? (began / made.own_every + 1) * made.own_every : 0;
        for (unsigned k = 0; k < TRAINS; k++) {
            struct train *t = &made.train[made.here][k];
            t->due = t->every ? made.now / t->every * t->every + t->first : 0;
            t->due += t->due <= made.now ? t->every : 0;
        }
        fn(ctx, of->present[i]);
        ended = made.now > ended ? made.now : ended;
    }
    made.here = 0;
    made.now = ended + HZ / 100; /* the boot core polls, and starts them again */
    return NULL;
}

/* --- the tests -------------------------------------------------------------------------------- */

static struct options options;
static struct poll poll;
static unsigned list[CORES] = {0, 1, 2}, present[CORES], places[CORES];
static const struct run_facts *facts[CORES];

static void reset(void)
{
    memset(&made, 0, sizeof made);
    made.absent = made.aborted = NONE;
    memset(&poll, 0, sizeof poll);
    memset(plan_cores, 0, sizeof plan_cores);
    options_default(&options);
    options.quiet_time = 1;
    free(plan.shared);
    plan = (struct plan){.p = &platform,
                         .o = &options,
                         .n = CORES,
                         .all = CORES,
                         .core = plan_cores,
                         .list = list,
                         .facts = facts,
                         .present = present,
                         .places = places,
                         .poll = &poll,
                         .shared = calloc(1, kind_watch.memory(&options, CORES))};
    plan.cores = (struct run_cores){.n = CORES, .all = CORES, .list = list, .facts = facts};
    for (unsigned i = 0; i < CORES; i++) {
        plan_cores[i].engine.p = &platform;
        plan_cores[i].engine.poll = &poll;
        plan_cores[i].engine.facts = (struct run_facts){.o = &options,
                                                        .platform = "uefi",
                                                        .core = i,
                                                        .tsc_hz = HZ,
                                                        .counts_smis = true,
                                                        .execution = EXEC_SILICON};
        facts[i] = &plan_cores[i].engine.facts;
    }
}

static const struct quiet *watch(const struct bench *b)
{
    return (const struct quiet *)(const void *)kind_watch.measure(&plan, b, 0);
}

static void release(void)
{
    free(plan.shared);
    plan.shared = NULL;
}

BEFORE_EACH(reset);
AFTER_EACH(release);

TEST(an_undisturbed_machine_has_no_gap)
{
    options.quiet_time = 3;
    const struct quiet *q = watch(&row);
    assert_int_equal(q->out.status, ROW_OK);
    assert_true(q->complete);
    assert_int_equal(q->n, CORES);
    assert_int_equal(made.rendezvous, 3); /* stretches of a second */
    assert_int_equal(made.shown, 3);
    assert_true(made.part == 1);
    for (unsigned k = 0; k < CORES; k++) {
        const struct watch *w = &q->watch[k];
        assert_int_equal(w->gaps.typical, STEP);
        assert_int_equal(w->gaps.count, 0);
        assert_int_equal(w->periods.n, 0);
        assert_true(w->gaps.watched >= 3 * HZ && w->gaps.watched < 3 * HZ + 1000);
        assert_int_equal(w->smis_after, w->smis_before);
        assert_true(gaps_wait(&w->gaps, QUIET_SHARE) == 0);
    }
}

/* Each core has other gaps; each of them is found with its length and its time, to 1 us. */
TEST(planted_gaps_are_measured_to_1_us)
{
    options.quiet_time = 3;
    made.train[0][0] = (struct train){.every = 10000 * US, .ticks = 20 * US};
    made.train[1][0] = (struct train){.every = 100000 * US, .ticks = 350 * US};
    made.train[1][1] = (struct train){.every = 7000 * US, .ticks = 9 * US, .first = 1500 * US};
    const struct quiet *q = watch(&row);
    assert_int_equal(q->out.status, ROW_OK);
    for (unsigned k = 0; k < 2; k++) {
        const struct watch *w = &q->watch[k];
        uint64_t longest = made.train[k][0].ticks;
        assert_close((double)w->gaps.longest.ticks, (double)longest, US);
        assert_int_equal(w->gaps.count, w->smis_after - w->smis_before);
        assert_int_equal(w->out.smis, w->gaps.count);
        assert_int_equal(w->smis_before, 7);
        for (size_t i = 0; i < w->gaps.first[0].n; i++) {
            const struct gap *g = &w->gaps.first[0].gap[i];
            uint64_t at = g->at + w->began;
            double off = (double)(at % made.train[k][0].every),
                   other = (double)((at + 5500 * US) % (7000 * US));
            bool is_longest = g->ticks > longest - US;
            assert_close((double)g->ticks, is_longest ? (double)longest : 9.0 * US, US);
            /* It begins with the last reading before it was due. */
            off = is_longest ? (double)made.train[k][0].every - off : 7000.0 * US - other;
            assert_close(off, 0, US);
        }
    }
    /* 3 s in stretches: a gap that is due between two is not seen. */
    assert_true(q->watch[0].gaps.count >= 295 && q->watch[0].gaps.count <= 300);
    assert_int_equal(q->watch[0].periods.n, 1);
    assert_close(q->watch[0].periods.found[0].ticks, 10000 * US, US);
    assert_int_equal(q->watch[1].periods.n, 2);
    assert_close(q->watch[1].periods.found[0].ticks, 100000 * US, US);
    assert_close(q->watch[1].periods.found[1].ticks, 7000 * US, US);
    assert_int_equal(q->watch[2].gaps.count, 0);
    struct quiet_sum s = quiet_sum(q);
    assert_int_equal(s.longest, 1);
    assert_int_equal(s.wait, 1);
    assert_int_equal(s.result, QUIET_NOT_ASKED);
    /* Of 3 s, 30 us are left out, of 30 gaps of 350 us: the last 349 us of each remain. */
    assert_close(s.wait_ticks, 349 * US, US);
}

TEST(gaps_that_a_row_plants_are_found)
{
    struct bench planted = row;

    planted.of = &(const struct bench_gaps){{{1000, 20}, {7300, 150}}};
    const struct quiet *q = watch(&planted);
    for (unsigned k = 0; k < CORES; k++) {
        const struct gaps *g = &q->watch[k].gaps;
        assert_close((double)g->longest.ticks, 150 * US, US);
        assert_close((double)g->first[1].gap[0].ticks, 20 * US, US);
        assert_int_equal(gaps_in_class(g, 2), 137); /* of 150 us: 1 s / 7.3 ms */
        assert_true(g->count >= 137 + 980 && g->count <= 137 + 1000);
        assert_int_equal(q->watch[k].periods.n, 2);
    }
}

TEST(an_nmi_of_the_program_is_not_a_gap)
{
    made.own_every = made.own_due = HZ / 10;
    const struct quiet *q = watch(&row);
    assert_true(made.own > 25);
    for (unsigned k = 0; k < CORES; k++)
        assert_int_equal(q->watch[k].gaps.count, 0);
}

TEST(a_limit_is_judged_only_if_it_is_asked_for)
{
    static const struct {
        uint32_t most;
        enum quiet_result result;
    } cases[] = {{0, QUIET_NOT_ASKED}, {19, QUIET_FAIL}, {22, QUIET_PASS}};

    EACH_CASE (c, cases) {
        reset();
        made.train[2][0] = (struct train){.every = 100000 * US, .ticks = 20 * US};
        options.gaps_max = c->most;
        const struct quiet *q = watch(&row);
        assert_int_equal(quiet_sum(q).result, c->result);
        for (unsigned k = 0; k < CORES; k++)
            assert_int_equal(quiet_exceeds(q, k), k == 2 && c->result == QUIET_FAIL);
    }
}

TEST(a_user_stops_the_run)
{
    options.quiet_time = 3;
    made.stop_at = 2;
    made.train[1][0] = (struct train){.every = 100000 * US, .ticks = 20 * US};
    options.gaps_max = 100;
    const struct quiet *q = watch(&row);
    assert_false(q->complete);
    assert_int_equal(q->out.status, ROW_OK);
    assert_int_equal(made.rendezvous, 1);
    assert_true(q->watch[1].gaps.count >= 9);
    assert_int_equal(quiet_sum(q).result, QUIET_NOT_JUDGED);
    reset();
    options.quiet_time = 3;
    made.stop_at = 2;
    made.train[1][0] = (struct train){.every = 100000 * US, .ticks = 20 * US};
    options.gaps_max = 10; /* a longer gap is one, however short the watch */
    assert_int_equal(quiet_sum(watch(&row)).result, QUIET_FAIL);
}

/* It is named. Where the system may give a core no CPU that is not a failure. */
TEST(a_core_that_does_not_answer_is_named)
{
    for (unsigned i = 0; i < 2; i++) {
        reset();
        made.absent = 1;
        made.late = 1000;
        made.starved = i == 0;
        options.gaps_max = 100;
        const struct quiet *q = watch(&row);
        assert_int_equal(q->out.status, made.starved ? ROW_UNSUPPORTED : ROW_WRONG);
        assert_non_null(strstr(q->out.why, "core 1 "));
        assert_false(q->complete);
        assert_int_equal(made.rendezvous, 3);
        assert_int_equal(made.running, 0);
        assert_int_equal(quiet_sum(q).cores, 0);
        assert_int_equal(quiet_sum(q).result, QUIET_NOT_JUDGED);
    }
    reset();
    made.absent = 1;
    made.late = 2; /* then it comes */
    assert_true(watch(&row)->complete);
}

TEST(an_aborted_core_fails_the_row_and_is_named)
{
    options.quiet_time = 3;
    made.aborted = 2;
    const struct quiet *q = watch(&row);
    assert_int_equal(q->out.status, ROW_WRONG);
    assert_string_equal(q->out.why, "core 2: #UD");
    assert_false(q->complete);
    assert_true(q->watch[2].out.ended);
    assert_int_equal(quiet_sum(q).cores, CORES); /* with what they watched until then */
}

TEST(a_core_that_is_gone_is_left_out)
{
    plan_cores[1].gone = "#UD";
    options.gaps_max = 100;
    const struct quiet *q = watch(&row);
    assert_int_equal(q->n, 2);
    assert_true(q->complete);
    assert_int_equal(q->watch[1].began, 0);
    assert_int_equal(quiet_sum(q).cores, 2);
    assert_int_equal(quiet_sum(q).result, QUIET_NOT_JUDGED);
}

TEST(the_duration_of_the_watch_follows_quiet_time)
{
    struct engine *e = &plan_cores[0].engine;

    assert_true(kind_watch.guess(e, &row) == (double)(HZ));
    options.quiet_time = 0;
    assert_true(kind_watch.guess(e, &row) == (double)(QUIET_TIME_AUTO * HZ));
    e->facts.execution = EXEC_INSTRUCTIONS; /* 10 ms: no gap can occur */
    assert_true(kind_watch.guess(e, &row) == (double)(HZ / 100));
    options.quiet_time = 604800;
    e->facts.tsc_hz = 1e10;
    assert_true(kind_watch.guess(e, &row) == (double)(6048000000000000));
}
