#include "lib/cpu/features.h"
#include "tests/unit/made_cpu.h"
#include "tests/unit/cmocka_unit.h"
#include "lib/cpu/models.c" /* included: the table is static */

TEST(amd_counts_smis_by_an_event_since_zen)
{
    struct cpu c = {.vendor = VENDOR_AMD, .family = 0x17, .msr = true};

    assert_true(features_smi_event(&c));
    c.family = 0x15;
    assert_false(features_smi_event(&c));
    c.family = 0x1a;
    assert_true(features_smi_event(&c));
    c.hypervisor = true;
    assert_false(features_smi_event(&c));
    c = (struct cpu){.vendor = VENDOR_INTEL, .family = 0x17, .msr = true};
    assert_false(features_smi_event(&c));
}

TEST(models_with_an_smi_counter_are_known)
{
    static const struct {
        enum cpu_vendor vendor;
        uint32_t family, model;
        bool guest, has;
    } cases[] = {
        {VENDOR_INTEL, 6, 0x1a, false, true},  {VENDOR_INTEL, 6, 0x17, false, false},
        {VENDOR_INTEL, 6, 0x1c, false, false}, {VENDOR_INTEL, 6, 0x1d, false, false},
        {VENDOR_INTEL, 6, 0x37, false, true},  {VENDOR_INTEL, 6, 0xc6, false, true},
        {VENDOR_INTEL, 6, 0xc6, true, false},  {VENDOR_INTEL, 0xf, 6, false, false},
        {VENDOR_INTEL, 0x13, 1, false, true},  {VENDOR_AMD, 0x1a, 0x44, false, false},
        {VENDOR_INTEL, 5, 0x1a, false, false},
    };
    EACH_CASE (one, cases) {
        struct cpu c = {.vendor = one->vendor,
                        .family = one->family,
                        .model = one->model,
                        .hypervisor = one->guest,
                        .msr = true};
        assert_int_equal(features_smi_counter(&c), one->has);
        c.msr = false;
        assert_false(features_smi_counter(&c));
    }
}

TEST(the_microcode_revision_is_decoded)
{
    struct cpu c = {.vendor = VENDOR_INTEL};

    assert_int_equal(features_microcode(&c, 0x1200000007), 0x12);
    c.vendor = VENDOR_AMD;
    assert_int_equal(features_microcode(&c, 0x800110e), 0x800110e);
}

TEST(lfence_serialises_by_msr_or_cpuid)
{
    made_none();
    made_msr(0xc0011029, 2);
    struct dump_cpu boot = {&made, 0};
    struct cpu c = {.vendor = VENDOR_AMD, .family = 0x17};
    assert_true(features_lfence_serializing(&c, cpuid_dump_rdmsr, &boot));
    assert_false(features_lfence_serializing(&c, NULL, NULL));
    made.msr[0].value = ~2ull;
    assert_false(features_lfence_serializing(&c, cpuid_dump_rdmsr, &boot));
    made.msr[0].value = 2;
    made.msr[0].fault = true;
    assert_false(features_lfence_serializing(&c, cpuid_dump_rdmsr, &boot));
    c.vendor = VENDOR_ZHAOXIN;
    assert_false(features_lfence_serializing(&c, cpuid_dump_rdmsr, &boot));
    c.lfence_always_serializing = true;
    assert_true(features_lfence_serializing(&c, NULL, NULL));
}

static struct mitigations mitigations(void)
{
    struct dump_cpu boot;
    struct cpu c = made_cpu(&boot);
    struct mitigations m;

    features_mitigations(&m, &c, cpuid_dump_get, &boot, cpuid_dump_rdmsr, &boot);
    return m;
}

TEST(mitigations_and_their_state_are_decoded)
{
    made_vendor("GenuineIntel", 7);
    made_leaf(7, 0, 0, 0, 1u << 10 | 1u << 26 | 1u << 27 | 1u << 29 | 1u << 31);
    made_msr(0x48, SPEC_CTRL_IBRS);
    made_msr(0x10a, 1);
    struct mitigations m = mitigations();
    assert_true(m.ibrs && m.ibpb && m.stibp && m.ssbd && m.md_clear && !m.l1d_flush);
    assert_true(m.spec_ctrl_known && m.spec_ctrl == SPEC_CTRL_IBRS);
    assert_true(m.arch_known && m.arch == 1);
    made.msr[0].fault = made.msr[1].fault = true;
    m = mitigations();
    assert_false(m.spec_ctrl_known || m.arch_known);
    made.leaf[1].regs.edx = 0; /* the MSRs are not there, whatever answers */
    made.msr[0].fault = made.msr[1].fault = false;
    m = mitigations();
    assert_false(m.ibrs || m.ssbd || m.spec_ctrl_known || m.arch_known);

    made_vendor("AuthenticAMD", 1);
    made_leaf(0x80000000, 0x80000008, 0, 0, 0);
    made_leaf(0x80000008, 0x3030, 1u << 12 | 1u << 15 | 1u << 17 | 1u << 25 | 1u << 26, 0, 0);
    m = mitigations();
    assert_true(m.ibpb && m.stibp && m.stibp_always && m.ssbd && m.ssb_no);
    assert_false(m.ibrs || m.ibrs_always || m.md_clear);
}

TEST(bits_of_arch_capabilities_have_names)
{
    assert_string_equal(features_arch_names[0], "rdcl_no");
    assert_string_equal(features_arch_names[28], "rfds_clear");
    assert_null(features_arch_names[9]);
    assert_null(features_arch_names[63]);
}

/* Which feature a CPU lacks, by the bit of CPUID that reports it. */

/* A CPU that reports one bit, or all bits, of leaves up to `basic` and `extended`. */
static struct {
    uint32_t basic, extended; /* 0: the leaves from 8000_0000h read as basic ones */
    uint32_t leaf, subleaf;
    struct cpuid_regs regs;
} bits;

static struct cpuid_regs cpuid(void *ctx, uint32_t leaf, uint32_t subleaf)
{
    if (leaf == 0)
        return (struct cpuid_regs){.eax = bits.basic};
    if (leaf == 0x80000000)
        return (struct cpuid_regs){.eax = bits.extended ? bits.extended : bits.basic};
    assert_true(leaf <= (leaf < 0x80000000 ? bits.basic : bits.extended));
    return leaf == bits.leaf && subleaf == bits.subleaf ? bits.regs : (struct cpuid_regs){0};
}

static const char *lacks(enum cpu_feature f)
{
    return feature_lacks(f, cpuid, NULL);
}

TEST(feature_none_is_never_missing)
{
    memset(&bits, 0, sizeof bits);
    assert_null(lacks(FEATURE_NONE));
}

TEST(a_cpu_with_few_leaves_lacks_each_feature_by_name_and_bit)
{
    memset(&bits, 0, sizeof bits);
    bits.basic = 1;
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
    memset(&bits, 0, sizeof bits);
    bits.basic = 7;
    bits.leaf = 7;
    bits.regs.ebx = 1u << 10;
    for (int f = FEATURE_NONE + 1; f < FEATURES; f++)
        assert_true((lacks((enum cpu_feature)f) == NULL) == (f == FEATURE_INVPCID));
    bits.regs.ebx = ~(1u << 10);
    assert_non_null(lacks(FEATURE_INVPCID));
    assert_null(lacks(FEATURE_SMAP));
}

TEST(a_feature_in_a_subleaf_is_found)
{
    memset(&bits, 0, sizeof bits);
    bits.basic = bits.leaf = 0xd;
    bits.regs.eax = ~0u;
    assert_non_null(lacks(FEATURE_XSAVES));
    bits.subleaf = 1;
    assert_null(lacks(FEATURE_XSAVES));
}

TEST(either_vendors_bit_is_enough)
{
    memset(&bits, 0, sizeof bits);
    bits.basic = bits.leaf = 7;
    bits.regs.edx = 1u << 26;
    assert_null(lacks(FEATURE_IBPB));
    bits.extended = bits.leaf = 0x80000008;
    bits.regs = (struct cpuid_regs){.ebx = 1u << 12};
    assert_null(lacks(FEATURE_IBPB));
    assert_non_null(lacks(FEATURE_IBRS));
}

TEST(leaves_from_another_range_have_no_features)
{
    memset(&bits, 0, sizeof bits);
    bits.basic = 0x80000008; /* nonsense, as a CPU without extended leaves may answer */
    bits.leaf = 1;
    bits.regs.ecx = ~0u;
    assert_non_null(lacks(FEATURE_PCID));
}

/* The states of MWAIT that recorded CPUs name. */

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

static const char *deepest(const char *recording, uint32_t *hint)
{
    struct cpuid_dump *d = fixture(recording);
    struct dump_cpu boot = {d, 0};
    struct cpu c;

    cpu_decode(&c, cpuid_dump_get, &boot);
    return cstates_deepest(hint, &c, cpuid_dump_get, &boot);
}

TEST(the_deepest_state_is_the_last_that_leaf_5_names)
{
    static const struct {
        const char *recording;
        uint32_t hint;
    } cpus[] = {
        {"GenuineIntel00106A2_Nehalem-EP", 0x31},         {"GenuineIntel0030673_Silvermont3", 0x62},
        {"GenuineIntel00506C9_Goldmont", 0x60},           {"GenuineIntel00506E3_Skylake", 0x40},
        {"GenuineIntel0090672_AlderLake_01_LC_BC", 0x60}, {"CentaurHauls0040672_CNS_04", 0x31},
    };

    EACH_CASE (c, cpus) {
        uint32_t hint = ~0u;
        assert_null(deepest(c->recording, &hint));
        assert_int_equal(hint, c->hint);
        assert_true(named(c->recording, hint));
    }
}

TEST(a_cpu_without_a_deep_state_is_refused_with_the_reason)
{
    static const struct {
        const char *recording, *why;
    } cpus[] = {
        {"AuthenticAMD0000F51_K8_Sledgehammer", "CPUID 1 ECX[3]"},
        {"AuthenticAMD0A10F11_KVM_guest", "CPUID 1 ECX[3]"},
        {"GenuineIntel00006F6_Conroe", "CPUID 80000007h EDX[8]"}, /* its TSC stops */
        {"AuthenticAMD0800F11_K17_Zen2", "CPUID 5 EDX"},
        {"AuthenticAMD0B40F40_K20_GraniteRidge_02", "CPUID 5 EDX"},
    };

    EACH_CASE (c, cpus) {
        uint32_t hint = 7;
        const char *why = deepest(c->recording, &hint);
        assert_non_null(why);
        assert_non_null(strstr(why, c->why));
        assert_int_equal(hint, 7);
    }
}

static struct cpuid_regs unlisted(void *ctx, uint32_t leaf, uint32_t subleaf)
{
    return (struct cpuid_regs){.ecx = 2, .edx = 0x11142120}; /* ECX[0] clear: EDX says nothing */
}

TEST(states_that_leaf_5_does_not_list_are_not_used)
{
    const struct cpu c = {.monitor = true, .tsc_invariant = true, .max_leaf = 5};
    uint32_t hint;

    assert_non_null(strstr(cstates_deepest(&hint, &c, unlisted, NULL), "CPUID 5 ECX[0]"));
}

/* The table of models: no model is in it twice, and each row has only what its vendor has. */

#define ROWS (sizeof rows / sizeof rows[0])

TEST(no_model_is_listed_twice)
{
    for (size_t i = 0; i < ROWS; i++) {
        unsigned listed = 0;
        for (uint32_t model = 0; model <= 0xff; model++) {
            if (!is_of(&rows[i], model))
                continue;
            listed++;
            for (size_t k = 0; k < i; k++)
                if (rows[i].vendor == rows[k].vendor && rows[i].family == rows[k].family &&
                    is_of(&rows[k], model))
                    fail_msg("family %x: model %x is in two rows", rows[i].family, model);
        }
        assert_true(listed > 0);
        for (size_t k = 0; rows[i].last == 0 && k < sizeof rows[i].listed; k++)
            if (rows[i].listed[k])
                assert_true(listed-- > 0); /* none is listed twice in its own row */
    }
}

/* Intel's method on AMD's CPU would read MSRs that have another meaning there. */
TEST(each_model_has_a_way_of_its_vendor)
{
    for (size_t i = 0; i < ROWS; i++) {
        bool intels = rows[i].is.tsc_way < TSC_WAY_FIDVID;
        if (rows[i].is.tsc_way != TSC_WAY_NONE)
            assert_int_equal(intels, rows[i].vendor == VENDOR_INTEL);
        if (rows[i].vendor != VENDOR_INTEL)
            assert_false(rows[i].is.smi_count || rows[i].is.nehalem_power ||
                         rows[i].is.prefetch != PREFETCH_NOT_KNOWN);
        if (rows[i].is.nehalem_power)
            assert_true(rows[i].is.smi_count && !rows[i].is.mc0_is_firmware);
    }
}

TEST(a_model_without_a_row_has_what_its_vendor_guarantees)
{
    const struct cpu_model *none = model_find(VENDOR_ZHAOXIN, 7, 0x3b);

    assert_false(none->smi_count || none->lfence_waits || none->thread_count);
    assert_int_equal(none->tsc_way, TSC_WAY_NONE);
    assert_ptr_equal(model_find(VENDOR_UNKNOWN, 6, 0x1a), none);
    assert_ptr_equal(model_find(VENDOR_AMD, 0x14, 2), none);
    assert_ptr_equal(model_find(VENDOR_INTEL, 5, 4), none);

    const struct cpu_model *later = model_find(VENDOR_INTEL, 0x13, 1);
    assert_true(later->smi_count && later->prefetch == PREFETCH_NOT_KNOWN);
    assert_ptr_equal(model_find(VENDOR_INTEL, 6, 0xfe), later);
    later = model_find(VENDOR_AMD, 0x1b, 0);
    assert_true(later->thread_count && later->tsc_way == TSC_WAY_NONE);
}

/* Machine check bank 0: SDM vol. 3B 16.3.2.1. */
TEST(bank_0_belongs_to_the_firmware_on_old_models)
{
    assert_true(model_find(VENDOR_INTEL, 6, 0x08)->mc0_is_firmware);
    assert_true(model_find(VENDOR_INTEL, 6, 0x17)->mc0_is_firmware);
    assert_false(model_find(VENDOR_INTEL, 6, 0x1a)->mc0_is_firmware);
    assert_false(model_find(VENDOR_INTEL, 6, 0x1d)->mc0_is_firmware);
    assert_false(model_find(VENDOR_INTEL, 0xf, 6)->mc0_is_firmware);
    assert_false(model_find(VENDOR_AMD, 6, 8)->mc0_is_firmware);
}
