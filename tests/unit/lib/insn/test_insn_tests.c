/* The tests of a form: which there are, their code as a loop, and how bench= names forms. */
#include "tests/unit/cmocka_unit.h"
#include "lib/insn/program.h"
#include "lib/insn/form.h"
#include "lib/insn/tests.h"

static const struct insn_form *form_of(const char *word)
{
    for (unsigned i = 0; i < insn_count(); i++)
        if (insn_selected(word, insn_form(i), INSN_PLAIN))
            return insn_form(i);
    fail_msg("no form is called %s", word);
    return NULL;
}

static bool has_kind(const char *word, unsigned kind)
{
    struct insn_test_id id[INSN_TESTS_MOST];
    unsigned n = insn_tests(form_of(word), INSN_PLAIN, INSN_USUAL, id);

    for (unsigned i = 0; i < n; i++)
        if (id[i].kind == kind)
            return true;
    return false;
}

TEST(every_listed_test_can_be_planned)
{
    for (unsigned i = 0; i < insn_count(); i++) {
        struct insn_test_id id[INSN_TESTS_MOST];
        struct insn_test t;
        unsigned n = insn_tests(insn_form(i), INSN_PLAIN, INSN_USUAL, id);
        assert_true(n < INSN_TESTS_MOST);
        assert_int_equal(n > 0, insn_form(i)->why == INSN_RUNS);
        for (unsigned k = 0; k < n; k++)
            assert_int_equal(insn_test(&t, insn_form(i), INSN_PLAIN, &id[k]), INSN_RUNS);
    }
}

/* It would drop what caches have not written back. */
TEST(invd_is_refused_as_privileged)
{
    struct insn_test_id id[INSN_TESTS_MOST];

    assert_int_equal(form_of("invd")->why, INSN_PRIVILEGED);
    assert_int_equal(insn_tests(form_of("invd"), INSN_PLAIN, INSN_USUAL, id), 0);
}

TEST(variants_are_listed_where_they_differ)
{
    assert_true(has_kind("xor_r64_r64", INSN_TEST_SAME));
    assert_false(has_kind("inc_r64", INSN_TEST_SAME));
    assert_true(has_kind("mov_r64_m64", INSN_TEST_ONE_LINE));
    assert_false(has_kind("mov_r64_r64", INSN_TEST_ONE_LINE));
    assert_true(has_kind("adc_r64_r64", INSN_TEST_BREAKS));
    assert_false(has_kind("add_r64_r64", INSN_TEST_BREAKS));
    assert_true(has_kind("add_r64_r64", INSN_TEST_LATENCY));
    assert_false(has_kind("nop", INSN_TEST_LATENCY));
    assert_true(has_kind("nop", INSN_TEST_STRAIGHT));
    assert_false(has_kind("adc_r64_r64", INSN_TEST_STRAIGHT)); /* it is never in a loop */
    assert_true(has_kind("add_r64_r64", INSN_TEST_SLOTS) &&
                has_kind("add_r64_r64", INSN_TEST_MIXED));
    assert_false(has_kind("paddb_mm_mm", INSN_TEST_SLOTS)); /* EMMS takes longer after it */
    assert_false(has_kind("vpgatherdd_xmm_vm32xmm_xmm", INSN_TEST_MIXED));
    assert_true(has_kind("vpgatherdd_xmm_vm32xmm_xmm", INSN_TEST_SLOTS));
    assert_true(has_kind("cmovz_r64_r64", INSN_TEST_MIXED));
    assert_false(has_kind("lfence", INSN_TEST_SLOTS)); /* fillers wait for it */
}

TEST(words_name_forms)
{
    const struct insn_form *f = form_of("lock_add_m64_r64");

    assert_string_equal(insn_mnemonic(f), "lock add");
    assert_true(insn_selected("*", f, INSN_PLAIN) && insn_selected("nop,lock*", f, INSN_PLAIN));
    assert_false(insn_selected("add*", f, INSN_PLAIN));
    assert_true(insn_any_selected("vaddps_ymm_ymm_m256"));
    assert_false(insn_any_selected("no_such_form") || insn_any_selected("add r64, r64"));
}

TEST(decorations_need_a_brace)
{
    const struct insn_form *f = form_of("{evex}_vaddps_zmm_zmm_zmm");

    assert_false(insn_selected("*", f, INSN_MERGE) || insn_selected("*vaddps*", f, INSN_MERGE));
    assert_true(insn_selected("*vaddps*{k}", f, INSN_MERGE));
    assert_false(insn_selected("*vaddps*{k}", f, INSN_PLAIN));
}

TEST(a_loop_jumps_to_its_first_copy)
{
    struct insn_links links;
    struct insn_test t;
    static uint8_t straight[16384], loop[16384];

    assert_null(insn_links_find(&links));
    const struct insn_place place = {.links = &links, .area = 0x1000000, .vectors = 128};
    struct insn_code a = {.at = straight, .size = sizeof straight},
                     b = {.at = loop, .size = sizeof loop}, none = {.at = straight, .size = 0};
    insn_throughput(&t, form_of("add_r64_r64"), INSN_PLAIN, INSN_DISTINCT, false);
    insn_body(&a, &place, &t, &(struct insn_contents){BODY_STRAIGHT, INSN_LOOP_COPIES, 0, 0});
    insn_body(&b, &place, &t, &(struct insn_contents){BODY_LOOP, 0, 0, 0});
    assert_false(b.full || b.refused);
    /* The same code, then DEC of the memory with a 32-bit displacement, and JNZ. */
    assert_memory_equal(straight, loop, a.used);
    assert_int_equal(b.used - a.used, 7 + 6);
    int32_t back;
    memcpy(&back, loop + b.used - 4, sizeof back);
    assert_int_equal(loop[b.used - 6], 0x0f);
    assert_int_equal(loop[b.used - 5], 0x85);
    assert_int_equal(-back, INSN_LOOP_COPIES * 3 + 7 + 6);
    insn_body(&none, &place, &t, &(struct insn_contents){BODY_LOOP, 0, 0, 0});
    assert_true(none.full);
}

TEST(a_filled_loop_has_nops_between_copies)
{
    static const struct {
        const char *word;
        unsigned copy, resets, pointers; /* bytes */
        struct insn_ratio filling;
    } cases[] = {{"add_r64_r64", 3, 0, 0, {INSN_FILLED_COPIES, INSN_FILLERS}},
                 {"cmovz_r64_r64", 4, 0, 0, {8, 72}},
                 {"adc_r64_r64", 3, 3, 0, {4, 240}}, /* xor r12d, r12d */
                 {"push_r64", 1, 0, 10, {16, 24}},   /* mov rsp, imm64 */
                 {"lodsb", 1, 0, 10, {16, 24}}};     /* mov esi and edi, imm32 */
    struct insn_links links;
    static uint8_t with[8192], without[8192];
    assert_null(insn_links_find(&links));
    const struct insn_place place = {.links = &links, .area = 0x1000000, .vectors = 128};
    EACH_CASE (c, cases) {
        struct insn_code a = {.at = with, .size = sizeof with},
                         b = {.at = without, .size = sizeof without},
                         none = {.at = with, .size = 100};
        struct insn_contents filled = {BODY_FILLED, c->filling.copies, c->filling.others, 0},
                             fillers = filled;
        struct insn_test_id id = {.kind = INSN_TEST_SLOTS};
        struct insn_test t;
        int32_t back;
        fillers.body = BODY_FILLERS;
        assert_int_equal(insn_test(&t, form_of(c->word), INSN_PLAIN, &id), INSN_RUNS);
        insn_body(&a, &place, &t, &filled);
        insn_body(&b, &place, &t, &fillers);
        assert_false(a.full || a.refused || b.full || b.refused);
        /* Both reset registers; one has a copy, the other a NOP of five bytes. */
        assert_int_equal(b.used - a.used, c->filling.copies * (5 - c->copy));
        const uint8_t *jump = with + a.used - 6; /* or before what ends the code */
        for (; memcmp(jump, "\x0f\x85", 2) != 0; jump--)
            ;
        memcpy(&back, jump + 2, sizeof back);
        assert_int_equal(-back,
                         c->pointers + 7 + 6 +
                             c->filling.copies * (c->copy + c->resets + 5 * c->filling.others));
        insn_body(&none, &place, &t, &fillers);
        assert_true(none.full);
    }
}

/* Dependencies are broken by a zeroing idiom, XOR of 31 /r, if the value does not matter. */
TEST(dependencies_are_broken_without_a_unit)
{
    static const struct {
        const char *word;
        uint8_t breaker[3]; /* what is before the second copy, from its first byte on */
        size_t length, copy;
    } cases[] = {{"adc_r64_r64", {0x45, 0x31, 0xe4}, 3, 3}, /* xor r12d, r12d */
                 {"mul_r64", {0x31, 0xc0}, 2, 3},           /* xor eax, eax */
                 {"cmpxchg_r64_r64", {0xb8, 1, 0}, 5, 4}};  /* mov eax, 1 */
    struct insn_links links;
    assert_null(insn_links_find(&links));
    const struct insn_place place = {.links = &links, .area = 0x1000000, .vectors = 128};
    EACH_CASE (c, cases) {
        struct insn_test_id id = {.kind = INSN_TEST_BREAKS};
        struct insn_test t;
        uint8_t one[256], two[256];
        struct insn_code a = {.at = one, .size = sizeof one}, b = {.at = two, .size = sizeof two};
        assert_int_equal(insn_test(&t, form_of(c->word), INSN_PLAIN, &id), INSN_RUNS);
        insn_body(&a, &place, &t, &(struct insn_contents){BODY_STRAIGHT, 1, 0, 0});
        insn_body(&b, &place, &t, &(struct insn_contents){BODY_STRAIGHT, 2, 0, 0});
        assert_int_equal(b.used - a.used, c->length + c->copy);
        size_t at = a.used - c->copy - c->length;
        assert_memory_equal(one + at, c->breaker, c->length < 3 ? c->length : 3);
    }
}

static bool has_source(const char *word, unsigned kind)
{
    struct insn_test_id id = {.kind = (uint8_t)kind, .in = {INSN_DATA, 1}, .out = {INSN_DATA, 0}};
    struct insn_test t;

    assert_int_equal(insn_test(&t, form_of(word), INSN_PLAIN, &id), INSN_RUNS);
    return insn_has_source(&t);
}

TEST(histories_matter_where_registers_are_only_read)
{
    assert_true(has_source("shlx_r64_r64_r64", INSN_TEST_LATENCY)); /* the count */
    assert_true(has_source("add_r64_r64", INSN_TEST_DISTINCT));
    assert_false(has_source("add_r64_r64", INSN_TEST_LATENCY)); /* the source is chained */
    assert_false(has_source("inc_r64", INSN_TEST_DISTINCT));
    assert_false(has_source("adc_r64_r64", INSN_TEST_DISTINCT)); /* it reads flags */
    assert_false(has_source("mov_r64_m64", INSN_TEST_DISTINCT));
}

/* The other history ends with an instruction that the usual one does not have. */
TEST(histories_write_registers_in_other_ways)
{
    static const char *const forms[] = {"shlx_r64_r64_r64",
                                        "paddd_mm_mm",
                                        "paddd_xmm_xmm",
                                        "addps_xmm_xmm",
                                        "vpaddd_ymm_ymm_ymm",
                                        "vaddps_ymm_ymm_ymm",
                                        "{evex}_vaddps_zmm_zmm_zmm"};
    static uint8_t usual[2048], other[2048];
    struct insn_links links;

    assert_null(insn_links_find(&links));
    struct insn_place place = {.links = &links, .area = 0x1000000, .vectors = 512, .avx2 = true};
    EACH_CASE (c, forms) {
        struct insn_code a = {.at = usual, .size = sizeof usual},
                         b = {.at = other, .size = sizeof other};
        struct insn_test t;
        insn_throughput(&t, form_of(*c), INSN_PLAIN, INSN_DISTINCT, false);
        place.history = HISTORY_USUAL;
        insn_setup(&a, &place, &t);
        place.history = HISTORY_OTHER;
        insn_setup(&b, &place, &t);
        assert_false(a.full || a.refused || b.full || b.refused);
        assert_true(b.used > a.used);
        /* The last register: ADD r64, imm8 of 1. */
        assert_int_equal(other[b.used - 1], 1);
        assert_int_equal(other[b.used - 3], 0x83);
    }
}

/* Their throughput is measured in a straight line, but their slots in a loop that sets pointers. */
TEST(forms_that_read_flags_or_move_pointers_are_not_looped)
{
    static const struct {
        const char *word;
        bool loops, turns;
    } form[] = {{"add_r64_r64", true, true},  {"mov_r64_m64", true, true},
                {"adc_r64_r64", false, true}, {"cmovz_r64_r64", false, true},
                {"push_r64", false, true},    {"movsb", false, true},
                {"rep_movsb", false, false},  {"loop_rel8", false, false}};
    EACH_CASE (c, form) {
        struct insn_view v;
        insn_view(&v, form_of(c->word), INSN_PLAIN);
        assert_int_equal(insn_can_loop(&v), c->loops);
        assert_int_equal(insn_can_turn(&v), c->turns);
        assert_int_equal(has_kind(c->word, INSN_TEST_SLOTS), c->turns);
    }
}

static unsigned values_of(const char *word, uint8_t to[INSN_VALUES_COUNT])
{
    struct insn_view v;

    insn_view(&v, form_of(word), INSN_PLAIN);
    return insn_values(&v, to);
}

TEST(values_are_listed_where_they_change_the_time)
{
    uint8_t to[INSN_VALUES_COUNT];
    static const char *const slow[] = {"div_r64", "idiv_m32", "sqrtps_xmm_m128",
                                       "vdivpd_ymm_ymm_m256"};

    EACH_CASE (c, slow) {
        assert_int_equal(values_of(*c, to), 2);
        assert_int_equal(to[0], INSN_USUAL);
        assert_int_equal(to[1], INSN_SLOW);
    }
    assert_int_equal(values_of("add_r64_r64", to), 1);
    assert_int_equal(values_of("vmulps_ymm_ymm_ymm", to), 2);
    assert_int_equal(to[1], INSN_DENORMAL);
    assert_int_equal(values_of("vmulps_ymm_ymm_m256", to), 1);
    assert_int_equal(values_of("mulps_xmm_xmm", to), 1);
    assert_int_equal(values_of("rep_movsq", to), 5);
    assert_int_equal(insn_values_of[to[4]].repeats, INSN_REPEAT_MOST);
    assert_string_equal(insn_values_of[to[1]].name, " [rcx=0]");
}

TEST(immediates_have_rows_where_they_change_the_work)
{
    static const struct {
        const char *word;
        unsigned rows;
        const char *last;
    } cases[] = {{"rol_r64_imm8", 3, " [imm8=1]"},
                 {"rcr_r32_imm8", 4, " [imm8=31]"},
                 {"shld_r64_r64_imm8", 3, " [imm8=1]"},
                 {"add_r64_imm32", 2, " [imm32=4096]"},
                 {"vextractf128_xmm_ymm_imm8", 2, " [imm8=1]"},
                 {"{evex}_vpternlogd_zmm_zmm_zmm_imm8", 3, " [imm8=255]"},
                 {"rol_r16_imm8", 1, ""},            /* as 32 bits */
                 {"rol_r64_1", 1, ""},               /* the immediate is in the opcode */
                 {"rol_m64_imm8", 1, ""},            /* memory is the larger part */
                 {"rorx_r64_r64_imm8", 1, ""},       /* it has no flags */
                 {"add_r64_imm8", 1, ""},            /* always small */
                 {"vextractps_r32_xmm_imm8", 1, ""}, /* of one lane */
                 {"{evex}_vextractf32x4_m128_ymm_imm8", 1, ""}};
    EACH_CASE (c, cases) {
        uint8_t to[INSN_VALUES_COUNT];
        unsigned n = values_of(c->word, to);
        assert_int_equal(n, c->rows);
        assert_string_equal(insn_values_of[to[n - 1]].name, c->last);
    }
}

/* Returns the last byte of a copy, which is its immediate. */
static unsigned immediate_of(const char *word, unsigned values)
{
    static uint8_t bytes[4096];
    struct insn_code code = {.at = bytes, .size = sizeof bytes};
    struct insn_links links;
    struct insn_test t;

    assert_null(insn_links_find(&links));
    const struct insn_place place = {.links = &links, .values = values};
    assert_int_equal(insn_throughput(&t, form_of(word), INSN_PLAIN, INSN_DISTINCT, false), 0);
    insn_put_copy(&code, &place, &t, 0);
    return bytes[code.used - 1];
}

TEST(copies_have_the_immediate_of_the_row)
{
    assert_int_equal(immediate_of("rol_r64_imm8", INSN_USUAL), 2);
    assert_int_equal(immediate_of("rol_r64_imm8", INSN_IMM_0), 0);
    assert_int_equal(immediate_of("rcl_r64_imm8", INSN_IMM_31), 31);
    assert_int_equal(immediate_of("{evex}_vpternlogd_xmm_xmm_xmm_imm8", INSN_IMM_255), 255);
}

/* Such a row has the pairs of the form, and copies whose dependency through flags is broken. */
TEST(rows_of_immediates_have_the_tests_of_the_form)
{
    struct insn_test_id usual[INSN_TESTS_MOST], id[INSN_TESTS_MOST];
    unsigned pairs = 0, n = insn_tests(form_of("rcl_r64_imm8"), INSN_PLAIN, INSN_IMM_31, id);

    for (unsigned i = insn_tests(form_of("rcl_r64_imm8"), INSN_PLAIN, INSN_USUAL, usual); i-- > 0;)
        pairs += usual[i].kind == INSN_TEST_LATENCY;
    assert_int_equal(n, 3 + pairs);
    assert_int_equal(id[1].kind, INSN_TEST_BREAKS);
    assert_int_equal(id[2].kind, INSN_TEST_SLOTS);
    for (unsigned i = 3; i < n; i++) {
        struct insn_test t;
        assert_int_equal(id[i].other, INSN_IMM_31);
        assert_int_equal(insn_test(&t, form_of("rcl_r64_imm8"), INSN_PLAIN, &id[i]), INSN_RUNS);
    }
}

static unsigned pairs_with(const char *word, unsigned values)
{
    struct insn_test_id id[INSN_TESTS_MOST];
    unsigned n = insn_tests(form_of(word), INSN_PLAIN, values, id);

    for (unsigned i = 0; i < n; i++) {
        struct insn_test t;
        assert_int_equal(insn_test(&t, form_of(word), INSN_PLAIN, &id[i]), INSN_RUNS);
        if (id[i].kind != INSN_TEST_LATENCY)
            continue;
        /* From the output to the input, and both get their values again. */
        unsigned out = insn_register(&t, t.out.operand, 0), in = insn_register(&t, t.in.operand, 0);
        bool leads = false, restores = false;
        assert_int_equal(t.step[0].from, out);
        for (unsigned k = 1; k < t.steps; k++) {
            enum insn_link link = (enum insn_link)t.step[k].link;
            leads |= t.step[k].to == in && (link == LINK_ADD || link == LINK_VPOR ||
                                            link == LINK_VORPS_Y || link == LINK_VPOR_Z);
            restores |= t.step[k].to == out && (link == LINK_MOV64 || link == LINK_VLOAD128 ||
                                                link == LINK_VLOAD256 || link == LINK_VLOAD512);
        }
        bool reads = t.view.operand[t.out.operand].access & INSN_READ;
        assert_true(leads && (restores || !reads || in == out));
    }
    return n - 1;
}

TEST(chains_keep_values_that_would_not_last)
{
    assert_int_equal(pairs_with("div_r64", INSN_SLOW), 6); /* 3 registers to RAX and RDX */
    assert_int_equal(pairs_with("sqrtps_xmm_xmm", INSN_SLOW), 1);
    assert_int_equal(pairs_with("divps_xmm_xmm", INSN_SLOW), 2);
    assert_int_equal(pairs_with("vdivpd_xmm_xmm_xmm", INSN_SLOW), 2);
    assert_int_equal(pairs_with("vdivpd_ymm_ymm_ymm", INSN_SLOW), 2);
    assert_int_equal(pairs_with("vsqrtps_ymm_m256", INSN_SLOW), 0); /* nothing in memory is kept */
    assert_int_equal(pairs_with("{evex}_vdivps_zmm_zmm_zmm", INSN_SLOW), 2);
    assert_int_equal(pairs_with("vfmadd231pd_ymm_ymm_ymm", INSN_DENORMAL), 3);
    assert_int_equal(pairs_with("vmulps_xmm_xmm_xmm", INSN_DENORMAL), 2);
    assert_int_equal(pairs_with("rep_movsb", INSN_TIMES_2), 0);
}

/* Signed and unsigned, at every width: the high half is less than half of the divisor. */
TEST(quotients_of_slow_divisions_fit)
{
    uint64_t divisor = insn_values_word(INSN_SLOW, INSN_INT, false);

    for (unsigned bits = 16; bits <= 64; bits *= 2) {
        uint64_t mask = bits == 64 ? UINT64_MAX : (1ull << bits) - 1;
        assert_true((INSN_SLOW_RDX & mask) < (divisor & mask) / 2);
        assert_int_equal(divisor >> (bits - 1) & 1, 0);
    }
    assert_true((INSN_SLOW_RAX >> 8 & 0xff) < (divisor & 0xff) / 2);
    assert_int_equal(divisor & 0x80, 0);
}

static uint32_t lane(const uint8_t *area, size_t at)
{
    uint32_t bits;

    memcpy(&bits, area + at, sizeof bits);
    return bits;
}

TEST(memory_has_the_values_of_the_row)
{
    static _Alignas(8) uint8_t area[INSN_AREA_SIZE];
    struct insn_view v;
    insn_view(&v, form_of("vmulps_ymm_ymm_ymm"), INSN_PLAIN);
    insn_fill(area, &v, INSN_USUAL);
    assert_int_equal(lane(area, 0), 0x3f800000); /* 1.0f */
    insn_fill(area, &v, INSN_DENORMAL);
    assert_int_equal(lane(area, 0) & 0x7f800000, 0);
    assert_int_not_equal(lane(area, 0) & 0x007fffff, 0);
    insn_view(&v, form_of("vdivps_ymm_ymm_ymm"), INSN_PLAIN);
    insn_fill(area, &v, INSN_SLOW);
    assert_int_not_equal(lane(area, 0),
                         lane(area, 192)); /* registers in turn have one or the other */
}

TEST(writers_of_memory_are_known)
{
    struct insn_test t;
    struct insn_test_id load = {INSN_TEST_LATENCY, 0, {INSN_DATA, 1}, {INSN_DATA, 0}},
                        free = {.kind = INSN_TEST_DISTINCT};

    assert_int_equal(insn_test(&t, form_of("mov_r64_m64"), INSN_PLAIN, &load), INSN_RUNS);
    assert_true(insn_writes_memory(&t)); /* its chain stores */
    assert_int_equal(insn_test(&t, form_of("mov_r64_m64"), INSN_PLAIN, &free), INSN_RUNS);
    assert_false(insn_writes_memory(&t));
    assert_int_equal(insn_test(&t, form_of("mov_m64_r64"), INSN_PLAIN, &free), INSN_RUNS);
    assert_true(insn_writes_memory(&t));
}
