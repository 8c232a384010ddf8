#include "lib/firmware/acpi_tables.h"
#include "tests/unit/kernel/fake_cpu.h"
#include "tests/unit/cmocka_unit.h"
#include "kernel/devices/counters.h"
#include "kernel/devices/device_registers.h"

#define TSC_HZ  2500000000ull
#define PM_PORT 0x608
#define PM_HZ   3579545 /* ACPI 6.5 section 4.8.3.3 */

/* A machine whose time advances by `cost` ticks with every access to a port. */
static struct {
    uint64_t tsc, cost, pm_stops_at;
    /* From this time after the PIT's start an access takes longer than the one before; 0: never. */
    uint64_t busy_after, pit_started;
    bool pm_there, pm_back, pit_there, pit_runs;
    uint64_t pit_start;
    uint32_t pm_start;
    uint16_t latched;
    unsigned byte; /* that comes next: status, low, high */
    unsigned torn; /* readings to come that an interruption spoils */
    uint8_t port_b;
    unsigned touched;
    uint32_t hpet[HPET_BYTES / 4];
    uint64_t hpet_at; /* where it may be mapped */
} fake;

static uint64_t count_of(double hz)
{
    return (uint64_t)((double)fake.tsc / TSC_HZ * hz);
}

uint64_t rdtsc(void)
{
    return fake.tsc += 30;
}

uint32_t in32(uint16_t port)
{
    fake.touched++;
    fake.tsc += fake.cost;
    assert_int_equal(port, PM_PORT);
    if (!fake.pm_there)
        return 0xffffffff;
    if (fake.pm_stops_at && fake.tsc > fake.pm_stops_at)
        return 0x123456;
    uint32_t count = (uint32_t)(count_of(PM_HZ) + fake.pm_start);
    return (fake.pm_back ? -count : count) & 0xffffff;
}

uint8_t in8(uint16_t port)
{
    fake.touched++;
    if (fake.busy_after && fake.tsc > fake.pit_started + fake.busy_after)
        fake.cost += 50;
    fake.tsc += fake.cost;
    if (port == PORT_B)
        return fake.port_b;
    assert_int_equal(port, PIT_CHANNEL2);
    if (!fake.pit_there)
        return 0xff;
    switch (fake.byte++) {
    case 0:
        return fake.torn && fake.torn-- ? 0x80 : 0xb4; /* OUT high; low then high byte, mode 2 */
    case 1:
        return (uint8_t)fake.latched;
    default:
        return (uint8_t)(fake.latched >> 8);
    }
}

void out8(uint16_t port, uint8_t v)
{
    fake.tsc += fake.cost;
    if (port == PORT_B)
        fake.port_b = (fake.port_b & 0xf0) | (v & 0x0f);
    else if (port == PIT_COMMAND && v == PIT_CH2_RATE) {
        fake.pit_runs = fake.port_b & PORT_B_GATE2;
        fake.pit_started = fake.tsc;
    } else if (port == PIT_COMMAND && v == PIT_CH2_READ_BACK) {
        fake.byte = 0;
        fake.latched =
            fake.pit_runs ? (uint16_t)(fake.pit_start - count_of(PIT_HZ_12 / 12.0)) : 0x55aa;
    } else
        assert_int_equal(port, PIT_CHANNEL2);
}

static volatile void *map(void *context, uint64_t address, uint64_t size)
{
    assert_ptr_equal(context, &fake);
    assert_int_equal(size, HPET_BYTES);
    return fake.hpet_at && address == fake.hpet_at ? fake.hpet : NULL;
}

static void set_up(void)
{
    memset(&fake, 0, sizeof(fake));
    fake.cost = 1500;
    fake.pm_there = fake.pit_there = true;
    fake.port_b = 0x2c;
}

BEFORE_EACH(set_up);

static struct counters counters;

static struct tsc_rate stated = {2500000000, TSC_RATE_PLATFORM_INFO};

static struct tsc_clock measure_by(const struct cpu *cpu, const struct fadt *f,
                                   const struct hpet_table *h)
{
    counters_init(&counters, f, h, map, &fake);
    return clocks_measure(cpu, stated, &counters);
}

static struct tsc_clock measured(void)
{
    const struct fadt f = {.pm_timer_port = PM_PORT, .pm_timer_bits = 24};

    return measure_by(&(struct cpu){0}, &f, NULL);
}

static void near(uint64_t hz, double ppm)
{
    double off = ((double)hz / TSC_HZ - 1) * 1e6;

    assert_true(off < ppm && off > -ppm);
}

TEST(two_clocks_that_agree_give_the_frequency)
{
    struct tsc_clock c = measured();

    assert_true(c.source[CLOCK_PMTIMER].known);
    assert_true(c.source[CLOCK_PIT].known);
    assert_false(c.source[CLOCK_HPET].known);
    assert_false(c.source[CLOCK_CPUID15].known);
    near(c.source[CLOCK_PMTIMER].hz, 100);
    near(c.source[CLOCK_PIT].hz, 300);
    assert_int_equal(c.used, CLOCK_PMTIMER);
    assert_true(c.agree);
    assert_true(c.source[CLOCK_STATED].known && c.source[CLOCK_STATED].hz == 2500000000);
    assert_int_equal(c.stated_by, TSC_RATE_PLATFORM_INFO);
    assert_int_equal(fake.port_b, 0x2c); /* as it was, parity switches included */
}

TEST(counters_that_wrap_give_the_frequency)
{
    fake.pm_start = 0xffffff - 60000; /* in the second window */
    fake.pit_start = 15000;
    struct tsc_clock c = measured();

    near(c.source[CLOCK_PMTIMER].hz, 100);
    near(c.source[CLOCK_PIT].hz, 300);
}

TEST(a_port_of_ones_is_not_a_clock)
{
    fake.pm_there = false;
    struct tsc_clock c = measured();
    assert_false(c.source[CLOCK_PMTIMER].known);
    assert_non_null(strstr(c.source[CLOCK_PMTIMER].why_not, "all ones"));
    assert_int_equal(c.used, CLOCK_PIT);

    set_up();
    fake.cost = 1; /* so quick that the reads run out before the ticks */
    fake.pm_stops_at = 1;
    c = measured();
    assert_false(c.source[CLOCK_PMTIMER].known);
    assert_in_range(fake.touched, 1, 16u << 20);

    set_up();
    fake.cost = 1 << 20; /* so slow that the ticks run out before the reads */
    fake.pm_stops_at = 1;
    c = measured();
    assert_false(c.source[CLOCK_PMTIMER].known);
    assert_in_range(fake.touched, 1, 20000);
}

TEST(a_clock_that_stops_in_a_window_is_refused)
{
    fake.pm_stops_at = TSC_HZ / 200;
    assert_false(measured().source[CLOCK_PMTIMER].known);
}

TEST(a_clock_that_goes_back_is_refused)
{
    fake.pm_back = true;
    struct tsc_clock c = measured();

    assert_false(c.source[CLOCK_PMTIMER].known);
    assert_string_equal(c.source[CLOCK_PMTIMER].why_not, "goes back");
}

/* A channel that other code reads too: a torn reading is repeated. */
TEST(torn_readings_are_repeated)
{
    measured();
    struct timer *t = &counters.timer[CLOCK_ID_PIT];
    uint64_t first, second, again = 0;

    assert_null(t->start(t));
    assert_int_equal(fake.port_b & PORT_B_GATE_SPEAK, PORT_B_GATE2);
    assert_int_equal(timer_read_whole(t, &first, &again), TIMER_OK);
    assert_int_equal(again, 0);
    fake.torn = 3;
    assert_int_equal(timer_read_whole(t, &second, &again), TIMER_OK);
    assert_int_equal(again, 3);
    assert_in_range((second - first) & 0xffff, 1, 100);
    fake.torn = 1u << 30;
    assert_int_equal(timer_read_whole(t, &second, &again), TIMER_AGAIN);
    t->stop(t);
    assert_int_equal(fake.port_b, 0x2c);
    assert_string_equal(t->start(t), "its readings are torn");
    assert_int_equal(fake.port_b, 0x2c); /* a refusal leaves it as it was */
    near(t->tsc_hz, 300);
}

TEST(the_tsc_is_a_clock_where_it_is_known)
{
    uint64_t first, second;
    struct tsc_clock c = measured();
    struct timer *t = &counters.timer[CLOCK_ID_TSC];

    assert_int_equal(t->tsc_hz, c.hz);
    assert_null(t->start(t));
    assert_int_equal(t->hz, c.hz);
    assert_int_equal(t->read(t, &first), TIMER_OK);
    assert_int_equal(t->read(t, &second), TIMER_OK);
    assert_true(second > first);
    assert_int_equal(clocks_sources[CLOCK_ID_TSC], CLOCK_SOURCES);
    assert_int_equal(clocks_sources[CLOCK_ID_HPET], CLOCK_HPET);
    assert_int_equal(clocks_sources[CLOCK_ID_PMTIMER], CLOCK_PMTIMER);
    assert_int_equal(clocks_sources[CLOCK_ID_PIT], CLOCK_PIT);
}

TEST(timers_that_no_table_names_are_refused_with_the_table)
{
    const struct fadt f = {.pm_timer_bits = 24};
    struct tsc_clock c = measure_by(&(struct cpu){0}, &f, NULL);

    assert_string_equal(c.source[CLOCK_PMTIMER].why_not, "the FADT names none");
    assert_string_equal(c.source[CLOCK_HPET].why_not, "no HPET table");
    c = measure_by(&(struct cpu){0}, NULL, NULL);
    assert_string_equal(c.source[CLOCK_PMTIMER].why_not, "no FADT");
}

TEST(the_windows_of_a_busy_host_read_high_and_the_least_counts)
{
    fake.pm_there = false;
    fake.busy_after = TSC_HZ / 80; /* after the first window, of 10 ms */
    struct tsc_clock c = measured();

    assert_int_equal(c.used, CLOCK_PIT);
    near(c.hz, 300);
}

TEST(a_missing_pit_is_named)
{
    fake.pit_there = false;
    struct tsc_clock c = measured();

    assert_false(c.source[CLOCK_PIT].known);
    assert_non_null(strstr(c.source[CLOCK_PIT].why_not, "all ones"));
    assert_true(c.source[CLOCK_PMTIMER].known);
}

TEST(a_hpet_with_wrong_fields_is_refused)
{
    const struct cpu cpu = {0};
    const struct hpet_table h = {.address = 0xfed00000}, crooked = {.address = 0xfed00004};

    const struct {
        uint32_t id, period;
        bool mapped;
    } bad[] = {{0x8086a201, 10000000, false},
               {0xffffffff, 0xffffffff, true},
               {0x8086a201, 0, true},
               {0x8086a201, HPET_PERIOD_MAX + 1, true},
               {0x8086a201, HPET_PERIOD_MIN - 1, true}};

    EACH_CASE (each, bad) {
        set_up();
        fake.hpet[HPET_ID / 4] = each->id;
        fake.hpet[HPET_PERIOD / 4] = each->period;
        fake.hpet[HPET_CONFIG / 4] = 0x10;
        fake.hpet_at = each->mapped ? h.address : 0;
        struct tsc_clock c = measure_by(&cpu, NULL, &h);
        assert_false(c.source[CLOCK_HPET].known);
        assert_int_equal(fake.hpet[HPET_CONFIG / 4], 0x10);
    }
    fake.hpet_at = crooked.address;
    assert_false(measure_by(&cpu, NULL, &crooked).source[CLOCK_HPET].known);

    /* A good one that does not count: started, given up, and restored. */
    set_up();
    fake.hpet[HPET_ID / 4] = 0x8086a201;
    fake.hpet[HPET_PERIOD / 4] = 10000000;
    fake.hpet_at = h.address;
    struct tsc_clock c = measure_by(&cpu, NULL, &h);
    assert_non_null(strstr(c.source[CLOCK_HPET].why_not, "count"));
    assert_int_equal(fake.hpet[HPET_CONFIG / 4], 0);
}

TEST(without_a_clock_the_stated_frequency_is_used)
{
    const struct cpu cpu = {0}, intel = {.tsc_hz = 2400000000};

    fake.pit_there = false;
    assert_int_equal(measure_by(&cpu, NULL, NULL).used, CLOCK_STATED);
    stated = (struct tsc_rate){0, TSC_RATE_NONE};
    assert_int_equal(measure_by(&cpu, NULL, NULL).hz, 0);
    assert_int_equal(measure_by(&intel, NULL, NULL).hz, 2400000000);
}
