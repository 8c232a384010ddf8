/*
 * Wide vectors: which code has them, and the sampler on a core whose clock is simulated. There the
 * body's windows take four times as long for 500 us after a pause of 675 us or more.
 */
#include "tests/unit/bench/made_engine.h"
#include "lib/cpu/models.h"
#include "lib/cpu/stepping.h"
#include "tests/unit/rng.h"

#define US        2600.0 /* ticks of the TSC */
#define DOWN_US   675
#define CHANGE_US 500
#define GAP       200 /* ticks between two windows */

static struct {
    double used, full;         /* TSC when wide vectors were used last; full rate from then on */
    bool has_licences;         /* the core is one of those */
    double pause, every, next; /* another program runs so long, and so often; when next */
    struct rng rng;
    unsigned slow; /* windows at a quarter of the rate */
} core;

static void pass(double ticks)
{
    fake_tsc += (uint64_t)ticks;
}

/* Ticks on top of what a window takes at full rate; time passes. */
static double on_core(enum window_kind k, size_t i)
{
    bool wide = k == KIND_BODY || k == KIND_BODY2;
    double ticks = plant.overhead + cycles_of(k) * plant.cycle, more = 0;

    if (core.every > 0 && (double)fake_tsc > core.next) {
        pass(core.pause);
        core.next = (double)fake_tsc + core.every * (0.5 + rng_unit(&core.rng));
    }
    if (wide && core.has_licences) {
        if ((double)fake_tsc - core.used > DOWN_US * US)
            core.full = (double)fake_tsc + CHANGE_US * US;
        more = (double)fake_tsc < core.full ? 3 * cycles_of(k) * plant.cycle : 0;
        core.slow += more > 0;
    }
    pass(GAP + ticks + more);
    if (wide)
        core.used = (double)fake_tsc;
    return more;
}

static const struct cpu with_avx = {.vendor = VENDOR_INTEL,
                                    .tsc = true,
                                    .sse2 = true,
                                    .lfence_always_serializing = true,
                                    .vectors = VECTORS_AVX};
/* vaddpd zmm0, zmm1, zmm2; vaddps xmm0, xmm1, xmm2 */
static const struct unit zmm = {6, 0, FIXUP_NONE, {0x62, 0xf1, 0xf5, 0x48, 0x58, 0xc2}};
static const struct unit xmm = {4, 0, FIXUP_NONE, {0xc5, 0xf0, 0x58, 0xc2}};

static struct row measured(const struct unit *unit, bool has_licences, double every_us)
{
    static struct platform here;

    memset(&core, 0, sizeof core);
    start();
    here = platform;
    here.cpu = &with_avx;
    engine.p = &here;
    engine.facts.samples = 1024;
    engine.facts.tsc_hz = US * 1e6;
    options.instructions = INSTRUCTIONS_OFF;
    fake_tsc = 1000000000;
    core.has_licences = has_licences;
    core.pause = 3000 * US;
    core.every = every_us * US;
    core.rng.state = 1;
    plant.extra = on_core;
    struct bench b = bench;
    b.window.unit = unit;
    return whole_row(b);
}

TEST(a_row_is_measured_at_full_rate)
{
    struct row row = measured(&zmm, true, 0);

    assert_int_equal(row.out.status, ROW_OK);
    assert_true(row.taken.wide);
    assert_true(core.slow > 0);
    assert_true(fabs(row.figure.cycles.theta - plant.operation) < 1e-6);
    assert_int_equal(row.taken.disturbed, 0);
}

/* Without the warm-up the simulation shows another figure, so this tests something. */
TEST(a_row_that_is_not_recognised_is_not)
{
    struct row row = measured(&xmm, true, 700);

    assert_true(fabs(row.figure.cycles.theta - plant.operation) > 0.1 * plant.operation);
}

TEST(a_pause_disturbs_its_block_and_no_other)
{
    struct row row = measured(&zmm, true, 700);

    assert_true(fabs(row.figure.cycles.theta - plant.operation) < 1e-6);
    assert_true(row.taken.disturbed > 0 && row.taken.disturbed < row.gross.ticks.n / 2);
}

/* It takes the time of the warm-up: one for each part, and none where nothing is wide. */
TEST(a_core_without_licences_has_the_same_figure)
{
    struct row narrow = measured(&xmm, false, 0);

    assert_false(narrow.taken.wide);
    assert_true(fabs(narrow.figure.cycles.theta - plant.operation) < 1e-6);
    struct row row = measured(&zmm, false, 0);
    double shortest = OPS * plant.operation * plant.cycle;
    assert_true(fabs(row.figure.cycles.theta - plant.operation) < 1e-6);
    assert_int_equal(row.taken.disturbed, 0);
    assert_true((double)(row.taken.windows - narrow.taken.windows) <=
                row.spread.placements * (WIDE_WARM_US * US / shortest + 1));
    row = measured(&zmm, false, 700);
    assert_true(fabs(row.figure.cycles.theta - plant.operation) < 1e-6);
}

struct instruction {
    bool wide;
    uint8_t length, code[12];
};

/* As NASM encodes them. */
static const struct instruction instructions[] = {
    {true, 4, {0xc5, 0xf4, 0x58, 0xc2}},              /* vaddps ymm0, ymm1, ymm2 */
    {true, 6, {0xc4, 0xe3, 0xfd, 0x01, 0xc1, 0x03}},  /* vpermpd ymm0, ymm1, 3 */
    {true, 5, {0xc4, 0xc2, 0xf5, 0xb8, 0x06}},        /* vfmadd231pd ymm0, ymm1, [r14] */
    {true, 6, {0x62, 0xe1, 0xf5, 0x28, 0x58, 0xc2}},  /* vaddpd ymm16, ymm1, ymm2 */
    {true, 6, {0x62, 0xf1, 0xf5, 0x48, 0x58, 0xc2}},  /* vaddpd zmm0, zmm1, zmm2 */
    {true, 6, {0x62, 0xf1, 0xf5, 0x18, 0x58, 0xc2}},  /* vaddpd zmm0, zmm1, zmm2, {rn-sae} */
    {false, 4, {0xc5, 0xf0, 0x58, 0xc2}},             /* vaddps xmm0, xmm1, xmm2 */
    {false, 6, {0x62, 0xf1, 0xf5, 0x09, 0x58, 0xc2}}, /* vaddpd xmm0{k1}, xmm1, xmm2 */
    {false, 6, {0x62, 0xc1, 0xf5, 0x18, 0x58, 0x06}}, /* vaddpd xmm16, xmm1, [r14]{1to2} */
    {false, 5, {0xc4, 0xe2, 0xf1, 0xb9, 0xc2}},       /* vfmadd231sd xmm0, xmm1, xmm2 */
    {false, 5, {0xc4, 0xe2, 0xf1, 0xf7, 0xc3}},       /* shlx rax, rbx, rcx */
    {false, 3, {0xc5, 0xf8, 0x77}},                   /* vzeroupper */
    {false, 4, {0x48, 0x0f, 0xaf, 0xc3}},             /* imul rax, rbx */
    {false, 2, {0x29, 0xc4}},                         /* sub esp, eax */
    {false, 6, {0x81, 0xe7, 0xff, 0x03, 0x00, 0x00}}, /* and edi, 1023 */
    {false, 5, {0xe8, 0x62, 0xfd, 0xff, 0xff}},       /* call */
    {false, 6, {0x0f, 0x84, 0xc5, 0xfc, 0xff, 0xff}}, /* je */
    {false, 10, {0x48, 0xb8, 0xc5, 0xf4, 0x58, 0xc2, 1, 2, 3, 4}}, /* mov rax, imm64 */
    {false, 5, {0xb8, 0xc5, 0xf4, 0x58, 0xc2}},                    /* mov eax, imm32 */
    {false, 4, {0x66, 0xb8, 0xc5, 0xf4}},                          /* mov ax, imm16 */
    {false, 6, {0xf7, 0xc1, 0xc5, 0xf4, 0x58, 0xc2}},              /* test ecx, imm32 */
    {false, 2, {0xf7, 0xe1}},                                      /* mul ecx */
    {false, 8, {0x48, 0x8b, 0x84, 0xb3, 0xc5, 0xf4, 0x58, 0xc2}},  /* mov rax, [rbx+rsi*4+d32] */
    {false, 5, {0x8a, 0x44, 0x24, 0xc5, 0x90}},                    /* mov al, [rsp-59]; nop */
    {false, 7, {0x8b, 0x04, 0x25, 0xc5, 0xf4, 0x58, 0x02}},        /* mov eax, [disp32] */
    {false, 6, {0x8d, 0x05, 0xc5, 0xf4, 0x58, 0xc2}},              /* lea eax, [rip+d32] */
    {false, 6, {0x66, 0x0f, 0x3a, 0x0f, 0xc1, 0xc5}},              /* palignr xmm0, xmm1, 0xc5 */
    {false, 7, {0x0f, 0x1f, 0x80, 0xc5, 0xf4, 0x58, 0xc2}},        /* nop [rax+d32] */
    {false, 4, {0xc8, 0xc5, 0xf4, 0x00}},                          /* enter */
};
enum { INSTRUCTIONS = sizeof instructions / sizeof instructions[0] };

/* Opcodes inside other instructions are not seen, whatever comes before or after. */
TEST(code_with_wide_vectors_is_recognised)
{
    uint8_t code[3 * sizeof instructions[0].code];

    for (unsigned i = 0; i < INSTRUCTIONS * INSTRUCTIONS; i++) {
        const struct instruction *first = &instructions[i / INSTRUCTIONS];
        const struct instruction *second = &instructions[i % INSTRUCTIONS];
        memcpy(code, first->code, first->length);
        memcpy(code + first->length, second->code, second->length);
        assert_int_equal(wide_code(code, (size_t)first->length + second->length),
                         first->wide || second->wide);
    }
    assert_false(wide_code(code, 0));
}

TEST(lengths_of_instructions_are_known)
{
    for (unsigned i = 0; i < INSTRUCTIONS; i++) {
        const struct instruction *one = &instructions[i];
        if (one->code[0] != 0x8a) /* that is two */
            assert_int_equal(code_instruction(one->code, sizeof one->code).length, one->length);
        for (size_t n = 1; n < one->length; n++)
            assert_true(code_instruction(one->code, n).length > 0);
    }
}
