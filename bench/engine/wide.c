#include "bench/engine/wide.h"
#include "bench/api/tsc.h"
#include "lib/cpu/models.h"
#include "lib/cpu/tsc_rate.h"
#include "lib/cpu/stepping.h"

#define PAUSES_MOST 3
#define SLOWEST_HZ  1000000000 /* the TSC's rate for pauses if it is not known */

static uint64_t ticks_in(const struct engine *e, uint64_t us, double otherwise)
{
    return (uint64_t)((run_has_hz(&e->facts) ? e->facts.tsc_hz : otherwise) * 1e-6 * (double)us);
}

static bool unit_is_wide(const struct unit *u)
{
    return u && wide_code(u->code, u->size);
}

/* Checks the C functions that windows time, and all that they call: not setup, check and before. */
static bool functions_are_wide(const struct compiled *c)
{
    for (unsigned i = 0; c && i < c->timed_parts; i++) {
        const struct elf_part *part = &c->set.part[i];
        if (part->kind == ELF_CODE && wide_code(part->to, part->size))
            return true;
    }
    return false;
}

void wide_begin(struct wide *w, const struct engine *e, const struct bench *b,
                const struct placed *p)
{
    *w = (struct wide){.warm = ticks_in(e, WIDE_WARM_US, (double)TSC_HZ_MAX),
                       .rest = ticks_in(e, WIDE_REST_US, SLOWEST_HZ)};
    if (e->facts.execution != EXEC_SILICON || e->p->cpu->vectors < VECTORS_AVX)
        return;
    w->used = unit_is_wide(b->window.unit) || unit_is_wide(b->window.callee) ||
              functions_are_wide(p->compiled);
}

bool wide_is_cold(const struct wide *w)
{
    return w->used && (w->at == 0 || tsc_now() - w->at > w->rest);
}

void wide_warm_begin(struct wide *w)
{
    w->at = w->from = tsc_now();
    w->pauses = 0;
}

bool wide_warm_goes_on(struct wide *w)
{
    uint64_t now = tsc_now();
    bool paused = now - w->at > w->rest; /* true also if a single window takes that long */

    if (paused && w->pauses++ < PAUSES_MOST)
        w->from = now;
    w->at = now;
    return now - w->from < w->warm;
}

bool wide_paused(struct wide *w, uint64_t began, uint64_t n, uint64_t least, bool body)
{
    uint64_t now = tsc_now(), took = now - began, windows = n * least;
    bool paused = w->used && took > 2 * windows && took - windows > w->rest;

    if (paused)
        w->at = 0;
    else if (body)
        w->at = now;
    return paused;
}
