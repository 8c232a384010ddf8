/*
 * The section .gnu.hash of a shared object (DT_GNU_HASH), with which a dynamic linker finds a
 * symbol of .dynsym: 64-bit class. Its contents, in this order:
 *
 *   nbuckets, symndx, maskwords, shift2    four 32-bit words
 *   bloom[maskwords]                       64-bit words: two bits of one word for each name
 *   bucket[nbuckets]                       32 bits: the first symbol of the bucket; 0: none
 *   chain[symbols - symndx]                32 bits for each symbol from symndx on: its hash, the
 *                                          lowest bit set in the last of its bucket
 *
 * Symbols from symndx on are sorted by bucket, hash modulo nbuckets. For each name, the bits hash %
 * 64 and (hash >> shift2) % 64 of bloom[hash / 64 % maskwords] are set.
 *
 * Sources: J. Jelinek, "GNU_HASH section format", binutils mailing list, 31 October 2006; A.
 * Bahrami, "GNU Hash ELF Sections", 2008.
 */
#ifndef LIB_OBJECT_GNU_HASH_H
#define LIB_OBJECT_GNU_HASH_H

#include <stddef.h>
#include <stdint.h>

/* The parts of a section, in place. */
struct gnu_hash {
    uint32_t buckets, first; /* nbuckets, symndx */
    uint32_t words, shift;   /* maskwords, shift2 */
    uint64_t *bloom;
    uint32_t *bucket, *chain;
    size_t bytes; /* of all of it */
};

/* h = h * 33 + c, starting with 5381 (D. J. Bernstein). */
uint32_t gnu_hash_name(const char *name);

/*
 * Writes the section for the names, 1 to GNU_HASH_SYMBOLS, to `section` (8-byte aligned), and
 * returns its parts; with more than `room` bytes nothing is written, and `bloom` is NULL. order[i]
 * gets the index of the name that is symbol first + i; names of a bucket keep their order. `first`
 * is at least 1. The numbers of buckets and bits are those of GNU ld 2.40 without -O.
 */
#define GNU_HASH_SYMBOLS 1000
struct gnu_hash gnu_hash_build(uint64_t *section, size_t room, uint32_t first,
                               const char *const names[], uint32_t count, uint32_t order[]);

#endif
