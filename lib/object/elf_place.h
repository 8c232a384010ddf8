/*
 * Places and links code and data of relocatable objects. A *set* is what one or several functions
 * need: their sections, all sections that these refer to, and no others. The caller gives each part
 * of the set an address and memory; elf_link() copies it there and applies its relocations. It can
 * be linked repeatedly, at different addresses.
 *
 * Calls are bound as in a program: directly to the function. With `shared` they are bound as `ld
 * -shared` does: a call (PLT32) of a global symbol of default visibility goes through an entry of a
 * PLT, which jumps to the address in the symbol's slot of the GOT; a call of a hidden or protected
 * symbol is direct, as all are with -Bsymbolic. The slots are filled when the set is linked (-z
 * now), so entries lack the half that calls a resolver. An entry begins with ENDBR64 if the
 * function does; a linker decides that by the objects' notes instead.
 *
 * Supported: R_X86_64_64, PC64, PC32, PLT32, 32, 32S, and GOTPCREL, GOTPCRELX, REX_GOTPCRELX by a
 * slot of a GOT: loads through it stay loads, as in a shared library (a linker would relax them). A
 * symbol that the object does not define must be one that the caller gives; a call of it goes
 * through a stub, since it may be at any address. Everything else is refused with its name: other
 * relocations, other undefined symbols, thread-local and COMMON symbols, IFUNC, compressed
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
#define ELF_LINKS 64  /* slots of its GOT, entries of its PLT, and stubs: the limit for each */

#define ELF_SLOT_BYTES 8
#define ELF_PLT_BYTES  16 /* size of an entry of .plt and .plt.sec: AMD64 supplement 5.2 */
#define ELF_STUB_BYTES 16

/* The kind of a part, by its section's flags. */
enum elf_kind {
    ELF_CODE,     /* executable */
    ELF_LINKED,   /* read only, with addresses in it: differs for each place */
    ELF_CONSTANT, /* read only, without addresses: can be shared by many places */
    ELF_DATA,     /* writable */
    ELF_KINDS
};

/* A symbol that the caller provides. */
struct elf_given {
    const char *name;
    uint64_t address;
};

struct elf_part {
    uint32_t section;
    uint32_t relas; /* the section with its relocations; 0: none */
    enum elf_kind kind;
    uint64_t size, align;
    /* Set by the caller: the address it runs at, and where its `size` bytes are written. */
    uint64_t address;
    uint8_t *to;
};

/* One table of links: the slots of the GOT, the entries of the PLT, or the stubs. */
struct elf_links {
    uint32_t count, symbol[ELF_LINKS];
    /* Set by the caller: count * ELF_SLOT_BYTES, ELF_PLT_BYTES or ELF_STUB_BYTES, aligned to 16. */
    uint64_t address;
    uint8_t *to;
};

struct elf_set {
    const struct elf *elf;
    const struct elf_given *given; /* ends with a NULL name */
    bool shared;                   /* set by the caller before elf_add(): calls go through a PLT */
    uint32_t parts;
    struct elf_part part[ELF_PARTS];
    struct elf_links slots;      /* read-only data */
    struct elf_links plt, stubs; /* code */
};

/* A place in a set. */
struct elf_entry {
    uint32_t part;
    uint64_t offset;
};

static inline void elf_set_init(struct elf_set *s, const struct elf *e,
                                const struct elf_given *given)
{
    *s = (struct elf_set){.elf = e, .given = given};
}

/*
 * Adds what the function or data at a spot of the object needs; *at gets its place in the set.
 * False: a message names the object, and section and offset of the unsupported item; the set is
 * then unusable.
 */
bool elf_add(struct elf_set *s, struct elf_spot spot, struct elf_entry *at, struct sink *err);

/* Returns the current address. */
static inline uint64_t elf_address(const struct elf_set *s, const struct elf_entry *at)
{
    return s->part[at->part].address + at->offset;
}

/*
 * Writes all parts of this kind, which must have their bytes; with ELF_CODE also the stubs and the
 * entries of the PLT, with ELF_LINKED the slots. All parts of the set must have their addresses.
 * False: a value does not fit its field, and a message names it.
 */
bool elf_link(const struct elf_set *s, enum elf_kind kind, struct sink *err);

/* Returns the part that has an address, as currently placed; NULL: none. */
static inline const struct elf_part *elf_part_at(const struct elf_set *s, uint64_t address)
{
    for (uint32_t i = 0; i < s->parts; i++)
        if (address - s->part[i].address < s->part[i].size)
            return &s->part[i];
    return NULL;
}

/* Returns the symbol at or before an address in one of the set's parts, as currently placed;
 * *distance gets the distance. NULL: in none of them. */
const char *elf_name_at(const struct elf_set *s, uint64_t address, uint64_t *distance);

#endif
