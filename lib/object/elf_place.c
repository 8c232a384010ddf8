#include "lib/object/elf_place.h"
#include "lib/object/elf.h"
#include "lib/text/fmt.h"
#include "lib/text/mem.h"
#include "lib/text/str.h"

#define ALIGN_MOST 4096

static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};

/* One relocation of a section, and what it refers to. */
struct reference {
    const struct elf *e;
    struct elf_section from;
    struct elf_rela rela;
    struct elf_rela_kind kind;
    struct elf_symbol symbol;
};

/* --- messages --------------------------------------------------------------------------------- */

static bool refuse(const struct reference *r, struct sink *err, const char *why)
{
    fmt(err, "%s: %.60s+0x%llx: ", r->e->name, r->from.name, (unsigned long long)r->rela.offset);
    if (r->kind.name)
        fmt(err, "R_X86_64_%s", r->kind.name);
    else
        fmt(err, "relocation type %u", r->rela.type);
    if (*r->symbol.name)
        fmt(err, " to %.60s", r->symbol.name);
    fmt(err, ": %s", why);
    return false;
}

static bool refuse_undefined(const struct reference *r, struct sink *err)
{
    refuse(r, err, "the object does not define it");
    fmt(err,
        "; link it, unless it sets errno: ld -r -o linked.o %s " ELF_C_LIBRARY
        " (docs/own-code.md)",
        r->e->name);
    return false;
}

/* --- contents of a set ------------------------------------------------------------------------ */

static enum elf_kind kind_of(const struct elf_section *s, bool has_relas)
{
    if (s->flags & ELF_WRITE)
        return ELF_DATA;
    if (s->flags & ELF_EXEC)
        return ELF_CODE;
    return has_relas ? ELF_LINKED : ELF_CONSTANT;
}

static const char *cannot_place(const struct elf_section *s)
{
    if (s->flags & ELF_TLS)
        return "thread-local data is not supported";
    if (!(s->flags & ELF_ALLOC))
        return "it is not part of the program, but something refers to it";
    if (s->flags & ELF_COMPRESSED)
        return "compressed sections are not supported";
    if ((s->flags & ELF_WRITE) && (s->flags & ELF_EXEC))
        return "code that is written to is not supported";
    if (s->align > ALIGN_MOST)
        return "its alignment is above 4096";
    return NULL;
}

/* Returns the number of sections with relocations of this one; *last gets the last of them, 0:
 * none. */
static uint32_t relas_of(const struct elf *e, uint32_t section, uint32_t *last)
{
    uint32_t count = 0;

    *last = 0;
    for (uint32_t i = 1; i < e->sections; i++) {
        struct elf_section relas = elf_section(e, i);
        if (relas.type != ELF_RELA || relas.info != section || !relas.size)
            continue;
        *last = i;
        count++;
    }
    return count;
}

/* Returns the part of a section, adding it if necessary; ELF_PARTS: it cannot be added. */
static uint32_t part_of(struct elf_set *s, uint32_t section, struct sink *err)
{
    for (uint32_t i = 0; i < s->parts; i++)
        if (s->part[i].section == section)
            return i;
    uint32_t relas;
    struct elf_section from = elf_section(s->elf, section);
    const char *why = cannot_place(&from);
    if (!why && relas_of(s->elf, section, &relas) > 1)
        why = "two tables of relocations";
    if (!why && s->parts == ELF_PARTS)
        why = "one section more than a set can have";
    if (why) {
        fmt(err, "%s: section %.60s: %s", s->elf->name, from.name, why);
        return ELF_PARTS;
    }
    s->part[s->parts] = (struct elf_part){
        .section = section,
        .relas = relas,
        .kind = kind_of(&from, relas != 0),
        .size = from.size,
        .align = from.align,
    };
    return s->parts++;
}

/* NULL: the caller does not provide it. */
static const struct elf_given *given(const struct elf_set *s, const char *name)
{
    for (const struct elf_given *g = s->given; g && g->name; g++)
        if (str_eq(g->name, name))
            return g;
    return NULL;
}

/* Returns the symbol's index in the table; count: not there. */
static uint32_t link_of(const struct elf_links *l, uint32_t symbol)
{
    uint32_t i = 0;

    while (i < l->count && l->symbol[i] != symbol)
        i++;
    return i;
}

static bool add_link(struct elf_links *l, const struct reference *r, struct sink *err)
{
    if (link_of(l, r->rela.symbol) < l->count)
        return true;
    if (l->count == ELF_LINKS)
        return refuse(r, err, "more symbols by GOT, or from outside, than a set can have");
    l->symbol[l->count++] = r->rela.symbol;
    return true;
}

/* Returns whether the reference is a call that another library's function of that name could
 * receive. */
static bool by_plt(const struct elf_set *s, const struct reference *r)
{
    return s->shared && r->rela.type == ELF_R_PLT32 && r->symbol.section != ELF_UNDEFINED &&
           !r->symbol.local && r->symbol.visibility == ELF_DEFAULT;
}

/* Returns why relocations of this type, or of symbols of this kind, are not possible; NULL: they
 * are. The type first: the target of a refused type, such as _GLOBAL_OFFSET_TABLE_ of the large
 * model, concerns only the linker. */
static const char *cannot_refer(const struct elf_rela_kind *kind, const struct elf_symbol *symbol)
{
    if (kind->by == ELF_BY_THREAD)
        return "thread-local data is not supported";
    if (!kind->width)
        return "relocations of this type are not supported";
    if (symbol->type == ELF_THREAD_LOCAL)
        return "thread-local data is not supported";
    if (symbol->type == ELF_IFUNC)
        return "a function that is chosen when the program starts (IFUNC) is not supported; in "
               "place of glibc's libc.a link " ELF_C_LIBRARY " (docs/own-code.md)";
    if (symbol->section == ELF_COMMON)
        return "COMMON symbols are not supported: compile with -fno-common";
    if (str_eq(symbol->name, "__errno_location") || str_eq(symbol->name, "___errno_location"))
        return "the function sets errno, which is thread-local data and not supported";
    return NULL;
}

/* Follows a relocation of a section in the set: its target must be in the set, too. */
static bool follow(struct elf_set *s, const struct reference *r, struct sink *err)
{
    const struct elf_symbol *symbol = &r->symbol;

    if (r->rela.type == ELF_R_NONE)
        return true;
    const char *why = cannot_refer(&r->kind, symbol);
    if (why)
        return refuse(r, err, why);
    if (symbol->section == ELF_UNDEFINED && *symbol->name && !given(s, symbol->name))
        return refuse_undefined(r, err);
    if ((r->kind.by == ELF_BY_GOT || by_plt(s, r)) && !add_link(&s->slots, r, err))
        return false;
    if (by_plt(s, r) && !add_link(&s->plt, r, err))
        return false;
    if (symbol->section == ELF_UNDEFINED || symbol->section == ELF_ABSOLUTE)
        return r->kind.by != ELF_BY_DISTANCE || symbol->section == ELF_ABSOLUTE || !*symbol->name ||
               add_link(&s->stubs, r, err);
    return part_of(s, symbol->section, err) < ELF_PARTS;
}

/* Gets the n-th relocation of the part. Returns false after the last one. */
static bool next_reference(const struct elf *e, const struct elf_part *part, uint64_t n,
                           struct reference *r)
{
    struct elf_section relas = elf_section(e, part->relas);

    if (!elf_rela(&relas, n, &r->rela))
        return false;
    r->e = e;
    r->from = elf_section(e, part->section);
    r->kind = elf_rela_kind(r->rela.type);
    r->symbol = elf_symbol(e, r->rela.symbol);
    return true;
}

bool elf_add(struct elf_set *s, struct elf_spot spot, struct elf_entry *at, struct sink *err)
{
    uint32_t done = s->parts;
    struct reference r;

    at->part = part_of(s, spot.section, err);
    at->offset = spot.offset;
    if (at->part == ELF_PARTS)
        return false;
    for (; done < s->parts; done++) /* the list grows during the loop */
        for (uint64_t n = 0; next_reference(s->elf, &s->part[done], n, &r); n++)
            if (!follow(s, &r, err))
                return false;
    return true;
}

/* --- placed ----------------------------------------------------------------------------------- */

/* Returns the current address of a symbol. */
static uint64_t address_of(const struct elf_set *s, const struct elf_symbol *symbol)
{
    if (symbol->section == ELF_ABSOLUTE)
        return symbol->value;
    if (symbol->section == ELF_UNDEFINED) {
        const struct elf_given *g = given(s, symbol->name);
        return g ? g->address : 0;
    }
    for (uint32_t i = 0; i < s->parts; i++)
        if (s->part[i].section == symbol->section)
            return s->part[i].address + symbol->value;
    return 0; /* elf_add() has added all of them */
}

/* Returns the target of a relative field: a given symbol may be out of reach, its stub is not. */
static uint64_t near_address(const struct elf_set *s, const struct reference *r)
{
    if (by_plt(s, r))
        return s->plt.address + link_of(&s->plt, r->rela.symbol) * ELF_PLT_BYTES;
    uint32_t stub = link_of(&s->stubs, r->rela.symbol);
    return stub < s->stubs.count ? s->stubs.address + stub * ELF_STUB_BYTES
                                 : address_of(s, &r->symbol);
}

static uint64_t slot_of(const struct elf_set *s, uint32_t symbol)
{
    return s->slots.address + link_of(&s->slots, symbol) * ELF_SLOT_BYTES;
}

/* The field's value, AMD64 supplement table 4.9: S symbol, A addend, P place, G slot. `place` is P.
 */
static uint64_t value_of(const struct elf_set *s, const struct reference *r, uint64_t place)
{
    uint64_t addend = (uint64_t)r->rela.addend;

    if (r->kind.by == ELF_BY_GOT)
        return slot_of(s, r->rela.symbol) + addend - place;
    if (r->kind.by == ELF_BY_DISTANCE)
        return near_address(s, r) + addend - place;
    uint64_t value = address_of(s, &r->symbol) + addend;
    return r->rela.type == ELF_R_PC64 ? value - place : value;
}

static bool fits(uint32_t type, uint64_t value)
{
    if (type == ELF_R_32)
        return value <= UINT32_MAX;
    return type == ELF_R_64 || type == ELF_R_PC64 || (int64_t)value == (int32_t)value;
}

static bool does_not_fit(const struct reference *r, uint64_t value, struct sink *err)
{
    refuse(r, err, "");
    fmt(err, "the value 0x%llx does not fit 32 bits%s", (unsigned long long)value,
        r->rela.type == ELF_R_32 || r->rela.type == ELF_R_32S
            ? ", since code lies above 4 GiB here: compile with -fPIE or -fPIC"
            : "");
    return false;
}

static bool fill(const struct elf_set *s, const struct elf_part *part, const struct reference *r,
                 struct sink *err)
{
    if (!r->kind.width)
        return true;
    uint64_t value = value_of(s, r, part->address + r->rela.offset);
    if (!fits(r->rela.type, value))
        return does_not_fit(r, value, err);
    memcpy(part->to + r->rela.offset, &value, r->kind.width); /* both are little-endian */
    return true;
}

static bool link_part(const struct elf_set *s, const struct elf_part *part, struct sink *err)
{
    struct elf_section from = elf_section(s->elf, part->section);
    struct reference r;

    if (from.bytes)
        memcpy(part->to, from.bytes, part->size);
    else
        memset(part->to, 0, part->size);
    for (uint64_t n = 0; next_reference(s->elf, part, n, &r); n++)
        if (!fill(s, part, &r, err))
            return false;
    return true;
}

/* Returns the address of the i-th symbol of a table. */
static uint64_t target_of(const struct elf_set *s, const struct elf_links *l, uint32_t i)
{
    struct elf_symbol symbol = elf_symbol(s->elf, l->symbol[i]);

    return address_of(s, &symbol);
}

static void write_slots(const struct elf_set *s)
{
    for (uint32_t i = 0; i < s->slots.count; i++) {
        uint64_t address = target_of(s, &s->slots, i);
        memcpy(s->slots.to + i * ELF_SLOT_BYTES, &address, sizeof address);
    }
}

/* A jump through the address that follows it: reaches any address. */
static void write_stubs(const struct elf_set *s)
{
    static const uint8_t jump[] = {0xff, 0x25, 0, 0, 0, 0}; /* jmp [rip] */

    for (uint32_t i = 0; i < s->stubs.count; i++) {
        uint64_t address = target_of(s, &s->stubs, i);
        uint8_t *to = s->stubs.to + i * ELF_STUB_BYTES;
        memset(to, 0xcc, ELF_STUB_BYTES);
        memcpy(to, jump, sizeof jump);
        memcpy(to + sizeof jump, &address, sizeof address);
    }
}

static bool begins_with_endbr(const struct elf *e, const struct elf_symbol *symbol)
{
    struct elf_section from = elf_section(e, symbol->section);

    if (symbol->section == ELF_ABSOLUTE || symbol->section == ELF_COMMON || !from.bytes ||
        from.size - symbol->value < sizeof endbr64)
        return false;
    return memcmp(from.bytes + symbol->value, endbr64, sizeof endbr64) == 0;
}

/* Writes the part of an entry of .plt that runs, or of .plt.sec if it has a landing pad. */
static bool write_entries(const struct elf_set *s, struct sink *err)
{
    static const uint8_t jump[] = {0xff, 0x25}; /* jmp [rip + disp32] */

    for (uint32_t i = 0; i < s->plt.count; i++) {
        struct elf_symbol symbol = elf_symbol(s->elf, s->plt.symbol[i]);
        size_t pad = begins_with_endbr(s->elf, &symbol) ? sizeof endbr64 : 0;
        uint8_t *to = s->plt.to + i * ELF_PLT_BYTES;
        uint64_t end = s->plt.address + i * ELF_PLT_BYTES + pad + sizeof jump + 4;
        uint64_t distance = slot_of(s, s->plt.symbol[i]) - end;
        if (!fits(ELF_R_PC32, distance)) {
            fmt(err, "%s: the PLT's entry of %.60s: its slot of the GOT is out of reach",
                s->elf->name, symbol.name);
            return false;
        }
        memset(to, 0xcc, ELF_PLT_BYTES);
        memcpy(to, endbr64, pad);
        memcpy(to + pad, jump, sizeof jump);
        memcpy(to + pad + sizeof jump, &distance, 4);
    }
    return true;
}

bool elf_link(const struct elf_set *s, enum elf_kind kind, struct sink *err)
{
    for (uint32_t i = 0; i < s->parts; i++)
        if (s->part[i].kind == kind && !link_part(s, &s->part[i], err))
            return false;
    if (kind == ELF_LINKED)
        write_slots(s);
    if (kind != ELF_CODE)
        return true;
    write_stubs(s);
    return write_entries(s, err);
}

const char *elf_name_at(const struct elf_set *s, uint64_t address, uint64_t *distance)
{
    const struct elf_part *p = elf_part_at(s, address);

    return p ? elf_symbol_at(s->elf, p->section, address - p->address, distance) : NULL;
}
