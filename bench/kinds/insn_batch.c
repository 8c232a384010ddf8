#include "bench/kinds/forms.h"
#include "lib/insn/form.h"
#include "lib/text/mem.h"

/* Pairs of the lead-in. Its length differs from pass to pass, because on a Zen 4 it decides whether
 * a division takes 4.5 or 5.0 cycles. */
enum { LEAD = 40, LEAD_STEP = 20 };

/* The data buffer: the area of memory, then units, which are copied from there. */
enum { AREA_AT = 0x10000, SETUP_AT = 0x40000, BODY_AT = 0x50000 };
#define BODY_SIZE (WINDOW_DATA_END - BODY_AT)
#define LINE      64u /* vectors in memory are aligned */
_Static_assert(AREA_AT + LAYOUT_DATA_MOST + INSN_AREA_SIZE <= SETUP_AT, "the area is moved");

extern const struct unit unit_chain_add;

static uint8_t *area_of(const struct insn_batch *b)
{
    return (uint8_t *)(uintptr_t)b->place.area;
}

void insn_batch_begin(struct insn_batch *b, const struct insn_pass *pass,
                      const struct insn_row *row)
{
    uintptr_t data = (uintptr_t)pass->e->p->data + AREA_AT + (pass->at.data & ~(LINE - 1));

    b->pass = pass;
    b->row = row;
    b->place = (struct insn_place){
        .links = pass->links,
        .area = data,
        .vectors = pass->vectors,
        .repeats = insn_values_of[row->values].repeats,
        .values = row->values,
        .filler = pass->table->filler,
        .history = pass->aim == AIM_HISTORY ? HISTORY_OTHER : HISTORY_USUAL,
        .lead = pass->table->exact ? 0 : LEAD + pass->table->passes % 2 * LEAD_STEP,
        .avx2 = pass->avx2};
    b->n = b->built = 0;
}

bool insn_has_two_bodies(unsigned kind)
{
    return kind == INSN_TEST_SLOTS || kind == INSN_TEST_MIXED;
}

void insn_batch_add(struct insn_batch *b, struct insn_cell *cell)
{
    struct insn_windows *w = &b->test[b->n++];

    w->cell = cell;
    insn_test(&w->test, insn_form(b->row->form), b->row->decoration, &cell->id);
    w->writes = insn_writes_memory(&w->test);
}

void insn_batch_drop(struct insn_batch *b, unsigned n)
{
    b->n -= n;
    memmove(b->test, b->test + n, b->n * sizeof b->test[0]);
}

/* A unit in the data buffer, with room for `size` bytes of code. */
static struct insn_code begin_unit(const struct insn_batch *b, size_t at, size_t size)
{
    uint8_t *unit = b->pass->e->p->data + at;

    return (struct insn_code){.at = unit + offsetof(struct unit, code),
                              .size = size - offsetof(struct unit, code)};
}

static const struct unit *end_unit(const struct insn_batch *b, size_t at,
                                   const struct insn_code *code)
{
    struct unit *unit = (struct unit *)(void *)(b->pass->e->p->data + at);

    if (code->full || code->refused)
        return NULL;
    unit->size = (uint32_t)code->used;
    unit->fixup_at = 0;
    unit->fixup_to = FIXUP_NONE;
    return unit;
}

static window_fn build(const struct insn_batch *b, struct code *to, const struct unit *before,
                       const struct unit *unit, unsigned copies, const char *name)
{
    const struct engine *e = b->pass->e;

    return code_window(to, &(struct window_spec){.recipe = e->facts.recipe,
                                                 .xfence_is_lfence = e->xfence_is_lfence,
                                                 .name = name,
                                                 .before = before,
                                                 .unit = unit,
                                                 .offset = b->pass->at.code,
                                                 .copies = copies});
}

static window_fn build_body(const struct insn_batch *b, struct code *to, const struct unit *before,
                            const struct insn_windows *w, enum insn_body kind, unsigned n)
{
    struct insn_code body = begin_unit(b, BODY_AT, BODY_SIZE);
    struct insn_place place = b->place;

    if (w->cell->id.kind == INSN_TEST_FILLERS)
        place.filler = w->cell->id.other;
    insn_body(
        &body, &place, &w->test,
        &(struct insn_contents){
            .body = kind, .copies = n, .others = w->cell->blockers, .blocker = w->cell->id.other});
    const struct unit *unit = end_unit(b, BODY_AT, &body);
    return unit ? build(b, to, before, unit, 1, "insn/B") : NULL;
}

static bool build_test(const struct insn_batch *b, struct code *to, struct insn_windows *w)
{
    struct insn_code setup = begin_unit(b, SETUP_AT, BODY_AT - SETUP_AT);
    unsigned n = w->cell->copies;

    insn_setup(&setup, &b->place, &w->test);
    const struct unit *before = end_unit(b, SETUP_AT, &setup);
    if (!before)
        return false;
    if (b->pass->table->exact) { /* without copies, the windows of all tests of a form are equal */
        w->once = w == b->test ? build_body(b, to, before, w, BODY_STRAIGHT, 0) : b->test[0].once;
        w->twice = build_body(b, to, before, w, BODY_STRAIGHT, n);
    } else if (!w->cell->iterations) {
        w->once = build_body(b, to, before, w, BODY_STRAIGHT, n);
        w->twice = build_body(b, to, before, w, BODY_STRAIGHT, 2 * n);
    } else if (w->cell->id.kind == INSN_TEST_SLOTS) {
        w->once = build_body(b, to, before, w, BODY_FILLED, n);
        w->twice = build_body(b, to, before, w, BODY_FILLERS, n);
    } else if (w->cell->id.kind == INSN_TEST_MIXED) {
        w->once = build_body(b, to, before, w, BODY_MIXED, n);
        w->twice = build_body(b, to, before, w, BODY_UNMIXED, n);
    } else if (w->cell->id.kind == INSN_TEST_FILLERS) {
        w->once = w->twice = build_body(b, to, before, w, BODY_FILLERS, n);
    } else {
        w->once = w->twice = build_body(b, to, before, w, BODY_LOOP, 0);
    }
    return w->once && w->twice;
}

bool insn_batch_build(struct insn_batch *b)
{
    const struct engine *e = b->pass->e;
    struct code code;

    code_begin(&code, e->p);
    code_skip(&code, (size_t)b->pass->at.line * LINE);
    if (!b->pass->table->exact) {
        b->ruler = build(b, &code, NULL, &unit_chain_add, INSN_RULER, "insn/R");
        b->ruler2 = build(b, &code, NULL, &unit_chain_add, 2 * INSN_RULER, "insn/R2");
    }
    for (b->built = 0; b->built < b->n && build_test(b, &code, &b->test[b->built]); b->built++)
        ;
    code_end(&code);
    return b->built > 0;
}

void insn_batch_fill(const struct insn_batch *b)
{
    insn_fill(area_of(b), &b->test[0].test.view, b->row->values);
}

void insn_batch_iterations(const struct insn_batch *b, uint64_t iterations)
{
    memcpy(area_of(b) + INSN_ITERATIONS_AT, &iterations, sizeof iterations);
}
