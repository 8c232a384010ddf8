#include "lib/insn/put.h"
#include "lib/insn/form.h"
#include "tests/unit/lib/insn/form_named.h"

/* Bytes worked out by hand from Intel SDM vol. 2A chapter 2. */
TEST(copies_have_the_bytes_of_the_manual)
{
    static const struct {
        const char *name, *bytes;
        struct insn_choice c;
    } cases[] = {
        {"add r64, r64", "\x48\x01\xc8", {.reg = {0, 1}}},
        {"add r64, r64", "\x4d\x01\xc8", {.reg = {8, 9}}},
        {"add r32, r32", "\x01\xc8", {.reg = {0, 1}}},
        /* SIL needs a REX without a bit, DL does not. */
        {"add r8, r8", "\x40\x00\xd6", {.reg = {6, 2}}},
        {"add r8, r8", "\x00\xd3", {.reg = {3, 2}}},
        {"bswap r64", "\x49\x0f\xcd", {.reg = {13}}},
        {"mov r64, m64",
         "\x4d\x8b\x86\x10\x00\x00\x00",
         {.reg = {8}, .base = 14, .index = INSN_NO_INDEX, .displacement = 16}},
        {"mov r64, m64",
         "\x4b\x8b\x84\x2e\xf0\xff\xff\xff",
         {.reg = {0}, .base = 14, .index = 13, .displacement = -16}},
        /* R12 as base needs a SIB. */
        {"mov r64, m64",
         "\x49\x8b\x84\x24\x00\x00\x00\x00",
         {.reg = {0}, .base = 12, .index = INSN_NO_INDEX}},
        {"vaddps xmm, xmm, xmm", "\xc4\x41\x30\x58\xc2", {.reg = {8, 9, 10}}},
        {"{evex} vaddps zmm, zmm, zmm",
         "\x62\xa1\x74\x42\x58\xc2",
         {.reg = {16, 17, 18, 2}, .decoration = INSN_MERGE}},
        {"{evex} vaddps zmm, zmm, zmm",
         "\x62\xf1\x74\x9b\x58\xc2",
         {.reg = {0, 1, 2, 3}, .decoration = INSN_ZERO | INSN_ROUND}},
    };
    EACH_CASE (one, cases) {
        uint8_t bytes[INSN_BYTES_MOST];
        unsigned n = insn_copy(form_named(one->name), &one->c, bytes);
        /* A case may end with zeros. */
        assert_in_range(n, strlen(one->bytes), INSN_BYTES_MOST);
        assert_memory_equal(bytes, one->bytes, n);
    }
}

TEST(operands_that_cannot_be_encoded_are_refused)
{
    static const struct {
        const char *name;
        struct insn_choice c;
    } cases[] = {
        {"add r64, r64", {.reg = {16, 0}}},
        {"vaddps xmm, xmm, xmm", {.reg = {16, 0, 0}}},
        {"vaddps xmm, xmm, xmm", {.reg = {0, 1, 2}, .decoration = INSN_MERGE}},
        {"{evex} vaddps xmm, xmm, xmm", {.reg = {32, 0, 0}}},
        /* K0 as a mask means none. */
        {"{evex} vaddps xmm, xmm, xmm", {.reg = {0, 1, 2, 0}, .decoration = INSN_MERGE}},
        {"{evex} vaddps xmm, xmm, xmm", {.reg = {0, 1, 2}, .decoration = INSN_BROADCAST}},
        {"paddb mm, mm", {.reg = {8, 0}}},
        {"mov r64, m64", {.reg = {0}, .base = 16, .index = INSN_NO_INDEX}},
        {"mov r64, m64", {.reg = {0}, .base = 3, .index = 4}}, /* RSP is not an index */
        {"vpgatherdd xmm, vm32xmm, xmm", {.reg = {1, 0, 3}, .index = INSN_NO_INDEX}},
    };
    EACH_CASE (one, cases) {
        uint8_t bytes[INSN_BYTES_MOST];
        assert_int_equal(insn_copy(form_named(one->name), &one->c, bytes), 0);
    }
}

TEST(jumps_lead_to_the_next)
{
    static const struct insn_choice c = {.immediate = 0x11223344, .index = INSN_NO_INDEX};
    uint8_t bytes[INSN_BYTES_MOST];

    assert_int_equal(insn_copy(form_named("jz rel8"), &c, bytes), 2);
    assert_memory_equal(bytes, "\x74\x00", 2);
    assert_int_equal(insn_copy(form_named("mov r32, imm32"), &c, bytes), 5);
    assert_memory_equal(bytes, "\xb8\x44\x33\x22\x11", 5);
}

/* What the decorations do to operands. */
TEST(decorations_change_the_operands)
{
    struct insn_operand o[INSN_OPERANDS_MOST];
    const struct insn_form *f = form_named("{evex} vaddps zmm, zmm, m512");
    uint8_t all[INSN_DECORATIONS_MOST];

    assert_int_equal(insn_decorations(f, all), 6);
    assert_int_equal(insn_operands(f, INSN_PLAIN, o), 3);
    assert_int_equal(o[0].access & INSN_READ, 0);
    assert_int_equal(insn_operands(f, INSN_MERGE | INSN_BROADCAST, o), 4);
    assert_int_equal(o[0].access & INSN_READ, INSN_READ);
    assert_int_equal(o[2].bits, 32);
    assert_int_equal(o[3].field, INSN_MASK);
    assert_int_equal(insn_operands(f, INSN_ZERO, o), 4);
    assert_int_equal(o[0].access & INSN_READ, 0);
}

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
