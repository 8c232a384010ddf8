/* Stated clocks against a measured TSC: agreement, errors, and differences that are not errors. */
#include "lib/cpu/speeds.h"
#include "tests/unit/cmocka_unit.h"

static struct speed_stated s[SPEEDS];

static struct cpu a_cpu(uint64_t leaf15, uint32_t base, uint32_t maximum, uint32_t bus)
{
    return (struct cpu){.max_leaf = 0x16,
                        .tsc_hz = leaf15,
                        .tsc_nominal_hz = base * 1000000ull,
                        .max_mhz = maximum,
                        .bus_mhz = bus};
}

static void expect(enum speed which, enum speed_verdict verdict, int64_t off_ppm)
{
    assert_int_equal(s[which].verdict, verdict);
    assert_int_equal(s[which].off_ppm, off_ppm);
}

TEST(true_statements_agree)
{
    struct cpu c = a_cpu(2000000000, 2000, 3500, 100);
    const struct smbios_processors p = {.table = true,
                                        .sockets = 1,
                                        .filled = 1,
                                        .external = 100,
                                        .maximum = 4000,
                                        .current = 2000};

    speeds(s, &c, (struct tsc_rate){2000000000, TSC_RATE_CPUID}, &p, 2000000000, 1000);
    expect(SPEED_CPUID15, SPEED_AGREES, 0);
    expect(SPEED_STATED, SPEED_ABSENT, 0);
    assert_string_equal(s[SPEED_STATED].why_not, "as cpuid15");
    expect(SPEED_CPUID16_BASE, SPEED_AGREES, 0);
    expect(SPEED_CPUID16_MAXIMUM, SPEED_OTHER, 750000); /* turbo is not an error */
    expect(SPEED_SMBIOS_CURRENT, SPEED_AGREES, 0);
    expect(SPEED_SMBIOS_MAXIMUM, SPEED_OTHER, 1000000);
    assert_true(s[SPEED_CPUID16_BUS].hz == 100000000 && !s[SPEED_CPUID16_BUS].compared);
    assert_true(s[SPEED_SMBIOS_EXTERNAL].hz == 100000000 && !s[SPEED_SMBIOS_EXTERNAL].compared);
}

TEST(false_statements_are_wrong_by_their_ppm)
{
    struct cpu c = a_cpu(2400000000, 2400, 2400, 100);
    const struct smbios_processors p = {
        .table = true, .filled = 1, .maximum = 2000, .current = 2000};

    /* A TSC of 2600 MHz, good to 0.1%: by leaf 15h it is 7.7% slower, ... */
    speeds(s, &c, (struct tsc_rate){2590000000, TSC_RATE_HYPERVISOR}, &p, 2600000000, 2600000);
    expect(SPEED_CPUID15, SPEED_WRONG, -76924);
    expect(SPEED_STATED, SPEED_AGREES, -3847);
    expect(SPEED_CPUID16_BASE, SPEED_OTHER, -76924); /* the TSC need not run at the base clock */
    /* ... and it is faster than the stated maximum. */
    expect(SPEED_CPUID16_MAXIMUM, SPEED_WRONG, -76924);
    expect(SPEED_SMBIOS_MAXIMUM, SPEED_WRONG, -230770);
    expect(SPEED_SMBIOS_CURRENT, SPEED_OTHER, -230770);
    expect(SPEED_SMBIOS_EXTERNAL, SPEED_ABSENT, 0);
    assert_string_equal(s[SPEED_SMBIOS_EXTERNAL].why_not,
                        "SMBIOS states it as zero, which is unknown");
}

/* 0.5% off, and a measurement with an error of 0.2%: no verdict against it below 0.7%. */
TEST(the_error_of_the_measured_frequency_is_allowed_for)
{
    struct cpu c = a_cpu(1006000000, 0, 0, 0);

    speeds(s, &c, (struct tsc_rate){0, TSC_RATE_NONE}, NULL, 1000000000, 2000000);
    expect(SPEED_CPUID15, SPEED_AGREES, 6000);
    speeds(s, &c, (struct tsc_rate){0, TSC_RATE_NONE}, NULL, 1000000000, 500000);
    expect(SPEED_CPUID15, SPEED_WRONG, 6000);
}

TEST(a_zero_or_missing_speed_is_absent_and_not_wrong)
{
    struct cpu c = a_cpu(0, 0, 0, 0);

    speeds(s, &c, (struct tsc_rate){0, TSC_RATE_NONE}, NULL, 2600000000, 1000);
    for (unsigned i = 0; i < SPEEDS; i++)
        expect(i, SPEED_ABSENT, 0);
    assert_string_equal(s[SPEED_CPUID16_BASE].why_not, "leaf 16h states it as zero");
    assert_string_equal(s[SPEED_SMBIOS_MAXIMUM].why_not, "SMBIOS cannot be read here");
    c.max_leaf = 0xd;
    const struct smbios_processors none = {.table = false}, empty = {.table = true};
    speeds(s, &c, (struct tsc_rate){0, TSC_RATE_NONE}, &none, 2600000000, 1000);
    assert_string_equal(s[SPEED_CPUID16_BUS].why_not, "the CPU has no leaf 16h");
    assert_string_equal(s[SPEED_SMBIOS_MAXIMUM].why_not, "there is no SMBIOS table");
    speeds(s, &c, (struct tsc_rate){0, TSC_RATE_NONE}, &empty, 2600000000, 1000);
    assert_string_equal(s[SPEED_SMBIOS_MAXIMUM].why_not, "SMBIOS lists no processor");
}

TEST(speeds_are_not_judged_without_a_measured_tsc)
{
    struct cpu c = a_cpu(2000000000, 2000, 3500, 100);

    speeds(s, &c, (struct tsc_rate){0, TSC_RATE_NONE}, NULL, 0, 0);
    expect(SPEED_CPUID15, SPEED_NOT_JUDGED, 0);
    expect(SPEED_CPUID16_MAXIMUM, SPEED_NOT_JUDGED, 0);
    assert_false(s[SPEED_CPUID15].compared);
    /* Any TSC, however slow, and any label. */
    c.tsc_hz = UINT64_MAX;
    speeds(s, &c, (struct tsc_rate){0, TSC_RATE_NONE}, NULL, 1, UINT64_MAX);
    assert_int_equal(s[SPEED_CPUID16_BASE].verdict, SPEED_AGREES);
}
