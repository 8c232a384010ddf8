#include "lib/insn/support.h"
#include "lib/insn/table.h"

enum { XCR0_AVX = 0x6, XCR0_AVX512 = 0xe6 };

static const struct {
    uint32_t leaf, subleaf;
    uint8_t reg, bit;
} bits[] = {
#define FEATURE_BIT(id, name, leaf, subleaf, reg, bit) {leaf, subleaf, reg, bit},
    INSN_FEATURE(FEATURE_BIT)};

static bool states(cpuid_fn cpuid, void *ctx, enum insn_feature i)
{
    struct cpuid_regs most = cpuid(ctx, bits[i].leaf & 0xffff0000u, 0);

    if (most.eax < bits[i].leaf)
        return false;
    /* Leaf 7 reports its number of subleaves; others read as 0. */
    if (bits[i].leaf == 7 && bits[i].subleaf > cpuid(ctx, 7, 0).eax)
        return false;
    struct cpuid_regs r = cpuid(ctx, bits[i].leaf, bits[i].subleaf);
    uint32_t words[] = {r.eax, r.ebx, r.ecx, r.edx};
    return words[bits[i].reg] >> bits[i].bit & 1;
}

void insn_support(struct insn_support *s, cpuid_fn cpuid, void *ctx, uint64_t xcr0)
{
    for (unsigned i = 0; i < INSN_FEATURES; i++)
        s->has[i] = bits[i].leaf == 0 || states(cpuid, ctx, (enum insn_feature)i);
    s->avx_on = s->has[INSN_XSAVE] && (xcr0 & XCR0_AVX) == XCR0_AVX;
    s->avx512_on = s->avx_on && (xcr0 & XCR0_AVX512) == XCR0_AVX512;
}

static bool uses(const struct insn_form *f, enum insn_class first, enum insn_class last)
{
    struct insn_operand o[INSN_OPERANDS_MOST];
    unsigned n = insn_operands(f, INSN_PLAIN, o);

    for (unsigned i = 0; i < n; i++)
        if (o[i].kind == INSN_REGISTER && o[i].class >= first && o[i].class <= last)
            return true;
    return false;
}

enum insn_feature insn_lacks(const struct insn_support *s, const struct insn_form *f)
{
    enum insn_feature feature = (enum insn_feature)f->feature;

    if (!s->has[feature])
        return feature;
    if (f->properties & INSN_VL && !s->has[INSN_AVX512VL])
        return INSN_AVX512VL;
    if ((f->encoding == INSN_EVEX || uses(f, INSN_K, INSN_K)) &&
        !(s->has[INSN_AVX512F] && s->avx512_on))
        return INSN_AVX512F;
    /* VEX with general registers, as in BMI, needs no vector state. VZEROUPPER names none. */
    bool is_vex = f->encoding == INSN_VEX || f->encoding == INSN_XOP;
    if (is_vex && (uses(f, INSN_XMM, INSN_ZMM) || feature == INSN_AVX) &&
        !(s->has[INSN_AVX] && s->avx_on))
        return INSN_AVX;
    return INSN_FEATURES;
}
