/* Rendezvous for which a core is late, and figures with intervals, on a platform whose cores are
 * functions. */
#include "tests/unit/cmocka_unit.h"
#include "tests/unit/fake_tsc.h"

#include "bench/engine/guard.h"
#include "bench/engine/barrier.h"
#include "bench/engine/poll.h"
#include "bench/kinds/team.h"
#include "bench/kinds/kinds.h"
#include "bench/kinds/exchange.h"
#include "bench/engine/plan.h"
#include "lib/stats/mathx.h"
#include "lib/stats/stats.h"

#define CORES 2

/* What happens in the next rendezvous. */
static struct {
    unsigned late;               /* rendezvous for which core 1 comes too late */
    unsigned ended;              /* of core 1's parts, by the deadline */
    bool ended_as_it_waits;      /* core 0's part is ended too, or instead, */
    bool starved, lost;          /* because it got no CPU; and an operation is lost */
    bool changed;                /* core 1's part returns with changed state */
    unsigned rendezvous, longer; /* so far */
    uint64_t patience;           /* of the last one */
    bool alone;                  /* the last one is of one core */
    int64_t ahead;               /* of core 1's TSC */
} plant;

static struct platform platform;
static struct plan plan;
static struct plan_core plan_cores[CORES];
static unsigned list[CORES] = {0, 1}, present[CORES], room[CORES];
static struct team team;
static struct team_core team_cores[CORES];
static struct team_line lines[1];
static struct pair pairs[1];
const struct kind kind_team = {.name = "cores"};
static struct bench bench = {.suite = "s", .name = "row", .kind = &kind_team};

static uint64_t starved(const struct platform *p, unsigned *core)
{
    assert_ptr_equal(p, &platform);
    *core = 1;
    return plant.starved ? PLATFORM_STARVED_NS : PLATFORM_STARVED_NS - 1;
}

bool plan_starved(const struct plan *of, unsigned *core)
{
    return of->p->cores->starved(of->p, core) >= PLATFORM_STARVED_NS;
}

static void row_begin(const struct platform *p, const char *suite, const char *name, uint64_t ran)
{
}

static void row_end(const struct platform *p)
{
}

static void row_longer(const struct platform *p, unsigned ms)
{
    plant.longer++;
}

const char *plan_on_all(struct plan *of, const unsigned *places, unsigned n,
                        void (*fn)(void *, unsigned), void *ctx)
{
    plant.rendezvous++;
    plant.patience = team.patience;
    plant.alone = n == 1;
    for (unsigned i = 0; i < n; i++)
        of->present[i] = of->list[places[i]];
    for (unsigned i = 0; i < n; i++)
        fn(ctx, of->list[places[i]]);
    return NULL;
}

static bool is_late(void)
{
    return plant.rendezvous <= plant.late;
}

int barrier_pass(struct barrier *b, unsigned place, uint64_t patience)
{
    assert_int_equal(patience, team.patience);
    return !plant.alone && is_late() ? 1 : BARRIER_GO;
}

void barrier_leave(struct barrier *b, unsigned place)
{
}

bool guard_run(const struct engine *e, struct outcome *out, void (*fn)(void *ctx), void *ctx)
{
    unsigned core = e->facts.core;

    fn(ctx);
    if (plant.changed && core == 1) {
        outcome_fail(out, ROW_WRONG, "the body changed DR0");
        return false;
    }
    if (!(core == 1 ? plant.ended : plant.ended_as_it_waits) || out == &team.met.row.out)
        return true;
    plan_cores[core].waits = core == 0;
    out->ended = true;
    outcome_fail(out, ROW_WRONG, "it ran longer");
    return false;
}

bool poll_go_on(const struct engine *e)
{
    return true;
}

void exchange_init(struct exchange *x, bool stamped, bool silicon, uint64_t patience)
{
    assert_int_equal(patience, team.patience);
    memset(x, 0, sizeof *x);
    x->round_trips = 1;
}

/* The n-th rendezvous takes 20 n ticks, or 20 n - 2 and 20 n + 2; and has bounds as far apart. */
void exchange_play(struct exchange *x, unsigned side)
{
    x->moves[side] = 1;
    for (unsigned i = 0; i < EXCHANGE_BATCHES; i++)
        x->ticks[i] = 20 * plant.rendezvous + 2 - 2 * i;
    x->ahead_least = plant.ahead - plant.rendezvous % 5;
    x->ahead_most = plant.ahead + plant.rendezvous % 7;
}

bool exchange_complete(const struct exchange *x)
{
    return x->moves[0] && x->moves[1];
}

static bool batch(struct team *c, unsigned place, unsigned operations)
{
    c->core[place].word += operations;
    return true;
}

static uint64_t counted(const struct team *c, unsigned cores)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < cores; i++)
        sum += c->core[i].word;
    return sum - plant.lost;
}

static void contention(struct team *c)
{
    team_contention(c, batch, 1, counted);
}

/* The n-th shootdown takes 100 n ticks of this part. */
#define PART PLATFORM_SHOOTDOWN_INVALIDATE

static const char *shootdown(const struct platform *p, const unsigned *list_of, unsigned n,
                             struct platform_shootdown *shot, unsigned shots)
{
    assert_ptr_equal(p, &platform);
    assert_int_equal(n, 1);
    assert_int_equal(list_of[0], 1);
    for (unsigned i = 0; i < shots; i++)
        shot[i].part[PART] = 100 * ++plant.rendezvous;
    return NULL;
}

static bool wake(const struct platform *p, unsigned core, int64_t *ticks)
{
    assert_ptr_equal(p, &platform);
    assert_int_equal(core, 1);
    *ticks = 100 * ++plant.rendezvous;
    return true;
}

static const struct platform_cores cores = {.count = CORES,
                                            .starved = starved,
                                            .shootdown = shootdown,
                                            .wake = wake},
                                   cores_that_run = {.count = CORES};

static void start(void)
{
    memset(&plant, 0, sizeof plant);
    memset(&team, 0, sizeof team);
    memset(plan_cores, 0, sizeof plan_cores);
    platform = (struct platform){
        .row.begin = row_begin, .row.end = row_end, .row.longer = row_longer, .cores = &cores};
    plan = (struct plan){.p = &platform,
                         .n = CORES,
                         .all = CORES,
                         .core = plan_cores,
                         .list = list,
                         .present = present,
                         .places = room};
    plan_cores[1].engine.facts.core = 1;
    team.plan = &plan;
    team.core = team_cores;
    team.shared = lines;
    team.met.pair = pairs;
    team.met.row.out.bench = &bench;
    team.duration = 1;
    team.patience = 1000;
}

BEFORE_EACH(start);

static void judged(enum row_status status, const char *why)
{
    assert_int_equal(team.met.row.out.status, status);
    if (why)
        assert_non_null(strstr(team.met.row.out.why, why));
    else
        assert_null(team.met.row.out.why);
}

/* A contention of one core, then of both; or one pair. */
static void (*const meets[])(struct team *) = {contention, team_pingpong, team_skew};
#define EACH_MEETING(m_) for (size_t m_ = 0; m_ < sizeof meets / sizeof *meets; m_++, start())

TEST(a_core_that_is_late_for_a_while_fails_nothing)
{
    EACH_MEETING(m)
    {
        plant.late = meets[m] == contention ? 3 : 2; /* the first is of core 0 alone */
        meets[m](&team);
        judged(ROW_OK, NULL);
        assert_int_equal(plant.rendezvous, plant.late + 1);
        assert_int_equal(plant.longer, 2);
        assert_true(plant.patience >= 4 * 4 * 1000);
    }
}

TEST(a_core_that_is_missing_is_judged_by_the_cause)
{
    static const char no_cpu[] = "core 1 was not given the CPU in time",
                      late[] = "core 1 did not reach the start", lost[] = "all exchanges",
                      longer[] = "core 1: it ran longer",
                      changed[] = "core 1: the body changed DR0";

    static const struct {
        unsigned late, ended;
        bool starved, changed, runs; /* runs: every core does, as on the bare machine */
        enum row_status status;
        const char *contention, *pair;
        unsigned rendezvous; /* at most, of a pair; 0: any number */
    } cases[] = {
        {.late = 100, .starved = true, false, false, ROW_UNSUPPORTED, no_cpu, no_cpu, 4},
        {.late = 100, .status = ROW_WRONG, late, lost, 0},
        {.late = 100, .starved = true, .runs = true, ROW_WRONG, late, lost, 1}, /* at once */
        {.ended = 1, .starved = true, .status = ROW_WRONG, longer, longer, 0},
        {.changed = true, .status = ROW_WRONG, changed, changed, 0},
    };

    EACH_CASE (c, cases)
        EACH_MEETING(m)
        {
            bool alone_first = meets[m] == contention;
            platform.cores = c->runs ? &cores_that_run : &cores;
            plant.late = c->late;
            plant.ended = c->ended;
            plant.ended_as_it_waits = c->ended && m == 1;
            plant.starved = c->starved;
            plant.changed = c->changed;
            meets[m](&team);
            judged(c->status, alone_first ? c->contention : c->pair);
            assert_true(!c->rendezvous ||
                        plant.rendezvous <= c->rendezvous + (c->runs && alone_first));
        }
}

TEST(a_part_that_is_ended_while_it_waits_for_a_starved_core_is_not_judged)
{
    plant.ended_as_it_waits = true;
    plant.starved = true;
    team_pingpong(&team);
    judged(ROW_UNSUPPORTED, "core 1 was not given the CPU in time");
    start();
    plant.ended_as_it_waits = true;
    team_pingpong(&team);
    judged(ROW_WRONG, "core 0: it ran longer");
}

/* Although a plan of cores=types lists the cores that measure first. */
TEST(cores_take_part_in_the_order_of_their_numbers)
{
    list[0] = 1;
    list[1] = 0;
    assert_int_equal(team_take_places(&team), 2);
    assert_int_equal(team.places[0], 1);
    assert_int_equal(team.places[1], 0);
    list[0] = 0;
    list[1] = 1;
}

TEST(lost_operations_fail)
{
    plant.lost = true;
    plant.starved = true;
    contention(&team);
    judged(ROW_WRONG, "operations were lost");
}

/* --- passes and intervals --------------------------------------------------------------------- */

#define STEP 26

static void on_silicon(void)
{
    team.silicon = true;
    plan_cores[0].engine.facts.step = STEP;
}

/* The figures of the passes are least, least + step ...: the interval has all of them and the error
 * of the TSC's step. */
static void has_interval(const struct estimate *e, double least, double step, double per)
{
    double most = least + (MEETING_PASSES - 1) * step;

    assert_int_equal(e->by, ESTIMATE_RANKS);
    assert_int_equal(e->rank, 1);
    assert_true(e->confidence >= ESTIMATE_LEVEL);
    assert_float_equal(e->theta, (least + most) / 2, 1e-9);
    assert_true(e->within > STEP / per / 10 && e->within < STEP / per);
    assert_float_equal(e->lo, least - e->within, 1e-9);
    assert_float_equal(e->hi, most + e->within, 1e-9);
}

TEST(a_figure_of_pairs_is_the_median_of_passes_with_an_interval)
{
    on_silicon();
    team_pingpong(&team);
    judged(ROW_OK, NULL);
    assert_int_equal(plant.rendezvous, MEETING_PASSES);
    assert_int_equal(team.met.passes, MEETING_PASSES);
    assert_int_equal(team.met.pairs, 1);
    has_interval(&team.met.ticks, 10, 10, 2);
    assert_float_equal(team.met.row.figure.ticks, team.met.ticks.theta, 0);
    assert_float_equal(pairs[0].least, 9, 1e-9);
    assert_float_equal(pairs[0].median, 60, 1e-9);
    assert_float_equal(pairs[0].greatest, 111, 1e-9);
}

/* Every bound holds, so those of a pair are the narrowest of all passes. */
TEST(bounds_of_a_skew_are_the_narrowest)
{
    on_silicon();
    plant.ahead = -500;
    team_skew(&team);
    judged(ROW_OK, NULL);
    assert_float_equal(pairs[0].least, -500, 0);    /* rendezvous 5 and 10 */
    assert_float_equal(pairs[0].greatest, -500, 0); /* rendezvous 7 */
    assert_float_equal(pairs[0].median, -500, 0);
    assert_true(team.met.ticks.lo < 500 && team.met.ticks.theta > 495);
    assert_true(team.met.ticks.hi > 500);
}

TEST(signals_have_an_interval)
{
    on_silicon();
    team_wake(&team);
    judged(ROW_OK, NULL);
    has_interval(&team.met.ticks, 200, 300, 1);
    assert_int_equal(team.met.pairs_all, 1);
    assert_float_equal(pairs[0].least, 100, 0);
    assert_float_equal(pairs[0].greatest, 3300, 0);
}

TEST(shootdowns_have_an_interval)
{
    on_silicon();
    bench.arg = PART;
    team_shootdown(&team);
    judged(ROW_OK, NULL);
    has_interval(&team.met.ticks, 200, 300, 1);
    assert_int_equal(team.met.contentions, 1);
    assert_int_equal(team.met.contention[0].cores, 1);
    has_interval(&team.met.contention[0].ticks, 200, 300, 1);
    assert_float_equal(team.met.contention[0].least, 100, 0);
    assert_float_equal(team.met.contention[0].greatest, 3300, 0);
}

TEST(each_number_of_cores_in_contention_has_an_interval)
{
    on_silicon();
    contention(&team);
    judged(ROW_OK, NULL);
    assert_int_equal(plant.rendezvous, 2 * MEETING_PASSES);
    assert_int_equal(team.met.contentions, 2);
    for (unsigned i = 0; i < 2; i++) {
        const struct contention *k = &team.met.contention[i];
        assert_int_equal(k->cores, i + 1);
        has_interval(&k->ticks, FAKE_TSC_STEP, 0, 1);
        assert_float_equal(k->least, FAKE_TSC_STEP, 0);
        assert_float_equal(k->greatest, FAKE_TSC_STEP, 0);
    }
    assert_float_equal(team.met.row.figure.ticks, team.met.contention[1].ticks.theta, 0);
}

TEST(a_core_may_be_late_in_each_pass)
{
    on_silicon();
    plant.late = 2;
    team_pingpong(&team);
    judged(ROW_OK, NULL);
    assert_int_equal(plant.longer, 2);
    assert_int_equal(plant.patience, 1000); /* of the last pass, in which none is late */
}

/* Its times are not judged. */
TEST(an_emulator_has_one_pass_and_no_interval)
{
    EACH_MEETING(m)
    {
        meets[m](&team);
        judged(ROW_OK, NULL);
        assert_int_equal(team.met.passes, 1);
        assert_false(is_known(team.met.ticks.lo) || is_known(team.met.ticks.hi));
    }
}
