#include "bench/engine/compiled.h"
#include "bench/objects/suites.h"
#include "lib/text/fmt.h"
#include "lib/text/mem.h"

#define LINE 64

static const size_t field_at[BENCH_CODE_FIELDS] = {
    [BENCH_CODE_FUNCTION] = offsetof(struct bench, function),
    [BENCH_CODE_EMPTY] = offsetof(struct bench, empty_function),
    [BENCH_CODE_SETUP] = offsetof(struct bench, setup),
    [BENCH_CODE_CHECK] = offsetof(struct bench, check),
    [BENCH_CODE_BEFORE] = offsetof(struct bench, before),
};

void compiled_init(struct compiled *c)
{
    memset(c, 0, sizeof *c);
    c->given[0] = (struct elf_given){"memcpy", (uint64_t)(uintptr_t)memcpy};
    c->given[1] = (struct elf_given){"memmove", (uint64_t)(uintptr_t)memmove};
    c->given[2] = (struct elf_given){"memset", (uint64_t)(uintptr_t)memset};
    c->given[3] = (struct elf_given){"memcmp", (uint64_t)(uintptr_t)memcmp};
}

/* Finds the functions of a built-in row: the targets of the pointers in its struct. */
static bool find_built_in(const struct bench *b, struct bench_code *code, struct sink *err)
{
    const struct elf *suites = suites_elf(err);
    struct elf_spot row;
    char name[96];

    fmt_buf(name, sizeof name, "bench_%s_%s", b->suite, b->name);
    if (!suites || !elf_find(suites, name, &row, err))
        return false;
    code->elf = suites;
    for (unsigned f = 0; f < BENCH_CODE_FIELDS; f++) {
        struct elf_spot field = {row.section, row.offset + field_at[f]};
        if (!elf_pointer(suites, field, &code->at[f], err))
            return false;
    }
    return true;
}

/* Gathers the parts that the row needs. */
static bool gather(struct compiled *c, const struct bench *b, struct sink *err)
{
    struct bench_code found;
    const struct bench_code *code = b->code;

    if (!code) {
        if (!find_built_in(b, &found, err))
            return false;
        code = &found;
    }
    c->elf = code->elf;
    elf_set_init(&c->set, c->elf, c->given);
    c->set.shared = !b->code; /* a user object is bound as in a program */
    for (unsigned f = 0; f < BENCH_CODE_FIELDS; f++) {
        c->has[f] = code->at[f].section != 0;
        if (c->has[f] && !elf_add(&c->set, code->at[f], &c->entry[f], err))
            return false;
        if (f == BENCH_CODE_EMPTY)
            c->timed_parts = c->set.parts;
    }
    return true;
}

/* --- the places of the parts ------------------------------------------------------------------ */

/* Returns the first multiple of `align` that is not below `at`. */
static size_t up(size_t at, size_t align)
{
    return (at + align - 1) / align * align;
}

static void stand(struct elf_part *p, const struct compiled_buffer *buffer, size_t at)
{
    p->to = buffer->at + at;
    p->address = (uint64_t)(uintptr_t)p->to;
}

/* Returns the part of the wanted move, in bytes, that the alignment allows. */
static size_t allowed(const struct elf_part *p, size_t wanted)
{
    return wanted & ~(size_t)(p->align - 1);
}

/* Returns whether the part contains the row's function or its empty twin, and its offset. */
static bool is_measured(const struct compiled *c, uint32_t part, size_t *offset)
{
    for (unsigned f = BENCH_CODE_FUNCTION; f <= BENCH_CODE_EMPTY; f++)
        if (c->has[f] && c->entry[f].part == part) {
            *offset = c->entry[f].offset;
            return true;
        }
    return false;
}

/* Returns the offset at which a part with code begins, not before `from`. */
static size_t code_start(const struct compiled *c, uint32_t part, const struct placement *at,
                         size_t from)
{
    const struct elf_part *p = &c->set.part[part];
    size_t align = p->align > LINE ? p->align : LINE, offset;

    if (!c->sweep || !is_measured(c, part, &offset))
        return up(from, align) + (p->align < LINE ? allowed(p, at->code & 48) : 0);
    size_t into = (at->code - offset) % LINE; /* the section's start in its line */
    return up(from, LINE) + into;
}

/* Assigns places to all code and the tables and constants after it. Returns their end. */
static size_t lay_code(struct compiled *c, const struct placement *at, size_t from)
{
    struct elf_set *s = &c->set;

    for (uint32_t i = 0; i < s->parts; i++)
        if (s->part[i].kind == ELF_CODE) {
            stand(&s->part[i], &c->code, code_start(c, i, at, from));
            from = (size_t)(s->part[i].to - c->code.at) + s->part[i].size;
        }
    struct elf_links *links[] = {&s->plt, &s->stubs, &s->slots};
    const size_t bytes[] = {ELF_PLT_BYTES, ELF_STUB_BYTES, ELF_SLOT_BYTES};
    for (unsigned i = 0; i < sizeof links / sizeof *links; i++) {
        from = up(from, LINE);
        links[i]->to = c->code.at + from;
        links[i]->address = (uint64_t)(uintptr_t)links[i]->to;
        from += links[i]->count * bytes[i];
    }
    for (uint32_t i = 0; i < s->parts; i++)
        if (s->part[i].kind == ELF_LINKED) {
            from = up(from, s->part[i].align);
            stand(&s->part[i], &c->code, from);
            from += s->part[i].size;
        }
    return from;
}

static size_t lay_constants(struct compiled *c, size_t from)
{
    from = up(from, LINE);
    for (uint32_t i = 0; i < c->set.parts; i++)
        if (c->set.part[i].kind == ELF_CONSTANT) {
            from = up(from, c->set.part[i].align);
            stand(&c->set.part[i], &c->code, from);
            from += c->set.part[i].size;
        }
    return from;
}

/* Assigns places to writable data. Returns its end. Leaves a gap between parts, so that a part
 * whose alignment allows only a shorter move does not overlap the part before it. */
static size_t lay_data(struct compiled *c, size_t moved)
{
    size_t from = 0;

    for (uint32_t i = 0; i < c->set.parts; i++) {
        struct elf_part *p = &c->set.part[i];
        if (p->kind != ELF_DATA)
            continue;
        from = up(from + p->align, p->align > LINE ? p->align : LINE);
        stand(p, &c->data, from + allowed(p, moved));
        from += p->size;
    }
    return from ? from + moved : 0;
}

/* --- a row, a placement ----------------------------------------------------------------------- */

/* Checks that no section is larger than its buffer: sums of their sizes then do not overflow. */
static bool is_small(const struct compiled *c, struct sink *err)
{
    for (uint32_t i = 0; i < c->set.parts; i++) {
        const struct elf_part *p = &c->set.part[i];
        size_t most = p->kind == ELF_DATA ? c->data.size : PLATFORM_CODE_SIZE;
        if (p->size <= most)
            continue;
        fmt(err, "%s: section %.60s has %llu bytes: more than there is room for", c->elf->name,
            elf_section(c->elf, p->section).name, (unsigned long long)p->size);
        return false;
    }
    return true;
}

static bool fits_data(struct compiled *c, struct sink *err)
{
    c->data_used = lay_data(c, LAYOUT_DATA_MOST);
    if (c->data_used <= c->data.size)
        return true;
    fmt(err, "%s: the row's writable data does not fit %zu bytes", c->elf->name, c->data.size);
    return false;
}

bool compiled_begin(struct compiled *c, const struct bench *b, struct code *code,
                    struct compiled_buffer data, bool sweep)
{
    struct sink_buf err;

    sink_buf_init(&err, c->why, sizeof c->why);
    c->code = (struct compiled_buffer){code->p->code.at, PLATFORM_CODE_SIZE};
    c->data = data;
    c->sweep = sweep;
    if (!gather(c, b, &err.sink) || !is_small(c, &err.sink) || !fits_data(c, &err.sink))
        return false;
    c->constants = code->used;
    c->constants_size = lay_constants(c, code->used) - code->used;
    return code_room(code, c->constants_size) && elf_link(&c->set, ELF_CONSTANT, &err.sink);
}

void compiled_turn_to(struct compiled *c, const struct placement *at, size_t from)
{
    lay_code(c, at, from);
    lay_data(c, at->data);
}

bool compiled_place(struct compiled *c, struct code *code, const struct placement *at)
{
    struct sink_buf err;

    sink_buf_init(&err, c->why, sizeof c->why);
    size_t end = lay_code(c, at, code->used);
    lay_data(c, at->data);
    return code_room(code, end - code->used) && elf_link(&c->set, ELF_CODE, &err.sink) &&
           elf_link(&c->set, ELF_LINKED, &err.sink) && elf_link(&c->set, ELF_DATA, &err.sink);
}

void compiled_renew(struct compiled *c)
{
    struct sink_buf err;

    sink_buf_init(&err, c->why, sizeof c->why);
    if (!elf_link(&c->set, ELF_DATA, &err.sink))
        __builtin_trap(); /* it was placed before, so it fits */
}

const void *compiled_address(const struct compiled *c, enum bench_code_field field)
{
    return c->has[field] ? (const void *)(uintptr_t)elf_address(&c->set, &c->entry[field]) : NULL;
}

const char *compiled_name_at(const struct compiled *c, uint64_t address, uint64_t *offset)
{
    return elf_name_at(&c->set, address, offset);
}
