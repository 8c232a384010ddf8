#include "bench/engine/place.h"
#include "lib/text/fmt.h"
#include "lib/text/mem.h"

#define LINE 64 /* bytes that one CLFLUSH flushes on every CPU that boots UEFI */
/* The room's offset in the data buffer: after every place that an object can have. */
#define ROOM_AT 8192
/* Offset of compiled code's writable data: the rest of the buffer, up to the windows' frame. */
#define COMPILED_AT (ROOM_AT + OBJECT_ROOM)
_Static_assert(COMPILED_AT < WINDOW_DATA_END, "no room in the data buffer");
#define APART 4096 /* callee_apart: a separate page */
/* Distance of the ruler from the code that place_cool() flushes, so that they share no line and
 * prefetching one does not load the other. */
#define RULER_APART ((size_t)4 * LINE)

extern const struct unit unit_call_before, unit_call_function, unit_chain_add;

/* Returns the row's room; one larger than OBJECT_ROOM is at the end (registry_data_size()). */
static uint8_t *room_of(uint8_t *data, const struct bench *b)
{
    return data + (b->needs.room_bytes > OBJECT_ROOM ? PLATFORM_DATA_SIZE : ROOM_AT);
}

/* For messages about faults, whose code has no engine. */
static struct compiled *now_placed;

static uint64_t arg_of(const struct engine *e, const struct bench *b)
{
    const char *why;

    if (b->needs.device != PLATFORM_NO_DEVICE)
        return engine_device(e, b, &why);
    return b->code ? b->code->arg : b->arg;
}

/* Builds one window. The caller sets its arguments. */
static bool build(struct code *code, struct window_spec spec, const struct unit *unit,
                  uint32_t copies, const struct bench *b, const char *kind, struct placed_kind *w)
{
    char name[96]; /* the text from which the window's tag is computed */

    fmt_buf(name, sizeof name, "%s/%s/%s", b->suite, b->name, kind);
    spec.name = name;
    spec.unit = unit;
    spec.copies = copies;
    w->fn = code_window(code, &spec);
    w->part = code->part;
    return w->fn != NULL;
}

/* Uses the same window for another kind, with other arguments. */
static void build_no_other(const struct placed_kind *like, struct placed_kind *w)
{
    w->fn = like->fn;
    w->part = like->part;
}

/* Places the functions that the body calls before it, on separate lines, moved by multiples of 16
 * as compilers align functions. */
static bool place_callees(struct code *code, const struct bench *b, struct window_spec *spec,
                          struct placed *p)
{
    if (!bench_is_loop(b) && !bench_is_straight(b))
        return true;
    if (b->window.callee) {
        spec->callee = p->callee = code_unit(code, b->window.callee, LINE, p->at.code & 48, spec);
        if (!p->callee)
            return false;
        if (b->window.callee_apart)
            code_skip(code, APART);
    }
    if (b->window.stub) {
        spec->stub = code_unit(code, b->window.stub, LINE, p->at.code & 48, spec);
        return spec->stub != NULL;
    }
    return true;
}

/* Places one copy of the unit per operation; twice the body is twice the copies. */
static bool place_straight(struct code *code, const struct bench *b, struct window_spec *spec,
                           struct placed *p, bool twice)
{
    return build(code, *spec, NULL, 0, b, "E", &p->kind[KIND_EMPTY]) &&
           build(code, *spec, b->window.unit, b->ops, b, "B", &p->kind[KIND_BODY]) &&
           (!twice ||
            build(code, *spec, b->window.unit, 2 * b->ops, b, "B2", &p->kind[KIND_BODY2]));
}

/* Places a loop, or a C function that loops: twice the body is twice the iterations. */
static bool place_turning(struct code *code, const struct bench *b, struct window_spec *spec,
                          struct placed *p, bool twice)
{
    bool function = bench_is_function(b);

    spec->loop = !function;
    bool calls_empty = function && bench_has_empty(b);
    bool has_empty = spec->loop || calls_empty;
    const void *before = function ? compiled_address(p->compiled, BENCH_CODE_BEFORE) : NULL;
    if (before) {
        spec->before = &unit_call_before;
        spec->callee = before;
    }
    const struct unit *unit = function ? &unit_call_function : b->window.unit;
    struct placed_kind *empty = &p->kind[KIND_EMPTY], *body = &p->kind[KIND_BODY];
    if (!build(code, *spec, calls_empty ? &unit_call_function : NULL, calls_empty, b, "E", empty) ||
        !build(code, *spec, unit, 1, b, "B", body))
        return false;
    if (twice) {
        build_no_other(body, &p->kind[KIND_BODY2]);
        if (has_empty) /* otherwise the bare window is subtracted from both */
            build_no_other(empty, &p->kind[KIND_EMPTY2]);
    }
    const void *called = p->callee, *nothing = NULL;
    if (function) {
        called = compiled_address(p->compiled, BENCH_CODE_FUNCTION);
        nothing = compiled_address(p->compiled, BENCH_CODE_EMPTY);
    }
    p->kind[KIND_BODY].function = p->kind[KIND_BODY2].function = called;
    p->kind[KIND_EMPTY].function = p->kind[KIND_EMPTY2].function = nothing;
    return true;
}

/* Places the row's C functions. A row in NASM uses the program's setup and check in place. */
static bool place_functions(struct engine *e, struct code *code, const struct bench *b,
                            struct placed *p)
{
    p->setup = b->setup;
    p->check = b->check;
    if (!bench_is_function(b))
        return true;
    p->compiled = e->compiled;
    p->compiled_from = code->used;
    if (!compiled_place(e->compiled, code, &p->at))
        return false;
    const void *setup = compiled_address(e->compiled, BENCH_CODE_SETUP);
    const void *check = compiled_address(e->compiled, BENCH_CODE_CHECK);
    memcpy(&p->setup, &setup, sizeof setup); /* ISO C has no cast from data to function */
    memcpy(&p->check, &check, sizeof check);
    return true;
}

/* Notes the ranges to flush: data, and with caches=clear the placement's code from `from` on. */
static void note_ranges(const struct engine *e, const struct bench *b, const struct code *code,
                        size_t from, struct placed *p)
{
    const struct compiled *c = p->compiled;
    struct placed_range *range = p->cool;

    *range++ = (struct placed_range){p->object, sizeof *p->object};
    *range++ = (struct placed_range){room_of(e->p->data, b), b->needs.room_bytes};
    if (c)
        *range++ = (struct placed_range){c->data.at, c->data_used};
    if (e->facts.o->caches != CACHES_CLEAR)
        return;
    *range++ = (struct placed_range){code->p->code.at + from, code->used - from};
    if (c)
        *range++ = (struct placed_range){c->code.at + c->constants, c->constants_size};
}

static bool place_one(struct engine *e, struct code *code, const struct bench *b,
                      enum recipe recipe, struct placed *p)
{
    struct window_spec spec = {
        .recipe = recipe,
        .xfence_is_lfence = e->xfence_is_lfence,
        .before = b->window.history,
        .after = b->window.after,
        .arg = b->arg,
        .slot = &p->object->slot,
        .offset = p->at.code,
    };

    if (!place_functions(e, code, b, p) || !place_callees(code, b, &spec, p))
        return false;
    for (unsigned k = 0; k < KINDS; k++)
        p->kind[k].iterations =
            k == KIND_BODY2 || k == KIND_EMPTY2 ? 2 * (uint64_t)b->ops : (uint64_t)b->ops;
    bool twice = !b->window.not_doubled && !run_is_cold(&e->facts, b);
    switch (b->window.form) {
    case FORM_EMPTY:
        return build(code, spec, NULL, 0, b, "B", &p->kind[KIND_BODY]);
    case FORM_STRAIGHT:
        p->kind[KIND_EMPTY].function = p->callee; /* for `history` and `after` */
        p->kind[KIND_BODY].function = p->kind[KIND_BODY2].function = p->callee;
        return place_straight(code, b, &spec, p, twice);
    case FORM_LOOP:
    case FORM_FUNCTION:
        return place_turning(code, b, &spec, p, twice);
    case FORM_NONE:
        break;
    }
    return false;
}

static bool begin_functions(struct engine *e, struct code *code, const struct bench *b)
{
    struct compiled_buffer data = {e->p->data + COMPILED_AT, WINDOW_DATA_END - COMPILED_AT};

    e->compiled->why[0] = '\0';
    return !bench_is_function(b) ||
           compiled_begin(e->compiled, b, code, data, e->facts.o->layout == LAYOUT_SWEEP);
}

bool place_row(struct engine *e, const struct bench *b, enum recipe recipe, struct placed *placed,
               unsigned from, unsigned n)
{
    struct code code;
    struct window_spec ruler_spec = {.recipe = recipe, .xfence_is_lfence = e->xfence_is_lfence};

    code_begin(&code, e->p);
    struct placed_kind ruler, ruler2;
    bool fits = build(&code, ruler_spec, &unit_chain_add, RULER_ADDS, b, "R", &ruler) &&
                build(&code, ruler_spec, &unit_chain_add, 2 * RULER_ADDS, b, "R2", &ruler2);
    code_skip(&code, RULER_APART - code.used % LINE);
    fits = fits && begin_functions(e, &code, b);
    for (unsigned i = from; fits && i < from + n; i++) {
        struct placed *p = &placed[i];
        memset(p, 0, sizeof *p);
        p->at = layout_at(e->facts.o, i);
        p->object = (struct object *)(void *)(e->p->data + p->at.data);
        p->room = room_of(e->p->data, b);
        p->arg = arg_of(e, b);
        if (bench_has_body(b)) {
            p->kind[KIND_RULER].fn = ruler.fn;
            p->kind[KIND_RULER2].fn = ruler2.fn;
        }
        code_skip(&code, p->at.line * LINE);
        size_t began = code.used;
        fits = place_one(e, &code, b, recipe, p);
        note_ranges(e, b, &code, began, p);
        p->code_to = code.used;
    }
    e->compiled->placed = fits ? placed + from : NULL;
    e->compiled->placements = fits ? n : 0;
    now_placed = e->compiled;
    code_end(&code);
    return fits;
}

const char *place_why(const struct engine *e)
{
    return e->compiled->why[0] ? e->compiled->why : "the row's windows do not fit the code buffer";
}

/* Flushes a range. CLFLUSH works at every privilege level, on every CPU with SSE2 (SDM vol. 2A). */
static void cool(const void *from, size_t bytes)
{
    uint64_t at = (uint64_t)(uintptr_t)from, end = at + bytes;

    for (at -= at % LINE; bytes && at < end; at += LINE)
        __asm__ volatile("clflush %0" : : "m"(*(const char *)(uintptr_t)at) : "memory");
}

void place_cool(const struct placed *p)
{
    for (unsigned i = 0; i < PLACE_COOL; i++)
        cool(p->cool[i].from, p->cool[i].bytes);
    __asm__ volatile("mfence" : : : "memory");
}

uint32_t place_object(const struct placed *p)
{
    struct object *o = p->object;

    memset(o, 0, sizeof *o);
    if (p->callee) {
        memcpy(&o->slot, &p->callee, sizeof o->slot);
        memcpy(&o->table.first, &p->callee, sizeof o->table.first);
        memcpy(&o->table.method, &p->callee, sizeof o->table.method);
        o->vtable = &o->table;
    }
    o->room = p->room;
    o->arg = p->arg;
    if (p->compiled) {
        compiled_turn_to(p->compiled, &p->at, p->compiled_from);
        compiled_renew(p->compiled);
    }
    if (!p->setup)
        return 0;
    const void *setup;
    memcpy(&setup, &p->setup, sizeof setup); /* ISO C has no cast from functions to data */
    return (uint32_t)window_call(setup, o, 0).changed;
}

const char *place_name_at(uint64_t at, uint64_t *offset)
{
    struct compiled *c = now_placed;

    for (unsigned i = 0; c && i < c->placements; i++) {
        const struct placed *p = &c->placed[i];
        uint64_t in_buffer = at - (uint64_t)(uintptr_t)c->code.at;
        if (!p->compiled || in_buffer < p->compiled_from || in_buffer >= p->code_to)
            continue;
        compiled_turn_to(c, &p->at, p->compiled_from);
        return compiled_name_at(c, at, offset);
    }
    return NULL;
}
