#include "lib/object/elf.h"
#include "lib/text/bytes.h"
#include "lib/text/fmt.h"
#include "lib/text/mem.h"
#include "lib/text/str.h"

/* Sizes of the file header, a section header, a symbol, a relocation. */
#define FILE_HEADER    64
#define SECTION_HEADER 64
#define SYMBOL         24
#define RELA           24
#define RESERVED       0xff00 /* section indices from here on have a special meaning */

/* --- contents --------------------------------------------------------------------------------- */

struct elf_section elf_section(const struct elf *e, uint32_t i)
{
    const uint8_t *at = e->bytes + e->headers + (uint64_t)i * SECTION_HEADER;
    uint64_t align = le64(at + 48);
    struct elf_section s = {
        .name = (const char *)e->bytes + e->section_names + le32(at),
        .type = le32(at + 4),
        .flags = le64(at + 8),
        .size = le64(at + 32),
        .link = le32(at + 40),
        .info = le32(at + 44),
        .align = align ? align : 1,
    };

    if (i == 0) /* the null section, whose header can have any values */
        return (struct elf_section){.name = "", .align = 1};
    uint64_t offset = le64(at + 24);
    if (s.type != ELF_NOBITS && offset <= e->size) /* otherwise elf_open() has refused it */
        s.bytes = e->bytes + offset;
    return s;
}

struct elf_symbol elf_symbol(const struct elf *e, uint32_t i)
{
    const uint8_t *at = e->bytes + e->symbols_at + (uint64_t)i * SYMBOL;

    if (i == 0) /* the null symbol, which can have any values */
        return (struct elf_symbol){.name = "", .local = true};
    return (struct elf_symbol){
        .name = (const char *)e->bytes + e->names + le32(at),
        .type = at[4] & 15,
        .local = at[4] >> 4 == 0,
        .visibility = (enum elf_visibility)(at[5] & 3),
        .section = le16(at + 6),
        .value = le64(at + 8),
    };
}

bool elf_rela(const struct elf_section *relas, uint64_t i, struct elf_rela *r)
{
    if (i >= relas->size / RELA)
        return false;
    const uint8_t *at = relas->bytes + i * RELA;
    *r = (struct elf_rela){
        .offset = le64(at),
        .type = le32(at + 8),
        .symbol = le32(at + 12),
        .addend = (int64_t)le64(at + 16),
    };
    return true;
}

static bool is_defined(const struct elf_symbol *s)
{
    return s->section != ELF_UNDEFINED && s->section < RESERVED;
}

/* Finds the relocation of exactly this field, in a section whose relocations have been checked. */
static bool rela_at(const struct elf *e, struct elf_spot spot, struct elf_rela *r)
{
    if (!(elf_section(e, spot.section).flags & ELF_ALLOC))
        return false;
    for (uint32_t i = 1; i < e->sections; i++) {
        struct elf_section relas = elf_section(e, i);
        if (relas.type != ELF_RELA || relas.info != spot.section)
            continue;
        for (uint64_t n = 0; elf_rela(&relas, n, r); n++)
            if (r->offset == spot.offset)
                return true;
    }
    return false;
}

bool elf_pointer(const struct elf *e, struct elf_spot spot, struct elf_spot *to, struct sink *err)
{
    struct elf_rela r;

    *to = (struct elf_spot){0, 0};
    if (!rela_at(e, spot, &r))
        return true;
    struct elf_symbol symbol = elf_symbol(e, r.symbol);
    uint64_t offset = symbol.value + (uint64_t)r.addend;
    if (r.type == ELF_R_64 && is_defined(&symbol) &&
        offset <= elf_section(e, symbol.section).size) {
        *to = (struct elf_spot){symbol.section, offset};
        return true;
    }
    fmt(err, "%s: %.60s+0x%llx: the pointer to %s leads out of the object", e->name,
        elf_section(e, spot.section).name, (unsigned long long)spot.offset,
        *symbol.name ? symbol.name : "no symbol");
    return false;
}

bool elf_find(const struct elf *e, const char *name, struct elf_spot *at, struct sink *err)
{
    uint32_t locals = 0;

    for (uint32_t i = 1; i < e->symbols; i++) {
        struct elf_symbol s = elf_symbol(e, i);
        if (!is_defined(&s) || s.type == ELF_SECTION || s.type == ELF_FILE || !str_eq(s.name, name))
            continue;
        *at = (struct elf_spot){s.section, s.value};
        if (!s.local)
            return true;
        locals++;
    }
    if (locals > 1)
        fmt(err, "%s: %u local symbols are called %s", e->name, locals, name);
    else if (locals == 0)
        fmt(err, "%s: it defines no symbol %s", e->name, name);
    return locals == 1;
}

const char *elf_symbol_at(const struct elf *e, uint32_t section, uint64_t offset,
                          uint64_t *distance)
{
    struct elf_symbol found = {.name = NULL};

    for (uint32_t i = 1; i < e->symbols; i++) {
        struct elf_symbol s = elf_symbol(e, i);
        if (s.section != section || s.value > offset || s.type == ELF_SECTION || !*s.name)
            continue;
        bool better = (s.type == ELF_FUNCTION) > (found.type == ELF_FUNCTION);
        bool alike = (s.type == ELF_FUNCTION) == (found.type == ELF_FUNCTION);
        if (!found.name || better || (alike && s.value > found.value))
            found = s;
    }
    *distance = offset - found.value;
    return found.name;
}

/* --- checking --------------------------------------------------------------------------------- */

static bool fits(const struct elf *e, uint64_t offset, uint64_t size)
{
    return offset <= e->size && size <= e->size - offset;
}

static bool refuse(const struct elf *e, struct sink *err, const char *why)
{
    fmt(err, "%s: %s", e->name, why);
    return false;
}

/* Call only once its name is known to be valid. */
static bool refuse_section(const struct elf *e, uint32_t i, struct sink *err, const char *why)
{
    fmt(err, "%s: section %u (%.40s): %s", e->name, i, elf_section(e, i).name, why);
    return false;
}

static const char *bad_header(const struct elf *e)
{
    static const uint8_t magic[] = {0x7f, 'E', 'L', 'F'};
    const uint8_t *at = e->bytes;

    if (e->size < FILE_HEADER || memcmp(at, magic, sizeof magic) != 0)
        return "not an ELF file";
    if (at[4] != 2 || at[5] != 1)
        return "not an ELF file of 64 bits, least significant byte first";
    if (at[6] != 1 || le32(at + 20) != 1)
        return "an ELF file of another version than 1";
    if (le16(at + 18) != 62) /* EM_X86_64 */
        return "not for x86-64";
    if (le16(at + 16) != 1) /* ET_REL */
        return "not a relocatable object: made by the linker, or a core file";
    if (le16(at + 58) != SECTION_HEADER)
        return "its section headers have another size than 64 bytes";
    if (le16(at + 60) == 0 || le16(at + 60) >= RESERVED)
        return "it has no section headers, or more than 65279";
    return NULL;
}

/* Finds a string table: its place and size; it must end with a NUL. */
static bool take_strings(const struct elf *e, uint32_t i, uint64_t *at, uint64_t *size)
{
    if (i == 0 || i >= e->sections)
        return false;
    const uint8_t *header = e->bytes + e->headers + (uint64_t)i * SECTION_HEADER;
    *at = le64(header + 24);
    *size = le64(header + 32);
    return le32(header + 4) == ELF_STRTAB && *size > 0 && fits(e, *at, *size) &&
           e->bytes[*at + *size - 1] == 0;
}

static bool open_headers(struct elf *e, struct sink *err)
{
    const char *why = bad_header(e);

    if (why)
        return refuse(e, err, why);
    e->headers = le64(e->bytes + 40);
    e->sections = le16(e->bytes + 60);
    if (!fits(e, e->headers, (uint64_t)e->sections * SECTION_HEADER))
        return refuse(e, err, "its section headers are outside the file: truncated?");
    if (!take_strings(e, le16(e->bytes + 62), &e->section_names, &e->section_names_size))
        return refuse(e, err, "its section-name string table is invalid");
    return true;
}

static bool runs_code_by_itself(const struct elf_section *s)
{
    return s->type == ELF_INIT_ARRAY || s->type == ELF_FINI_ARRAY || s->type == ELF_PREINIT_ARRAY ||
           str_starts(s->name, ".ctors") || str_starts(s->name, ".dtors");
}

static const char *bad_section(const struct elf *e, const struct elf_section *s, uint64_t offset)
{
    if (s->type != ELF_NOBITS && !fits(e, offset, s->size))
        return "is outside the file: truncated?";
    if (s->align & (s->align - 1))
        return "its alignment is not a power of two";
    if (s->type == ELF_SYMTAB_SHNDX)
        return "extended section indices are not supported: too many sections";
    if (s->type == ELF_REL)
        return "relocations without addends (SHT_REL) are not supported";
    if (s->size && (s->flags & ELF_ALLOC) && runs_code_by_itself(s))
        return "constructors and destructors are not supported; in place of glibc's libc.a "
               "link " ELF_C_LIBRARY " (docs/own-code.md)";
    return NULL;
}

static bool check_sections(struct elf *e, struct sink *err)
{
    for (uint32_t i = 1; i < e->sections; i++) {
        const uint8_t *at = e->bytes + e->headers + (uint64_t)i * SECTION_HEADER;
        if (le32(at) >= e->section_names_size) {
            fmt(err, "%s: section %u: its name lies outside the table of names", e->name, i);
            return false;
        }
        struct elf_section s = elf_section(e, i);
        const char *why = bad_section(e, &s, le64(at + 24));
        if (why)
            return refuse_section(e, i, err, why);
    }
    return true;
}

static bool open_symbols(struct elf *e, struct sink *err)
{
    for (uint32_t i = 1; i < e->sections; i++) {
        struct elf_section s = elf_section(e, i);
        if (s.type != ELF_SYMTAB)
            continue;
        if (e->symbols)
            return refuse_section(e, i, err, "a second symbol table");
        if (s.size == 0 || s.size % SYMBOL || s.size / SYMBOL > UINT32_MAX)
            return refuse_section(e, i, err, "no table of whole symbols");
        e->symbols = (uint32_t)(s.size / SYMBOL);
        e->symbols_at = (uint64_t)(s.bytes - e->bytes);
        if (!take_strings(e, s.link, &e->names, &e->names_size))
            return refuse_section(e, i, err, "its symbol-name string table is invalid");
    }
    return e->symbols ? true : refuse(e, err, "it has no symbol table");
}

static const char *bad_symbol(const struct elf *e, uint32_t i)
{
    const uint8_t *at = e->bytes + e->symbols_at + (uint64_t)i * SYMBOL;

    if (le32(at) >= e->names_size)
        return "its name lies outside the table of names";
    struct elf_symbol s = elf_symbol(e, i);
    if (s.section >= RESERVED)
        return s.section == ELF_ABSOLUTE || s.section == ELF_COMMON
                   ? NULL
                   : "it is in a section of a special kind that is not supported";
    if (s.section >= e->sections)
        return "it is in a section that the object does not have";
    if (s.section != ELF_UNDEFINED && s.value > elf_section(e, s.section).size)
        return "it is beyond the end of its section";
    return NULL;
}

static bool check_symbols(const struct elf *e, struct sink *err)
{
    for (uint32_t i = 1; i < e->symbols; i++) {
        const char *why = bad_symbol(e, i);
        if (!why)
            continue;
        fmt(err, "%s: symbol %u: %s", e->name, i, why);
        return false;
    }
    return true;
}

static const char *bad_rela(const struct elf *e, const struct elf_section *target,
                            const struct elf_rela *r)
{
    unsigned width = elf_rela_kind(r->type).width;

    if (r->symbol >= e->symbols)
        return "the symbol is not in the symbol table";
    if (r->type != ELF_R_NONE && (!target->bytes || r->offset > target->size ||
                                  (width ? width : 1) > target->size - r->offset))
        return "it lies outside the section that it changes";
    return NULL;
}

static bool check_relas(const struct elf *e, uint32_t i, struct sink *err)
{
    struct elf_section s = elf_section(e, i);

    if (s.size % RELA)
        return refuse_section(e, i, err, "no table of whole relocations");
    if (s.link >= e->sections || elf_section(e, s.link).type != ELF_SYMTAB)
        return refuse_section(e, i, err, "its symbols are not those of the symbol table");
    if (s.info == 0 || s.info >= e->sections)
        return refuse_section(e, i, err, "it changes a section that the object does not have");
    struct elf_section target = elf_section(e, s.info);
    if (!(target.flags & ELF_ALLOC)) /* for debuggers: never read, and may be compressed */
        return true;
    struct elf_rela r;
    for (uint64_t n = 0; elf_rela(&s, n, &r); n++) {
        const char *why = bad_rela(e, &target, &r);
        if (!why)
            continue;
        fmt(err, "%s: section %u (%.40s): relocation %llu, of offset 0x%llx: %s", e->name, i,
            s.name, (unsigned long long)n, (unsigned long long)r.offset, why);
        return false;
    }
    return true;
}

bool elf_open(struct elf *e, const char *name, const void *bytes, size_t size, struct sink *err)
{
    *e = (struct elf){.name = name, .bytes = bytes, .size = size};
    if (!open_headers(e, err) || !check_sections(e, err) || !open_symbols(e, err) ||
        !check_symbols(e, err))
        return false;
    for (uint32_t i = 1; i < e->sections; i++)
        if (elf_section(e, i).type == ELF_RELA && !check_relas(e, i, err))
            return false;
    return true;
}
