#include "lib/cpu/features.h"

#include "tests/unit/made_cpu.h"
#include "tests/unit/cmocka_unit.h"

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
