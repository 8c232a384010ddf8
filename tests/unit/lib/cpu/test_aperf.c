/* Core cycles by APERF and MPERF on planted machines. */
#include "lib/cpu/core_counter.h"
#include "tests/unit/close.h"
#include "tests/unit/lib/cpu/fake_counters.h"
#include "tests/unit/cmocka_unit.h"

static const struct core_counters has = {.aperf = true};

static void machine(struct fake_counters *f)
{
    fake_counters_init(f);
    fake_counter_add(f, 0xe7, 0);
    fake_counter_add(f, 0xe8, UINT64_MAX - 70000); /* wraps during the proof */
}

static void started(struct aperf *p, struct fake_counters *f)
{
    machine(f);
    assert_null(aperf_start(p, &has, &f->access));
}

static uint64_t read_patiently(struct aperf *p, struct fake_counters *f)
{
    uint64_t cycles = 0;
    unsigned tries = 0;

    while (aperf_read(p, &f->access, &cycles) == APERF_AGAIN)
        assert_true(++tries < 8); /* a core at an eighth of its clock: its readings are not torn */
    return cycles;
}

static struct fake_counters f;
static struct aperf p;
static uint64_t from, to;

TEST(counts_through_changes_of_clock)
{
    started(&p, &f);
    for (unsigned i = 1; i < 30; i++) {
        f.cycles_per_tick = 0.3 * i;
        from = read_patiently(&p, &f);
        fake_counters_pass(&f, 1e6);
        assert_int_equal(aperf_read(&p, &f.access, &to), APERF_OK);
        /* And without the 100 cycles that each of two readings takes; MPERF counts in whole
         * ticks. */
        assert_close((double)(to - from), 1e6 + 200, 4 + f.cycles_per_tick);
    }
}

/* Hours between two readings: the figure keeps 31 bits. */
TEST(hours_between_readings_are_exact)
{
    started(&p, &f);
    from = read_patiently(&p, &f);
    fake_counters_pass(&f, 3e13);
    to = read_patiently(&p, &f);
    assert_close((double)(to - from), 3e13, 3e13 / (1u << 30));
}

TEST(torn_readings_are_tried_again)
{
    started(&p, &f);
    assert_int_equal(aperf_read(&p, &f.access, &from), APERF_OK);
    f.tear = 2; /* the second falls between the registers and the closing reading of the TSC */
    assert_int_equal(aperf_read(&p, &f.access, &to), APERF_AGAIN);
    assert_int_equal(aperf_read(&p, &f.access, &to), APERF_OK);
    assert_close((double)(to - from), 2e5 * 1.5 + 400, 4);

    /* An MPERF that has not advanced says nothing yet. */
    f.n = 0;
    fake_counter_add(&f, 0xe8, p.aperf);
    fake_counter_add(&f, 0xbad, p.mperf);
    f.of[1].msr = 0xe7;
    f.tsc = (double)p.mperf - 1e6 - 200 / 1.5;
    p.tsc = (uint64_t)f.tsc;
    p.mperf = (uint64_t)(f.tsc + 1e6 + 200 / 1.5);
    assert_int_equal(aperf_read(&p, &f.access, &to), APERF_AGAIN);
}

TEST(counters_that_do_not_work_are_refused)
{
    static const struct core_counters no = {.aperf = false};
    uint64_t to;

    machine(&f);
    assert_non_null(strstr(aperf_start(&p, &no, &f.access), "CPUID 6"));
    f.per_add = 0.5;
    assert_non_null(strstr(aperf_start(&p, &has, &f.access), "not core cycles"));
    machine(&f);
    f.of[1].msr = 0xbad;
    assert_non_null(strstr(aperf_start(&p, &has, &f.access), "faults"));
    assert_int_equal(aperf_read(&p, &f.access, &to), APERF_FAILED);

    /* Both read as 0, whatever happens. */
    machine(&f);
    struct counter_access *a = &f.access;
    struct fake_counters still;
    fake_counters_init(&still);
    fake_counter_add(&still, 0xe7, 0);
    fake_counter_add(&still, 0xe8, 0);
    still.cycles_per_tick = 1e30; /* no time passes */
    a->ctx = a->msr.ctx = &still;
    assert_non_null(strstr(aperf_start(&p, &has, a), "MPERF"));
}

TEST(a_busy_core_s_clock_is_the_ratio_of_both)
{
    struct aperf_grown grown;

    machine(&f);
    f.cycles_per_tick = 1.25;
    assert_null(aperf_busy(&grown, &has, &f.access, 1000000));
    assert_true(grown.mperf >= 1000000 && grown.mperf < 1100000);
    assert_close((double)grown.aperf / (double)grown.mperf, 1.25, 1e-3);
}

TEST(a_busy_core_s_clock_is_not_known_without_its_registers)
{
    struct aperf_grown grown;
    const struct core_counters none = {.aperf = false};

    machine(&f);
    assert_non_null(strstr(aperf_busy(&grown, &none, &f.access, 1000), "CPUID 6 ECX[0]"));
    f.n = 1; /* without APERF */
    assert_non_null(strstr(aperf_busy(&grown, &has, &f.access, 1000), "faults"));
}

TEST(the_measurement_of_a_clock_ends_where_the_tsc_stands_still)
{
    struct aperf_grown grown;

    machine(&f);
    f.cycles_per_tick = 1e30;
    assert_non_null(strstr(aperf_busy(&grown, &has, &f.access, 1000000), "MPERF does not advance"));
}
