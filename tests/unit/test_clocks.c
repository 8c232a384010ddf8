#include <string.h>
#include "tests/unit/fake_cpu.h"
#include "tests/unit/unit.h"
#include "kernel/clocks.c"

#define TSC_HZ  2500000000ull
#define PM_PORT 0x608

/* A machine whose time goes on by `cost` ticks with every port that is touched. */
static struct {
    uint64_t tsc, cost, pm_stops_at;
    bool pm_there, pit_there, pit_runs;
    uint64_t pit_start;
    uint32_t pm_start;
    uint16_t latched;
    bool high; /* the latch's second byte is next */
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
    return (uint32_t)(count_of(PM_TIMER_HZ) + fake.pm_start) & 0xffffff;
}

uint8_t in8(uint16_t port)
{
    fake.touched++;
    fake.tsc += fake.cost;
    if (port == PORT_B)
        return fake.port_b;
    assert_int_equal(port, PIT_CHANNEL2);
    if (!fake.pit_there)
        return 0xff;
    fake.high = !fake.high;
    return (uint8_t)(fake.high ? fake.latched : fake.latched >> 8);
}

void out8(uint16_t port, uint8_t v)
{
    fake.tsc += fake.cost;
    if (port == PORT_B)
        fake.port_b = (fake.port_b & 0xf0) | (v & 0x0f);
    else if (port == PIT_COMMAND && v == PIT_CH2_RATE)
        fake.pit_runs = fake.port_b & PORT_B_GATE2;
    else if (port == PIT_COMMAND && v == PIT_CH2_LATCH)
        fake.latched = fake.pit_runs ? (uint16_t)(fake.pit_start - count_of(PIT_HZ)) : 0x55aa;
    else
        assert_int_equal(port, PIT_CHANNEL2);
}

volatile void *paging_map_mmio(struct paging *p, uint64_t address, uint64_t size)
{
    (void)p;
    assert_int_equal(size, HPET_BYTES);
    return fake.hpet_at && address == fake.hpet_at ? fake.hpet : NULL;
}

static int set_up(void **state)
{
    (void)state;
    memset(&fake, 0, sizeof(fake));
    fake.cost = 1500;
    fake.pm_there = fake.pit_there = true;
    fake.port_b = 0x2c;
    return 0;
}

static struct tsc_clock measured(void)
{
    const struct fadt f = {.pm_timer_port = PM_PORT, .pm_timer_bits = 24};
    const struct cpu cpu = {0};

    return clocks_measure(&cpu, NULL, &f, NULL);
}

static void near(uint64_t hz, double ppm)
{
    double off = ((double)hz / TSC_HZ - 1) * 1e6;

    assert_true(off < ppm && off > -ppm);
}

static void two_that_agree(void **state)
{
    (void)state;
    struct tsc_clock c = measured();

    assert_true(c.source[CLOCK_PMTIMER].known);
    assert_true(c.source[CLOCK_PIT].known);
    assert_false(c.source[CLOCK_HPET].known);
    assert_false(c.source[CLOCK_CPUID15].known);
    near(c.source[CLOCK_PMTIMER].hz, 100);
    near(c.source[CLOCK_PIT].hz, 300);
    assert_int_equal(c.used, CLOCK_PMTIMER);
    assert_true(c.agree);
    assert_int_equal(fake.port_b, 0x2c); /* as it was, parity switches included */
}

static void counters_wrap(void **state)
{
    (void)state;
    fake.pm_start = 0xffffff - 60000; /* in the second window */
    fake.pit_start = 15000;
    struct tsc_clock c = measured();

    near(c.source[CLOCK_PMTIMER].hz, 100);
    near(c.source[CLOCK_PIT].hz, 300);
}

static void bogus_port(void **state)
{
    (void)state;
    fake.pm_there = false;
    struct tsc_clock c = measured();
    assert_false(c.source[CLOCK_PMTIMER].known);
    assert_non_null(strstr(c.source[CLOCK_PMTIMER].why_not, "all ones"));
    assert_int_equal(c.used, CLOCK_PIT);

    set_up(NULL);
    fake.cost = 1; /* so quick that the reads run out before the ticks */
    fake.pm_stops_at = 1;
    c = measured();
    assert_false(c.source[CLOCK_PMTIMER].known);
    assert_in_range(fake.touched, 1, 10u << 20);

    set_up(NULL);
    fake.cost = 1 << 20; /* so slow that the ticks run out before the reads */
    fake.pm_stops_at = 1;
    c = measured();
    assert_false(c.source[CLOCK_PMTIMER].known);
    assert_in_range(fake.touched, 1, 20000);
}

static void stops_in_a_window(void **state)
{
    (void)state;
    fake.pm_stops_at = TSC_HZ / 200;
    assert_false(measured().source[CLOCK_PMTIMER].known);
}

static void no_pit(void **state)
{
    (void)state;
    fake.pit_there = false;
    struct tsc_clock c = measured();

    assert_false(c.source[CLOCK_PIT].known);
    assert_true(c.source[CLOCK_PMTIMER].known);
}

static void hpet_refused(void **state)
{
    (void)state;
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

    for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        set_up(NULL);
        fake.hpet[HPET_ID / 4] = bad[i].id;
        fake.hpet[HPET_PERIOD / 4] = bad[i].period;
        fake.hpet[HPET_CONFIG / 4] = 0x10;
        fake.hpet_at = bad[i].mapped ? h.address : 0;
        struct tsc_clock c = clocks_measure(&cpu, NULL, NULL, &h);
        assert_false(c.source[CLOCK_HPET].known);
        assert_int_equal(fake.hpet[HPET_CONFIG / 4], 0x10);
    }
    fake.hpet_at = crooked.address;
    assert_false(clocks_measure(&cpu, NULL, NULL, &crooked).source[CLOCK_HPET].known);

    /* A good one that does not count: switched on, given up, and left as it was. */
    set_up(NULL);
    fake.hpet[HPET_ID / 4] = 0x8086a201;
    fake.hpet[HPET_PERIOD / 4] = 10000000;
    fake.hpet_at = h.address;
    struct tsc_clock c = clocks_measure(&cpu, NULL, NULL, &h);
    assert_non_null(strstr(c.source[CLOCK_HPET].why_not, "count"));
    assert_int_equal(fake.hpet[HPET_CONFIG / 4], 0);
}

static void nothing_at_all(void **state)
{
    (void)state;
    const struct cpu cpu = {0}, intel = {.tsc_hz = 2400000000};

    fake.pit_there = false;
    assert_int_equal(clocks_measure(&cpu, NULL, NULL, NULL).hz, 0);
    assert_int_equal(clocks_measure(&intel, NULL, NULL, NULL).hz, 2400000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(two_that_agree, set_up),
        cmocka_unit_test_setup(counters_wrap, set_up),
        cmocka_unit_test_setup(bogus_port, set_up),
        cmocka_unit_test_setup(stops_in_a_window, set_up),
        cmocka_unit_test_setup(no_pit, set_up),
        cmocka_unit_test_setup(hpet_refused, set_up),
        cmocka_unit_test_setup(nothing_at_all, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
