#include "bench/run.h"
#include "bench/compare.h"
#include "bench/registry.h"
#include "bench/show.h"
#include "bench/tsc.h"
#include "lib/fmt.h"
#include "lib/str.h"

#define DETAILS_UP_TO 8 /* rows: a short run shows all of each */

static size_t count_selected(const struct options *o)
{
    size_t n, selected = 0;
    const struct bench *const *rows = registry(&n);
    for (size_t i = 0; i < n; i++)
        selected += registry_selects(o, rows[i]);
    return selected;
}

/* "  12 of 58 rows, about 14 s left": the rest at the pace so far. */
static void show_progress(struct engine *e, struct report *r, size_t done, size_t all,
                          uint64_t ticks)
{
    char line[80];
    size_t used = fmt_buf(line, sizeof line, "%zu of %zu rows", done, all);
    if (e->tsc_hz > 0 && done > 0) {
        double seconds = (double)ticks / e->tsc_hz * (double)(all - done) / (double)done;
        fmt_buf(line + used, sizeof line - used, ", about %u s left%s, a key stops",
                (unsigned)(seconds + 0.5), e->execution == EXEC_SILICON ? "" : " (virtual time)");
    }
    report_progress(r, line);
}

/* NMIs and machine checks, which no masking keeps out (DESIGN section 4, `event`). */
static void tell_interruptions(struct report *r, uint64_t nmis, const struct bench *b)
{
    char message[160];
    if (nmis == 0)
        return;
    fmt_buf(message, sizeof message, "%llu NMIs or machine checks came %s%s%s%s",
            (unsigned long long)nmis, b ? "with " : "after the last row", b ? b->suite : "",
            b ? "/" : "", b ? b->name : "");
    report_event(r, "nmi", message);
}

bool bench_run(struct engine *e, struct report *r)
{
    size_t n, done = 0, all = count_selected(e->o);
    const struct bench *const *rows = registry(&n);
    const char *suite = "";
    uint64_t began = tsc_now(), nmis = e->p->nmis();

    for (size_t i = 0; i < n; i++)
        e->figures[i] = __builtin_nan("");
    for (size_t i = 0; i < n; i++) {
        if (!registry_selects(e->o, rows[i]))
            continue;
        if (e->p->key())
            return true;
        if (!str_eq(suite, rows[i]->suite))
            show_heading(r, e, suite = rows[i]->suite);

        struct row row;
        show_progress(e, r, done, all, tsc_now() - began);
        engine_row(e, rows[i], &row);
        row.nmis = e->p->nmis() - nmis;
        nmis += row.nmis;
        if (row.headline.known)
            e->figures[i] = row.headline.ticks;
        show_row(r, e, &row, all <= DETAILS_UP_TO);
        tell_interruptions(r, row.nmis, rows[i]);
        r->rows++;
        r->failures += row.status == ROW_WRONG;
        done++;
    }
    report_fresh_line(r);
    compare_rows(r, e, e->figures);
    tell_interruptions(r, e->p->nmis() - nmis, NULL);
    return false;
}
