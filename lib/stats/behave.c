#include "lib/stats/behave.h"
#include "lib/stats/stats.h"
#include <stdbool.h>

/*
 * Measured, ticks per instruction, on a Zen 5 (TSC 2596 MHz, core 4.1 GHz) and on QEMU 7.2 there:
 *                       nop    add       imul   div    addsd
 *   silicon             0.08   0.68      2.1    9.9    2.1
 *   TCG                 0      0 or 0.7  2.1    13     13 to 19   0: folded while translating
 *   TCG -singlestep     133    140       144    141
 *   icount shift=7      128    128       128    128    128
 * A translator's integer code can be as fast as silicon's; its floating point cannot, because a
 * helper has to compute every bit and flag. Nops without cost prove nothing: on a TSC with steps of
 * 26 ticks, the 16 ticks of 192 nops cannot be distinguished from 0.
 */
/* docs/checks.md "Truth": an add takes one core cycle, which is 8 ticks on a core throttled to an
 * eighth of its TSC; the emulators above take 7 times as long and more. */
#define ADD_TICKS_MOST 20
/* docs/checks.md "Truth": in an interpreter's loop all take the same time; on silicon an imul takes
 * at least two adds. */
#define ALIKE 1.25
/* Latency of imul over add: 2 to 5, Prescott 10 (Fog, instruction tables); above: adds elided. */
#define IMUL_TO_ADD_MOST 16
/* Latencies of addsd over imul: 0.3 to 1.7 (Fog, likewise), translated 6 to 9. */
#define ADDSD_TO_IMUL_MOST 3
/* QEMU's icount shift is 0 to 10 (MAX_ICOUNT_SHIFT in its sources): 1 to 1024 ticks. */
#define COUNTED_TICKS_MOST 1024

const unsigned behave_lengths[BEHAVE_LENGTHS] = {64, 128, 256};
const char *const behave_names[BEHAVE_KINDS] = {"nop", "add", "imul", "div", "addsd"};
const char *const execution_names[] = {"silicon", "instructions", "emulated"};

/* Returns the ticks per link of a chain if all windows agree on one whole number; else 0. */
static uint64_t exact_ticks(uint64_t (*delta)[BEHAVE_REPEATS])
{
    for (int l = 0; l < BEHAVE_LENGTHS; l++)
        if (delta[l][0] != delta[l][BEHAVE_REPEATS - 1]) /* sorted in ascending order */
            return 0;
    uint64_t k = (delta[1][0] - delta[0][0]) / (behave_lengths[1] - behave_lengths[0]);
    for (int l = 1; l < BEHAVE_LENGTHS; l++)
        if (delta[l][0] - delta[l - 1][0] != k * (behave_lengths[l] - behave_lengths[l - 1]))
            return 0;
    return k;
}

static bool is_power_of_two(uint64_t k)
{
    return k != 0 && (k & (k - 1)) == 0;
}

/* QEMU's icount and Bochs: returns the one power of two that every kind takes; else 0. */
static uint64_t counted_ticks(struct behave *b)
{
    uint64_t k = exact_ticks(b->delta[0]);

    if (!is_power_of_two(k) || k > COUNTED_TICKS_MOST)
        return 0;
    for (int kind = 1; kind < BEHAVE_KINDS; kind++)
        if (exact_ticks(b->delta[kind]) != k)
            return 0;
    return k;
}

static double slope(uint64_t (*delta)[BEHAVE_REPEATS])
{
    double shortest = stats_quantile(delta[0], BEHAVE_REPEATS, 0.5),
           longest = stats_quantile(delta[BEHAVE_LENGTHS - 1], BEHAVE_REPEATS, 0.5);

    return (longest - shortest) / (behave_lengths[BEHAVE_LENGTHS - 1] - behave_lengths[0]);
}

static bool are_alike(double a, double b, double c)
{
    double least = a < b ? a : b, most = a < b ? b : a;

    least = c < least ? c : least;
    most = c > most ? c : most;
    return least > 0 && most <= ALIKE * least;
}

/* NULL: no sign of emulation. */
static const char *emulation_sign(const double *ticks)
{
    double nop = ticks[BEHAVE_NOP], add = ticks[BEHAVE_ADD], imul = ticks[BEHAVE_IMUL];

    if (imul <= 0)
        return "imuls take no time";
    if (add > ADD_TICKS_MOST)
        return "an add takes more than 20 ticks";
    if (are_alike(nop, add, imul))
        return "nop, add and imul take the same time";
    if (add * IMUL_TO_ADD_MOST < imul)
        return "adds take no time compared with imuls";
    if (ticks[BEHAVE_ADDSD] > ADDSD_TO_IMUL_MOST * imul)
        return "addsd takes more than 3 imuls";
    return NULL;
}

struct behave_verdict behave_judge(struct behave *b)
{
    struct behave_verdict v = {0};

    for (int kind = 0; kind < BEHAVE_KINDS; kind++) {
        for (int l = 0; l < BEHAVE_LENGTHS; l++)
            stats_sort(b->delta[kind][l], BEHAVE_REPEATS);
        v.ticks_per_op[kind] = slope(b->delta[kind]);
    }
    v.ticks_per_instruction = counted_ticks(b);
    if (v.ticks_per_instruction) {
        v.execution = EXEC_INSTRUCTIONS;
        v.why = "every instruction takes the same whole number of ticks";
        return v;
    }
    const char *sign = emulation_sign(v.ticks_per_op);
    v.execution = sign ? EXEC_EMULATED : EXEC_SILICON;
    v.why = sign ? sign : "latencies are in a CPU's proportions";
    return v;
}
