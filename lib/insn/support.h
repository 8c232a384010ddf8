/* Which forms a CPU has. */
#ifndef LIB_INSN_SUPPORT_H
#define LIB_INSN_SUPPORT_H

#include "lib/cpu/cpu.h"
#include "lib/insn/form.h"

struct insn_support {
    bool has[INSN_FEATURES];
    bool avx_on, avx512_on; /* XCR0: Intel SDM vol. 1 sections 14.3 and 15.2 */
};

/* xcr0: as XGETBV reads it; 0 where CPUID says no OSXSAVE. */
void insn_support(struct insn_support *s, cpuid_fn cpuid, void *ctx, uint64_t xcr0);

/* INSN_FEATURES where the CPU has the form; else the first feature that is missing. */
enum insn_feature insn_lacks(const struct insn_support *s, const struct insn_form *f);

#endif
