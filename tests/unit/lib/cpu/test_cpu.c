#include "lib/cpu/cpu.h"

#include "tests/unit/made_cpu.h"
#include "tests/unit/cmocka_unit.h"

static struct cpu decode(const char *name)
{
    struct dump_cpu boot = {fixture(name), 0};
    struct cpu c;

    cpu_decode(&c, cpuid_dump_get, &boot);
    return c;
}

static void expect_signature(const struct cpu *c, enum cpu_vendor vendor, const char *brand,
                             uint32_t family, uint32_t model, uint32_t stepping)
{
    assert_int_equal(c->vendor, vendor);
    assert_string_equal(c->brand, brand);
    assert_int_equal(c->family, family);
    assert_int_equal(c->model, model);
    assert_int_equal(c->stepping, stepping);
    assert_true(c->tsc && c->msr && c->apic && c->pat && c->mtrr && c->mce && c->sse2 && c->nx);
    assert_false(c->hypervisor);
    assert_string_equal(c->hypervisor_id, "");
}

TEST(goldmont_is_decoded)
{
    struct cpu c = decode("GenuineIntel00506C9_Goldmont");

    expect_signature(&c, VENDOR_INTEL, "Intel(R) Pentium(R) CPU N4200 @ 1.10GHz", 6, 0x5c, 9);
    assert_string_equal(c.vendor_id, "GenuineIntel");
    /* 19.2 MHz * 171 / 3 */
    assert_int_equal(c.tsc_hz, 1094400000);
    assert_int_equal(c.tsc_ratio_num, 171);
    assert_int_equal(c.tsc_ratio_den, 3);
    assert_int_equal(c.tsc_nominal_hz, 0); /* leaves end at 15h */
    assert_true(c.tsc_invariant && c.rdtscp && c.monitor && c.x2apic);
    assert_false(c.page_1g && c.la57);
    assert_int_equal(c.phys_bits, 39);
    assert_true(c.lfence_always_serializing);
}

TEST(skylake_is_decoded_without_a_crystal)
{
    struct cpu c = decode("GenuineIntel00506E3_Skylake");

    expect_signature(&c, VENDOR_INTEL, "Intel(R) Core(TM) i5-6400T CPU @ 2.20GHz", 6, 0x5e, 3);
    assert_int_equal(c.tsc_hz, 0);
    assert_int_equal(c.tsc_ratio_num, 184);
    assert_int_equal(c.tsc_ratio_den, 2);
    assert_int_equal(c.tsc_nominal_hz, 2200000000);
    assert_true(c.page_1g && c.rdtscp);
    assert_false(c.serialize || c.la57 || c.cet_ss || c.cet_ibt);
}

TEST(alder_lake_is_decoded)
{
    struct cpu c = decode("GenuineIntel0090672_AlderLake_01_LC_BC");

    expect_signature(&c, VENDOR_INTEL, "12th Gen Intel(R) Core(TM) i9-12900K", 6, 0x97, 2);
    assert_int_equal(c.tsc_hz, 3187200000); /* 38.4 MHz * 166 / 2; measured: 3187.20 */
    assert_int_equal(c.tsc_nominal_hz, 3200000000);
    assert_true(c.serialize && c.cet_ss && c.cet_ibt);
    assert_int_equal(c.phys_bits, 46);
    assert_null(cpu_lacks(&c, RECIPE_SERIALIZE));
}

TEST(zen5_is_decoded)
{
    struct cpu c = decode("AuthenticAMD0B40F40_K20_GraniteRidge_02");

    expect_signature(&c, VENDOR_AMD, "AMD Ryzen 9 9950X 16-Core Processor", 0x1a, 0x44, 0);
    assert_int_equal(c.tsc_hz, 0);
    assert_int_equal(c.tsc_ratio_num, 0);
    assert_true(c.lfence_always_serializing && c.tsc_invariant && c.rdtscp && c.page_1g &&
                c.cet_ss);
    assert_false(c.la57 || c.cet_ibt || c.serialize);
    assert_int_equal(c.phys_bits, 48);
    assert_int_equal(cpu_default_recipe(&c), RECIPE_LFENCE);
    assert_string_equal(cpu_lacks(&c, RECIPE_SERIALIZE), "no SERIALIZE (CPUID 7 EDX[14])");
}

TEST(k8_is_decoded)
{
    struct cpu c = decode("AuthenticAMD0000F51_K8_Sledgehammer");

    expect_signature(&c, VENDOR_AMD, "AMD Opteron(tm) Processor 240 HE", 0xf, 5, 1);
    assert_false(c.rdtscp || c.tsc_invariant || c.page_1g || c.monitor || c.x2apic);
    assert_true(c.lfence_always_serializing); /* has no MSR to make it so */
    assert_int_equal(c.phys_bits, 40);
    assert_null(cpu_lacks(&c, RECIPE_PLAIN));
    assert_null(cpu_lacks(&c, RECIPE_CPUID));
    assert_null(cpu_lacks(&c, RECIPE_MFENCE));
    assert_null(cpu_lacks(&c, RECIPE_LFENCE));
    assert_null(cpu_lacks(&c, RECIPE_AUTO));
    const char *want = "no RDTSCP (CPUID 8000_0001 EDX[27])";
    assert_string_equal(cpu_lacks(&c, RECIPE_RDTSCP), want);
    assert_string_equal(cpu_lacks(&c, RECIPE_XFENCE), want);
    assert_string_equal(cpu_lacks(&c, RECIPE_PAOLONI), want);
}

TEST(centaur_is_decoded)
{
    struct cpu c = decode("CentaurHauls0040672_CNS_04");

    assert_int_equal(c.vendor, VENDOR_ZHAOXIN);
    assert_int_equal(c.family, 6);
    assert_int_equal(c.model, 0x47);
    assert_int_equal(c.stepping, 2);
    assert_false(c.lfence_always_serializing);
    assert_int_equal(cpu_default_recipe(&c), RECIPE_CPUID);
}

/* --- made-up machines ------------------------------------------------------------------------- */

static struct cpu decode_made(void)
{
    struct dump_cpu boot;

    return made_cpu(&boot);
}

TEST(without_cpuid_leaves_no_topology_is_known)
{
    made_none();
    struct cpu c = decode_made();
    assert_int_equal(c.vendor, VENDOR_UNKNOWN);
    assert_string_equal(c.vendor_id, "");
    assert_string_equal(c.brand, "");
    assert_int_equal(c.phys_bits, 36);
    assert_int_equal(c.max_ext_leaf, 0);
    assert_int_equal(cpu_default_recipe(&c), RECIPE_CPUID);
    for (int r = RECIPE_PLAIN; r <= RECIPE_AUTO; r++)
        assert_string_equal(cpu_lacks(&c, (enum recipe)r), "no TSC (CPUID 1 EDX[4])");
}

TEST(without_sse2_the_fences_are_missing)
{
    made_vendor("GenuineIntel", 1);
    made_leaf(1, 0x600, 0, 0, 1u << 4);
    struct cpu c = decode_made();
    assert_null(cpu_lacks(&c, RECIPE_PLAIN));
    assert_string_equal(cpu_lacks(&c, RECIPE_LFENCE),
                        "no LFENCE and MFENCE (SSE2, CPUID 1 EDX[26])");
    assert_string_equal(cpu_lacks(&c, RECIPE_MFENCE),
                        "no LFENCE and MFENCE (SSE2, CPUID 1 EDX[26])");
}

/* A leaf above the highest is not read: old CPUs answer it with another leaf's registers. */
TEST(leaves_above_the_highest_are_not_read)
{
    made_vendor("GenuineIntel", 6);
    made_leaf(1, 0x600, 0, 0, ~0u);
    made_leaf(7, 1, ~0u, ~0u, ~0u);
    made_leaf(0x15, 1, 1, 1000, 0);
    made_leaf(0x16, 1000, 0, 0, 0);
    made_leaf(0x80000000, 0x07280202, 0, 0, 0); /* a basic leaf's answer, not a maximum */
    made_leaf(0x80000001, ~0u, ~0u, ~0u, ~0u);
    struct cpu c = decode_made();
    assert_int_equal(c.max_ext_leaf, 0);
    assert_false(c.serialize || c.la57 || c.cet_ss || c.cet_ibt || c.rdtscp || c.nx || c.page_1g);
    assert_int_equal(c.tsc_hz, 0);
    assert_int_equal(c.tsc_nominal_hz, 0);
}

TEST(the_clock_leaf_gives_the_tsc)
{
    const struct {
        uint32_t den, num, crystal;
        uint64_t hz;
        uint32_t ratio;
    } cases[] = {
        {2, 166, 38400000, 3187200000, 166},
        {3, 2, 25000000, 16666667, 2}, /* rounded */
        {0, 166, 38400000, 0, 0},
        {2, 0, 38400000, 0, 0},
        {2, 166, 0, 0, 166},
        {1, 0xffffffff, 0xffffffff, 0xfffffffe00000001,
         0xffffffff}, /* nonsense does not overflow */
    };
    EACH_CASE (one, cases) {
        made_vendor("GenuineIntel", 0x16);
        made_leaf(0x15, one->den, one->num, one->crystal, 0);
        made_leaf(0x16, 0xabcd0000 | 3200, 0, 0, 0); /* the upper half is reserved */
        struct cpu c = decode_made();
        assert_true(c.tsc_hz == one->hz);
        assert_int_equal(c.tsc_ratio_num, one->ratio);
        assert_int_equal(c.tsc_ratio_den, one->ratio != 0 ? one->den : 0);
        assert_int_equal(c.tsc_nominal_hz, 3200000000);
    }
}

TEST(the_vendor_decides_whether_lfence_serialises)
{
    const struct {
        const char *id, *shown;
        enum cpu_vendor vendor;
        uint32_t signature, ext21;
        bool always;
    } cases[] = {
        {"GenuineIntel", "GenuineIntel", VENDOR_INTEL, 0x506e3, 0, true},
        {"AuthenticAMD", "AuthenticAMD", VENDOR_AMD, 0x100f42, 0, false}, /* family 10h: by MSR */
        {"AuthenticAMD", "AuthenticAMD", VENDOR_AMD, 0x200f30, 0, true},  /* family 11h */
        {"AuthenticAMD", "AuthenticAMD", VENDOR_AMD, 0x800f11, 0, false}, /* Zen: by MSR */
        {"AuthenticAMD", "AuthenticAMD", VENDOR_AMD, 0xa20f10, 1u << 2, true},
        {"HygonGenuine", "HygonGenuine", VENDOR_HYGON, 0x900f11, 0, false},
        {"HygonGenuine", "HygonGenuine", VENDOR_HYGON, 0x900f11, ~0u, true},
        {"  Shanghai  ", "Shanghai", VENDOR_ZHAOXIN, 0x307b1, ~0u, false},
        {"TCGTCGTCGTCG", "TCGTCGTCGTCG", VENDOR_UNKNOWN, 0x663, ~0u, false},
        {"Genuine\x01ntel", "Genuine?ntel", VENDOR_UNKNOWN, 0x663, 0, false},
    };
    EACH_CASE (one, cases) {
        made_vendor(one->id, 1);
        made_leaf(1, one->signature, 0, 0, 1u << 4);
        made_leaf(0x80000000, 0x80000021, 0, 0, 0);
        made_leaf(0x80000021, one->ext21, 0, 0, 0);
        struct cpu c = decode_made();
        assert_int_equal(c.vendor, one->vendor);
        assert_string_equal(c.vendor_id, one->shown);
        assert_int_equal(c.lfence_always_serializing, one->always);
    }
}

TEST(strings_of_cpuid_are_trimmed_and_bounded)
{
    uint32_t r[12];
    char brand[49];

    made_vendor("AuthenticAMD", 1);
    made_leaf(1, 0, 0, 1u << 31, 0);
    memcpy(r, "KVMKVMKVM\0\0\0", 12);
    made_leaf(0x40000000, 0x40000001, r[0], r[1], r[2]);
    made_leaf(0x80000000, 0x80000008, 0, 0, 0);
    snprintf(brand, sizeof brand, "%-48s", "      Some CPU\x80 @ 2.00GHz");
    memcpy(r, brand, 48);
    for (uint32_t i = 0; i < 3; i++)
        made_leaf(0x80000002 + i, r[4 * i], r[4 * i + 1], r[4 * i + 2], r[4 * i + 3]);
    made_leaf(0x80000008, 0x3000, 0, 0, 0); /* says 0 bits */
    struct cpu c = decode_made();
    assert_true(c.hypervisor);
    assert_string_equal(c.hypervisor_id, "KVMKVMKVM");
    assert_string_equal(c.brand, "Some CPU? @ 2.00GHz");
    assert_int_equal(c.phys_bits, 36);
    /* 48 characters, no terminator among them. */
    memset(r, 'x', sizeof r);
    for (uint32_t i = 0; i < 3; i++)
        made.leaf[4 + i].regs = (struct cpuid_regs){r[0], r[0], r[0], r[0]};
    c = decode_made();
    assert_int_equal(strlen(c.brand), 48);
}

/* Family 6 model `model` with these features of leaf 7. */
static bool is_masked(uint32_t model, uint32_t ecx_1, uint32_t ebx_7, uint32_t edx_7)
{
    made_vendor("GenuineIntel", 7);
    made_model(6, model, 0, ecx_1, 0);
    made_leaf(7, 0, ebx_7, 0, edx_7);
    struct cpu c = decode_made();
    return cpu_model_is_masked(&c);
}

/* What a hypervisor leaves if it states another model: seen on a Granite Rapids as 167. */
TEST(a_model_that_features_contradict_is_masked)
{
    const uint32_t avx = 1u << 28, avx2 = 1u << 5, avx512 = 1u << 16, fp16 = 1u << 23,
                   amx = 1u << 24;

    assert_true(is_masked(0xa7, avx, avx2 | avx512, amx | fp16));
    assert_true(is_masked(0xa7, avx, avx2 | avx512, fp16));
    assert_false(is_masked(0xa7, avx, avx2 | avx512, 0)); /* a Rocket Lake */
    assert_false(is_masked(0x8f, avx, avx2 | avx512, amx | fp16));
    assert_false(is_masked(0xad, avx, avx2 | avx512, amx | fp16)); /* itself: not in the table */
    assert_true(is_masked(0x5e, avx, avx2 | avx512, 0));
    assert_false(is_masked(0x5e, avx, avx2, 0));
    assert_false(is_masked(0x5e, 0, 0, 0)); /* what is taken away contradicts nothing */
    assert_true(is_masked(0x2a, avx, avx2, 0));
    assert_true(is_masked(0x1a, avx, 0, 0));
    assert_false(is_masked(0x1a, 0, 0, 0));
}

/* An MSR that reads as *ctx; NULL: it cannot be read. */
static bool read_sev(void *ctx, uint32_t msr, uint64_t *v)
{
    assert_int_equal(msr, 0xc0010131);
    *v = ctx ? *(uint64_t *)ctx : 0;
    return ctx != NULL;
}

TEST(a_guest_with_encrypted_memory_is_recognised)
{
    static const struct {
        uint32_t max, ext, sev; /* highest leaves; 8000_001F EAX */
        const char *id;         /* of leaf 21h */
        bool readable;
        uint64_t status; /* SEV_STATUS */
        const char *by;
    } cases[] = {
        {0x21, 0x80000008, 0, "IntelTDX    ", false, 0, "Intel TDX"},
        {0x20, 0x80000008, 0, "IntelTDX    ", false, 0, NULL}, /* the leaf does not exist */
        {0x23, 0x80000008, 0, "            ", false, 0, NULL},
        {0xd, 0x8000001f, 0x1f, "", true, 1, "AMD SEV"},
        {0xd, 0x8000001f, 0x1f, "", true, 3, "AMD SEV-ES"},
        {0xd, 0x80000021, 2, "", true, 0x27, "AMD SEV-SNP"},
        {0xd, 0x8000001f, 0x1f, "", true, 0, NULL}, /* a host */
        {0xd, 0x8000001f, 1, "", true, 1, NULL},    /* only SME */
        {0xd, 0x8000001e, 2, "", true, 1, NULL},
        {0xd, 0x8000001f, 2, "", false, 0, NULL},
    };

    EACH_CASE (one, cases) {
        uint32_t id[3] = {0};
        uint64_t status = one->status;
        memcpy(id, one->id, strlen(one->id));
        made_vendor(one->max > 0xd ? "GenuineIntel" : "AuthenticAMD", one->max);
        made_leaf(0x21, 0, id[0], id[2], id[1]);
        made_leaf(0x80000000, one->ext, 0, 0, 0);
        made_leaf(0x8000001f, one->sev, 0, 0, 0);
        struct dump_cpu boot;
        (void)made_cpu(&boot);
        const char *by =
            cpu_encrypted_guest(cpuid_dump_get, &boot, read_sev, one->readable ? &status : NULL);
        assert_int_equal(by != NULL, one->by != NULL);
        if (by)
            assert_string_equal(by, one->by);
    }
}
