#include "bench/measure/check.h"
#include "bench/measure/place.h"
#include "lib/stats/known.h"
#include "lib/text/fmt.h"

/*
 * docs/method.md "Truth": what is off by more than both is no noise. Of 200 launches with eight
 * such rows each at most one may fail by chance: twice the 99% half-width of a difference of two
 * boots is seven standard errors of one.
 */
#define TRUTH_WITHIN 0.01
#define TRUTH_HALVES 2

void check_work(const struct placed *p, uint64_t operations, struct row *row)
{
    const char *why = p->check ? p->check(p->object, operations) : NULL;
    if (!why || row->why)
        return;
    fmt_buf(row->said, sizeof row->said, "%s", why); /* its own text goes with the placement */
    for (char *c = row->said; *c; c++)
        if (*c < ' ' || *c == 0x7f) /* a terminal takes some for commands */
            *c = '?';
    row_fail(row, ROW_WRONG, row->said);
}

void check_errors(const struct bench *b, uint64_t good, struct row *row)
{
    if (good == 0)
        row_fail(row, ROW_WRONG, "every operation failed");
    if (b->errors_are_wrong && row->errors)
        row_fail(row, ROW_WRONG, "an operation returned an error");
}

static bool is_true(const struct estimate *cycles, double truth)
{
    double off = cycles->theta < truth ? truth - cycles->theta : cycles->theta - truth;
    double allowed = truth * TRUTH_WITHIN;
    if (TRUTH_HALVES * cycles->half > allowed)
        allowed = TRUTH_HALVES * cycles->half;
    return off <= allowed;
}

static double documented(const struct bench *b, const struct cpu *cpu)
{
    return b->code ? b->code->truth : b->truth ? b->truth(cpu) : 0;
}

void check_figure(const struct engine *e, const struct bench *b, struct row *row)
{
    const struct headline *h = &row->headline;
    /* Without a source of cycles there is still the ruler. */
    const struct estimate *cycles = is_known(h->cycles.theta) ? &h->cycles : &h->ruler.cycles;
    /* What is documented is documented of warm caches. */
    row->truth = place_is_cold(e, b) ? 0 : documented(b, e->p->cpu);
    if (row->why || e->execution != EXEC_SILICON || !h->known || row->shared)
        return;
    double most = is_known(cycles->half) ? cycles->theta + cycles->half : cycles->theta;
    if (b->floor > 0 && most < b->floor)
        row_fail(row, ROW_WRONG,
                 "the work is gone: an operation takes less than any CPU needs for it");
    if (row->truth > 0 && !is_true(cycles, row->truth))
        row_fail(row, ROW_WRONG, "not the documented figure, by more than its interval");
}
