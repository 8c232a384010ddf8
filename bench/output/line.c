#include "bench/output/show.h"
#include "bench/output/per_op.h"
#include "lib/text/decimal.h"
#include "lib/stats/mathx.h"
#include "lib/text/fmt.h"

#define DECIMALS 6 /* as in the record */

void line_figure(struct report *r, const struct row *row, double value, const char *unit)
{
    if (!report_lines(r) || row->out.status == ROW_UNSUPPORTED)
        return;
    fmt(r->out, "BT %s/%s@%u ", row->out.bench->suite, row->out.bench->name, row->out.core);
    if (is_known(value)) {
        num_fmt(r->out, "%.*f %s", DECIMALS, value, unit);
    } else {
        fmt(r->out, "- -");
    }
    fmt(r->out, " %s\r\n", row->out.status == ROW_OK ? "pass" : "fail");
}

void line_row(struct report *r, const struct run_facts *run, const struct row *row)
{
    const struct row_figure *h = &row->figure;
    const char *unit = units_window(run);
    struct per_op op = per_op_of(run, h);

    if (h->known)
        line_figure(r, row, op.value, op.unit);
    else if (row->gross.ticks.n)
        line_figure(r, row, units_of(run, row->gross.ticks.median), unit);
    else
        line_figure(r, row, UNKNOWN, unit);
}
