/* Which feature a CPU lacks, by the bit of CPUID that reports it. */
#include "lib/cpu/features.h"
#include "tests/unit/cmocka_unit.h"

/* A CPU that reports one bit, or all bits, of leaves up to `basic` and `extended`. */
static struct {
    uint32_t basic, extended; /* 0: the leaves from 8000_0000h read as basic ones */
    uint32_t leaf, subleaf;
    struct cpuid_regs regs;
} made;

static struct cpuid_regs cpuid(void *ctx, uint32_t leaf, uint32_t subleaf)
{
    if (leaf == 0)
        return (struct cpuid_regs){.eax = made.basic};
    if (leaf == 0x80000000)
        return (struct cpuid_regs){.eax = made.extended ? made.extended : made.basic};
    assert_true(leaf <= (leaf < 0x80000000 ? made.basic : made.extended));
    return leaf == made.leaf && subleaf == made.subleaf ? made.regs : (struct cpuid_regs){0};
}

static const char *lacks(enum cpu_feature f)
{
    return feature_lacks(f, cpuid, NULL);
}

TEST(feature_none_is_never_missing)
{
    memset(&made, 0, sizeof made);
    assert_null(lacks(FEATURE_NONE));
}

TEST(a_cpu_with_few_leaves_lacks_each_feature_by_name_and_bit)
{
    memset(&made, 0, sizeof made);
    made.basic = 1;
    for (int f = FEATURE_NONE + 1; f < FEATURES; f++)
        assert_non_null(strstr(lacks((enum cpu_feature)f), " (CPUID."));
    assert_string_equal(lacks(FEATURE_PCID),
                        "needs PCID (CPUID.1.0:ECX[17]), which this CPU does not have");
    assert_string_equal(lacks(FEATURE_XSAVEC),
                        "needs XSAVEC (CPUID.0xd.1:EAX[1]), which this CPU does not have");
    assert_string_equal(lacks(FEATURE_IBPB), "needs IBPB (CPUID.7.0:EDX[26], "
                                             "CPUID.0x80000008.0:EBX[12]), which this CPU does "
                                             "not have");
}

TEST(a_bit_is_its_feature_and_no_other)
{
    memset(&made, 0, sizeof made);
    made.basic = 7;
    made.leaf = 7;
    made.regs.ebx = 1u << 10;
    for (int f = FEATURE_NONE + 1; f < FEATURES; f++)
        assert_true((lacks((enum cpu_feature)f) == NULL) == (f == FEATURE_INVPCID));
    made.regs.ebx = ~(1u << 10);
    assert_non_null(lacks(FEATURE_INVPCID));
    assert_null(lacks(FEATURE_SMAP));
}

TEST(a_feature_in_a_subleaf_is_found)
{
    memset(&made, 0, sizeof made);
    made.basic = made.leaf = 0xd;
    made.regs.eax = ~0u;
    assert_non_null(lacks(FEATURE_XSAVES));
    made.subleaf = 1;
    assert_null(lacks(FEATURE_XSAVES));
}

TEST(either_vendors_bit_is_enough)
{
    memset(&made, 0, sizeof made);
    made.basic = made.leaf = 7;
    made.regs.edx = 1u << 26;
    assert_null(lacks(FEATURE_IBPB));
    made.extended = made.leaf = 0x80000008;
    made.regs = (struct cpuid_regs){.ebx = 1u << 12};
    assert_null(lacks(FEATURE_IBPB));
    assert_non_null(lacks(FEATURE_IBRS));
}

TEST(leaves_from_another_range_have_no_features)
{
    memset(&made, 0, sizeof made);
    made.basic = 0x80000008; /* nonsense, as a CPU without extended leaves may answer */
    made.leaf = 1;
    made.regs.ecx = ~0u;
    assert_non_null(lacks(FEATURE_PCID));
}
