/*
 * Relocatable objects (ELF64, x86-64: the .o of a compiler), read in place. Every byte is checked
 * before use: elf_open() validates all headers, names, symbols and relocations once, so that later
 * accesses are in bounds. elf_place.h places and links them.
 *
 * Sources: System V ABI, generic part ("Object Files"), and the AMD64 supplement 1.0.
 */
#ifndef LIB_OBJECT_ELF_H
#define LIB_OBJECT_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lib/text/sink.h"

/* Filled by elf_open(). The bytes must stay valid. */
struct elf {
    const char *name; /* its name in messages */
    const uint8_t *bytes;
    size_t size;
    uint64_t headers; /* offset of the section headers */
    uint32_t sections, symbols;
    uint64_t symbols_at;                     /* offset of the symbol table */
    uint64_t section_names, names;           /* offsets of the two string tables */
    uint64_t section_names_size, names_size; /* their sizes; each ends with a NUL */
};

/* Section types and flags, generic ABI, figures 4-11 and 4-13. */
enum elf_type {
    ELF_PROGBITS = 1,
    ELF_SYMTAB = 2,
    ELF_STRTAB = 3,
    ELF_RELA = 4,
    ELF_NOBITS = 8,
    ELF_REL = 9,
    ELF_INIT_ARRAY = 14,
    ELF_FINI_ARRAY = 15,
    ELF_PREINIT_ARRAY = 16,
    ELF_SYMTAB_SHNDX = 18,
};
enum elf_flag {
    ELF_WRITE = 1,
    ELF_ALLOC = 2,
    ELF_EXEC = 4,
    ELF_TLS = 0x400,
    ELF_COMPRESSED = 0x800,
};

struct elf_section {
    const char *name;
    uint32_t type, link, info;
    uint64_t flags, size, align; /* align: a power of two, 1 or more */
    const uint8_t *bytes;        /* NULL: ELF_NOBITS */
};

/* Special values for a symbol's section. */
enum elf_where { ELF_UNDEFINED = 0, ELF_ABSOLUTE = 0xfff1, ELF_COMMON = 0xfff2 };
enum elf_symbol_type {
    ELF_NOTYPE = 0,
    ELF_OBJECT = 1,
    ELF_FUNCTION = 2,
    ELF_SECTION = 3,
    ELF_FILE = 4,
    ELF_THREAD_LOCAL = 6,
    ELF_IFUNC = 10,
};

/* The visibility of a symbol, generic ABI, figure 4-19. */
enum elf_visibility { ELF_DEFAULT, ELF_INTERNAL, ELF_HIDDEN, ELF_PROTECTED };

struct elf_symbol {
    const char *name; /* "" if it has no name */
    uint8_t type;     /* enum elf_symbol_type, or another value */
    bool local;
    enum elf_visibility visibility;
    uint32_t section; /* index, or an enum elf_where */
    uint64_t value;   /* offset in its section: at most the section's size */
};

struct elf_rela {
    uint64_t offset;
    uint32_t type, symbol;
    int64_t addend;
};

/*
 * Opens these bytes as an object. Returns false if it cannot be used, with a message that names the
 * object, and section and offset if there is one. Refused as a whole are other machines and file
 * types, tables that are not within the file or point out of it, and constructors (.init_array and
 * similar), which nothing here would run.
 */
bool elf_open(struct elf *e, const char *name, const void *bytes, size_t size, struct sink *err);

/* Return section i, i < sections; symbol i, i < symbols. */
struct elf_section elf_section(const struct elf *e, uint32_t i);
struct elf_symbol elf_symbol(const struct elf *e, uint32_t i);

/* Reads relocation i of an ELF_RELA section. False: it has not as many. */
bool elf_rela(const struct elf_section *relas, uint64_t i, struct elf_rela *r);

/* A place in an object; section 0: nowhere. */
struct elf_spot {
    uint32_t section;
    uint64_t offset;
};

/* Finds the target of the pointer at `spot` by its relocation; nowhere if it has no relocation:
 * NULL. False, with a message: the target is outside the object, or it is not a plain pointer. */
bool elf_pointer(const struct elf *e, struct elf_spot spot, struct elf_spot *to, struct sink *err);

/* Finds the defined symbol of that name. A global one is preferred to local ones. False, with a
 * message: no symbol has the name, or several local ones have it. */
bool elf_find(const struct elf *e, const char *name, struct elf_spot *at, struct sink *err);

/* Returns the closest symbol at or before an offset in a section; *distance gets the distance.
 * Functions are preferred to other symbols. NULL: none. */
const char *elf_symbol_at(const struct elf *e, uint32_t section, uint64_t offset,
                          uint64_t *distance);

/* A C library without IFUNC that can be linked into an object: its path in Debian's musl-dev. */
#define ELF_C_LIBRARY "/usr/lib/x86_64-linux-musl/libc.a"

/* Relocation types of x86-64, AMD64 supplement table 4.9, as far as they are named here; those
 * of the GNU tools from 250 on. */
enum elf_rela_type {
    ELF_R_NONE = 0,
    ELF_R_64 = 1,
    ELF_R_PC32 = 2,
    ELF_R_PLT32 = 4,
    ELF_R_GOTPCREL = 9,
    ELF_R_32 = 10,
    ELF_R_32S = 11,
    ELF_R_PC64 = 24,
    ELF_R_GOTPCRELX = 41,
    ELF_R_REX_GOTPCRELX = 42,
    ELF_R_GNU_VTINHERIT = 250,
    ELF_R_GNU_VTENTRY = 251,
};

/* What a relocation refers to. All kinds by GOT have the same value. */
enum elf_by {
    ELF_BY_VALUE,
    ELF_BY_DISTANCE, /* the 32-bit distance to a symbol: of a call, or of data */
    ELF_BY_GOT,      /* a slot of the GOT, which the caller provides */
    ELF_BY_THREAD,   /* thread-local data */
};

struct elf_rela_kind {
    const char *name; /* "PC32" for R_X86_64_PC32; NULL: neither supplement nor GNU tools have it */
    enum elf_by by;
    unsigned width; /* bytes of the field that it fills; 0: ELF_R_NONE, or not supported */
};
struct elf_rela_kind elf_rela_kind(uint32_t type);

#endif
