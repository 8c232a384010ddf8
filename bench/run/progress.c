#include "bench/run/progress.h"

#define RATIO_MOST  3    /* most that a row counts, as a multiple of the usual ratio */
#define FIRST_TURNS 4    /* turns that define the usual ratio */
#define ROW_BYTES   3000 /* a row's lines and its record */
/* The fraction of the remaining ticks whose guess is taken as right (cautious()). The error of a
 * guess of stepping varies from row to row, so the first rows say little about the others. */
#define TRUSTED_KNOWN 0.25
#define TRUSTED_STEPS 0.25

static double smaller(double a, double b)
{
    return a < b ? a : b;
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

/* Each round has its own ratio to the previous turns. */
void progress_round(struct progress *p)
{
    p->again = (struct progress_sum){0};
}

void progress_again(struct progress *p, double known, double taken)
{
    add(&p->again, known, taken);
}

void progress_stepped(struct progress *p, double guess, double taken)
{
    add(&p->steps, guess, taken);
}

/* Returns the correction factor of a guess; `otherwise` if nothing is known. */
static double factor(const struct progress_sum *s, double otherwise)
{
    return s->guess > 0 ? s->taken / s->guess : otherwise;
}

/* The same for turns that may differ from those done: as if the guess of `trusted` more ticks had
 * been right. */
static double cautious(const struct progress_sum *s, double trusted)
{
    struct progress_sum both = {s->guess + trusted, s->taken + trusted};

    return factor(&both, 1);
}

/* Limits the weight of an outlier: a row whose branches the CPU cannot predict takes ten times as
 * long, and other rows do not. */
void progress_first(struct progress *p, double guess, double taken)
{
    double most = RATIO_MOST * factor(&p->all, 0) * guess;

    p->turns++;
    if (p->guessed >= FIRST_TURNS)
        taken = smaller(taken, most);
    add(&p->suite, guess, taken);
    add(&p->all, guess, taken);
    p->guessed += guess > 0;
}

void progress_shown(struct progress *p, size_t rows, double ticks)
{
    p->shown += rows;
    p->showing += ticks;
}

void progress_line(struct progress *p, size_t bytes, double ticks)
{
    p->written += (double)bytes;
    p->lines += ticks;
}

/* Returns the ticks for showing a row. */
static double telling(const struct progress *p)
{
    if (p->shown > 0)
        return p->showing / (double)p->shown;
    return p->written > 0 ? ROW_BYTES * p->lines / p->written : 0;
}

bool progress_is_known(const struct progress *p, const struct progress_turn *turn)
{
    return p->turns > 0 || turn->part > 0;
}

double progress_left(const struct progress *p, const struct progress_rest *rest,
                     const struct progress_turn *turn)
{
    struct progress_sum all = p->all, suite = p->suite;
    double part = turn->part, of_all, of_suite, of_known, left;

    if (part > 0 && turn->known <= 0) {
        add(&all, turn->guess * part, turn->taken);
        add(&suite, turn->guess * part, turn->taken);
    }
    of_all = factor(&all, 1);
    of_suite = factor(&suite, of_all);
    of_known = cautious(&p->again, TRUSTED_KNOWN * rest->known);
    left = turn->known > 0 ? turn->known * of_known : turn->guess * of_suite;
    if (part > 0)
        left = turn->taken * (1 - part) / part;
    left += rest->known * of_known + rest->fresh + rest->suite * of_suite + rest->other * of_all;
    left += rest->steps * cautious(&p->steps, TRUSTED_STEPS * rest->steps);
    return left + (double)rest->shown * telling(p);
}
