/* The states of MWAIT that recorded CPUs name. */
#include "lib/cpu/features.h"
#include "tests/unit/made_cpu.h"
#include "tests/unit/cmocka_unit.h"

static bool named(const char *recording, uint32_t hint)
{
    struct cpuid_dump *d = fixture(recording);
    struct dump_cpu boot = {d, 0};

    return cstates_named(hint, cpuid_dump_get, &boot);
}

TEST(the_states_are_those_whose_sub_state_leaf_5_counts)
{
    static const struct {
        const char *recording;
        uint8_t named[8], missing[8]; /* hints; 0 ends a list, and is named by all */
    } cpus[] = {
        {"GenuineIntel00506E3_Skylake",
         {0x01, 0x10, 0x20, 0x21, 0x30, 0x33, 0x40},
         {0x02, 0x11, 0x22, 0x34, 0x41, 0x50, 0x60}},
        {"GenuineIntel0090672_AlderLake_01_LC_BC",
         {0x01, 0x20, 0x21, 0x40, 0x60},
         {0x10, 0x30, 0x41, 0x50, 0x61, 0x70}},
        {"GenuineIntel0030673_Silvermont3", {0x01, 0x50, 0x52, 0x62}, {0x10, 0x40, 0x53}},
        {"AuthenticAMD0B40F40_K20_GraniteRidge_02", {0x01}, {0x02, 0x10}},
        {"AuthenticAMD0800F11_K17_Zen2", {0}, {0x01, 0x10, 0x60}},
    };

    EACH_CASE (c, cpus) {
        assert_true(named(c->recording, 0));
        for (size_t k = 0; c->named[k]; k++)
            assert_true(named(c->recording, c->named[k]));
        for (size_t k = 0; c->missing[k]; k++)
            assert_false(named(c->recording, c->missing[k]));
    }
}

static struct cpuid_regs few_leaves(void *ctx, uint32_t leaf, uint32_t subleaf)
{
    assert_true(leaf < 5);
    return (struct cpuid_regs){.eax = 4};
}

TEST(a_cpu_without_leaf_5_names_none)
{
    assert_false(cstates_named(0, few_leaves, NULL));
}
