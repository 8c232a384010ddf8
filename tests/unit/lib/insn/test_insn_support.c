#include "lib/insn/form.h"

#include "tests/unit/lib/insn/form_named.h"

enum { XCR0_X87_SSE = 3, XCR0_AVX = 7, XCR0_AVX512 = 0xe7 };

/* A CPU that has every bit up to the leaves and subleaves that it states. */
struct made {
    uint32_t max_leaf, max_extended, max_subleaf; /* of leaf 7 */
};

static struct cpuid_regs cpuid(void *ctx, uint32_t leaf, uint32_t subleaf)
{
    const struct made *m = ctx;
    struct cpuid_regs all = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};

    if (leaf == 0)
        all.eax = m->max_leaf;
    if (leaf == 0x80000000)
        all.eax = m->max_extended;
    if (leaf == 7 && subleaf == 0)
        all.eax = m->max_subleaf;
    return all;
}

static enum insn_feature lacks(struct made m, uint64_t xcr0, const char *name)
{
    struct insn_support s;

    insn_support(&s, cpuid, &m, xcr0);
    return insn_lacks(&s, form_named(name));
}

TEST(cpuid_and_xcr0_decide_which_forms_a_cpu_has)
{
    static const struct made every = {0x1f, 0x80000021, 2}, no_leaf_7 = {6, 0x80000008, 0},
                             no_subleaf = {0x1f, 0x80000021, 0}, old = {0xd, 0x80000001, 0};

    static const struct {
        const char *name;
        const struct made *made;
        uint64_t xcr0;
        enum insn_feature lacks;
    } cases[] = {
        {"add r64, r64", &no_leaf_7, 0, INSN_FEATURES},
        {"paddb xmm, xmm", &no_leaf_7, 0, INSN_FEATURES},
        {"mulx r64, r64, r64", &every, XCR0_X87_SSE, INSN_FEATURES}, /* VEX without vectors */
        {"mulx r64, r64, r64", &no_leaf_7, XCR0_AVX, INSN_BMI2},
        {"vaddps ymm, ymm, ymm", &every, XCR0_AVX, INSN_FEATURES},
        {"vaddps ymm, ymm, ymm", &every, XCR0_X87_SSE, INSN_AVX},
        {"vzeroupper", &every, XCR0_X87_SSE, INSN_AVX},
        {"{evex} vaddps zmm, zmm, zmm", &every, XCR0_AVX512, INSN_FEATURES},
        {"{evex} vaddps zmm, zmm, zmm", &every, XCR0_AVX, INSN_AVX512F},
        {"kmovw k, r32", &every, XCR0_AVX, INSN_AVX512F},
        {"vpdpbusd ymm, ymm, ymm", &every, XCR0_AVX, INSN_FEATURES},
        {"vpdpbusd ymm, ymm, ymm", &no_subleaf, XCR0_AVX, INSN_AVX_VNNI}, /* leaf 7 subleaf 1 */
        {"clzero rax", &every, 0, INSN_FEATURES},
        {"clzero rax", &old, 0, INSN_CLZERO}, /* leaf 8000_0008 is above the last */
    };
    EACH_CASE (c, cases)
        assert_int_equal(lacks(*c->made, c->xcr0, c->name), c->lacks);
}

/* 128 and 256 bits of EVEX are their own feature. */
TEST(short_vectors_of_evex_need_avx512vl)
{
    static struct made every = {0x1f, 0x80000021, 2};
    struct insn_support s;

    insn_support(&s, cpuid, &every, XCR0_AVX512);
    s.has[INSN_AVX512VL] = false;
    assert_int_equal(insn_lacks(&s, form_named("{evex} vaddps ymm, ymm, ymm")), INSN_AVX512VL);
    assert_int_equal(insn_lacks(&s, form_named("{evex} vaddps zmm, zmm, zmm")), INSN_FEATURES);
    assert_int_equal(insn_lacks(&s, form_named("{evex} vaddss xmm, xmm, xmm")), INSN_FEATURES);
    s.has[INSN_AVX512F] = false; /* and GFNI alone is not enough */
    assert_int_equal(insn_lacks(&s, form_named("{evex} vgf2p8mulb zmm, zmm, zmm")), INSN_AVX512F);
}
