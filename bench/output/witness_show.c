#include "bench/output/show.h"
#include "lib/text/decimal.h"
#include "lib/stats/mathx.h"
#include "lib/text/fmt.h"

#define WORTH_SAYING 0.005 /* the least share that is reported */

static bool is_known_core(const struct run_facts *run)
{
    return !run->witness.why_not && run->witness.best > 0;
}

static void say_share(const struct run_facts *run, const char *when, struct sink *out)
{
    double share = witness_share(&run->witness);

    if (run->witness.why_not)
        fmt(out, "not known whether core %u is shared: %s", run->core, run->witness.why_not);
    else if (!is_known_core(run))
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

static void record_members(const struct run_facts *run, struct json *j)
{
    const struct witness_facts *o = &run->witness;

    if (o->why_not) {
        json_str(j, "why", o->why_not);
        return;
    }
    if (is_known_core(run))
        json_f64(j, "nops_per_cycle", 1 / o->best, 3);
    json_u64(j, "blocks", o->blocks);
    json_u64(j, "shared_blocks", o->shared);
    json_f64(j, "shared", witness_share(&run->witness), 4);
    json_true(j, "gave_up", o->gave_up);
}

void witness_record_head(const struct run_facts *run, struct json *j)
{
    json_object(j, "witness");
    record_members(run, j);
    json_close(j);
}

void witness_show_end(const struct run_facts *run, struct report *r)
{
    struct json j;

    if (report_table(r) && !run->witness.why_not) {
        report_fresh_line(r);
        fmt(r->out, "witness   ");
        say_share(run, ", all rows together", r->out);
        fmt(r->out, "\r\n");
    }
    if (!report_record(r, &j, "witness"))
        return;
    json_u64(&j, "core", run->core);
    record_members(run, &j);
    json_end(&j);
}

static double share_of(const struct row *row)
{
    return row->taken.blocks ? (double)row->taken.shared_blocks / (double)row->taken.blocks
                             : UNKNOWN;
}

void witness_record_row(const struct run_facts *run, const struct row *row, struct json *j)
{
    if (run->witness.why_not || row->taken.blocks == 0)
        return;
    json_f64(j, "shared", share_of(row), 4);
    json_u64(j, "shared_blocks", row->taken.shared_blocks);
    json_bool(j, "exclusive", !row->taken.shared);
}

void witness_show_row(const struct row *row, struct sink *out)
{
    if (row->taken.shared)
        fmt(out,
            "  ^ shared: the core was shared in %u%% of its blocks; the interval covers both "
            "states,\r\n"
            "    and the row is not judged\r\n",
            (unsigned)(100 * share_of(row) + 0.5));
}
