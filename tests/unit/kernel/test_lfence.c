// links: kernel/cpu/lfence.c
#include "tests/unit/fake_msr.h"
#include "tests/unit/unit.h"
#include "kernel/cpu/lfence.h"
#include "kernel/cpu/msr.h"
#include "lib/cpu/features.h"

static enum lfence_state on(enum cpu_vendor vendor, uint32_t family)
{
    struct cpu c = {.vendor = vendor, .family = family};

    return lfence_make_serializing(&c);
}

static void without_the_msr_the_state_is_the_cpus(void **state)
{
    (void)state;
    struct cpu zen4 = {.vendor = VENDOR_AMD, .family = 0x19, .lfence_always_serializing = true};

    fake_msr_reset();
    assert_int_equal(lfence_make_serializing(&zen4), LFENCE_ALWAYS);
    assert_int_equal(on(VENDOR_AMD, 0x17), LFENCE_COULD_NOT);
    assert_int_equal(on(VENDOR_UNKNOWN, 6), LFENCE_UNKNOWN);
    assert_int_equal(on(VENDOR_ZHAOXIN, 7), LFENCE_UNKNOWN);
}

static void the_msr_makes_lfence_serialise(void **state)
{
    (void)state;
    fake_msr_reset();
    fake_msr_add(MSR_DE_CFG, 0x30);
    assert_int_equal(on(VENDOR_AMD, 0x17), LFENCE_SET_NOW);
    assert_int_equal(fake_msr_value(MSR_DE_CFG), 0x32);
    assert_int_equal(on(VENDOR_HYGON, 0x18), LFENCE_WAS_SET);
    lfence_restore(LFENCE_WAS_SET);
    assert_int_equal(fake_msr_value(MSR_DE_CFG), 0x32);
    lfence_restore(LFENCE_SET_NOW);
    assert_int_equal(fake_msr_value(MSR_DE_CFG), 0x30);

    fake_msr_reset();
    fake_msr_add(MSR_DE_CFG, 0);
    fake_msr.of[0].stuck = true;
    assert_int_equal(on(VENDOR_AMD, 0x17), LFENCE_COULD_NOT);
}

static void every_state_has_a_name(void **state)
{
    (void)state;
    for (unsigned i = 0; i < LFENCE_STATES; i++)
        assert_non_null(lfence_state_names[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_the_msr_the_state_is_the_cpus),
        cmocka_unit_test(the_msr_makes_lfence_serialise),
        cmocka_unit_test(every_state_has_a_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
