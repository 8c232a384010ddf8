/*
 * Code and data of relocatable objects, put to work. A *set* is what one or several functions need:
 * the sections that they stand in, and all that those refer to, and no others. The caller gives
 * each part of the set an address and memory there; elf_link() copies it and fills its relocations
 * in.
 * It can be linked again and again, each time at other addresses.
 *
 * Calls are bound as in a program: straight to the function. With `shared` they are bound as `ld
 * -shared` does: a call (PLT32) of a global symbol of default visibility goes through an entry of a
 * PLT, which jumps to the address in the symbol's slot of the GOT; a call of a hidden or protected
 * symbol goes straight there, as all do with -Bsymbolic. The slots are filled when the set is
 * linked (-z now), so the half of an entry that leads to a resolver is not there. An entry begins
 * with ENDBR64 where the function does; a linker takes that from the objects' notes instead.
 *
 * Supported: R_X86_64_64, PC64, PC32, PLT32, 32, 32S, and GOTPCREL, GOTPCRELX, REX_GOTPCRELX by a
 * slot of a GOT: what the code loads stays a load, as in a shared library (a linker would relax
 * it). A symbol that the object does not define must be one of those that the caller gives; a
 * call of it goes through a stub, since it may lie anywhere. All else is refused by its name:
 * other relocations, other undefined symbols, thread-local and COMMON symbols, IFUNC, compressed
 * sections. Sections that nothing in the set refers to, such as .eh_frame, are left out.
 */
#ifndef LIB_OBJECT_ELF_PLACE_H
#define LIB_OBJECT_ELF_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lib/object/elf.h"
#include "lib/text/sink.h"

#define ELF_PARTS 128 /* sections in a set */
#define ELF_LINKS 64  /* slots of its GOT, and as many entries of its PLT, and stubs */

#define ELF_SLOT_BYTES 8
#define ELF_PLT_BYTES  16 /* what an entry of .plt and .plt.sec has: AMD64 supplement 5.2 */
#define ELF_STUB_BYTES 16

/* A C library without IFUNC, which is linked into an object: where Debian's musl-dev has it. */
#define ELF_C_LIBRARY "/usr/lib/x86_64-linux-musl/libc.a"

/* What a part is, by its section's flags. */
enum elf_kind {
    ELF_CODE,     /* executable */
    ELF_LINKED,   /* read only, with addresses in it: another one in each place */
    ELF_CONSTANT, /* read only, without: one can serve many places */
    ELF_DATA,     /* writable */
    ELF_KINDS
};

/* A symbol that the caller brings. */
struct elf_given {
    const char *name;
    uint64_t address;
};

struct elf_part {
    uint32_t section;
    uint32_t relas; /* the section of its relocations; 0: it has none */
    enum elf_kind kind;
    uint64_t size, align;
    /* The caller's: where it runs, and where its `size` bytes are written. */
    uint64_t address;
    uint8_t *to;
};

/* One table of links: the slots of the GOT, the entries of the PLT, or the stubs. */
struct elf_links {
    uint32_t count, symbol[ELF_LINKS];
    /* The caller's: of count * ELF_SLOT_BYTES, ELF_PLT_BYTES or ELF_STUB_BYTES bytes, by 16. */
    uint64_t address;
    uint8_t *to;
};

struct elf_set {
    const struct elf *elf;
    const struct elf_given *given; /* ends with a NULL name */
    bool shared;                   /* the caller's, before elf_add(): calls go through a PLT */
    uint32_t parts;
    struct elf_part part[ELF_PARTS];
    struct elf_links slots;      /* data that is read */
    struct elf_links plt, stubs; /* code */
};

/* A place in a set. */
struct elf_entry {
    uint32_t part;
    uint64_t offset;
};

void elf_set_init(struct elf_set *s, const struct elf *e, const struct elf_given *given);

/*
 * Adds what the function or data at a spot of the object needs; *at gets where it stands in the
 * set. False: a message for people that names the object, and section and offset of what is not
 * supported; then the set is not to be used.
 */
bool elf_add(struct elf_set *s, struct elf_spot spot, struct elf_entry *at, struct sink *err);

/* As the set is placed now. */
uint64_t elf_address(const struct elf_set *s, const struct elf_entry *at);

/*
 * Writes all parts of this kind, which have their bytes; with ELF_CODE the stubs and the entries of
 * the PLT, with ELF_LINKED the slots as well. All parts of the set must have their addresses.
 * False: a value does not fit its field, and a message says which.
 */
bool elf_link(const struct elf_set *s, enum elf_kind kind, struct sink *err);

/* The symbol at or before an address in one of the set's parts, as it is placed now, and how far
 * before. NULL: in none of them. */
const char *elf_name_at(const struct elf_set *s, uint64_t address, uint64_t *behind);

#endif
