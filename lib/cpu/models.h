/*
 * Facts of a CPU by vendor, family and model that no CPUID bit and no register has. The only place
 * for such knowledge; the table in models.c has a row per model, with its sources. A zero means not
 * known; the caller then leaves the CPU as it is.  The latencies of instructions are in
 * bench/suites/truth/table.c.
 */
#ifndef LIB_CPU_MODELS_H
#define LIB_CPU_MODELS_H

#include <stdbool.h>
#include <stdint.h>

enum cpu_vendor { VENDOR_UNKNOWN, VENDOR_INTEL, VENDOR_AMD, VENDOR_HYGON, VENDOR_ZHAOXIN };

/* The way to find the TSC's rate if CPUID does not state it (lib/cpu/tsc_rate_*.c). */
enum tsc_way {
    TSC_WAY_NONE,
    TSC_WAY_CRYSTAL_24, /* leaf 15h without a crystal, which has this many MHz */
    TSC_WAY_CRYSTAL_25,
    TSC_WAY_CRYSTAL_24_OR_25, /* server or workstation: decided by the nominal frequency */
    TSC_WAY_CRYSTAL_19_2,
    TSC_WAY_RATIO_100, /* MSR CEh[15:8] times this bus clock */
    TSC_WAY_RATIO_133,
    TSC_WAY_RATIO_SILVERMONT, /* the same, with the bus clock from MSR CDh[2:0] */
    TSC_WAY_RATIO_AIRMONT,    /* with the bus clock from MSR CDh[3:0] */
    TSC_WAY_CORE2,            /* bus clock from MSR CDh[2:0] times the maximum bus ratio */
    TSC_WAY_BONNELL,          /* the same, with other bus clock codes */
    TSC_WAY_NETBURST,         /* MSR 2Ch */
    TSC_WAY_FIDVID,           /* AMD K8: MSR C001_0042, the current frequency */
    TSC_WAY_PSTATE_10H,       /* AMD: the base P-state's MSR, by each family's formula */
    TSC_WAY_PSTATE_11H,
    TSC_WAY_PSTATE_12H,
    TSC_WAY_PSTATE_17H,
    TSC_WAY_PSTATE_1AH,
};

/* The way to disable the hardware prefetchers (lib/cpu/controls.c). */
enum prefetch_control {
    PREFETCH_NOT_KNOWN,
    PREFETCH_MISC_ENABLE, /* Core 2: bits of IA32_MISC_ENABLE */
    PREFETCH_FOUR, /* MISC_FEATURE_CONTROL (1A4h) bits 3:0; not for the Atom cores of hybrids */
    PREFETCH_TWO,  /* the same MSR, bits 0 and 2 */
};

/* The width of its vectors, in the order of introduction. */
enum cpu_vectors {
    VECTORS_NOT_KNOWN,
    VECTORS_SSE,
    VECTORS_AVX,
    VECTORS_AVX2,
    VECTORS_AVX512,
    VECTORS_AMX, /* or AVX512-FP16, introduced together */
};

struct cpu_model {
    enum tsc_way tsc_way;
    enum prefetch_control prefetch;
    bool nehalem_power;   /* MSR_PLATFORM_INFO, IA32_PERF_CTL in ratios, MSR_TURBO_RATIO_LIMIT,
                           * MSR_POWER_CTL, as introduced with Nehalem */
    bool smi_count;       /* MSR_SMI_COUNT (34h) */
    bool mc0_is_firmware; /* the operating system must not enable machine check bank 0 */
    bool gart_masked;     /* nor errors of GART table walks, bit 10 of bank 4 */
    bool lfence_waits;    /* LFENCE serialises, although no bit or MSR reports it */
    bool boost_is_p0;     /* the P-state MSRs start with the boost states, before the base one */
    bool compute_units;   /* pairs of cores share a front end and an FPU (8000_001E EBX) */
    bool thread_count;    /* 8000_001E EBX[15:8] counts the threads of a core */
    bool socket_in_bit_6; /* of the APIC id, even with few cores */
    enum cpu_vectors vectors; /* the widest that any CPU of this model has */
};

/* Never NULL. Family and model include their extended parts (as in struct cpu). A model newer than
 * the table gets only the facts that all recent models of its vendor share. */
const struct cpu_model *model_find(enum cpu_vendor vendor, uint32_t family, uint32_t model);

#endif
