#include "bench/progress.h"
#include "bench/cores/gaps.h"
#include "bench/measure/layout.h"
#include "bench/measure/place.h"
#include "bench/measure/parts.h"

/*
 * What a guess is made of, in core cycles. Any factor that all rows share is found out by the first
 * of them; what counts is how rows stand to each other.
 */
#define FRAME        150 /* a window with nothing in it: its recipe, entry and way out */
#define OPERATION    0.5 /* where a row has no floor */
#define COLD_LINE    40  /* to put one line out of the caches, and to fetch it again */
#define LINE         64
#define WARM_BLOCKS  4   /* the usual warm-up of a placement */
#define CORES_CYCLES 1e8 /* a row of suite `cores` */

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

/* Core cycles, as rows have been seen to take: floors are half of what the quickest core can do,
 * and calls, whose floors are small, take some cycles more. */
static double operation(const struct bench *b)
{
    return b->floor > 0 ? 2 * b->floor + smaller(2.5, 10 * b->floor) : OPERATION;
}

/* One window of each kind. */
static double all_kinds(const struct engine *e, const struct bench *b)
{
    double body = b->ops * operation(b), cycles = 2 * FRAME + body;
    bool cold = place_is_cold(e, b);
    if (b->form == FORM_EMPTY)
        return FRAME;
    cycles += 2 * FRAME + 3 * RULER_ADDS;
    if (b->form == FORM_LOOP || b->empty_function)
        cycles += smaller(b->ops, body);
    if (!cold && !b->not_doubled)
        cycles += FRAME + 2 * body;
    if (cold)
        cycles += 4.0 * COLD_LINE * (1 + b->room_bytes / LINE);
    return cycles;
}

static double windows(const struct engine *e)
{
    const struct options *o = e->o;
    unsigned placements = layout_count(o, e->samples);
    double warm = smaller(o->warmup, WARM_BLOCKS) * ENGINE_BLOCK;
    return (double)parts_windows(o, e->samples) + placements * warm;
}

double progress_guess(const struct engine *e, const struct bench *b)
{
    double ticks = engine_has_ruler(e) ? e->ticks_per_cycle : 1;
    switch (b->form) {
    case FORM_CORES:
        return CORES_CYCLES * ticks;
    case FORM_WATCH:
        return (double)gaps_duration(e);
    case FORM_EMPTY:
    case FORM_LOOP:
    case FORM_STRAIGHT:
    case FORM_FUNCTION:
        break;
    }
    return windows(e) * all_kinds(e, b) * ticks;
}

static void add(struct progress_sum *s, double guess, double taken)
{
    s->guess += guess;
    s->taken += taken;
}

void progress_suite(struct progress *p)
{
    p->suite = (struct progress_sum){0};
}

void progress_row(struct progress *p, double guess, double taken, double told)
{
    p->rows++;
    add(&p->all, guess, taken);
    add(&p->suite, guess, taken);
    p->told += told;
}

/* What a guess is to be multiplied by; `otherwise` where nothing is known. */
static double factor(const struct progress_sum *s, double otherwise)
{
    return s->guess > 0 ? s->taken / s->guess : otherwise;
}

double progress_left(const struct progress *p, const struct progress_rest *rest, double guess,
                     double part, double taken)
{
    struct progress_sum all = p->all, suite = p->suite;
    double left, of_all, of_suite;
    add(&all, guess * part, part > 0 ? taken : 0);
    add(&suite, guess * part, part > 0 ? taken : 0);
    of_all = factor(&all, 1);
    of_suite = factor(&suite, of_all);
    left = part > 0 ? taken * (1 - part) / part : guess * of_suite;
    left += rest->suite * of_suite + rest->other * of_all;
    if (p->rows > 0)
        left += (double)(rest->rows + (guess > 0)) * p->told / (double)p->rows;
    return left;
}
