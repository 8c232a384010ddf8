#include "lib/stats/linearity.h"
#include "lib/stats/mathx.h"
#include "tests/unit/close.h"
#include "tests/unit/rng.h"
#include "tests/unit/cmocka_unit.h"

/* Windows of `base` + ticks[kind] * links, on a lattice of `step`; every seventh disturbed. */
static struct behave plant(const double *ticks, double base, double step, uint64_t seed)
{
    struct behave b;
    struct rng rng = {seed};

    for (int kind = 0; kind < BEHAVE_KINDS; kind++)
        for (int l = 0; l < BEHAVE_LENGTHS; l++)
            for (int i = 0; i < BEHAVE_REPEATS; i++) {
                double begin = step * (double)rng_below(&rng, 1000) + step * rng_unit(&rng);
                double end = begin + base + ticks[kind] * behave_lengths[l];
                double delta = step * (mathx_floor(end / step) - mathx_floor(begin / step));
                b.delta[kind][l][i] = (uint64_t)delta + (i % 7 == 6 ? rng_below(&rng, 5000) : 0);
            }
    return b;
}

static enum execution judge(const double *ticks, double base, double step)
{
    enum execution first = EXEC_SILICON;

    for (uint64_t seed = 1; seed <= 50; seed++) {
        struct behave b = plant(ticks, base, step, seed);
        struct behave_verdict v = behave_judge(&b);
        assert_non_null(v.why);
        if (seed == 1)
            first = v.execution;
        assert_int_equal(v.execution, first);
        assert_true(v.ticks_per_instruction == 0);
        for (int kind = 0; kind < BEHAVE_KINDS; kind++)
            assert_close(v.ticks_per_op[kind], ticks[kind], 2 * step / 192 + 0.01);
    }
    return first;
}

TEST(times_of_real_cpus_are_judged_as_silicon)
{
    static const struct {
        double ticks[BEHAVE_KINDS], step; /* nop, add, imul, div, addsd */
    } cases[] = {
        {{0.08, 0.68, 2.10, 9.88, 2.10}, 26},  /* Zen 5 in a virtual machine */
        {{0.25, 1.00, 3.00, 26.0, 4.00}, 2},   /* Intel, Skylake, at its nominal clock */
        {{0.06, 0.25, 0.75, 3.00, 1.00}, 1},   /* turbo four times the TSC */
        {{1.00, 4.00, 12.0, 70.0, 12.0}, 1},   /* at a quarter of it */
        {{0.50, 1.00, 5.00, 60.0, 5.00}, 1},   /* Bonnell */
        {{0.33, 1.00, 10.0, 60.0, 5.00}, 1},   /* Prescott */
        {{0.33, 1.00, 3.00, 40.0, 4.00}, 1},   /* K8 */
        {{4.00, 16.0, 48.0, 400.0, 64.0}, 16}, /* throttled to an eighth, a slow core */
    };
    EACH_CASE (c, cases)
        assert_int_equal(judge(c->ticks, 40, c->step), EXEC_SILICON);
}

TEST(emulators_are_found)
{
    static const struct {
        double ticks[BEHAVE_KINDS], step;
    } cases[] = {
        {{0, 0, 2.10, 13.0, 19.2}, 26},    /* TCG, adds folded */
        {{0, 0.65, 2.10, 12.0, 13.0}, 26}, /* TCG, adds kept */
        {{0, 0, 2.10, 12.0, 2.10}, 1},     /* folded adds alone are a sign, */
        {{0, 0.65, 2.10, 12.0, 13.0}, 1},  /* slow floating point alone too */
        {{133, 140, 144, 141, 150}, 26},   /* TCG -singlestep */
        {{10, 11, 12, 30, 30}, 1},         /* an interpreter: all alike */
        {{2, 25, 75, 300, 100}, 1},        /* an add that slow */
        {{0, 0, 0, 12, 12}, 1},            /* all of it dropped */
    };
    EACH_CASE (c, cases)
        assert_int_equal(judge(c->ticks, 40, c->step), EXEC_EMULATED);
}

static struct behave counted(uint64_t ticks)
{
    struct behave b;

    for (int kind = 0; kind < BEHAVE_KINDS; kind++)
        for (int l = 0; l < BEHAVE_LENGTHS; l++)
            for (int i = 0; i < BEHAVE_REPEATS; i++)
                b.delta[kind][l][i] = ticks * (behave_lengths[l] + 7);
    return b;
}

TEST(counted_instructions_are_counted)
{
    for (uint64_t ticks = 1; ticks <= 1024; ticks *= 2) {
        struct behave b = counted(ticks);
        struct behave_verdict v = behave_judge(&b);
        assert_int_equal(v.execution, EXEC_INSTRUCTIONS);
        assert_int_equal(v.ticks_per_instruction, ticks);
        for (int kind = 0; kind < BEHAVE_KINDS; kind++)
            assert_close(v.ticks_per_op[kind], (double)ticks, 0);
    }
}

/* One thing that is not exact, and it is not a count. */
TEST(nearly_counted_is_emulated)
{
    static const uint64_t no_shift[] = {0, 3, 100, 2048};

    EACH_CASE (c, no_shift) {
        struct behave b = counted(*c);
        assert_int_equal(behave_judge(&b).execution, EXEC_EMULATED);
    }
    for (int kind = 0; kind < BEHAVE_KINDS; kind++)
        for (int l = 0; l < BEHAVE_LENGTHS; l++) {
            struct behave b = counted(128);
            b.delta[kind][l][3]++;
            assert_int_equal(behave_judge(&b).execution, EXEC_EMULATED);
            b = counted(128);
            for (int i = 0; i < BEHAVE_REPEATS; i++)
                b.delta[kind][l][i] += 128;
            assert_int_equal(behave_judge(&b).execution, EXEC_EMULATED);
        }
    struct behave b = counted(128), twice = counted(256);
    memcpy(b.delta[BEHAVE_DIV], twice.delta[BEHAVE_DIV], sizeof b.delta[BEHAVE_DIV]);
    assert_int_equal(behave_judge(&b).execution, EXEC_EMULATED);
}

TEST(every_instruction_has_a_name)
{
    assert_string_equal(behave_names[BEHAVE_NOP], "nop");
    assert_string_equal(behave_names[BEHAVE_ADD], "add");
    assert_string_equal(behave_names[BEHAVE_IMUL], "imul");
    assert_string_equal(behave_names[BEHAVE_DIV], "div");
    assert_string_equal(behave_names[BEHAVE_ADDSD], "addsd");
    assert_string_equal(execution_names[EXEC_SILICON], "silicon");
    assert_string_equal(execution_names[EXEC_INSTRUCTIONS], "instructions");
    assert_string_equal(execution_names[EXEC_EMULATED], "emulated");
}
