/*
 * CPU features that matter for measuring (SMI counter, LFENCE), and mitigations of speculation:
 * decoded from CPUID, or from MSRs if CPUID does not report them.
 */
#ifndef LIB_CPU_FEATURES_H
#define LIB_CPU_FEATURES_H

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

/* The features that CPUID reports: a member of struct mitigations and a field of the record
 * `mitigations`. Only AMD has ssb_no, ibrs_always and stibp_always. */
#define MITIGATIONS(FLAG)                                                                          \
    FLAG(ibrs, "ibrs")                                                                             \
    FLAG(ibpb, "ibpb")                                                                             \
    FLAG(stibp, "stibp")                                                                           \
    FLAG(ssbd, "ssbd")                                                                             \
    FLAG(ssb_no, "ssb_no")                                                                         \
    FLAG(l1d_flush, "l1d_flush")                                                                   \
    FLAG(md_clear, "md_clear")                                                                     \
    FLAG(ibrs_always, "ibrs_always")                                                               \
    FLAG(stibp_always, "stibp_always")
#define MITIGATIONS_MEMBER(member, name) bool member;

struct mitigations {
    MITIGATIONS(MITIGATIONS_MEMBER)
    bool spec_ctrl_known, arch_known; /* the MSRs below could be read */
    uint64_t spec_ctrl;               /* MSR 48h: bits 0 IBRS, 1 STIBP, 2 SSBD */
    uint64_t arch;                    /* MSR 10Ah, IA32_ARCH_CAPABILITIES */
};
#define SPEC_CTRL_IBRS  (1u << 0)
#define SPEC_CTRL_STIBP (1u << 1)
#define SPEC_CTRL_SSBD  (1u << 2)
void features_mitigations(struct mitigations *m, const struct cpu *c, cpuid_fn cpuid,
                          void *cpuid_ctx, msr_fn rdmsr, void *msr_ctx);

/* Returns the name of a bit of IA32_ARCH_CAPABILITIES (SDM vol. 4 table 2-2); NULL: no name. */
const char *features_arch_name(unsigned bit);

#endif
