#include "bench/measure/check.h"
#include "lib/stats/known.h"

#define TRUTH_WITHIN 0.005 /* docs/method.md "Truth": add and ror within 0.5% of 1, imul of 3 */

void check_work(const struct bench *b, const struct object *o, uint64_t operations, struct row *row)
{
    if (b->check)
        row_fail(row, ROW_WRONG, b->check(o, operations));
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
    if (cycles->half > allowed)
        allowed = cycles->half;
    return off <= allowed;
}

void check_figure(const struct engine *e, const struct bench *b, struct row *row)
{
    const struct headline *h = &row->headline;
    /* Without a source of cycles there is still the ruler. */
    const struct estimate *cycles = is_known(h->cycles.theta) ? &h->cycles : &h->ruler.cycles;
    row->truth = b->truth ? b->truth(e->p->cpu) : 0;
    if (row->why || e->execution != EXEC_SILICON || !h->known || row->shared)
        return;
    if (b->floor > 0 && cycles->theta < b->floor)
        row_fail(row, ROW_WRONG,
                 "the work is gone: an operation takes less than any CPU needs for it");
    if (row->truth > 0 && !is_true(cycles, row->truth))
        row_fail(row, ROW_WRONG, "not the documented figure, by more than its interval");
}
