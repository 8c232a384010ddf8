/* The forms that a CPU has. */
#ifndef LIB_INSN_SUPPORT_H
#define LIB_INSN_SUPPORT_H

#include "lib/cpu/cpu.h"
#include "lib/insn/form.h"

struct insn_support {
    bool has[INSN_FEATURES];
    bool avx_on, avx512_on; /* XCR0: Intel SDM vol. 1 sections 14.3 and 15.2 */
};

/* xcr0: read by XGETBV; 0 if CPUID does not report OSXSAVE. */
void insn_support(struct insn_support *s, cpuid_fn cpuid, void *ctx, uint64_t xcr0);

/* Returns INSN_FEATURES if the CPU has the form; else the first missing feature. */
enum insn_feature insn_lacks(const struct insn_support *s, const struct insn_form *f);

#endif
