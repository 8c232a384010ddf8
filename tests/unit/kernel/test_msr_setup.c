#include "tests/unit/kernel/fake_cpu.h"
#include "tests/unit/fake_msr.h"
#include "tests/unit/cmocka_unit.h"
#include "kernel/cpu/msr.h"
#include "lib/cpu/features.h"

static enum lfence_state lfence_on(enum cpu_vendor vendor, uint32_t family)
{
    struct cpu c = {.vendor = vendor, .family = family};

    return lfence_make_serializing(&c);
}

TEST(without_the_msr_the_state_is_the_cpus)
{
    struct cpu zen4 = {.vendor = VENDOR_AMD, .family = 0x19, .lfence_always_serializing = true};

    fake_msr_reset();
    assert_int_equal(lfence_make_serializing(&zen4), LFENCE_ALWAYS);
    assert_int_equal(lfence_on(VENDOR_AMD, 0x17), LFENCE_COULD_NOT);
    assert_int_equal(lfence_on(VENDOR_UNKNOWN, 6), LFENCE_UNKNOWN);
    assert_int_equal(lfence_on(VENDOR_ZHAOXIN, 7), LFENCE_UNKNOWN);
}

TEST(the_msr_makes_lfence_serialise)
{
    fake_msr_reset();
    fake_msr_add(MSR_DE_CFG, 0x30);
    assert_int_equal(lfence_on(VENDOR_AMD, 0x17), LFENCE_SET_NOW);
    assert_int_equal(fake_msr_value(MSR_DE_CFG), 0x32);
    assert_int_equal(lfence_on(VENDOR_HYGON, 0x18), LFENCE_WAS_SET);
    lfence_restore(LFENCE_WAS_SET);
    assert_int_equal(fake_msr_value(MSR_DE_CFG), 0x32);
    lfence_restore(LFENCE_SET_NOW);
    assert_int_equal(fake_msr_value(MSR_DE_CFG), 0x30);

    fake_msr_reset();
    fake_msr_add(MSR_DE_CFG, 0);
    fake_msr.of[0].stuck = true;
    assert_int_equal(lfence_on(VENDOR_AMD, 0x17), LFENCE_COULD_NOT);
}

TEST(every_state_has_a_name)
{
    for (unsigned i = 0; i < LFENCE_STATES; i++)
        assert_non_null(lfence_state_names[i]);
}

/* --- machine checks --- */

#define BANKS 5

static uint64_t cr4;

uint64_t read_cr4(void)
{
    return cr4;
}

void write_cr4(uint64_t v)
{
    cr4 = v;
}

static void five_banks(void)
{
    fake_msr_reset();
    fake_msr_add(MSR_MCG_CAP, MCG_CAP_CTL_P | BANKS);
    fake_msr_add(MSR_MCG_STATUS, 5);
    fake_msr_add(MSR_MCG_CTL, 0);
    for (uint32_t i = 0; i < BANKS; i++) {
        fake_msr_add(MSR_MC_CTL(i), 0);
        fake_msr_add(MSR_MC_STATUS(i), 0);
        fake_msr_add(MSR_MC_ADDR(i), 0x1000 + i);
    }
    cr4 = 0x20;
}

BEFORE_EACH(five_banks);

TEST(every_bank_is_enabled)
{
    struct cpu cpu = {.mce = true, .vendor = VENDOR_INTEL, .family = 6, .model = 0x0f};

    (void)msr_write(MSR_MC_STATUS(2), MC_STATUS_VAL | MC_STATUS_PCC);
    struct mce m = mce_enable(&cpu);
    assert_true(m.on);
    assert_int_equal(m.banks, BANKS);
    assert_int_equal(m.stale, 1);
    assert_int_equal(fake_msr_value(MSR_MC_STATUS(2)), 0);
    assert_int_equal(fake_msr_value(MSR_MC_CTL(0)), 0); /* the firmware's on this model */
    assert_true(fake_msr_value(MSR_MC_CTL(3)) == ~0ull);
    assert_true(fake_msr_value(MSR_MCG_CTL) == ~0ull);
    assert_int_equal(cr4, 0x60);

    cpu.vendor = VENDOR_AMD;
    (void)mce_enable(&cpu);
    assert_true(fake_msr_value(MSR_MC_CTL(0)) == ~0ull);
}

TEST(gart_errors_stay_masked_where_linux_masks_them)
{
    const struct {
        enum cpu_vendor vendor;
        uint32_t family;
        uint64_t masked;
    } cases[] = {{VENDOR_AMD, 0x0f, 0x400},
                 {VENDOR_AMD, 0x10, 0x400},
                 {VENDOR_AMD, 0x11, 0},
                 {VENDOR_AMD, 0x17, 0},
                 {VENDOR_INTEL, 0x0f, 0}};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct cpu cpu = {.mce = true, .vendor = cases[i].vendor, .family = cases[i].family};
        (void)mce_enable(&cpu);
        assert_true(fake_msr_value(MSR_MC_CTL(4)) == ~cases[i].masked);
        assert_true(fake_msr_value(MSR_MC_CTL(3)) == ~0ull);
    }
}

TEST(machine_check_banks_are_restored)
{
    struct cpu cpu = {.mce = true, .vendor = VENDOR_INTEL, .family = 6, .model = 0x0f};

    (void)msr_write(MSR_MCG_CTL, 0x70);
    for (uint32_t i = 0; i < BANKS; i++)
        (void)msr_write(MSR_MC_CTL(i), 0x10 + i);
    struct mce m = mce_enable(&cpu);
    assert_true(fake_msr_value(MSR_MC_CTL(1)) == ~0ull);
    mce_restore(&m, &cpu);
    assert_int_equal(fake_msr_value(MSR_MCG_CTL), 0x70);
    for (uint32_t i = 0; i < BANKS; i++)
        assert_int_equal(fake_msr_value(MSR_MC_CTL(i)), 0x10 + i);

    m.on = false; /* nothing was changed */
    (void)msr_write(MSR_MC_CTL(1), 7);
    mce_restore(&m, &cpu);
    assert_int_equal(fake_msr_value(MSR_MC_CTL(1)), 7);
}

TEST(a_cpu_without_mce_is_left_alone)
{
    struct cpu cpu = {.mce = false};

    assert_false(mce_enable(&cpu).on);
    assert_int_equal(cr4, 0x20);
    assert_int_equal(fake_msr.writes, 0);
}

TEST(a_valid_context_survives)
{
    struct machine_check c = {0};

    (void)msr_write(MSR_MC_STATUS(1), MC_STATUS_VAL | MC_STATUS_ADDRV);
    fake_msr.writes = 0;
    assert_true(machine_check_survived(&c, 1));
    assert_int_equal(c.bank, 1);
    assert_int_equal(c.address, 0x1001);
    assert_int_equal(c.mcg_status, 5);
    assert_int_equal(fake_msr_value(MSR_MC_STATUS(1)), 0);
    assert_int_equal(fake_msr_value(MSR_MCG_STATUS), 0);
    /* MCIP goes last, or the next one during the handler is a shutdown. */
    assert_int_equal(fake_msr.writes, 2);
    assert_int_equal(fake_msr.written[1], MSR_MCG_STATUS);
}

TEST(a_corrupt_context_is_fatal)
{
    struct machine_check c = {0};

    /* A corrupt context in any bank, not only in the first that reports. */
    (void)msr_write(MSR_MC_STATUS(1), MC_STATUS_VAL);
    (void)msr_write(MSR_MC_STATUS(3), MC_STATUS_VAL | MC_STATUS_PCC);
    assert_false(machine_check_survived(&c, 1));
    assert_int_equal(c.bank, 1);

    five_banks();
    (void)msr_write(MSR_MCG_STATUS, 4); /* no restart address */
    assert_false(machine_check_survived(&c, 1));

    fake_msr_reset();
    assert_false(machine_check_survived(&c, 1));
}

TEST(a_series_of_machine_checks_becomes_fatal)
{
    struct machine_check c = {0};
    unsigned n = 0;

    do {
        n++;
        five_banks();
        (void)msr_write(MSR_MC_STATUS(0), MC_STATUS_VAL);
    } while (n < 1000 && machine_check_survived(&c, n));
    assert_in_range(n, 2, 999);
}
