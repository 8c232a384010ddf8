#include "bench/insn/cell.h"
#include "bench/sample/interleave.h"
#include "bench/window/window.h"
#include "lib/insn/program.h"
#include "lib/text/mem.h"

/*
 * Copies: more than a reorder buffer and a scheduler hold, so that both windows are as full as a
 * long one (512 and about 200 entries on the largest CPUs so far); of slow forms, as many as take
 * some 20,000 cycles.
 */
enum { COPIES = 640, FEW = 4, CYCLES_MOST = 20000, RULER = 512, TRIALS = 3, WINDOWS = 32 };

/* The data buffer: the area of memory, then units, which are copied from there. */
enum { AREA_AT = 0x10000, SETUP_AT = 0x40000, BODY_AT = 0x50000 };
#define BODY_SIZE (WINDOW_DATA_END - BODY_AT)

extern const struct unit unit_chain_add;

enum { BODY, BODY2, RULER1, RULER2, KINDS };

struct job {
    struct engine *e;
    const struct insn_test *t;
    struct insn_place place;
    struct insn_cell *cell;
    window_fn fn[KINDS];
    bool fits;
};

static uint8_t *area_of(const struct engine *e)
{
    return e->p->data + AREA_AT;
}

/* A unit in the data buffer, with room for `size` bytes of code. */
static struct insn_code begin_unit(const struct engine *e, size_t at, size_t size)
{
    uint8_t *unit = e->p->data + at;

    return (struct insn_code){.at = unit + offsetof(struct unit, code),
                              .size = size - offsetof(struct unit, code)};
}

static const struct unit *end_unit(const struct engine *e, size_t at, const struct insn_code *code)
{
    struct unit *unit = (struct unit *)(void *)(e->p->data + at);

    unit->size = (uint32_t)code->used;
    unit->fixup_at = 0;
    unit->fixup_to = FIXUP_NONE;
    return unit;
}

static window_fn build_body(struct job *j, struct code *to, const struct unit *setup,
                            unsigned copies, const char *name)
{
    struct insn_code body = begin_unit(j->e, BODY_AT, BODY_SIZE);

    insn_body(&body, &j->place, j->t, copies);
    if (body.full || body.refused)
        return NULL;
    return code_window(to, &(struct window_spec){.recipe = j->e->facts.recipe,
                                                 .xfence_is_lfence = j->e->xfence_is_lfence,
                                                 .name = name,
                                                 .before = setup,
                                                 .unit = end_unit(j->e, BODY_AT, &body),
                                                 .copies = 1});
}

static window_fn build_ruler(struct job *j, struct code *to, unsigned adds, const char *name)
{
    return code_window(to, &(struct window_spec){.recipe = j->e->facts.recipe,
                                                 .xfence_is_lfence = j->e->xfence_is_lfence,
                                                 .name = name,
                                                 .unit = &unit_chain_add,
                                                 .copies = adds});
}

static bool build(struct job *j, unsigned copies)
{
    struct insn_code setup = begin_unit(j->e, SETUP_AT, BODY_AT - SETUP_AT);
    struct code code;

    insn_setup(&setup, &j->place, j->t);
    if (setup.full || setup.refused)
        return false;
    const struct unit *before = end_unit(j->e, SETUP_AT, &setup);
    code_begin(&code, j->e->p);
    j->fn[BODY] = build_body(j, &code, before, copies, "insn/B");
    j->fn[BODY2] = build_body(j, &code, before, 2 * copies, "insn/B2");
    j->fn[RULER1] = build_ruler(j, &code, RULER, "insn/R");
    j->fn[RULER2] = build_ruler(j, &code, 2 * RULER, "insn/R2");
    code_end(&code);
    for (unsigned i = 0; i < KINDS; i++)
        if (!j->fn[i])
            return false;
    return true;
}

/* Roughly: the least of a few windows. */
static double trial(struct job *j)
{
    struct object *o = (struct object *)(void *)j->e->p->data;
    double least[KINDS] = {0};

    for (unsigned i = 0; i < TRIALS; i++)
        for (unsigned k = 0; k < KINDS; k++) {
            double ticks = (double)j->fn[k](o, NULL, 0, 0, WINDOW_STACK).ticks;
            if (i == 0 || ticks < least[k])
                least[k] = ticks;
        }
    double cycle = (least[RULER2] - least[RULER1]) / RULER;
    return cycle > 0 ? (least[BODY2] - least[BODY]) / FEW / cycle : 0;
}

static void measure(void *ctx)
{
    struct job *j = ctx;
    struct interleaved kind[KINDS];

    insn_fill(area_of(j->e), &j->t->view);
    if (!build(j, FEW))
        return;
    double roughly = trial(j);
    unsigned copies = roughly * COPIES > CYCLES_MOST ? (unsigned)(CYCLES_MOST / roughly) : COPIES;
    j->cell->copies = copies < FEW ? FEW : copies;
    if (!build(j, j->cell->copies))
        return;
    interleave(j->e, j->fn, KINDS, WINDOWS, kind);
    double cycle = (kind[RULER2].location - kind[RULER1].location) / RULER;
    j->fits = cycle > 0;
    j->cell->cycles = (kind[BODY2].location - kind[BODY].location) / j->cell->copies / cycle;
}

void insn_cell(struct engine *e, const struct insn_links *links, unsigned vectors,
               const struct insn_test *t, struct insn_cell *cell)
{
    struct job j = {.e = e,
                    .t = t,
                    .place = {.links = links,
                              .area = (uint64_t)(uintptr_t)area_of(e),
                              .vectors = vectors,
                              .repeats = 64},
                    .cell = cell};

    memset(cell, 0, sizeof *cell);
    e->p->row_begin(e->p, "insn", "form", 0);
    cell->measured = e->p->guarded(measure, &j, &cell->ended) && j.fits;
    e->p->row_end(e->p);
}
