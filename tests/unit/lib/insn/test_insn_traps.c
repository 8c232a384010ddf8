/* What makes figures of instructions wrong without a sign of it, and what copies do about it. */
#include "lib/insn/program.h"
#include "lib/insn/form.h"
#include "lib/insn/tests.h"
#include "tests/unit/lib/insn/form_named.h"

enum { LINE = 64, DESTINATIONS = 10 };

static struct insn_links links;

static struct insn_test test_of(const char *name, enum insn_shape shape)
{
    struct insn_test t;

    assert_int_equal(insn_throughput(&t, form_named(name), INSN_PLAIN, shape, false), INSN_RUNS);
    return t;
}

/* Returns the displacement of copy k, which ends in it. */
static int32_t displacement(const struct insn_test *t, unsigned k)
{
    const struct insn_place place = {.links = &links, .area = 0x1000000, .vectors = 128};
    uint8_t bytes[64];
    struct insn_code to = {.at = bytes, .size = sizeof bytes};
    int32_t d;

    insn_put_copy(&to, &place, t, k);
    assert_false(to.full || to.refused);
    memcpy(&d, bytes + to.used - sizeof d, sizeof d);
    return d;
}

static void find_links(void)
{
    assert_null(insn_links_find(&links));
}

BEFORE_ALL(find_links);

/* Loads whose addresses differ by a multiple of a line use one bank of some caches. */
TEST(consecutive_loads_use_other_banks)
{
    struct insn_test t = test_of("mov r64, m64", INSN_DISTINCT);

    for (unsigned k = 0; k + 1 < 8; k++)
        assert_int_not_equal((displacement(&t, k + 1) - displacement(&t, k)) % LINE, 0);
}

/* Some cores write two results per cycle only if both are in one line. */
TEST(consecutive_copies_share_lines)
{
    static const struct {
        const char *name;
        unsigned in_line;
    } cases[] = {{"add m64, r64", 8}, {"mov m8, r8", 8}, {"movaps m128, xmm", 4}};
    EACH_CASE (c, cases) {
        struct insn_test t = test_of(c->name, INSN_DISTINCT);
        for (unsigned k = 0; k < INSN_LOOP_COPIES; k++)
            assert_int_equal(displacement(&t, k) / LINE,
                             displacement(&t, k - k % c->in_line) / LINE);
    }
}

/* A load that has the low 12 bits of an earlier store waits for it on some cores. */
TEST(no_operand_has_the_low_bits_of_another)
{
    enum { SPAN_MOST = AREA_BLOCKERS }; /* of them, where loops have their own data */
    static const char *const names[] = {"add m64, r64", "movaps m128, xmm", "vmovaps m256, ymm",
                                        "{evex} vmovaps m512, zmm"};
    EACH_CASE (c, names) {
        struct insn_test t = test_of(*c, INSN_DISTINCT);
        int32_t bytes = t.view.operand[0].bits / 8;
        for (unsigned k = 0; k < INSN_LOOP_COPIES; k++) {
            assert_in_range(displacement(&t, k), 0, SPAN_MOST - bytes);
            for (unsigned before = 1; before < 40 && before <= k; before++)
                assert_int_not_equal(displacement(&t, k), displacement(&t, k - before));
        }
    }
}

/* ... but SSE needs its operands at multiples of their size. */
TEST(vectors_in_memory_are_aligned)
{
    static const struct {
        const char *name;
        int32_t bytes;
    } cases[] = {
        {"movaps xmm, m128", 16}, {"vmovaps ymm, m256", 32}, {"{evex} vmovaps zmm, m512", 64}};
    EACH_CASE (c, cases) {
        struct insn_test t = test_of(c->name, INSN_DISTINCT);
        for (unsigned k = 0; k < INSN_LOOP_COPIES; k++)
            assert_int_equal(displacement(&t, k) % c->bytes, 0);
    }
}

/* Reading and writing one address is a chain through memory: it is a separate test. */
TEST(copies_with_one_address_are_a_separate_test)
{
    struct insn_test distinct = test_of("add m64, r64", INSN_DISTINCT),
                     one = test_of("add m64, r64", INSN_ONE_LINE);

    for (unsigned k = 0; k + 1 < 8; k++) {
        assert_int_not_equal(displacement(&distinct, k), displacement(&distinct, k + 1));
        assert_int_equal(displacement(&one, k), displacement(&one, k + 1));
    }
}

/* XOR of one register with itself needs no unit, SHLD may be faster: both are measured. */
TEST(one_register_for_all_operands_is_a_separate_test)
{
    static const char *const names[] = {"xor r64, r64", "cmovz r32, r32", "xchg r64, r64",
                                        "shld r64, r64, imm8", "pcmpeqb xmm, xmm"};

    EACH_CASE (c, names) {
        struct insn_test same = test_of(*c, INSN_SAME), distinct = test_of(*c, INSN_DISTINCT);
        for (unsigned k = 0; k < INSN_LOOP_COPIES; k++) {
            assert_int_equal(insn_register(&same, 0, k), insn_register(&same, 1, k));
            assert_int_not_equal(insn_register(&distinct, 0, k), insn_register(&distinct, 1, k));
        }
    }
}

/* With fewer destinations a copy waits for the one that wrote its register before. */
TEST(copies_have_enough_destinations)
{
    static const char *const names[] = {"add r64, r64", "imul r32, r32", "paddd xmm, xmm",
                                        "vaddps ymm, ymm, ymm", "{evex} vaddps zmm, zmm, zmm"};

    EACH_CASE (c, names) {
        struct insn_test t = test_of(*c, INSN_DISTINCT);
        unsigned seen = 0, n = 0;
        for (unsigned k = 0; k < INSN_LOOP_COPIES; k++)
            seen |= 1u << insn_register(&t, 0, k);
        for (; seen; seen &= seen - 1)
            n++;
        assert_true(n >= DESTINATIONS);
    }
}

/* Returns whether code has an instruction that writes the register, at any displacement. */
static bool has_writer(const struct insn_code *code, const struct insn_place *place,
                       enum insn_link link, unsigned number)
{
    uint8_t bytes[2 * INSN_BYTES_MOST];
    struct insn_code writer = {.at = bytes, .size = sizeof bytes};

    if (link == LINK_KXNOR || link == LINK_MOV32)
        insn_put_link(&writer, place, link, number, number, 1);
    else
        insn_put_access(&writer, place, link, number, 0);
    size_t length = link == LINK_KXNOR || link == LINK_MOV32 ? writer.used : writer.used - 4;
    for (size_t i = 0; i + length <= code->used; i++)
        if (memcmp(code->at + i, bytes, length) == 0)
            return true;
    return false;
}

/* A source that another domain wrote last, or nothing, can be late each time that it is read. */
TEST(sources_are_written_in_their_domain)
{
    static const struct {
        const char *name;
        enum insn_link writer;
    } cases[] = {{"add r64, r64", LINK_MOV32},
                 {"paddd mm, mm", LINK_MOVQ_MM_M},
                 {"paddd xmm, xmm", LINK_LOAD128},
                 {"vaddps ymm, ymm, ymm", LINK_VLOAD256},
                 {"{evex} vaddps zmm, zmm, zmm", LINK_VLOAD512},
                 {"kandw k, k, k", LINK_KXNOR}};
    const struct insn_place place = {.links = &links, .area = 0x1000000, .vectors = 512};
    EACH_CASE (one, cases) {
        static uint8_t bytes[2048];
        struct insn_code setup = {.at = bytes, .size = sizeof bytes};
        struct insn_test t = test_of(one->name, INSN_DISTINCT);
        unsigned sources = 0;
        insn_setup(&setup, &place, &t);
        insn_put_start(&setup, &place, &t.view, false);
        assert_false(setup.full || setup.refused);
        for (unsigned i = 0; i < t.view.operands; i++)
            for (unsigned k = 0; k < INSN_LOOP_COPIES; k++) {
                const struct insn_operand *o = &t.view.operand[i];
                if (o->kind != INSN_REGISTER || !(o->access & INSN_READ))
                    continue;
                assert_true(has_writer(&setup, &place, one->writer, insn_register(&t, i, k)));
                sources++;
            }
        assert_true(sources >= INSN_LOOP_COPIES);
    }
}

/* Returns how many shuffles into the register come first in the code, and then its first copy. */
static unsigned shuffles_before(const struct insn_code *code, const struct insn_place *place,
                                const struct insn_test *t, enum insn_link link)
{
    uint8_t bytes[4 * INSN_BYTES_MOST], *at = code->at;
    struct insn_code pair = {.at = bytes, .size = sizeof bytes}, copy = pair, start = pair;
    unsigned n = 0;

    insn_put_start(&start, place, &t->view, false);
    at += start.used;
    insn_put_link(&pair, place, link, PLAN_VECTOR_ZERO, PLAN_VECTOR_INDEX, 0xe4);
    insn_put_link(&pair, place, link, PLAN_VECTOR_ZERO, PLAN_VECTOR_ZERO, 0xe4);
    for (; memcmp(at, bytes, pair.used) == 0; at += pair.used)
        n++;
    insn_put_copy(&copy, place, t, 0);
    assert_memory_equal(at, bytes, copy.used);
    return n;
}

/* With empty schedulers before the first copy, a core can be in a slow state until the loop ends.
 */
TEST(schedulers_are_full_before_copies_of_vectors)
{
    static const struct {
        const char *name;
        enum insn_link link;
        unsigned pairs;
    } cases[] = {{"paddd xmm, xmm", LINK_PSHUFD, 3},
                 {"{evex} vcompressps ymm, ymm", LINK_VPSHUFD, 3},
                 {"cvtsi2ss xmm, r64", LINK_PSHUFD, 3},
                 {"imul r64, r64", LINK_PSHUFD, 0},
                 {"paddd mm, mm", LINK_PSHUFD, 0}};
    const struct insn_place place = {.links = &links, .area = 0x1000000, .vectors = 512, .lead = 3};
    EACH_CASE (one, cases) {
        static uint8_t bytes[2][8192];
        struct insn_code loop = {.at = bytes[0], .size = sizeof bytes[0]},
                         mixed = {.at = bytes[1], .size = sizeof bytes[1]};
        struct insn_test t = test_of(one->name, INSN_DISTINCT);
        insn_body(&loop, &place, &t, &(struct insn_contents){BODY_LOOP, 0, 0, 0});
        insn_body(&mixed, &place, &t, &(struct insn_contents){BODY_MIXED, 100, 50, BLOCK_MULTIPLY});
        assert_false(loop.full || loop.refused || mixed.full || mixed.refused);
        assert_int_equal(shuffles_before(&loop, &place, &t, one->link), one->pairs);
        assert_int_equal(shuffles_before(&mixed, &place, &t, one->link), one->pairs);
        for (unsigned k = 0; k < INSN_LOOP_COPIES; k++)
            for (unsigned i = 0; i < t.view.operands; i++)
                assert_int_not_equal(insn_register(&t, i, k), PLAN_VECTOR_ZERO);
    }
}

TEST(length_changing_prefixes_are_marked)
{
    static const struct {
        const char *name;
        bool changes;
    } cases[] = {{"add r16, imm16", true}, {"imul r16, r16, imm16", true},
                 {"mov r16, imm16", true}, {"add r32, imm32", false},
                 {"add r16, imm8", false}, {"add r16, r16", false}};
    EACH_CASE (c, cases)
        assert_int_equal((form_named(c->name)->properties & INSN_LCP) != 0, c->changes);
}

/* Returns whether any lane of 64 bits is zero or denormal: its exponent has no bit. */
static bool has_odd_lane(uint64_t word, unsigned element)
{
    static const struct {
        unsigned bits;
        uint64_t exponent;
    } kinds[] = {[INSN_F16] = {16, 0x7c00},
                 [INSN_F32] = {32, 0x7f800000},
                 [INSN_F64] = {64, 0x7ff0000000000000}};
    for (unsigned at = 0; at < 64; at += kinds[element].bits)
        if (!(word >> at & kinds[element].exponent))
            return true;
    return false;
}

TEST(usual_and_slow_values_are_normal_in_every_lane)
{
    for (unsigned element = INSN_F16; element <= INSN_F64; element++)
        for (unsigned other = 0; other < 2; other++) {
            assert_false(has_odd_lane(insn_values_word(INSN_USUAL, element, other), element));
            if (element != INSN_F16)
                assert_false(has_odd_lane(insn_values_word(INSN_SLOW, element, other), element));
        }
    assert_true(has_odd_lane(insn_values_word(INSN_DENORMAL, INSN_F32, false), INSN_F32));
    assert_true(has_odd_lane(insn_values_word(INSN_DENORMAL, INSN_F64, false), INSN_F64));
    assert_int_not_equal(insn_values_word(INSN_USUAL, INSN_INT, false), 0); /* a divisor */
}
