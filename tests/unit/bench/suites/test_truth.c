#include "tests/unit/cmocka_unit.h"
#include "bench/suites/truth/table.h"

static struct cpu cpu(enum cpu_vendor vendor, uint32_t family, uint32_t model)
{
    return (struct cpu){.vendor = vendor, .family = family, .model = model};
}

static void expect(struct cpu c, double simple, double lea, double cmov, double imul, double imul64,
                   double load)
{
    assert_true(truth_simple(&c) == simple);
    assert_true(truth_lea(&c) == lea);
    assert_true(truth_cmov(&c) == cmov);
    assert_true(truth_imul(&c) == imul);
    assert_true(truth_imul64(&c) == imul64);
    assert_true(truth_load(&c) == load);
}

TEST(cores_have_their_documented_latencies)
{
    expect(cpu(VENDOR_INTEL, 6, 0x17), 1, 1, 2, 3, 0, 3); /* Penryn */
    expect(cpu(VENDOR_INTEL, 6, 0x1a), 1, 1, 2, 3, 3, 4); /* Nehalem */
    expect(cpu(VENDOR_INTEL, 6, 0x3c), 1, 1, 2, 3, 3, 4); /* Haswell */
    expect(cpu(VENDOR_INTEL, 6, 0x55), 1, 1, 1, 3, 3, 4); /* Skylake server */
    expect(cpu(VENDOR_INTEL, 6, 0x8c), 1, 1, 1, 3, 3, 5); /* Tiger Lake */
    expect(cpu(VENDOR_INTEL, 6, 0xad), 1, 1, 0, 3, 3, 5); /* Granite Rapids */
    expect(cpu(VENDOR_INTEL, 6, 0x97), 1, 1, 0, 3, 0, 0); /* Alder Lake, whichever core */
    expect(cpu(VENDOR_INTEL, 6, 0x1c), 1, 0, 2, 5, 0, 0); /* Bonnell */
    expect(cpu(VENDOR_INTEL, 6, 0x5c), 1, 1, 2, 3, 5, 3); /* Goldmont */
    expect(cpu(VENDOR_AMD, 0x10, 4), 1, 0, 1, 3, 4, 3);
    expect(cpu(VENDOR_AMD, 0x15, 2), 1, 1, 1, 4, 6, 4);
    expect(cpu(VENDOR_AMD, 0x16, 0), 1, 1, 1, 3, 6, 3);
    expect(cpu(VENDOR_AMD, 0x17, 0x31), 1, 1, 1, 3, 0, 4);
    expect(cpu(VENDOR_HYGON, 0x18, 0), 1, 1, 1, 3, 0, 4);
    expect(cpu(VENDOR_AMD, 0x19, 0x21), 1, 1, 1, 3, 3, 4);
    expect(cpu(VENDOR_AMD, 0x1a, 0x11), 1, 1, 1, 3, 3, 4);
}

TEST(an_unknown_core_has_no_documented_latency)
{
    expect(cpu(VENDOR_INTEL, 6, 0), 0, 0, 0, 0, 0, 0);    /* 0 ends the lists, it is in none */
    expect(cpu(VENDOR_INTEL, 6, 0x57), 0, 0, 0, 0, 0, 0); /* Knights Landing */
    expect(cpu(VENDOR_INTEL, 15, 6), 0, 0, 0, 0, 0, 0);   /* NetBurst */
    expect(cpu(VENDOR_INTEL, 6, 0x11a), 0, 0, 0, 0, 0, 0);
    expect(cpu(VENDOR_AMD, 0x1a, 0x50), 0, 0, 0, 0, 0, 0); /* after Zen 5 */
    expect(cpu(VENDOR_AMD, 0x1b, 0), 0, 0, 0, 0, 0, 0);
    expect(cpu(VENDOR_ZHAOXIN, 6, 0x17), 0, 0, 0, 0, 0, 0);
    expect(cpu(VENDOR_UNKNOWN, 6, 0x55), 0, 0, 0, 0, 0, 0);
}

TEST(a_masked_model_is_not_believed)
{
    struct cpu c = cpu(VENDOR_INTEL, 6, 0xa7);

    c.vectors = VECTORS_AVX512;
    expect(c, 1, 1, 1, 3, 3, 5);
    c.vectors = VECTORS_AMX;
    expect(c, 0, 0, 0, 0, 0, 0);
}
