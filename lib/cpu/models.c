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
 * - machine check bank 0: vol. 3B 16.3.2.1, family 6 before model 1Ah.
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
    uint32_t family, first, last; /* models */
    struct cpu_model is;
};
#define INTEL(model, ...)                                                                          \
    {                                                                                              \
        VENDOR_INTEL, 6, model, model,                                                             \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
#define FAMILY(vendor, family, ...)                                                                \
    {                                                                                              \
        vendor, family, 0, UINT32_MAX,                                                             \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

static const struct row rows[] = {
    /* P6 and Pentium M. */
    {VENDOR_INTEL, 6, 0x00, 0x0e, {.mc0_is_firmware = true}},
    INTEL(0x0f, CORE2, .tsc_way = TSC_WAY_CORE2),             /* Merom */
    {VENDOR_INTEL, 6, 0x10, 0x15, {.mc0_is_firmware = true}}, /* Tolapai, a Pentium M */
    INTEL(0x16, CORE2),                           /* Merom-L: its bus clock is not documented */
    INTEL(0x17, CORE2, .tsc_way = TSC_WAY_CORE2), /* Penryn */
    INTEL(0x1d, .prefetch = PREFETCH_MISC_ENABLE, .tsc_way = TSC_WAY_CORE2), /* Dunnington */

    INTEL(0x1a, CORE_I(TSC_WAY_RATIO_133), .vectors = VECTORS_SSE), /* Nehalem */
    INTEL(0x1e, CORE_I(TSC_WAY_RATIO_133), .vectors = VECTORS_SSE),
    INTEL(0x1f, CORE_I(TSC_WAY_RATIO_133), .vectors = VECTORS_SSE),
    INTEL(0x2e, CORE_I(TSC_WAY_RATIO_133), .vectors = VECTORS_SSE),
    INTEL(0x25, CORE_I(TSC_WAY_RATIO_133), .vectors = VECTORS_SSE), /* Westmere */
    INTEL(0x2c, CORE_I(TSC_WAY_RATIO_133), .vectors = VECTORS_SSE),
    INTEL(0x2f, CORE_I(TSC_WAY_RATIO_133), .vectors = VECTORS_SSE),
    INTEL(0x2a, CORE_I(TSC_WAY_RATIO_100), .vectors = VECTORS_AVX), /* Sandy Bridge */
    INTEL(0x2d, CORE_I(TSC_WAY_RATIO_100), .vectors = VECTORS_AVX),
    INTEL(0x3a, CORE_I(TSC_WAY_RATIO_100), .vectors = VECTORS_AVX), /* Ivy Bridge */
    INTEL(0x3e, CORE_I(TSC_WAY_RATIO_100), .vectors = VECTORS_AVX),
    INTEL(0x3c, CORE_I(TSC_WAY_RATIO_100), .vectors = VECTORS_AVX2), /* Haswell */
    INTEL(0x3f, CORE_I(TSC_WAY_RATIO_100), .vectors = VECTORS_AVX2),
    INTEL(0x45, CORE_I(TSC_WAY_RATIO_100), .vectors = VECTORS_AVX2),
    INTEL(0x46, CORE_I(TSC_WAY_RATIO_100), .vectors = VECTORS_AVX2),
    INTEL(0x3d, CORE_I(TSC_WAY_RATIO_100), .vectors = VECTORS_AVX2), /* Broadwell */
    INTEL(0x47, CORE_I(TSC_WAY_RATIO_100), .vectors = VECTORS_AVX2),
    INTEL(0x4f, CORE_I(TSC_WAY_RATIO_100), .vectors = VECTORS_AVX2),
    INTEL(0x56, CORE_I(TSC_WAY_RATIO_100), .vectors = VECTORS_AVX2),
    INTEL(0x4e, CORE_I(TSC_WAY_CRYSTAL_24), .vectors = VECTORS_AVX2), /* Skylake */
    INTEL(0x5e, CORE_I(TSC_WAY_CRYSTAL_24), .vectors = VECTORS_AVX2),
    INTEL(0x55, CORE_I(TSC_WAY_CRYSTAL_24_OR_25),
          .vectors = VECTORS_AVX512), /* Skylake-SP and later on its board */
    INTEL(0x8e, CORE_I(TSC_WAY_CRYSTAL_24), .vectors = VECTORS_AVX2), /* Kaby Lake, Coffee Lake */
    INTEL(0x9e, CORE_I(TSC_WAY_CRYSTAL_24), .vectors = VECTORS_AVX2),
    /* From this row on CPUID leaf 15h is complete. */
    INTEL(0x66, CORE_I(TSC_WAY_NONE), .vectors = VECTORS_AVX512), /* Cannon Lake */
    INTEL(0xa5, CORE_I(TSC_WAY_NONE), .vectors = VECTORS_AVX2),   /* Comet Lake */
    INTEL(0xa6, CORE_I(TSC_WAY_NONE), .vectors = VECTORS_AVX2),
    INTEL(0x7d, CORE_I(TSC_WAY_NONE), .vectors = VECTORS_AVX512), /* Ice Lake */
    INTEL(0x7e, CORE_I(TSC_WAY_NONE), .vectors = VECTORS_AVX512),
    INTEL(0x6a, CORE_I(TSC_WAY_NONE), .vectors = VECTORS_AVX512),
    INTEL(0x6c, CORE_I(TSC_WAY_NONE), .vectors = VECTORS_AVX512),
    INTEL(0x8c, CORE_I(TSC_WAY_NONE), .vectors = VECTORS_AVX512), /* Tiger Lake */
    INTEL(0x8d, CORE_I(TSC_WAY_NONE), .vectors = VECTORS_AVX512),
    INTEL(0xa7, CORE_I(TSC_WAY_NONE), .vectors = VECTORS_AVX512), /* Rocket Lake */
    INTEL(0x8f, CORE_I(TSC_WAY_NONE)), /* Sapphire Rapids, Emerald Rapids */
    INTEL(0xcf, CORE_I(TSC_WAY_NONE)),
    INTEL(0x97, CORE_I(TSC_WAY_NONE)), /* Alder Lake, Raptor Lake */
    INTEL(0x9a, CORE_I(TSC_WAY_NONE)),
    INTEL(0xb7, CORE_I(TSC_WAY_NONE)),
    INTEL(0xba, CORE_I(TSC_WAY_NONE)),
    INTEL(0xbf, CORE_I(TSC_WAY_NONE)),

    INTEL(0x57, ATOM, .tsc_way = TSC_WAY_RATIO_100, .vectors = VECTORS_AVX512), /* Xeon Phi */
    INTEL(0x85, ATOM, .tsc_way = TSC_WAY_RATIO_100, .vectors = VECTORS_AVX512),
    INTEL(0x1c, .tsc_way = TSC_WAY_BONNELL,
          .vectors = VECTORS_SSE), /* Bonnell and Saltwell: no SMI counter */
    INTEL(0x26, .tsc_way = TSC_WAY_BONNELL, .vectors = VECTORS_SSE),
    /* Listed although nothing is known of them: a model without a row counts as a later one, which
     * has the SMI counter. */
    INTEL(0x27, .smi_count = false, .vectors = VECTORS_SSE),
    INTEL(0x35, .smi_count = false, .vectors = VECTORS_SSE),
    INTEL(0x36, .smi_count = false, .vectors = VECTORS_SSE),
    INTEL(0x37, ATOM, .tsc_way = TSC_WAY_RATIO_SILVERMONT,
          .vectors = VECTORS_SSE), /* Bay Trail, Avoton */
    INTEL(0x4d, ATOM, .tsc_way = TSC_WAY_RATIO_SILVERMONT, .vectors = VECTORS_SSE),
    INTEL(0x4c, ATOM, .tsc_way = TSC_WAY_RATIO_AIRMONT,
          .vectors = VECTORS_SSE), /* Braswell, Cherry Trail */
    INTEL(0x5c, ATOM, .tsc_way = TSC_WAY_CRYSTAL_19_2, .prefetch = PREFETCH_TWO,
          .vectors = VECTORS_SSE), /* Goldmont */
    /* Denverton's crystal: C3000 datasheet, "Reference clocks"; as Linux has it. */
    INTEL(0x5f, ATOM, .tsc_way = TSC_WAY_CRYSTAL_25, .prefetch = PREFETCH_TWO,
          .vectors = VECTORS_SSE),
    INTEL(0x7a, ATOM, .prefetch = PREFETCH_TWO, .vectors = VECTORS_SSE), /* Goldmont Plus */

    /* Netburst; models before 3 count actual core clocks, which throttling changes. */
    {VENDOR_INTEL, 0xf, 0, 2, {.tsc_way = TSC_WAY_NONE}},
    {VENDOR_INTEL, 0xf, 3, UINT32_MAX, {.tsc_way = TSC_WAY_NETBURST}},

    FAMILY(VENDOR_AMD, 0x0f, .tsc_way = TSC_WAY_FIDVID, .lfence_waits = true,
           .vectors = VECTORS_SSE), /* K8 */
    FAMILY(VENDOR_AMD, 0x10, .tsc_way = TSC_WAY_PSTATE_10H, .boost_is_p0 = true,
           .vectors = VECTORS_SSE),
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

const struct cpu_model *model_find(enum cpu_vendor vendor, uint32_t family, uint32_t model)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].vendor == vendor && rows[i].family == family && rows[i].first <= model &&
            model <= rows[i].last)
            return &rows[i].is;
    if (vendor == VENDOR_INTEL && ((family == 6 && model >= 0x1a) || family > 6))
        return &later_intel;
    if ((vendor == VENDOR_AMD || vendor == VENDOR_HYGON) && family >= 0x17)
        return &later_amd;
    return &unknown;
}
