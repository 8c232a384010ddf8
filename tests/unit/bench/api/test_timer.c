/* Choice, fallback and retries, with planted timers. */
#include "tests/unit/text.h"
#include "bench/api/report.h"
#include "bench/api/survey.h"
#include "bench/api/timer.h"

struct planted {
    const char *refuses;
    unsigned again; /* readings to come that are spoilt */
    bool fails;
    uint64_t step; /* counts from one reading to the next */
    unsigned starts, stops, reads;
    uint64_t count;
};

static struct planted planted[CLOCK_IDS];
static struct timer timer[CLOCK_IDS];
static const char *absent[CLOCK_IDS];

static const char *start(struct timer *t)
{
    struct planted *p = t->context;

    p->starts++;
    return p->refuses;
}

static enum timer_status read(struct timer *t, uint64_t *count)
{
    struct planted *p = t->context;

    p->reads++;
    *count = p->count;
    p->count += p->step;
    if (p->fails)
        return TIMER_FAILED;
    if (p->again == 0)
        return TIMER_OK;
    p->again--;
    return TIMER_AGAIN;
}

static void stop(struct timer *t)
{
    struct planted *p = t->context;

    p->stops++;
}

static struct timer *source(void *context, unsigned id, const char **why)
{
    assert_ptr_equal(context, planted);
    *why = absent[id];
    return absent[id] ? NULL : &timer[id];
}

static void set_up(void)
{
    static const char *const names[CLOCK_IDS] = {"tsc",     "hpet",  "pmtimer", "pit",
                                                 "cputime", "clock", "thread",  "times"};

    for (unsigned i = 0; i < CLOCK_IDS; i++) {
        planted[i] = (struct planted){.count = 100 + i};
        absent[i] = NULL;
        timer[i] = (struct timer){
            .name = names[i], .start = start, .read = read, .stop = stop, .context = &planted[i]};
        timer[i].bits = 64;
        timer[i].hz_per = 1;
    }
}

BEFORE_EACH(set_up);

TEST(the_survey_starts_every_timer)
{
    struct timer_found found[CLOCK_IDS];
    struct report r;

    absent[CLOCK_ID_HPET] = "no HPET table";
    planted[CLOCK_ID_PIT].refuses = "goes back";
    timer_survey(found, CLOCK_IDS, source, planted);
    assert_null(found[CLOCK_ID_TSC].why);
    assert_string_equal(found[CLOCK_ID_HPET].why, "no HPET table");
    assert_null(found[CLOCK_ID_PMTIMER].why);
    assert_string_equal(found[CLOCK_ID_PIT].why, "goes back");
    assert_int_equal(planted[CLOCK_ID_TSC].stops, 1); /* left as found */
    assert_int_equal(planted[CLOCK_ID_PMTIMER].stops, 1);
    assert_int_equal(planted[CLOCK_ID_PIT].stops, 0);

    timer_survey_show("clock", CLOCK_WORDS, found, CLOCK_IDS, text_sink());
    assert_non_null(strstr(text, "  tsc        initialises\r\n"));
    assert_non_null(strstr(text, "  hpet       not available: no HPET table\r\n"));
    report_init(&r, text_sink(), FORMAT_JSONL);
    timer_survey_record("clock", CLOCK_WORDS, found, CLOCK_IDS, &r);
    assert_int_equal(r.seq, CLOCK_IDS);
    assert_non_null(strstr(text, "\"type\":\"timer\",\"kind\":\"clock\",\"name\":\"tsc\","
                                 "\"initialises\":true,\"crc\""));
    assert_non_null(strstr(text, "\"name\":\"pit\",\"initialises\":false,\"why\":\"goes back\""));
}

/* Clocks whose counts are known: in megahertz, in femtoseconds, one that fails, one that stands
 * still. */
TEST(the_survey_measures_each_clock)
{
    struct timer_found found[CLOCK_IDS];
    struct report r;

    for (unsigned i = 0; i < CLOCK_IDS; i++)
        planted[i].refuses = "does not count";
    planted[CLOCK_ID_TSC] = (struct planted){.step = 26, .count = UINT64_MAX - 100};
    timer[CLOCK_ID_TSC].hz = 2600000000;
    planted[CLOCK_ID_PIT] = (struct planted){.step = 6, .count = 0xfff0};
    timer[CLOCK_ID_PIT].hz = 14318180;
    timer[CLOCK_ID_PIT].hz_per = 12;
    planted[CLOCK_ID_HPET] = (struct planted){.step = 15};
    timer[CLOCK_ID_HPET].hz = 1000000000000000; /* counts of 69.841279 ns */
    timer[CLOCK_ID_HPET].hz_per = 69841279;
    planted[CLOCK_ID_PMTIMER] = (struct planted){.fails = true};
    timer[CLOCK_ID_PMTIMER].hz = 3579545;
    planted[CLOCK_ID_CPUTIME] = (struct planted){.step = 0}; /* it stands still */
    timer[CLOCK_ID_CPUTIME].hz = 1000000000;
    timer_survey(found, CLOCK_IDS, source, planted);
    assert_int_equal(found[CLOCK_ID_TSC].hz, 2600000000);
    assert_int_equal(found[CLOCK_ID_TSC].resolution, 26);
    assert_int_equal(found[CLOCK_ID_TSC].resolution_ps, 10000);
    assert_int_equal(found[CLOCK_ID_TSC].read_ps, 10000);
    assert_int_equal(found[CLOCK_ID_PIT].hz, 1193182);
    assert_int_equal(found[CLOCK_ID_PIT].resolution_ps, 5028572); /* 72e12 / 14318180 */
    assert_int_equal(found[CLOCK_ID_HPET].hz, 14318180);
    assert_int_equal(found[CLOCK_ID_HPET].resolution_ps, 1047619);
    assert_int_equal(found[CLOCK_ID_HPET].read, 15);
    assert_true(!found[CLOCK_ID_PMTIMER].why && found[CLOCK_ID_PMTIMER].resolution == 0);
    assert_true(found[CLOCK_ID_CPUTIME].resolution == 0 && found[CLOCK_ID_CPUTIME].read_ps == 0);

    timer_survey_show("clock", CLOCK_WORDS, found, CLOCK_IDS, text_sink());
    assert_non_null(strstr(text, "  tsc        initialises; 2600 MHz, resolution 10 ns, a reading "
                                 "takes 10 ns\r\n"));
    assert_non_null(strstr(text, "  hpet       initialises; 14.318 MHz, resolution 1047.619 ns"));
    report_init(&r, text_sink(), FORMAT_JSONL);
    timer_survey_record("clock", CLOCK_WORDS, found, CLOCK_IDS, &r);
    assert_non_null(strstr(text, "\"initialises\":true,\"hz\":14318180,\"resolution_counts\":15,"
                                 "\"resolution_ns\":1047.619,"
                                 "\"read_ns\":1047.619,\"crc\""));
    assert_non_null(strstr(text, "\"name\":\"pmtimer\",\"initialises\":true,\"hz\":3579545,"
                                 "\"crc\""));
}

/* Readings of 4 ms, as an interrupted process has them. */
TEST(survey_survives_interruptions)
{
    struct timer_found found[CLOCK_IDS];

    planted[CLOCK_ID_TSC] = (struct planted){.step = 10400000};
    timer[CLOCK_ID_TSC].hz = 2600000000;
    timer_survey(found, CLOCK_IDS, source, planted);
    assert_int_equal(found[CLOCK_ID_TSC].read_ps, 4000000000);
    assert_int_equal(found[CLOCK_ID_TSC].resolution_ps, 4000000000);
}

/* A TSC with steps of 26, a core at 1.5 of its clock, a counter whose readings take 100 ticks of
 * the TSC, and count three of its own cycles each. */
#define TSC_HZ 2600000000
static uint64_t ticks_now, cycles_now, cycles_a_reading = 3;

static uint64_t tsc(void)
{
    ticks_now += 26;
    return ticks_now - ticks_now % 26;
}

static void adds(uint32_t n)
{
    ticks_now += n * 2 / 3;
    cycles_now += n;
}

static enum timer_status read_cycles(struct timer *t, uint64_t *count)
{
    ticks_now += 100;
    cycles_now += cycles_a_reading;
    *count = cycles_now & ~0ull >> (64 - t->bits);
    return planted[0].fails ? TIMER_FAILED : TIMER_OK;
}

static enum timer_status read_ticks(struct timer *t, uint64_t *count)
{
    *count = tsc();
    return TIMER_OK;
}

static struct timer *cycle_source(void *context, unsigned id, const char **why)
{
    assert_ptr_equal(context, planted);
    static struct timer plain = {.start = start, .context = &planted[1]};
    *why = id == CYCLE_APERF ? "MSRs need ring 0" : NULL;
    timer[0].read = read_cycles;
    timer[0].bits = 48;
    static struct timer rdtscp = {
        .start = start, .read = read_ticks, .context = &planted[1], .bits = 64};
    return *why ? NULL : id == CYCLE_PMC ? &timer[0] : id == CYCLE_RDTSCP ? &rdtscp : &plain;
}

TEST(sources_of_cycles_are_measured_by_the_tsc)
{
    struct timer_found found[CYCLE_IDS];
    struct cycle_survey s = {cycle_source, planted, TSC_HZ, tsc, adds};

    ticks_now = UINT64_MAX / 2;
    cycles_now = (1ull << 48) - 1000; /* it wraps meanwhile */
    timer_survey_cycles(found, &s);
    assert_true(found[CYCLE_PMC].hz > 3895e6 && found[CYCLE_PMC].hz < 3905e6);
    assert_int_equal(found[CYCLE_PMC].resolution, 3);
    assert_in_range(found[CYCLE_PMC].resolution_ps, 768, 770); /* three of 3.9 GHz */
    assert_true(found[CYCLE_PMC].read_ps > 38000 && found[CYCLE_PMC].read_ps < 39000);
    assert_string_equal(found[CYCLE_APERF].why, "MSRs need ring 0");
    assert_true(found[CYCLE_RULER].hz > 3895e6 && found[CYCLE_RULER].hz < 3905e6);
    assert_int_equal(found[CYCLE_RULER].resolution_ps, 10000);
    assert_int_equal(found[CYCLE_RULER].resolution, 0);
    assert_true(found[CYCLE_RULER].read_ps > 262000 && found[CYCLE_RULER].read_ps < 283000);
    assert_int_equal(found[CYCLE_TSC].hz, TSC_HZ);
    assert_int_equal(found[CYCLE_TSC].resolution, 26);
    assert_int_equal(found[CYCLE_TSC].resolution_ps, 10000);
    assert_true(found[CYCLE_RDTSCP].hz == TSC_HZ && found[CYCLE_RDTSCP].resolution == 26);
    assert_non_null(strstr(found[CYCLE_NULL].none, "counts nothing"));
    timer_survey_show("cycle", CYCLE_WORDS, found, CYCLE_IDS, text_sink());
    assert_non_null(strstr(text, "  null       initialises; it counts nothing"));
    assert_non_null(strstr(text, "  ruler      initialises; 3900"));

    cycles_a_reading = 3999; /* a system call, as a process reads a counter: 6% of a chain */
    timer_survey_cycles(found, &s);
    assert_true(found[CYCLE_PMC].hz > 3895e6 && found[CYCLE_PMC].hz < 3905e6);
    cycles_a_reading = 3;

    planted[0].fails = true;
    timer_survey_cycles(found, &s);
    assert_true(!found[CYCLE_PMC].why && found[CYCLE_PMC].hz == 0 && found[CYCLE_PMC].read_ps == 0);
    planted[0].fails = false;
    s.tsc_hz = 0; /* then there are counts, and no time */
    timer_survey_cycles(found, &s);
    assert_true(found[CYCLE_PMC].resolution == 3 && found[CYCLE_PMC].hz == 0);
    assert_true(found[CYCLE_RULER].hz == 0 && found[CYCLE_TSC].resolution_ps == 0);
}

static struct timer_list list_of(const char *words)
{
    struct timer_list l;
    const char *at;
    size_t n;

    assert_int_equal(timer_list_parse(&l, CLOCK_WORDS, words, &at, &n), TIMER_LIST_FINE);
    return l;
}

static struct timer_choice choose(const char *words)
{
    struct timer_list l = list_of(words);
    struct timer_order order = timer_list_order(&l, &timer_clocks);
    struct timer_choice c;

    timer_choose(&c, &order, &timer_clocks, source, planted);
    return c;
}

TEST(the_first_timer_that_starts_is_used)
{
    struct timer_choice c = choose("hpet,tsc");

    assert_ptr_equal(c.used, &timer[CLOCK_ID_HPET]);
    assert_int_equal(c.refusals, 0);
    assert_int_equal(planted[CLOCK_ID_TSC].starts, 0);
    timer_release(&c);
    assert_int_equal(planted[CLOCK_ID_HPET].stops, 1);
    assert_null(c.used);
    timer_release(&c);
    assert_int_equal(planted[CLOCK_ID_HPET].stops, 1);
}

TEST(reasons_are_kept)
{
    absent[CLOCK_ID_HPET] = "no HPET table";
    planted[CLOCK_ID_PIT].refuses = "does not count";
    struct timer_choice c = choose("hpet,pit,auto");
    assert_ptr_equal(c.used, &timer[CLOCK_ID_TSC]);
    assert_int_equal(c.refusals, 2);
    assert_false(c.required);
    assert_int_equal(planted[CLOCK_ID_PMTIMER].starts, 0);
    assert_int_equal(planted[CLOCK_ID_PIT].stops, 0); /* a refusal leaves it as it was */
    assert_string_equal(c.refusal[0].name, "hpet");
    assert_string_equal(c.refusal[0].why, "no HPET table");
    assert_string_equal(c.refusal[1].name, "pit");
    assert_string_equal(c.refusal[1].why, "does not count");
    timer_show(&c, "clock", text_sink());
    assert_string_equal(text, "clock     tsc\r\n"
                              "          not hpet: no HPET table\r\n"
                              "          not pit: does not count\r\n");
}

static bool check(const char *words, const struct timer_choice *c)
{
    struct timer_list l = list_of(words);

    return timer_check(c, &l, &timer_clocks, text_sink());
}

/* Without `auto` the first timer must start, whatever follows it. */
TEST(a_named_timer_has_to_start)
{
    planted[CLOCK_ID_PIT].refuses = "does not count";
    struct timer_choice c = choose("pit,tsc");
    assert_null(c.used);
    assert_true(c.required);
    assert_int_equal(planted[CLOCK_ID_TSC].starts, 0);
    assert_false(check("pit,tsc", &c));
    assert_non_null(strstr(text, "clock=pit,tsc: pit does not start: does not count"));
    assert_non_null(strstr(text, "clock=pit,tsc,auto"));

    c = choose("tsc,pit");
    assert_ptr_equal(c.used, &timer[CLOCK_ID_TSC]);
    assert_true(check("tsc,pit", &c));
    timer_release(&c);

    for (unsigned i = 0; i < CLOCK_IDS; i++)
        planted[i].refuses = "does not count";
    c = choose("auto");
    assert_null(c.used);
    assert_int_equal(c.refusals, 4); /* the standard ones: none that only a process has */
    assert_true(check("auto", &c));
}

TEST(a_list_of_which_none_starts_has_the_reason)
{
    uint64_t count;

    absent[CLOCK_ID_HPET] = "no HPET table";
    struct timer_choice c = choose("hpet");
    assert_null(c.used);
    assert_int_equal(c.refusals, 1);
    assert_false(timer_read(&c, &count));
    timer_release(&c);
}

TEST(a_failed_reading_is_tried_again)
{
    uint64_t count = 0;
    struct timer_choice c = choose("tsc");
    struct planted *p = &planted[CLOCK_ID_TSC];

    assert_true(timer_read(&c, &count));
    assert_int_equal(count, 100);
    assert_int_equal(c.again, 0);
    p->again = TIMER_TRIES - 1;
    assert_true(timer_read(&c, &count));
    assert_int_equal(c.again, TIMER_TRIES - 1);
    assert_int_equal(c.failed, 0);
    p->again = TIMER_TRIES;
    assert_false(timer_read(&c, &count));
    assert_int_equal(p->again, 0); /* no more than that */
    assert_int_equal(c.failed, 1);
    p->fails = true;
    p->reads = 0;
    assert_false(timer_read(&c, &count));
    assert_int_equal(p->reads, 1); /* a failure is not tried again */
    assert_int_equal(c.failed, 2);
}
