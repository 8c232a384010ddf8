#include "lib/cpu/models.h"

#include <stddef.h>

/*
 * Rows are named after their cores. Sources:
 * - families and models: SDM vol. 4 table 2-1; AMD's BKDGs and PPRs, whose titles name them.
 * - crystals: SDM vol. 3B table 19-85 "Nominal Core Crystal Clock Frequency".
 * - ratios: MSR_PLATFORM_INFO (CEh) in vol. 4, "Bus clock: 133.33 MHz" in table 2-15 (Nehalem,
 *   which Westmere inherits), "in units of 100 MHz" in tables 2-20 and later (Sandy Bridge to Xeon
 *   Phi).
 * - bus clocks: MSR_FSB_FREQ (CDh) in vol. 4 tables 2-3 (Core 2), 2-4 (Bonnell), 2-6 (Silvermont),
 *   2-11 (Airmont); MSR_EBC_FREQUENCY_ID (2Ch) in Netburst's. Maximum ratios: vol. 3B 19.7.3.
 * - prefetchers: IA32_MISC_ENABLE in vol. 4 table 2-3; MISC_FEATURE_CONTROL (1A4h) in table 2-15
 *   (four bits) and 2-12 (Goldmont, two bits). Recorded Silvermonts have no such MSR.
 * - MSR_SMI_COUNT (34h): vol. 4 tables 2-6 (Silvermont) and 2-15 (Nehalem), which later ones
 *   inherit.
 * - machine check bank 0: vol. 3B 16.3.2.1, family 6 before model 1Ah; GART errors, which are
 *   reported in normal operation: BKDG 26094 (0Fh) and 31116 (10h), MC4_CTL, as Linux (amd.c).
 * - AMD's formulas: "P-state [7:0]" (MSRC001_0064) in BKDGs 31116 (10h), 41256 (11h), 41131 (12h),
 *   42301 (15h), 48751 (16h), PPRs 54945 (17h), 55898 (19h), 57238 (1Ah); K8: BKDG 26094.
 * - vectors: SDM vol. 1 chapters 14, 15 and 18, and the maker's page of each processor; family 15h
 *   has AVX2 from Excavator on, the first Alder Lakes AVX-512.
 * - LFENCE: AMD, "Software Techniques for Managing Speculation on AMD Processors", mitigation G-2.
 */
#define CORE2 .prefetch = PREFETCH_MISC_ENABLE, .mc0_is_firmware = true, .vectors = VECTORS_SSE
#define CORE_I(way)                                                                                \
    .tsc_way = (way), .prefetch = PREFETCH_FOUR, .nehalem_power = true, .smi_count = true
#define ATOM .smi_count = true

struct row {
    enum cpu_vendor vendor;
    uint32_t family, first, last; /* models; if last is 0, those listed instead */
    uint8_t listed[8];
    struct cpu_model is;
};
#define MODELS(...)                                                                                \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define INTEL(models, ...)                                                                         \
    {                                                                                              \
        VENDOR_INTEL, 6, 0, 0, models,                                                             \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
#define FAMILY(vendor, family, ...)                                                                \
    {                                                                                              \
        vendor, family, 0, UINT32_MAX, {0},                                                        \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

static const struct row rows[] = {
    /* P6 and Pentium M. */
    {VENDOR_INTEL, 6, 0x00, 0x0e, {0}, {.mc0_is_firmware = true}},
    INTEL(MODELS(0x0f, 0x17), CORE2, .tsc_way = TSC_WAY_CORE2),    /* Merom, Penryn */
    {VENDOR_INTEL, 6, 0x10, 0x15, {0}, {.mc0_is_firmware = true}}, /* Tolapai, a Pentium M */
    INTEL(MODELS(0x16), CORE2), /* Merom-L: its bus clock is not documented */
    INTEL(MODELS(0x1d), .prefetch = PREFETCH_MISC_ENABLE,
          .tsc_way = TSC_WAY_CORE2), /* Dunnington */

    /* Nehalem, Westmere; Sandy Bridge, Ivy Bridge; Haswell, Broadwell; Skylake. */
    INTEL(MODELS(0x1a, 0x1e, 0x1f, 0x2e, 0x25, 0x2c, 0x2f), CORE_I(TSC_WAY_RATIO_133),
          .vectors = VECTORS_SSE),
    INTEL(MODELS(0x2a, 0x2d, 0x3a, 0x3e), CORE_I(TSC_WAY_RATIO_100), .vectors = VECTORS_AVX),
    INTEL(MODELS(0x3c, 0x3f, 0x45, 0x46, 0x3d, 0x47, 0x4f, 0x56), CORE_I(TSC_WAY_RATIO_100),
          .vectors = VECTORS_AVX2),
    INTEL(MODELS(0x4e, 0x5e), CORE_I(TSC_WAY_CRYSTAL_24), .vectors = VECTORS_AVX2),
    /* Skylake-SP and later on its board. */
    INTEL(MODELS(0x55), CORE_I(TSC_WAY_CRYSTAL_24_OR_25), .vectors = VECTORS_AVX512),
    INTEL(MODELS(0x8e, 0x9e), CORE_I(TSC_WAY_CRYSTAL_24),
          .vectors = VECTORS_AVX2), /* Kaby Lake, Coffee Lake */
    /* From here on CPUID leaf 15h is complete: Comet Lake; Cannon Lake, Ice Lake, Tiger Lake,
     * Rocket Lake; Sapphire Rapids, Emerald Rapids, Alder Lake, Raptor Lake. */
    INTEL(MODELS(0xa5, 0xa6), CORE_I(TSC_WAY_NONE), .vectors = VECTORS_AVX2),
    INTEL(MODELS(0x66, 0x7d, 0x7e, 0x6a, 0x6c, 0x8c, 0x8d, 0xa7), CORE_I(TSC_WAY_NONE),
          .vectors = VECTORS_AVX512),
    INTEL(MODELS(0x8f, 0xcf, 0x97, 0x9a, 0xb7, 0xba, 0xbf), CORE_I(TSC_WAY_NONE)),

    /* Xeon Phi. Bonnell and Saltwell have no SMI counter. */
    INTEL(MODELS(0x57, 0x85), ATOM, .tsc_way = TSC_WAY_RATIO_100, .vectors = VECTORS_AVX512),
    INTEL(MODELS(0x1c, 0x26), .tsc_way = TSC_WAY_BONNELL, .vectors = VECTORS_SSE),
    /* Listed although nothing is known of them: a model without a row counts as a later one, which
     * has the SMI counter. */
    INTEL(MODELS(0x27, 0x35, 0x36), .smi_count = false, .vectors = VECTORS_SSE),
    /* Bay Trail, Avoton; Braswell, Cherry Trail; Goldmont. */
    INTEL(MODELS(0x37, 0x4d), ATOM, .tsc_way = TSC_WAY_RATIO_SILVERMONT, .vectors = VECTORS_SSE),
    INTEL(MODELS(0x4c), ATOM, .tsc_way = TSC_WAY_RATIO_AIRMONT, .vectors = VECTORS_SSE),
    INTEL(MODELS(0x5c), ATOM, .tsc_way = TSC_WAY_CRYSTAL_19_2, .prefetch = PREFETCH_TWO,
          .vectors = VECTORS_SSE),
    /* Denverton's crystal: C3000 datasheet, "Reference clocks"; as Linux has it. */
    INTEL(MODELS(0x5f), ATOM, .tsc_way = TSC_WAY_CRYSTAL_25, .prefetch = PREFETCH_TWO,
          .vectors = VECTORS_SSE),
    INTEL(MODELS(0x7a), ATOM, .prefetch = PREFETCH_TWO, .vectors = VECTORS_SSE), /* Goldmont Plus */

    /* Netburst; models before 3 count actual core clocks, which throttling changes. */
    {VENDOR_INTEL, 0xf, 0, 2, {0}, {.tsc_way = TSC_WAY_NONE}},
    {VENDOR_INTEL, 0xf, 3, UINT32_MAX, {0}, {.tsc_way = TSC_WAY_NETBURST}},

    FAMILY(VENDOR_AMD, 0x0f, .tsc_way = TSC_WAY_FIDVID, .lfence_waits = true, .gart_masked = true,
           .vectors = VECTORS_SSE), /* K8 */
    FAMILY(VENDOR_AMD, 0x10, .tsc_way = TSC_WAY_PSTATE_10H, .boost_is_p0 = true,
           .gart_masked = true, .vectors = VECTORS_SSE),
    FAMILY(VENDOR_AMD, 0x11, .tsc_way = TSC_WAY_PSTATE_11H, .boost_is_p0 = true,
           .lfence_waits = true, .vectors = VECTORS_SSE),
    FAMILY(VENDOR_AMD, 0x12, .tsc_way = TSC_WAY_PSTATE_12H, .boost_is_p0 = true,
           .vectors = VECTORS_SSE),
    /* 14h (Bobcat) has no row: only PCI configuration space has its main PLL's frequency. */
    FAMILY(VENDOR_AMD, 0x15, .tsc_way = TSC_WAY_PSTATE_10H, .boost_is_p0 = true,
           .compute_units = true, .vectors = VECTORS_AVX2), /* Bulldozer to Excavator */
    FAMILY(VENDOR_AMD, 0x16, .tsc_way = TSC_WAY_PSTATE_10H, .boost_is_p0 = true,
           .vectors = VECTORS_AVX), /* Jaguar */
    FAMILY(VENDOR_AMD, 0x17, .tsc_way = TSC_WAY_PSTATE_17H, .thread_count = true,
           .vectors = VECTORS_AVX2), /* Zen, Zen 2 */
    FAMILY(VENDOR_AMD, 0x19, .tsc_way = TSC_WAY_PSTATE_17H, .thread_count = true,
           .vectors = VECTORS_AVX512), /* Zen 3, 4 */
    FAMILY(VENDOR_AMD, 0x1a, .tsc_way = TSC_WAY_PSTATE_1AH, .thread_count = true,
           .vectors = VECTORS_AVX512), /* Zen 5 */
    /* Zen under another name; the socket's bit: Linux, arch/x86/kernel/cpu/hygon.c. */
    FAMILY(VENDOR_HYGON, 0x18, .tsc_way = TSC_WAY_PSTATE_17H, .thread_count = true,
           .socket_in_bit_6 = true, .vectors = VECTORS_AVX2),
};

/* Models after those of the table (Granite Rapids, hybrids after Raptor Lake, Atoms after Goldmont
 * Plus): nothing else was looked up for them. Their leaf 15h is complete. */
static const struct cpu_model unknown = {0}, later_intel = {.smi_count = true},
                              later_amd = {.thread_count = true};

static bool is_of(const struct row *r, uint32_t model)
{
    if (r->last != 0)
        return r->first <= model && model <= r->last;
    for (size_t i = 0; i < sizeof r->listed; i++)
        if (r->listed[i] == model && model != 0)
            return true;
    return false;
}

const struct cpu_model *model_find(enum cpu_vendor vendor, uint32_t family, uint32_t model)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].vendor == vendor && rows[i].family == family && is_of(&rows[i], model))
            return &rows[i].is;
    if (vendor == VENDOR_INTEL && ((family == 6 && model >= 0x1a) || family > 6))
        return &later_intel;
    if ((vendor == VENDOR_AMD || vendor == VENDOR_HYGON) && family >= 0x17)
        return &later_amd;
    return &unknown;
}
