#include "bench/output/across.h"
#include "bench/output/head.h"
#include "bench/api/declare.h"
#include "lib/text/decimal.h"
#include "lib/text/fmt.h"
#include "lib/text/json.h"

/* Returns the facts of a core; NULL: it does not measure. */
static const struct run_facts *facts_of(const struct run_cores *cores, unsigned core)
{
    for (unsigned k = 0; k < cores->n; k++)
        if (cores->list[k] == core)
            return cores->facts[k];
    return NULL;
}

static void show_line(const struct run_cores *cores, unsigned core, struct report *r)
{
    const struct core_facts *f = &cores->there[core];
    const struct run_facts *run = facts_of(cores, core);

    fmt(r->out, "%c%3u %5u %3u %4u %3u  %-11s %8x", run ? '*' : ' ', core, f->apic_id, f->package,
        f->core, f->thread, f->type ? f->type : "-", f->microcode);
    if (f->why_not) {
        fmt(r->out, "  %s\r\n", f->why_not);
        return;
    }
    if (f->tsc_unknown)
        fmt(r->out, " %9s    %-6s", "?", "");
    else
        fmt(r->out, " %9lld +- %-6llu", (long long)f->tsc_offset,
            (unsigned long long)f->tsc_offset_error);
    if (run && run->execution == EXEC_SILICON && run_has_ruler(run)) {
        num_fmt(r->out, " %7.4f", run->ticks_per_cycle);
    }
    fmt(r->out, "\r\n");
    if (f->mtrr)
        fmt(r->out, "     MTRRs differ from the boot core's: %s\r\n", f->mtrr);
    if (f->features)
        fmt(r->out, "     features differ from the boot core's: %s\r\n", f->features);
    if (f->has_tsc_adjust && f->tsc_adjust)
        fmt(r->out, "     TSC_ADJUST: %lld\r\n", (long long)f->tsc_adjust);
}

static void show_table(const struct run_cores *cores, struct report *r)
{
    fmt(r->out, "\r\ncores     %u, parked by %s; those that measure (*): %s%s\r\n", cores->count,
        cores->parked, cores->facts[0]->o->cores, cores->together ? ", together" : "");
    if (cores->all > cores->n)
        fmt(r->out, "          rows of several cores run on %u\r\n", cores->all);
    fmt(r->out, "core  apic pkg core thr  type        microcode  TSC offset (ticks)%s\r\n",
        cores->facts[0]->execution == EXEC_SILICON ? " ticks/cycle" : "");
    for (unsigned i = 0; i < cores->count; i++)
        show_line(cores, i, r);
}

/* Returns the source of core cycles; NULL: no source. */
static const char *cycles_by(const struct run_facts *run)
{
    switch (run->cycle.by) {
    case CYCLES_RULER:
        return "ruler";
    case CYCLES_COUNTER:
        return run->cycle.counter.used->name;
    case CYCLES_UNKNOWN:
        break;
    }
    return NULL;
}

static void record_core(const struct run_cores *cores, unsigned core, struct report *r)
{
    const struct core_facts *f = &cores->there[core];
    const struct run_facts *run = facts_of(cores, core);
    const struct timer_choice *counter = run ? run_counter(run) : NULL;
    bool has_offset = !f->why_not && !f->tsc_unknown;
    struct json line, *j = &line;

    if (!report_record(r, j, "core"))
        return;
#include "bench/api/fields/core.def"
    json_end(j);
}

void cores_show(const struct run_cores *cores, struct report *r)
{
    if (report_table(r) && cores->count > 1)
        show_table(cores, r);
    for (unsigned i = 0; i < cores->count; i++)
        record_core(cores, i, r);
}
