/* tests/replay judges the frequencies of machines that were measured; here are the rules, and the
 * cases in which nothing is stated. */
#include "lib/cpu/tsc_rate.h"

#include "tests/unit/made_cpu.h"
#include "tests/unit/cmocka_unit.h"

static struct tsc_rate rate(void)
{
    struct dump_cpu boot;
    struct cpu c = made_cpu(&boot);

    return tsc_rate_decode(&c, cpuid_dump_get, &boot, cpuid_dump_rdmsr, &boot);
}

static void expect(uint64_t hz, enum tsc_rate_source source)
{
    struct tsc_rate r = rate();

    assert_true(r.hz == hz);
    assert_int_equal(r.source, hz != 0 ? source : TSC_RATE_NONE);
}

static void silent(void)
{
    expect(0, TSC_RATE_NONE);
}

static void intel(uint32_t family, uint32_t model)
{
    made_vendor("GenuineIntel", 0x16);
    made_model(family, model, 0, 0, 0);
}

TEST(a_crystal_in_cpuid_gives_the_frequency)
{
    intel(6, 0xff); /* no model is too new for what CPUID itself says */
    made_leaf(0x15, 2, 166, 38400000, 0);
    expect(3187200000, TSC_RATE_CPUID);
    made.leaf[2].regs.ecx = 1; /* 83 Hz */
    silent();
    made.leaf[2].regs.ecx = 0; /* the model's crystal is not known */
    made_msr(0xce, 0x2000);
    silent();
    made_vendor("GenuineIntel", 0x16);
    made_leaf(1, 0x906a0, 0, 0, 0); /* no TSC */
    made_leaf(0x15, 2, 166, 38400000, 0);
    silent();
}

TEST(a_crystal_of_the_model_is_checked_against_the_nominal)
{
    static const struct {
        uint32_t model, den, num, mhz;
        uint64_t hz;
    } cases[] = {
        {0x9e, 2, 308, 3700, 3696000000}, /* 24 MHz */
        {0x9e, 2, 308, 3800, 0},          /* 2.7% from the nominal frequency: another crystal */
        {0x55, 2, 168, 2100, 2100000000}, /* Xeon: 25 MHz */
        {0x55, 2, 276, 3300, 3312000000}, /* Core X: 24 MHz */
        {0x5c, 3, 171, 1100, 1094400000}, /* 19.2 MHz */
        {0x5f, 3, 240, 2000, 2000000000},
        {0x9e, 0, 308, 3700, 0},
        {0x9e, 2, 308, 0, 0}, /* nothing to check against */
    };
    EACH_CASE (c, cases) {
        intel(6, c->model);
        made_leaf(0x15, c->den, c->num, 0, 0);
        made_leaf(0x16, c->mhz, 0, 0, 0);
        expect(c->hz, TSC_RATE_CRYSTAL);
    }
}

TEST(ratios_give_the_frequency)
{
    static const struct {
        uint32_t model;
        uint64_t ratio, fsb;
        uint64_t hz;
        enum tsc_rate_source source;
    } cases[] = {
        {0x1a, 20, 7, 2666666667, TSC_RATE_PLATFORM_INFO},
        {0x3c, 34, 7, 3400000000, TSC_RATE_PLATFORM_INFO},
        {0x37, 24, 0, 2000000000, TSC_RATE_FSB},
        {0x37, 16, 8 | 3, 1866666667, TSC_RATE_FSB}, /* three bits count */
        {0x37, 16, 7, 0, TSC_RATE_NONE},             /* a reserved code */
        {0x4c, 20, 8, 1750000000, TSC_RATE_FSB},     /* Airmont: four bits */
        {0x4c, 18, 5, 1680000000, TSC_RATE_FSB},
        {0x3c, 0, 0, 0, TSC_RATE_NONE},
        {0x5a, 20, 0, 0, TSC_RATE_NONE}, /* a model without a known crystal */
    };
    EACH_CASE (c, cases) {
        intel(6, c->model);
        made_msr(0xce, c->ratio << 8);
        made_msr(0xcd, c->fsb);
        expect(c->hz, c->source);
    }
    intel(6, 0x37);
    made_msr(0xce, 24 << 8); /* no MSR_FSB_FREQ */
    silent();
}

TEST(core2_gives_its_frequency)
{
    static const struct {
        uint32_t model;
        uint64_t fsb, status, id;
        uint64_t hz;
    } cases[] = {
        {0x17, 4, 9ull << 40, 9 << 8, 3000000000},
        {0x17, 0, 9ull << 40 | 1ull << 46, 9 << 8, 2533333333}, /* 9.5 * 266.67 */
        {0x17, 4, 9ull << 40, 8 << 8, 0},                       /* which of the two? */
        {0x17, 4, 9ull << 40 | 1u << 31, 8 << 8, 3000000000},   /* XE: the status counts */
        {0x17, 7, 9ull << 40, 9 << 8, 0},
        {0x1c, 1, 12ull << 40, 12 << 8, 1600000000},
        {0x1c, 7, 12ull << 40, 12 << 8, 1000000000}, /* Bonnell's 83 MHz */
        {0x0e, 4, 9ull << 40, 9 << 8, 0},
    };
    EACH_CASE (c, cases) {
        intel(6, c->model);
        made_msr(0xcd, c->fsb);
        made_msr(0x198, c->status);
        made_msr(0x17, c->id);
        expect(c->hz, TSC_RATE_FSB);
    }
}

TEST(netburst_gives_its_frequency)
{
    intel(0xf, 4);
    made_msr(0x2c, 16u << 24 | 2u << 16);
    expect(3200000000, TSC_RATE_EBC);
    made.msr[0].value = 16u << 24 | 7u << 16;
    silent();
    intel(0xf, 2); /* its TSC follows the core */
    made_msr(0x2c, 16u << 24 | 2u << 16);
    silent();
}

#define AT_P0   (1ull << 24)
#define ENABLED (1ull << 63)

static void amd(const char *vendor, uint32_t family, bool boosts)
{
    made_vendor(vendor, 1);
    made_model(family, 0, 0, 0, 0);
    made_leaf(0x80000000, 0x80000008, 0, 0, 0);
    made_leaf(0x80000007, 0, 0, 0, boosts ? 1u << 9 : 0);
}

TEST(amd_formulas_give_the_frequency)
{
    static const struct {
        uint32_t family;
        uint64_t pstate, hz;
    } cases[] = {
        {0x10, 12, 2800000000},
        {0x10, 1 << 6 | 14, 1500000000},
        {0x11, 12, 2000000000},
        {0x11, 1 << 6 | 14, 1100000000},
        {0x12, 14 << 4, 3000000000},
        {0x12, 8 << 4 | 1, 1600000000}, /* divided by 1.5 */
        {0x12, 8 << 4 | 15, 0},
        {0x14, 12, 0},
        {0x15, 20, 3600000000},
        {0x15, 5 << 6 | 20, 0}, /* a divisor that is reserved */
        {0x16, 1 << 6 | 14, 1500000000},
        {0x17, 8 << 8 | 0x88, 3400000000},
        {0x19, 10 << 8 | 125, 2500000000},
        {0x17, 0x88, 0}, /* off */
        {0x1a, 0x35c, 4300000000},
        {0x1b, 0x35c, 0}, /* not yet written */
    };
    EACH_CASE (c, cases) {
        amd("AuthenticAMD", c->family, false);
        made_msr(0xc0010015, AT_P0);
        made_msr(0xc0010061, 0);
        made_msr(0xc0010064, ENABLED | c->pstate);
        expect(c->hz, TSC_RATE_PSTATE0);
    }
    amd("HygonGenuine", 0x18, true);
    made_msr(0xc0010015, AT_P0);
    made_msr(0xc0010064, ENABLED | 8 << 8 | 0x78);
    expect(3000000000, TSC_RATE_PSTATE0);
    made.msr[0].value = 0; /* the TSC counts another clock */
    silent();
}

/* FX-8150: two boost states before P0, seven in all, the last of which is software's fourth. */
TEST(boost_states_before_p0_are_skipped)
{
    static const uint64_t fid[7] = {26, 23, 20, 17, 11, 5, 1 << 6 | 12};

    amd("AuthenticAMD", 0x15, true);
    made_msr(0xc0010015, AT_P0);
    made_msr(0xc0010061, 4 << 4);
    for (uint32_t i = 0; i < 7; i++)
        made_msr(0xc0010064 + i, ENABLED | fid[i]);
    made_msr(0xc001006b, 0);
    expect(3600000000, TSC_RATE_PSTATE0);
    made.msr[1].value = 6 << 4; /* none is left over, though CPUID says that it boosts */
    silent();
    made.msr[1].value = 7 << 4; /* more than there are */
    silent();
    made.leaf[3].regs.edx = 0;
    made.msr[1].value = 6 << 4;
    expect(4200000000, TSC_RATE_PSTATE0);
    made.msr[2].value &= ~ENABLED;
    silent();
    made.msr[2].value |= ENABLED;
    made.msr[1].address = 0; /* the limit cannot be read */
    silent();
}

TEST(k8_gives_its_frequency)
{
    amd("AuthenticAMD", 0x0f, false);
    silent();
    made_msr(0xc0010042, 0x0e0e020d);
    expect(2100000000, TSC_RATE_FIDVID);
}

TEST(hypervisors_state_the_frequency)
{
    static const struct {
        char id[13];
        uint32_t max, khz;
        uint64_t hz;
    } cases[] = {
        {"VMwareVMware", 0x40000010, 2596123, 2596123000},
        {"KVMKVMKVM\0\0\0", 0x40000010, 2596123, 2596123000},
        {"KVMKVMKVM\0\0\0", 0x40000001, 2596123, 0},
        {"VMwareVMware", 0x40000010, 0, 0},
        {"XenVMMXenVMM", 0x40000010, 2596123, 0}, /* says something else there */
        {"Microsoft Hv", 0x40000006, 0, 2400000000},
    };
    EACH_CASE (c, cases) {
        uint32_t r[3];
        made_vendor("GenuineIntel", 1);
        made_model(6, 0x3c, 0, 1u << 31, 0);
        memcpy(r, c->id, 12);
        made_leaf(0x40000000, c->max, r[0], r[1], r[2]);
        made_leaf(0x40000003, 1u << 11, 0, 0, 0);
        made_leaf(0x40000010, c->khz, 0, 0, 0);
        made_msr(0xce, 34 << 8); /* the host's, or unknown */
        made_msr(0x40000022, 2400000000);
        expect(c->hz, TSC_RATE_HYPERVISOR);
    }
    made.leaf[3].regs.eax = 0; /* Hyper-V does not let the MSR be read */
    silent();
}

TEST(without_msrs_no_frequency_is_stated)
{
    struct dump_cpu boot;

    intel(6, 0x3c);
    made_msr(0xce, 34 << 8);
    struct cpu c = made_cpu(&boot);
    assert_true(tsc_rate_decode(&c, cpuid_dump_get, &boot, NULL, NULL).hz == 0);
    for (int i = 0; i < TSC_RATE_SOURCES; i++)
        assert_non_null(tsc_rate_source_names[i]);
}
