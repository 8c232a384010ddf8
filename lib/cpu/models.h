/*
 * What is known of a CPU by its vendor, family and model alone: what no CPUID bit and no register
 * says. The one place for that question; the table in models.c has a row for each model, with its
 * sources. A zero means that nothing is known; who asks then leaves the CPU as it is.
 *
 * How many cycles instructions take on a core stands in bench/suites/truth/table.c.
 */
#ifndef LIB_CPU_MODELS_H
#define LIB_CPU_MODELS_H

#include <stdbool.h>
#include <stdint.h>

enum cpu_vendor { VENDOR_UNKNOWN, VENDOR_INTEL, VENDOR_AMD, VENDOR_HYGON, VENDOR_ZHAOXIN };

/* How the rate of the TSC is found where CPUID does not state it (lib/cpu/tsc_rate_*.c). */
enum tsc_way {
    TSC_WAY_NONE,
    TSC_WAY_CRYSTAL_24, /* leaf 15h without its crystal, which is this many MHz */
    TSC_WAY_CRYSTAL_25,
    TSC_WAY_CRYSTAL_24_OR_25, /* server, or workstation: told by the nominal frequency */
    TSC_WAY_CRYSTAL_19_2,
    TSC_WAY_RATIO_100, /* MSR CEh[15:8] times this bus clock */
    TSC_WAY_RATIO_133,
    TSC_WAY_RATIO_SILVERMONT, /* the same, the bus clock from MSR CDh[2:0] */
    TSC_WAY_RATIO_AIRMONT,    /* from MSR CDh[3:0] */
    TSC_WAY_CORE2,            /* bus clock from MSR CDh[2:0], the maximum bus ratio */
    TSC_WAY_BONNELL,          /* the same, with other codes of bus clocks */
    TSC_WAY_NETBURST,         /* MSR 2Ch */
    TSC_WAY_FIDVID,           /* AMD K8: MSR C001_0042, the present frequency */
    TSC_WAY_PSTATE_10H,       /* AMD: the base P-state's MSR, by each family's formula */
    TSC_WAY_PSTATE_11H,
    TSC_WAY_PSTATE_12H,
    TSC_WAY_PSTATE_17H,
    TSC_WAY_PSTATE_1AH,
};

/* Where the hardware prefetchers are switched off (lib/cpu/controls.c). */
enum prefetch_control {
    PREFETCH_NOT_KNOWN,
    PREFETCH_MISC_ENABLE, /* Core 2: bits of IA32_MISC_ENABLE */
    PREFETCH_FOUR, /* MISC_FEATURE_CONTROL (1A4h) bits 3:0; a hybrid's Atom cores have others */
    PREFETCH_TWO,  /* the same MSR, bits 0 and 2 */
};

/* How wide its vectors are, by what came when. */
enum cpu_vectors {
    VECTORS_NOT_KNOWN,
    VECTORS_SSE,
    VECTORS_AVX,
    VECTORS_AVX2,
    VECTORS_AVX512,
    VECTORS_AMX, /* or AVX512-FP16, which came with it */
};

struct cpu_model {
    enum tsc_way tsc_way;
    enum prefetch_control prefetch;
    bool nehalem_power;   /* MSR_PLATFORM_INFO, IA32_PERF_CTL in ratios, MSR_TURBO_RATIO_LIMIT,
                             MSR_POWER_CTL, as Nehalem brought them */
    bool smi_count;       /* MSR_SMI_COUNT (34h) */
    bool mc0_is_firmware; /* machine check bank 0 is not the operating system's to enable */
    bool lfence_waits;    /* LFENCE serialises, without a bit or an MSR that says so */
    bool boost_is_p0;   /* boost states are numbered among the P-state MSRs, before the base one */
    bool compute_units; /* pairs of cores share a front end and an FPU (8000_001E EBX) */
    bool thread_count;  /* 8000_001E EBX[15:8] counts threads of a core */
    bool socket_in_bit_6;     /* of the APIC id, however few the cores are */
    enum cpu_vectors vectors; /* the widest that any CPU of this model has */
};

/* Never NULL. Family and model with their extended parts added in (struct cpu has them so). A model
 * newer than the table has what all models of its vendor have had for long, and else nothing. */
const struct cpu_model *model_find(enum cpu_vendor vendor, uint32_t family, uint32_t model);

#endif
