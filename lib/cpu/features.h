/*
 * CPU features that matter for measuring (SMI counter, LFENCE), and mitigations of speculation:
 * decoded from CPUID, or from MSRs if CPUID does not report them.
 */
#ifndef LIB_CPU_FEATURES_H
#define LIB_CPU_FEATURES_H

#include <stdbool.h>
#include "lib/cpu/cpu.h"
#include "lib/cpu/tsc_rate.h"

/* Returns whether the model has MSR_SMI_COUNT (34h): Intel since Nehalem, and the Atoms since
 * Silvermont. A guest has no working one. */
bool features_smi_counter(const struct cpu *c);
/* Returns whether a performance counter of the model counts SMIs (COUNT_SMIS): AMD's from family
 * 17h on. Not in a guest, whose hypervisor takes the SMIs. */
bool features_smi_event(const struct cpu *c);

/* Returns the revision in IA32_BIOS_SIGN_ID or AMD's PATCH_LEVEL (both MSR 8Bh); 0: none loaded. */
uint32_t features_microcode(const struct cpu *c, uint64_t msr_8b);

/* AMD 56665, "Software Techniques for Managing Speculation": DE_CFG[1] of families 10h, 12h and
 * later; 0Fh and 11h have no such MSR and need none. */
#define MSR_DE_CFG    0xc0011029
#define DE_CFG_LFENCE (1ull << 1)

/* Returns whether LFENCE waits for all earlier instructions, by CPUID or AMD's DE_CFG. False if
 * neither reports it. */
bool features_lfence_serializing(const struct cpu *c, msr_fn rdmsr, void *ctx);

struct mitigations {
    /* Features that CPUID reports; only AMD has ssb_no, ibrs_always and stibp_always. */
    bool ibrs, ibpb, stibp, ssbd, ssb_no, l1d_flush, md_clear, ibrs_always, stibp_always;
    bool spec_ctrl_known, arch_known; /* the MSRs below could be read */
    uint64_t spec_ctrl;               /* MSR 48h: bits 0 IBRS, 1 STIBP, 2 SSBD */
    uint64_t arch;                    /* MSR 10Ah, IA32_ARCH_CAPABILITIES */
};
#define SPEC_CTRL_IBRS  (1u << 0)
#define SPEC_CTRL_STIBP (1u << 1)
#define SPEC_CTRL_SSBD  (1u << 2)
void features_mitigations(struct mitigations *m, const struct cpu *c, cpuid_fn cpuid,
                          void *cpuid_ctx, msr_fn rdmsr, void *msr_ctx);

/* The names of the bits of IA32_ARCH_CAPABILITIES (SDM vol. 4 table 2-2); NULL: no name. */
extern const char *const features_arch_names[64];

/*
 * Features that a row may need, by the bit of CPUID that reports each. Sources: Intel SDM vol. 2A,
 * CPUID, table 3-8; AMD APM vol. 3 appendix E (leaves from 8000_0000h). Intel and AMD report the
 * controls of speculation in different leaves; either is enough. FRED: Intel 346446.
 * VERW on AMD: the white paper on transient scheduler attacks (TSA), 2025.
 */

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

/*
 * The states that MWAIT can enter, by its hint in EAX: bits 7:4 are the C-state less 1, bits 3:0
 * its sub-state. Sources: SDM vol. 2B MWAIT, vol. 2A CPUID leaf 5; APM vol. 3 appendix E.3.3.
 */

/* Returns whether CPUID leaf 5 names the state: its EDX has the number of sub-states of each
 * C-state, 4 bits each. Every CPU with MONITOR has hint 0. */
bool cstates_named(uint32_t hint, cpuid_fn cpuid, void *ctx);

/* Stores the hint of the last sub-state of the last C-state that leaf 5 names, which Linux takes
 * for a CPU that is switched off (arch/x86/kernel/smpboot.c); a CPU that does not have it takes a
 * shallower one. Returns NULL; or why there is no state below C1, or none in which the TSC keeps
 * counting: *hint is unchanged then. */
const char *cstates_deepest(uint32_t *hint, const struct cpu *c, cpuid_fn cpuid, void *ctx);

#endif
