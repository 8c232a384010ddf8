#include "bench/cores/crowd.h"
#include "bench/cores/plan.h"
#include "lib/text/mem.h"

/* A round of a contest: long beside the start of all cores, short beside a slice of a host's. */
#define ROUND_SECONDS 1e-3
#define ROUND_TICKS   1000000 /* where the TSC's frequency is not known, or is an emulator's */
#define CROWD_ROOM    (CROWD_ALL_PAIRS * (CROWD_ALL_PAIRS - 1) / 2)

size_t crowd_pairs(unsigned n)
{
    size_t all = (size_t)n * (n - 1) / 2;
    if (n <= CROWD_ALL_PAIRS)
        return all;
    return n > CROWD_ROOM ? n : CROWD_ROOM;
}

static size_t lines(unsigned n)
{
    return (n + CROWD_WORDS - 1) / CROWD_WORDS;
}

size_t crowd_size(unsigned n)
{
    return sizeof(struct crowd) + n * sizeof(struct crowd_seat) +
           lines(n) * sizeof(struct crowd_line) + crowd_pairs(n) * sizeof(struct pair);
}

void crowd_fail(struct crowd *c, enum row_status status, const char *why)
{
    if (c->row.why)
        return;
    c->row.status = status;
    c->row.why = why;
}

static void begin(struct plan *plan, const struct bench *b)
{
    struct crowd *c = plan->crowd;
    const struct engine *e = &plan->seat[0].engine;
    memset(c, 0, sizeof *c);
    c->seat = (struct crowd_seat *)(void *)(c + 1);
    c->shared = (struct crowd_line *)(void *)(c->seat + plan->n);
    c->pair = (struct pair *)(void *)(c->shared + lines(plan->n));
    c->plan = plan;
    c->silicon = e->execution == EXEC_SILICON;
    c->duration = ROUND_TICKS;
    if (c->silicon && e->tsc_hz > 0)
        c->duration = (uint64_t)(e->tsc_hz * ROUND_SECONDS);
    c->patience = gate_patience(e, 0);
    c->row.bench = b;
    c->row.core = plan->list[0];
}

static bool has_two(const struct plan *plan)
{
    unsigned live = 0;
    for (unsigned k = 0; k < plan->n; k++)
        live += !plan->seat[k].gone;
    return live >= 2;
}

void crowd_row(struct plan *plan, const struct bench *b, struct report *r)
{
    struct crowd *c = plan->crowd;
    begin(plan, b);
    plan->p->row(b->suite, b->name);
    if (has_two(plan))
        b->meet(c);
    else
        crowd_fail(c, ROW_UNSUPPORTED, "needs two cores or more that measure (cores=)");
    plan->p->row(NULL, NULL);
    crowd_show(c, &c->row, r);
    r->rows++;
    r->failures += c->row.status == ROW_WRONG;
}
