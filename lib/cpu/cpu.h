/*
 * Decodes CPUID. Pure: the leaves come from a function, so that the same code decodes recorded
 * machines and this one. Sources: Intel SDM vol. 2A CPUID, AMD APM vol. 3 appendix E.
 */
#ifndef LIB_CPU_CPU_H
#define LIB_CPU_CPU_H

#include <stdbool.h>
#include <stdint.h>
#include "lib/config/choices.h"
#include "lib/cpu/models.h"
#include "lib/text/sink.h"

struct cpuid_regs {
    uint32_t eax, ebx, ecx, edx;
};
typedef struct cpuid_regs (*cpuid_fn)(void *ctx, uint32_t leaf, uint32_t subleaf);

struct cpu {
    enum cpu_vendor vendor;
    char vendor_id[13];               /* leaf 0 */
    char brand[49];                   /* leaves 8000_0002..4, blanks trimmed; empty if missing */
    uint32_t family, model, stepping; /* including the extended fields */
    uint32_t max_leaf, max_ext_leaf;
    bool hypervisor;        /* leaf 1 ECX[31] */
    char hypervisor_id[13]; /* leaf 4000_0000, empty if missing */
    bool tsc, msr, apic, pat, mtrr, mce, sse2, x2apic;
    bool rdtscp, nx, page_1g, la57, serialize, cet_ss, cet_ibt, monitor;
    enum cpu_vectors vectors;       /* the widest that it reports: leaves 1 and 7 */
    bool tsc_invariant;             /* 8000_0007 EDX[8] */
    bool lfence_always_serializing; /* AMD 8000_0021 EAX[2]; Intel: always */
    uint32_t phys_bits;             /* 8000_0008 EAX[7:0], 36 if the leaf is missing */
    uint64_t tsc_hz;           /* from leaf 15h with numerator, denominator and crystal; else 0 */
    uint64_t tsc_nominal_hz;   /* leaf 16h base frequency, a label only; else 0 */
    uint32_t max_mhz, bus_mhz; /* leaf 16h, labels too; else 0 */
    uint32_t tsc_ratio_num, tsc_ratio_den; /* leaf 15h EBX/EAX even without a crystal; else 0 */
};

void cpu_decode(struct cpu *c, cpuid_fn cpuid, void *ctx);

/* True for AMD's cores: Hygon's are Zen, with AMD's leaves and MSRs. */
static inline bool cpu_is_amd(const struct cpu *c)
{
    return c->vendor == VENDOR_AMD || c->vendor == VENDOR_HYGON;
}

/* Returns the facts that are known by family and model. */
static inline const struct cpu_model *cpu_model(const struct cpu *c)
{
    return model_find(c->vendor, c->family, c->model);
}

/* Words for something that the CPU should have and that was refused: they blame a hypervisor only
 * in a guest, which CPUID reports. `seen` is a string literal. */
#define CPU_REFUSES(guest, seen) ((guest) ? seen ": the hypervisor withholds it" : seen)

/* Returns true if the CPU reports vectors that no CPU of the reported model has. A hypervisor that
 * masks the model leaves such features visible: family, model and stepping are then not the
 * core's. */
bool cpu_model_is_masked(const struct cpu *c);

/* CPUID 8000_0001h EDX[27], for callers that have not decoded all of it. */
bool cpu_has_rdtscp(cpuid_fn cpuid, void *ctx);

/* Returns NULL if this CPU can run the recipe, else why not, with the missing CPUID bit. */
const char *cpu_lacks(const struct cpu *c, enum recipe r);
/* True if it can; if not, writes a message with the recipes that it can run. AUTO always can. */
bool cpu_check_recipe(const struct cpu *c, enum recipe r, struct sink *err);
/* docs/window.md "Recipes": lfence; cpuid if the vendor does not document that LFENCE waits. */
enum recipe cpu_default_recipe(const struct cpu *c);

/* Returns the name of what encrypts this guest's memory: "AMD SEV", "AMD SEV-ES", "AMD SEV-SNP",
 * "Intel TDX"; NULL: nothing. rdmsr: false if the MSR cannot be read. Sources: AMD APM vol. 2
 * section 15.34.10 (SEV_STATUS); Intel, TDX Module Architecture Specification, "CPUID leaf 21h". */
const char *cpu_encrypted_guest(cpuid_fn cpuid, void *ctx,
                                bool (*rdmsr)(void *ctx, uint32_t msr, uint64_t *v), void *msr_ctx);

#endif
