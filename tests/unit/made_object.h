/*
 * Relocatable objects made by hand: sections, symbols and relocations in the given order, then
 * made_end(). The n-th section is section n, the n-th symbol is symbol n.
 */
#ifndef TESTS_MADE_OBJECT_H
#define TESTS_MADE_OBJECT_H

#include <stdint.h>
#include <string.h>
#include "lib/object/elf.h"
#include "tests/unit/image.h"

#define MADE_MAX 32

struct made {
    uint8_t bytes[8192];
    size_t size;
    char names[512];
    size_t names_size;
    uint8_t symbols[24 * MADE_MAX], relas[MADE_MAX][24 * MADE_MAX];
    unsigned symbol_count, rela_count[MADE_MAX];
    uint8_t headers[64 * 2 * MADE_MAX];
    unsigned sections, at_end; /* at_end: those given; the tables follow them */
};

static inline uint32_t made_name(struct made *m, const char *name)
{
    size_t at = m->names_size;

    memcpy(m->names + at, name, strlen(name) + 1);
    m->names_size += strlen(name) + 1;
    return (uint32_t)at;
}

static inline void made_begin(struct made *m)
{
    memset(m, 0, sizeof *m);
    m->size = 64;
    m->names_size = 1;
    m->symbol_count = m->sections = 1;
}

static inline uint8_t *made_header(struct made *m, unsigned section)
{
    return m->headers + section * 64;
}

static inline unsigned made_section(struct made *m, const char *name, uint32_t type, uint64_t flags,
                                    uint64_t align, const void *bytes, size_t size)
{
    uint8_t *h = made_header(m, m->sections);

    m->size = (m->size + 7) & ~(size_t)7;
    put_le(h, made_name(m, name), 4);
    put_le(h + 4, type, 4);
    put_le(h + 8, flags, 8);
    put_le(h + 24, m->size, 8);
    put_le(h + 32, size, 8);
    put_le(h + 48, align, 8);
    if (type != ELF_NOBITS) {
        memcpy(m->bytes + m->size, bytes, size);
        m->size += size;
    }
    return m->sections++;
}

static inline unsigned made_symbol(struct made *m, const char *name, bool local, uint8_t type,
                                   uint16_t section, uint64_t value)
{
    uint8_t *s = m->symbols + m->symbol_count * 24;

    put_le(s, made_name(m, name), 4);
    s[4] = (uint8_t)((local ? 0 : 1) << 4 | type);
    put_le(s + 6, section, 2);
    put_le(s + 8, value, 8);
    return m->symbol_count++;
}

static inline void made_rela(struct made *m, unsigned target, uint64_t offset, uint32_t type,
                             unsigned symbol, int64_t addend)
{
    uint8_t *r = m->relas[target] + m->rela_count[target]++ * 24;

    put_le(r, offset, 8);
    put_le(r + 8, type, 4);
    put_le(r + 12, symbol, 4);
    put_le(r + 16, (uint64_t)addend, 8);
}

/* The tables, the section headers, the file header. */
static inline void made_end(struct made *m)
{
    unsigned given = m->at_end = m->sections;
    unsigned symtab =
        made_section(m, ".symtab", ELF_SYMTAB, 0, 8, m->symbols, m->symbol_count * 24);

    for (unsigned i = 1; i < given; i++) {
        if (!m->rela_count[i])
            continue;
        unsigned at = made_section(m, ".rela", ELF_RELA, 0, 8, m->relas[i], m->rela_count[i] * 24);
        put_le(made_header(m, at) + 40, symtab, 4);
        put_le(made_header(m, at) + 44, i, 4);
    }
    /* Its own name, which made_section() adds, included. */
    unsigned names = made_section(m, "", ELF_STRTAB, 0, 1, m->names, m->names_size + 1);
    put_le(made_header(m, symtab) + 40, names, 4);

    static const uint8_t head[] = {0x7f, 'E', 'L', 'F', 2, 1, 1};
    memcpy(m->bytes, head, sizeof head);
    put_le(m->bytes + 16, 1, 2);  /* ET_REL */
    put_le(m->bytes + 18, 62, 2); /* EM_X86_64 */
    put_le(m->bytes + 20, 1, 4);
    m->size = (m->size + 7) & ~(size_t)7;
    put_le(m->bytes + 40, m->size, 8);
    put_le(m->bytes + 52, 64, 2);
    put_le(m->bytes + 58, 64, 2);
    put_le(m->bytes + 60, m->sections, 2);
    put_le(m->bytes + 62, names, 2);
    memcpy(m->bytes + m->size, m->headers, m->sections * 64);
    m->size += m->sections * 64;
}

/*
 * A function that calls another (PLT32), itself refers to a table of addresses (PC32), to a word of
 * data by the GOT (REX_GOTPCRELX), and to memcpy (PLT32); what nothing refers to is `unused`.
 * Section 1: .text.f, 2: .text.g, 3: .rodata (two addresses), 4: .data (a pointer to f), 5: .bss,
 * 6: .rodata.cst (constants), 7: .text.unused.
 */
enum { MADE_F = 1, MADE_G, MADE_TABLE, MADE_DATA, MADE_BSS, MADE_CONSTANTS, MADE_UNUSED };
static inline void made_program(struct made *m)
{
    static const uint8_t code[32] = {0xe8, 0, 0, 0, 0, 0x48, 0x8d, 5, 0, 0, 0, 0,   0x48,
                                     0x8b, 5, 0, 0, 0, 0,    0xe8, 0, 0, 0, 0, 0xc3},
                         zeros[16], ret[] = {0xc3}, constants[] = {1, 2, 3, 4};
    const uint64_t alloc = ELF_ALLOC;

    made_begin(m);
    made_section(m, ".text.f", ELF_PROGBITS, alloc | ELF_EXEC, 16, code, sizeof code);
    made_section(m, ".text.g", ELF_PROGBITS, alloc | ELF_EXEC, 16, ret, sizeof ret);
    made_section(m, ".rodata", ELF_PROGBITS, alloc, 8, zeros, sizeof zeros);
    made_section(m, ".data", ELF_PROGBITS, alloc | ELF_WRITE, 8, zeros, 8);
    made_section(m, ".bss", ELF_NOBITS, alloc | ELF_WRITE, 32, NULL, 64);
    made_section(m, ".rodata.cst", ELF_PROGBITS, alloc, 4, constants, sizeof constants);
    made_section(m, ".text.unused", ELF_PROGBITS, alloc | ELF_EXEC, 16, ret, sizeof ret);

    made_symbol(m, "f", false, ELF_FUNCTION, MADE_F, 0);
    unsigned g = made_symbol(m, "g", true, ELF_FUNCTION, MADE_G, 0);
    unsigned table = made_symbol(m, "", true, ELF_SECTION, MADE_TABLE, 0);
    unsigned word = made_symbol(m, "word", false, ELF_OBJECT, MADE_DATA, 0);
    unsigned outside = made_symbol(m, "memcpy", false, ELF_NOTYPE, ELF_UNDEFINED, 0);
    unsigned bss = made_symbol(m, "bss", false, ELF_OBJECT, MADE_BSS, 0);
    unsigned constant = made_symbol(m, "constants", true, ELF_OBJECT, MADE_CONSTANTS, 0);
    unsigned missing = made_symbol(m, "missing", false, ELF_NOTYPE, ELF_UNDEFINED, 0);
    made_symbol(m, "unused", false, ELF_FUNCTION, MADE_UNUSED, 0);

    made_rela(m, MADE_F, 1, ELF_R_PLT32, g, -4);
    made_rela(m, MADE_F, 8, ELF_R_PC32, table, 4);
    made_rela(m, MADE_F, 15, ELF_R_REX_GOTPCRELX, word, -4);
    made_rela(m, MADE_F, 20, ELF_R_PLT32, outside, -4);
    made_rela(m, MADE_TABLE, 0, ELF_R_64, g, 0);
    made_rela(m, MADE_TABLE, 8, ELF_R_64, constant, 3);
    made_rela(m, MADE_DATA, 0, ELF_R_64, bss, 8);
    made_rela(m, MADE_UNUSED, 0, ELF_R_NONE, missing, 0);
    made_end(m);
}

#endif
