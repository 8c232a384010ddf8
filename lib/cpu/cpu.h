/*
 * What CPUID says, decoded. Pure: the leaves come from a function, so that recorded machines are
 * decoded by the same code as the one it runs on. Sources: Intel SDM vol. 2A CPUID, AMD APM vol. 3
 * appendix E.
 */
#ifndef LIB_CPU_CPU_H
#define LIB_CPU_CPU_H

#include <stdbool.h>
#include <stdint.h>
#include "lib/config/recipe.h"
#include "lib/cpu/models.h"
#include "lib/text/sink.h"

struct cpuid_regs {
    uint32_t eax, ebx, ecx, edx;
};
typedef struct cpuid_regs (*cpuid_fn)(void *ctx, uint32_t leaf, uint32_t subleaf);

struct cpu {
    enum cpu_vendor vendor;
    char vendor_id[13]; /* leaf 0 */
    char brand[49];     /* leaves 8000_0002..4, blanks trimmed; empty where there is none */
    uint32_t family, model, stepping; /* extended ones added in */
    uint32_t max_leaf, max_ext_leaf;
    bool hypervisor;        /* leaf 1 ECX[31] */
    char hypervisor_id[13]; /* leaf 4000_0000, empty where there is none */
    bool tsc, msr, apic, pat, mtrr, mce, sse2, x2apic;
    bool rdtscp, nx, page_1g, la57, serialize, cet_ss, cet_ibt, monitor;
    bool bmi2;                      /* leaf 7 EBX[8]: SHLX and its like */
    enum cpu_vectors vectors;       /* the widest that it states: leaves 1 and 7 */
    bool tsc_invariant;             /* 8000_0007 EDX[8] */
    bool lfence_always_serializing; /* AMD 8000_0021 EAX[2]; Intel: always */
    uint32_t phys_bits;             /* 8000_0008 EAX[7:0], 36 where the leaf is missing */
    uint64_t tsc_hz;           /* from leaf 15h with numerator, denominator and crystal; else 0 */
    uint64_t tsc_nominal_hz;   /* leaf 16h base frequency, a label only; else 0 */
    uint32_t max_mhz, bus_mhz; /* leaf 16h, labels too; else 0 */
    uint32_t tsc_ratio_num, tsc_ratio_den; /* leaf 15h EBX/EAX even without a crystal; else 0 */
};

void cpu_decode(struct cpu *c, cpuid_fn cpuid, void *ctx);

/* AMD's cores: Hygon's are Zen, with AMD's leaves and MSRs. */
static inline bool cpu_is_amd(const struct cpu *c)
{
    return c->vendor == VENDOR_AMD || c->vendor == VENDOR_HYGON;
}

/* What is known of it by its model alone. */
static inline const struct cpu_model *cpu_model(const struct cpu *c)
{
    return model_find(c->vendor, c->family, c->model);
}

/*
 * Whether it states vectors that no CPU of the model that it states has. A hypervisor that masks
 * the model leaves such features in: family, model and stepping are then not those of the core.
 */
bool cpu_model_is_masked(const struct cpu *c);

/* CPUID 8000_0001h EDX[27], for those who have not decoded all of it. */
bool cpu_has_rdtscp(cpuid_fn cpuid, void *ctx);

/* NULL when this CPU can run the recipe, else why not, with the CPUID bit that is missing. */
const char *cpu_lacks(const struct cpu *c, enum recipe r);
/* Whether it can; if not, a message for people that names those that it can. AUTO always can. */
bool cpu_check_recipe(const struct cpu *c, enum recipe r, struct sink *err);
/* docs/method.md "Recipes": lfence; cpuid where the vendor does not document LFENCE's waiting. */
enum recipe cpu_default_recipe(const struct cpu *c);

#endif
