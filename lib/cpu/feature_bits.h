/*
 * Features that a row may need, by the bit of CPUID that reports each. Sources: Intel SDM vol. 2A,
 * CPUID, table 3-8; AMD APM vol. 3 appendix E (leaves from 8000_0000h). Intel and AMD report the
 * controls of speculation in different leaves; either is enough. FRED: Intel 346446.
 * VERW on AMD: the white paper on transient scheduler attacks (TSA), 2025.
 */
#ifndef LIB_CPU_FEATURE_BITS_H
#define LIB_CPU_FEATURE_BITS_H

#include "lib/cpu/cpu.h"

/* ONE(id, name, leaf, subleaf, register, bit); TWO has two such places. */
#define FEATURE_BITS(ONE, TWO)                                                                     \
    ONE(SEP, "SYSENTER", 1, 0, EDX, 11)                                                            \
    ONE(MONITOR, "MONITOR", 1, 0, ECX, 3)                                                          \
    ONE(PCID, "PCID", 1, 0, ECX, 17)                                                               \
    ONE(TSC_DEADLINE, "the APIC timer's TSC-deadline mode", 1, 0, ECX, 24)                         \
    ONE(OSXSAVE, "XSAVE in use by the system", 1, 0, ECX, 27)                                      \
    ONE(AVX, "AVX", 1, 0, ECX, 28)                                                                 \
    ONE(RDRAND, "RDRAND", 1, 0, ECX, 30)                                                           \
    ONE(PGE, "global pages", 1, 0, EDX, 13)                                                        \
    ONE(ARAT, "an APIC timer that runs in every C-state", 6, 0, EAX, 2)                            \
    ONE(TSC_ADJUST, "IA32_TSC_ADJUST", 7, 0, EBX, 1)                                               \
    ONE(BMI2, "BMI2", 7, 0, EBX, 8)                                                                \
    ONE(INVPCID, "INVPCID", 7, 0, EBX, 10)                                                         \
    ONE(AVX512F, "AVX512F", 7, 0, EBX, 16)                                                         \
    ONE(RDSEED, "RDSEED", 7, 0, EBX, 18)                                                           \
    ONE(SMAP, "SMAP", 7, 0, EBX, 20)                                                               \
    ONE(WAITPKG, "WAITPKG", 7, 0, ECX, 5)                                                          \
    ONE(LA57, "5 levels of page tables", 7, 0, ECX, 16)                                            \
    ONE(RDPID, "RDPID", 7, 0, ECX, 22)                                                             \
    ONE(AMX_TILE, "AMX tiles", 7, 0, EDX, 24)                                                      \
    ONE(FRED, "FRED", 7, 1, EAX, 17)                                                               \
    ONE(XSAVEOPT, "XSAVEOPT", 0xd, 1, EAX, 0)                                                      \
    ONE(XSAVEC, "XSAVEC", 0xd, 1, EAX, 1)                                                          \
    ONE(XSAVES, "XSAVES", 0xd, 1, EAX, 3)                                                          \
    ONE(XFD, "XFD", 0xd, 1, EAX, 4)                                                                \
    ONE(XFD_TILES, "XFD of AMX tiles", 0xd, 18, ECX, 2)                                            \
    ONE(NX, "no-execute pages", 0x80000001, 0, EDX, 20)                                            \
    ONE(PAGE_1G, "pages of 1 GiB", 0x80000001, 0, EDX, 26)                                         \
    ONE(RDTSCP, "RDTSCP", 0x80000001, 0, EDX, 27)                                                  \
    ONE(INVLPGB, "INVLPGB", 0x80000008, 0, EBX, 3)                                                 \
    ONE(WBNOINVD, "WBNOINVD", 0x80000008, 0, EBX, 9)                                               \
    TWO(VERW, "VERW that clears the CPU's buffers", 7, 0, EDX, 10, 0x80000021, 0, EAX, 5)          \
    TWO(IBRS, "IBRS", 7, 0, EDX, 26, 0x80000008, 0, EBX, 14)                                       \
    TWO(IBPB, "IBPB", 7, 0, EDX, 26, 0x80000008, 0, EBX, 12)                                       \
    TWO(STIBP, "STIBP", 7, 0, EDX, 27, 0x80000008, 0, EBX, 15)                                     \
    TWO(SSBD, "SSBD", 7, 0, EDX, 31, 0x80000008, 0, EBX, 24)

#define FEATURE_ONE_ID(id, ...) FEATURE_##id,
enum cpu_feature {
    FEATURE_NONE, /* every CPU has it */
    FEATURE_BITS(FEATURE_ONE_ID, FEATURE_ONE_ID) FEATURES
};

/* Returns NULL if the CPU reports the feature; else "needs PCID (CPUID.1.0:ECX[17]), which this CPU
 * does not have": the numbers are leaf and subleaf. */
const char *feature_lacks(enum cpu_feature f, cpuid_fn cpuid, void *ctx);

#endif
