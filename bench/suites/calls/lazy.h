/*
 * Lazy binding, as a dynamic linker does it. The first call through a PLT entry enters the linker.
 * It looks up the function by its name, stores its address in the entry's slot of the GOT and jumps
 * to it; later calls jump there directly.
 *
 *   calls_lazy_plt      jmp *GOT[3 + i], initially the next instruction; push i; jmp PLT0
 *   PLT0                push GOT[1], the program's link map; jmp *GOT[2], the resolver
 *   calls_lazy_resolve  saves the argument registers, and calls
 *   calls_lazy_fixup    relocation i -> its symbol's name -> hash -> each object in turn: Bloom
 *                       filter, bucket, chain, string compare -> the symbol's value -> the slot
 *
 * In assembler (lazy.asm) its path is the same in every build; lazy_fixup.c is the same in C, as
 * dynamic linkers are compiled. Neither calls another function. Other work of linkers is omitted:
 * symbol versions, visibility, locks, and XSAVEC for arguments in vector registers (glibc; FreeBSD
 * compiles its linker so that it does not use these registers, as is done here).
 *
 * Sources: System V ABI, AMD64 supplement 1.0, section 5.2; for the hash lib/object/gnu_hash.h.
 */
#ifndef BENCH_SUITES_CALLS_LAZY_H
#define BENCH_SUITES_CALLS_LAZY_H

#include "bench/api/bench.h"

#define LAZY_IMPORTS 4 /* slots of the program's PLT */
#define LAZY_CALLEE  2 /* the one that is called */

/* Elf64_Sym and Elf64_Rela. */
struct lazy_symbol {
    uint32_t name; /* offset in the string table */
    uint8_t info, other;
    uint16_t section;
    uint64_t value, size;
};
struct lazy_rela {
    uint64_t offset;
    uint32_t type, symbol; /* the halves of r_info */
    int64_t addend;
};

/* The part of a loaded object that a look-up needs: from glibc's struct link_map. */
struct lazy_map {
    uint64_t base;                    /* l_addr */
    const struct lazy_symbol *symbol; /* DT_SYMTAB */
    const char *strings;              /* DT_STRTAB */
    const struct lazy_rela *slot;     /* DT_JMPREL: of the PLT's slots */
    uint32_t buckets, words_mask, shift;
    const uint64_t *bloom;
    const uint32_t *bucket, *chain; /* chain[i]: of symbol i */
    const struct lazy_map *next;    /* in the order of search */
};

#pragma GCC visibility push(hidden)

/* lazy.asm */
extern uint64_t calls_lazy_got[3 + LAZY_IMPORTS]; /* initially without map and resolver */
extern uint64_t calls_lazy_bound;      /* symbols looked up so far: glibc's dl_num_relocations */
void calls_lazy_plt(struct object *o); /* the entry of LAZY_CALLEE */
void calls_lazy_resolve(void);         /* by calls_lazy_fixup */
void calls_lazy_resolve_c(void);       /* by calls_lazy_fixup_c */
int calls_lazy_first(uint64_t n, struct object *o); /* resets the slot before each call */
int calls_lazy_first_empty(uint64_t n, struct object *o);
int calls_lazy_later(uint64_t n, struct object *o);
int calls_lazy_later_empty(uint64_t n, struct object *o);

/* lazy_fixup.c: binds a slot, returns the function's address. Traps if no object has the name. */
uint64_t calls_lazy_fixup_c(const struct lazy_map *map, uint32_t slot);

#pragma GCC visibility pop

#endif
