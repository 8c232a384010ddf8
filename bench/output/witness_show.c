#include "bench/output/show.h"
#include "bench/api/declare.h"
#include "lib/stats/mathx.h"
#include "lib/text/fmt.h"

#define WORTH_SAYING 0.005 /* the least share that is reported */

static void say_share(const struct run_facts *run, const char *when, struct sink *out)
{
    double share = witness_share(&run->witness);

    if (run->witness.why_not)
        fmt(out, "not known whether core %u is shared: %s", run->core, run->witness.why_not);
    else if (!witness_knows_width(&run->witness))
        fmt(out,
            "core %u appears permanently shared (SMT sibling or another guest): NOPs show no "
            "steady width",
            run->core);
    else if (is_known(share) && share >= WORTH_SAYING)
        fmt(out, "core %u was shared for %u%% of the time%s", run->core,
            (unsigned)(100 * share + 0.5), when);
    else
        fmt(out, "core %u was not shared%s", run->core, when);
}

void witness_show_head(const struct run_facts *run, struct sink *out)
{
    fmt(out, "witness   ");
    say_share(run, " during the probe", out);
    fmt(out, "%s\r\n", run->witness.gave_up ? "; gave up waiting for exclusive blocks" : "");
}

void witness_show_end(const struct run_facts *run, struct report *r)
{
    const struct witness_facts *w = &run->witness;
    struct json line, *j = &line;

    if (report_table(r) && !run->witness.why_not) {
        report_fresh_line(r);
        fmt(r->out, "witness   ");
        say_share(run, ", all rows together", r->out);
        fmt(r->out, "\r\n");
    }
    if (!report_record(r, j, "witness"))
        return;
#include "bench/api/fields/witness.def"
    json_end(j);
}

void witness_show_row(const struct row *row, struct sink *out)
{
    if (row->taken.shared)
        fmt(out,
            "  ^ shared: the core was shared in %u%% of its blocks; the interval covers both "
            "states,\r\n"
            "    and the row is not judged\r\n",
            (unsigned)(100 * (double)row->taken.shared_blocks / (double)row->taken.blocks + 0.5));
}
