#include "bench/engine/window.h"
#include "lib/text/bytes.h"
#include "lib/text/mem.h"

#define BODY_ALIGN 64

extern const struct unit unit_window_tag, unit_window_enter, unit_window_leave, unit_loop_iteration;

#define RECIPE_UNITS(name) extern const struct unit unit_start_##name, unit_stop_##name
RECIPE_UNITS(plain);
RECIPE_UNITS(rdtscp);
RECIPE_UNITS(xfence_lfence);
RECIPE_UNITS(xfence_mfence);
RECIPE_UNITS(paoloni);
RECIPE_UNITS(cpuid);
RECIPE_UNITS(mfence);
RECIPE_UNITS(lfence);
RECIPE_UNITS(serialize);
#undef RECIPE_UNITS

struct recipe_units {
    const struct unit *start, *stop;
};

#define UNITS(name) .start = &unit_start_##name, .stop = &unit_stop_##name
static const struct recipe_units recipe_units[RECIPE_COUNT] = {
    [RECIPE_PLAIN] = {UNITS(plain)},          [RECIPE_RDTSCP] = {UNITS(rdtscp)},
    [RECIPE_XFENCE] = {UNITS(xfence_mfence)}, [RECIPE_PAOLONI] = {UNITS(paoloni)},
    [RECIPE_CPUID] = {UNITS(cpuid)},          [RECIPE_MFENCE] = {UNITS(mfence)},
    [RECIPE_LFENCE] = {UNITS(lfence)},        [RECIPE_SERIALIZE] = {UNITS(serialize)},
};
static const struct recipe_units xfence_on_intel = {UNITS(xfence_lfence)};
#undef UNITS

static const struct recipe_units *units_of(const struct window_spec *spec)
{
    if (spec->recipe == RECIPE_XFENCE && spec->xfence_is_lfence)
        return &xfence_on_intel;
    return &recipe_units[spec->recipe];
}

void code_begin(struct code *c, const struct platform *p)
{
    c->p = p;
    c->used = 0;
    p->code.write(p);
}

void code_end(struct code *c)
{
    c->p->code.execute(c->p, c->used);
}

static uint32_t tag_of(const char *name)
{
    return crc32_update(0, name, strlen(name));
}

/* Returns the displacement or value for the 32-bit field at `field`. */
static uint32_t fixup_value(const struct platform *p, const struct unit *u, const uint8_t *field,
                            const struct window_spec *spec, const uint8_t *head)
{
    const uint8_t *next = field + 4; /* displacements count from the field's end */

    switch (u->fixup_to) {
    case FIXUP_CALLEE:
        return (uint32_t)((const uint8_t *)spec->callee - next);
    case FIXUP_STUB:
        return (uint32_t)((const uint8_t *)spec->stub - next);
    case FIXUP_SLOT:
        return (uint32_t)((const uint8_t *)spec->slot - next);
    case FIXUP_HEAD:
        return (uint32_t)(head - next);
    case FIXUP_TAG:
        return tag_of(spec->name);
    case FIXUP_FRAME:
        return (uint32_t)(p->data + WINDOW_FRAME_AT - next);
    case FIXUP_ARG:
        return spec->arg;
    case FIXUP_NONE:
        break;
    }
    return 0;
}

/* memcpy() for long copies: an emulator copies eight bytes per iteration as fast as one. */
static void copy_long(uint8_t *to, const uint8_t *from, size_t n)
{
    size_t words = n / 8, rest = n % 8;

    __asm__ volatile("rep movsq\n\tmov %3, %2\n\trep movsb"
                     : "+&D"(to), "+&S"(from), "+&c"(words)
                     : "r"(rest)
                     : "memory");
}

static uint8_t *append(struct code *c, const struct unit *u, const struct window_spec *spec,
                       const uint8_t *head)
{
    if (u->size > PLATFORM_CODE_SIZE - c->used)
        return NULL;
    uint8_t *at = c->p->code.at + c->used;
    copy_long(at, u->code, u->size);
    if (u->fixup_to != FIXUP_NONE) {
        uint32_t value = fixup_value(c->p, u, at + u->fixup_at, spec, head);
        memcpy(at + u->fixup_at, &value, sizeof value);
    }
    c->used += u->size;
    return at;
}

static bool append_copies(struct code *c, const struct unit *u, uint32_t copies,
                          const struct window_spec *spec)
{
    if (u->fixup_to != FIXUP_NONE || copies == 0) {
        for (uint32_t i = 0; i < copies; i++)
            if (!append(c, u, spec, NULL))
                return false;
        return true;
    }
    /* Appends a copy of all copies so far, which doubles their number, until there are enough. */
    size_t bytes = (size_t)copies * u->size, more;
    uint8_t *at = c->p->code.at + c->used;
    if (bytes > PLATFORM_CODE_SIZE - c->used)
        return false;
    copy_long(at, u->code, u->size);
    for (size_t done = u->size; done < bytes; done += more) {
        more = done < bytes - done ? done : bytes - done;
        copy_long(at + done, at, more);
    }
    c->used += bytes;
    return true;
}

/* Advances to the next address that is `before` bytes before an aligned one, and fills the gap with
 * INT3. False: the buffer is full. */
static bool align_to(struct code *c, size_t align, size_t before)
{
    size_t start = (c->used + before + align - 1) / align * align - before;

    if (start > PLATFORM_CODE_SIZE)
        return false;
    memset(c->p->code.at + c->used, 0xcc, start - c->used);
    c->used = start;
    return true;
}

const void *code_unit(struct code *c, const struct unit *u, size_t align, size_t offset,
                      const struct window_spec *spec)
{
    return align_to(c, align, align - offset) ? append(c, u, spec, NULL) : NULL;
}

uint8_t *code_room(struct code *c, size_t bytes)
{
    uint8_t *at = c->p->code.at + c->used;

    if (bytes > PLATFORM_CODE_SIZE - c->used)
        return NULL;
    memset(at, 0xcc, bytes);
    c->used += bytes;
    return at;
}

void code_skip(struct code *c, size_t bytes)
{
    c->used += bytes < PLATFORM_CODE_SIZE - c->used ? bytes : PLATFORM_CODE_SIZE - c->used;
}

size_t window_body(const struct window_spec *spec)
{
    return unit_window_tag.size + unit_window_enter.size + units_of(spec)->start->size +
           (spec->before ? spec->before->size : 0);
}

window_fn code_window(struct code *c, const struct window_spec *spec)
{
    const struct recipe_units *r = units_of(spec);

    if (!align_to(c, BODY_ALIGN, window_body(spec) + BODY_ALIGN - spec->offset))
        return NULL;

    uint8_t *entry = append(c, &unit_window_tag, spec, NULL);
    if (!entry || !append(c, &unit_window_enter, spec, NULL))
        return NULL;
    c->part.from = c->p->code.at + c->used;
    if ((spec->before && !append(c, spec->before, spec, NULL)) || !append(c, r->start, spec, NULL))
        return NULL;
    const uint8_t *head = c->p->code.at + c->used;
    if (spec->unit && !append_copies(c, spec->unit, spec->copies, spec))
        return NULL;
    if (spec->loop && !append(c, &unit_loop_iteration, spec, head))
        return NULL;
    if (!append(c, r->stop, spec, NULL))
        return NULL;
    c->part.to = c->p->code.at + c->used;
    if ((spec->after && !append(c, spec->after, spec, NULL)) ||
        !append(c, &unit_window_leave, spec, NULL))
        return NULL;

    window_fn fn;
    memcpy(&fn, &entry, sizeof fn); /* ISO C has no cast from data to function */
    return fn;
}

static bool is_tag(const uint8_t *at, uint32_t *tag)
{
    size_t before = unit_window_tag.fixup_at;

    memcpy(tag, at + before, sizeof *tag);
    return memcmp(at, unit_window_tag.code, before) == 0;
}

/* Returns whether two INT3 are here: they separate windows, and no unit contains them. */
static bool is_gap(const uint8_t *at)
{
    return at[0] == 0xcc && at[1] == 0xcc;
}

bool window_holds(const uint8_t *code, size_t at, const char *name, size_t *offset)
{
    uint32_t tag;
    size_t from = at;

    if (from > PLATFORM_CODE_SIZE - unit_window_tag.size)
        return false;
    for (; !is_tag(code + from, &tag) || tag != tag_of(name); from--)
        if (from == 0 || is_gap(code + from))
            return false;
    *offset = at - from;
    return true;
}
