#include "bench/output/kinds_show.h"
#include "bench/api/declare.h"
#include "bench/output/insn_groups.h"
#include "lib/text/decimal.h"
#include "lib/insn/form.h"
#include "lib/stats/mathx.h"
#include "lib/text/fmt.h"

#define SHOWN      64 /* the most forms with a line each in the table */
#define NAME_WIDTH 34
#define BAUD_BYTE  10 /* bits of a byte on a serial port, with start and stop bit */
#define BAUD       115200

static unsigned forms_of(const struct insn_table *t)
{
    return t->rows - t->links;
}

/* --- before ----------------------------------------------------------------------------------- */

static void record_blocker(struct json *j, const struct insn_table *t, unsigned b)
{
    char name[INSN_NAME_MOST];
    struct sink_buf text;

    if (!t->blocker_row[b]) {
        json_unknown(j);
        return;
    }
    sink_buf_init(&text, name, sizeof name);
    insn_row_name(&t->row[t->blocker_row[b] - 1], &text.sink);
    json_str(j, NULL, name);
}

static void record_plan(const struct run_facts *run, const struct insn_table *t, uint64_t bytes,
                        uint64_t all, struct report *r)
{
    struct json line, *j = &line;

    if (!report_record(r, j, "insn_plan"))
        return;
#include "bench/api/fields/insn_plan.def"
    json_end(j);
}

/* Writes "about 320 KiB, 29 s on a serial port at 115200 baud". */
static void show_bytes(uint64_t bytes, struct sink *out)
{
    fmt(out, "about %llu KiB, %llu s on a serial port at %u baud",
        (unsigned long long)(bytes + 1023) / 1024,
        (unsigned long long)(bytes * BAUD_BYTE + BAUD - 1) / BAUD, BAUD);
}

void insn_show_plan(const struct run_facts *run, const struct insn_table *t, unsigned cores,
                    uint64_t others, struct report *r)
{
    uint64_t bytes = insn_record_bytes(t),
             all = bytes + (cores - 1) * insn_record_bytes_again(t) + others;

    record_plan(run, t, bytes, all, r);
    if (!report_table(r))
        return;
    report_fresh_line(r);
    fmt(r->out, "core %u: %u of %u forms are run, with %u pairs of operands", run->core, t->run,
        forms_of(t), t->pairs);
    if (!t->exact)
        fmt(r->out, ", in at most %u s", run->o->time);
    fmt(r->out, "\r\n  their records: ");
    show_bytes(bytes, r->out);
    if (all > bytes) {
        fmt(r->out, "\r\n  with those of curves and of all cores: ");
        show_bytes(all, r->out);
    }
    fmt(r->out, "\r\n");
}

/* --- after ------------------------------------------------------------------------------------ */

struct sums {
    unsigned reached, faulted, not_reached, figures, settled;
};

static void add_figure(struct sums *s, struct agreed a)
{
    s->figures += is_known(a.value);
    s->settled += is_known(a.value) && a.settled;
}

/* Adds the figures that a record has of each form: without its slots and without variants. */
static void add_figures(struct sums *s, const struct insn_table *t, const struct insn_row *row)
{
    bool at_most;

    add_figure(s, insn_throughput_of(t, row));
    for (unsigned i = 0; i < row->cells; i++) {
        const struct insn_cell *c = insn_cells_of(t, row) + i;
        if (c->id.kind == INSN_TEST_LATENCY)
            add_figure(s, insn_figure(t, row, c, &at_most));
    }
}

static struct sums sums_of(const struct insn_table *t)
{
    struct sums s = {0};

    for (unsigned i = t->links; i < t->rows; i++) {
        const struct insn_row *row = &t->row[i];
        s.reached += row->reached;
        s.faulted += row->fault > 0;
        s.not_reached += row->why == INSN_RUNS && !row->reached;
        add_figures(&s, t, row);
    }
    return s;
}

static double seconds_of(const struct run_facts *run, const struct insn_table *t)
{
    return run_has_hz(run) ? (double)t->ticks / run->tsc_hz : UNKNOWN;
}

static void record_link(struct json *j, const struct insn_table *t, unsigned i)
{
    struct agreed a = insn_link_cost(t, (enum insn_link)i);

    json_f64s(j, (const double[]){a.value, agree_error(a)}, 2, 3);
}

/* Returns the first link from `from` on that was measured; LINKS: none. */
static unsigned next_link(const struct insn_table *t, unsigned from)
{
    while (from < LINKS && !t->link_row[from])
        from++;
    return from;
}
#define EACH_LINK(t)                                                                               \
    unsigned i = next_link(t, 0);                                                                  \
    i < LINKS;                                                                                     \
    i = next_link(t, i + 1)

static void record_end(const struct run_facts *run, const struct insn_table *t,
                       const struct sums *s, struct report *r)
{
    struct insn_links links;
    bool has_links = !t->exact && !insn_links_find(&links);
    struct json line, *j = &line;

    if (!report_record(r, j, "insn_end"))
        return;
#include "bench/api/fields/insn_end.def"
    json_end(j);
}

static void show_figure(struct sink *out, struct agreed a, bool at_most)
{
    if (at_most)
        fmt(out, "<=");
    num_f64(out, a.value, a.value < 1 ? 3 : 2, 0);
    if (!a.settled)
        fmt(out, "?");
}

static void show_form(const struct insn_table *t, const struct insn_row *row, struct sink *out)
{
    char name[96];
    struct sink_buf text;
    bool at_most;

    sink_buf_init(&text, name, sizeof name);
    insn_row_name(row, &text.sink);
    fmt(out, "%-*s ", NAME_WIDTH, name);
    if (!row->reached) {
        insn_why_not(row, out);
        fmt(out, "\r\n");
        return;
    }
    struct agreed tp = insn_throughput_of(t, row);
    if (is_known(tp.value))
        show_figure(out, tp, false);
    for (unsigned i = 0; i < row->cells; i++) {
        const struct insn_cell *c = insn_cells_of(t, row) + i;
        struct agreed a = insn_figure(t, row, c, &at_most);
        if (c->id.kind != INSN_TEST_LATENCY || !is_known(a.value))
            continue;
        fmt(out, "  ");
        insn_end_name(&c->id.in, out);
        fmt(out, ">");
        insn_end_name(&c->id.out, out);
        fmt(out, " ");
        show_figure(out, a, at_most);
    }
    if (row->fault)
        fmt(out, "  %s", t->fault[row->fault]);
    fmt(out, "\r\n");
}

static void show_sums(const struct run_facts *run, const struct insn_table *t, const struct sums *s,
                      struct sink *out)
{
    fmt(out, "core %u: %u of %u forms ran", run->core, s->reached, t->run);
    if (s->faulted)
        fmt(out, ", %u of them faulted in a test", s->faulted);
    if (t->exact) {
        fmt(out, "; instructions are counted, so each form and pair ran once\r\n");
        return;
    }
    fmt(out, "; %u of %u throughputs and latencies are settled; %u passes", s->settled, s->figures,
        t->passes);
    if (is_known(seconds_of(run, t))) {
        fmt(out, " in ");
        num_f64(out, seconds_of(run, t), 1, 0);
        fmt(out, " s");
    }
    fmt(out, "%s\r\n", t->out_of_time ? ", as much as time= allows" : "");
    if (s->not_reached)
        fmt(out, "  %u forms were not reached: a longer time= runs them\r\n", s->not_reached);
}

void insn_show(const struct run_facts *run, const struct insn_table *t, struct insn_records *before,
               struct report *r)
{
    struct sums s = sums_of(t);

    if (report_table(r)) {
        report_fresh_line(r);
        if (forms_of(t) <= SHOWN)
            fmt(r->out, "%-*s throughput, then latencies, input>output\r\n", NAME_WIDTH, "form");
        for (unsigned i = t->links; i < t->rows && forms_of(t) <= SHOWN; i++)
            show_form(t, &t->row[i], r->out);
        show_sums(run, t, &s, r->out);
        if (forms_of(t) > SHOWN)
            fmt(r->out, "  scripts/baretick insn REPORT shows them\r\n");
    }
    insn_record_forms(run, t, &before->ran, r);
    insn_record_left(run, t, &before->left, r);
    record_end(run, t, &s, r);
}
