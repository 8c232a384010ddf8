#include "bench/measure/place.h"
#include "lib/text/fmt.h"
#include "lib/text/mem.h"

#define LINE 64 /* bytes; what one CLFLUSH takes on every CPU that boots UEFI */
/* The room's place in the data buffer: behind every place that an object can have. */
#define ROOM_AT 8192
_Static_assert(ROOM_AT + OBJECT_ROOM <= PLATFORM_DATA_SIZE, "no room in the data buffer");
#define APART 4096 /* callee_apart: a page of its own */

extern const struct unit unit_call_function, unit_chain_add;

static const void *code_address(body_fn f)
{
    const void *p;
    memcpy(&p, &f, sizeof p);
    return p;
}

static window_fn build(struct code *code, struct window_spec spec, const struct unit *unit,
                       uint32_t copies, const struct bench *b, const char *kind)
{
    char name[96]; /* the text behind the window's tag */
    fmt_buf(name, sizeof name, "%s/%s/%s", b->suite, b->name, kind);
    spec.name = name;
    spec.unit = unit;
    spec.copies = copies;
    return code_window(code, &spec);
}

/* What the body calls stands before it, on lines of its own, moved by multiples of 16 as compilers
 * align functions. */
static bool place_callees(struct code *code, const struct bench *b, struct window_spec *spec,
                          struct placed *p)
{
    if (b->form != FORM_LOOP && b->form != FORM_STRAIGHT)
        return true;
    if (b->callee) {
        spec->callee = p->callee = code_unit(code, b->callee, LINE, p->at.code & 48, spec);
        if (!p->callee)
            return false;
        if (b->callee_apart)
            code_skip(code, APART);
    }
    if (b->stub) {
        spec->stub = code_unit(code, b->stub, LINE, p->at.code & 48, spec);
        return spec->stub != NULL;
    }
    return true;
}

/* One unit for each operation; twice the body is twice the copies. */
static bool place_straight(struct code *code, const struct bench *b, struct window_spec *spec,
                           struct placed *p, bool twice)
{
    p->kind[KIND_EMPTY].fn = build(code, *spec, NULL, 0, b, "E");
    p->kind[KIND_BODY].fn = build(code, *spec, b->unit, b->ops, b, "B");
    if (twice)
        p->kind[KIND_BODY2].fn = build(code, *spec, b->unit, 2 * b->ops, b, "B2");
    return p->kind[KIND_EMPTY].fn && p->kind[KIND_BODY].fn && (!twice || p->kind[KIND_BODY2].fn);
}

/* A loop, or a C function that loops: twice the body is the same code with twice the turns. */
static bool place_turning(struct code *code, const struct bench *b, struct window_spec *spec,
                          struct placed *p, bool twice)
{
    bool function = b->form == FORM_FUNCTION;
    spec->loop = b->form == FORM_LOOP;
    bool calls_empty = function && b->empty_function;
    bool has_empty = spec->loop || calls_empty;
    window_fn empty = calls_empty ? build(code, *spec, &unit_call_function, 1, b, "E")
                                  : build(code, *spec, NULL, 0, b, "E");
    window_fn body = build(code, *spec, function ? &unit_call_function : b->unit, 1, b, "B");
    if (!empty || !body)
        return false;
    p->kind[KIND_EMPTY].fn = empty;
    p->kind[KIND_BODY].fn = body;
    if (twice) {
        p->kind[KIND_BODY2].fn = body;
        if (has_empty) /* else the bare window, which is the same for both */
            p->kind[KIND_EMPTY2].fn = empty;
    }
    const void *called = function ? code_address(b->function) : p->callee;
    const void *nothing = calls_empty ? code_address(b->empty_function) : NULL;
    p->kind[KIND_BODY].function = p->kind[KIND_BODY2].function = called;
    p->kind[KIND_EMPTY].function = p->kind[KIND_EMPTY2].function = nothing;
    return true;
}

static bool place_one(struct engine *e, struct code *code, const struct bench *b,
                      enum recipe recipe, struct placed *p)
{
    struct window_spec spec = {
        .recipe = recipe,
        .xfence_is_lfence = e->xfence_is_lfence,
        .slot = &p->object->slot,
        .offset = p->at.code,
    };
    code_skip(code, p->at.line * LINE);
    if (!place_callees(code, b, &spec, p))
        return false;
    for (unsigned k = 0; k < KINDS; k++)
        p->kind[k].turns =
            k == KIND_BODY2 || k == KIND_EMPTY2 ? 2 * (uint64_t)b->ops : (uint64_t)b->ops;
    bool twice = !b->not_doubled && !place_is_cold(e, b);
    switch (b->form) {
    case FORM_EMPTY:
        p->kind[KIND_BODY].fn = build(code, spec, NULL, 0, b, "B");
        return p->kind[KIND_BODY].fn != NULL;
    case FORM_STRAIGHT:
        p->kind[KIND_BODY].function = p->kind[KIND_BODY2].function = p->callee;
        return place_straight(code, b, &spec, p, twice);
    case FORM_LOOP:
    case FORM_FUNCTION:
        return place_turning(code, b, &spec, p, twice);
    case FORM_CORES: /* these have no windows */
    case FORM_WATCH:
        break;
    }
    return false;
}

bool place_row(struct engine *e, const struct bench *b, enum recipe recipe, struct placed *placed,
               unsigned from, unsigned n)
{
    struct code code;
    struct window_spec ruler_spec = {.recipe = recipe, .xfence_is_lfence = e->xfence_is_lfence};
    bool fits = true;

    code_begin(&code, e->p);
    window_fn ruler = build(&code, ruler_spec, &unit_chain_add, RULER_ADDS, b, "R");
    window_fn ruler2 = build(&code, ruler_spec, &unit_chain_add, 2 * RULER_ADDS, b, "R2");
    for (unsigned i = from; fits && i < from + n; i++) {
        struct placed *p = &placed[i];
        memset(p, 0, sizeof *p);
        p->at = layout_at(e->o, i);
        p->room = b->room_bytes;
        p->object = (struct object *)(void *)(e->p->data + p->at.data);
        if (b->form != FORM_EMPTY) {
            p->kind[KIND_RULER].fn = ruler;
            p->kind[KIND_RULER2].fn = ruler2;
        }
        fits = place_one(e, &code, b, recipe, p);
    }
    code_end(&code);
    return fits && ruler && ruler2;
}

bool place_is_cold(const struct engine *e, const struct bench *b)
{
    return b->cold || e->o->caches == CACHES_CLEAR;
}

/* CLFLUSH works at every privilege, on every CPU with SSE2 (SDM vol. 2A). */
static void cool(const void *from, size_t bytes)
{
    const char *at = from;
    for (size_t i = 0; i < bytes; i += LINE)
        __asm__ volatile("clflush %0" : : "m"(at[i]) : "memory");
}

void place_cool(const struct placed *p)
{
    cool(p->object, sizeof *p->object + LINE - 1); /* it need not begin a line */
    cool(p->object->room, p->room);
    __asm__ volatile("mfence" : : : "memory");
}

void place_object(const struct bench *b, const struct placed *p)
{
    struct object *o = p->object;
    memset(o, 0, sizeof *o);
    if (p->callee) {
        memcpy(&o->slot, &p->callee, sizeof o->slot);
        memcpy(&o->table.first, &p->callee, sizeof o->table.first);
        memcpy(&o->table.method, &p->callee, sizeof o->table.method);
        o->vtable = &o->table;
    }
    o->room = (uint8_t *)(o)-p->at.data + ROOM_AT;
    if (b->setup)
        b->setup(o);
}
