/*
 * Counts dead stores, silent stores, silent and reread loads in a sequence of loads and stores.
 * This file neither knows nor runs instructions: the caller passes numbers. docs/stores.md defines
 * the words, with examples.
 *
 *   dead bytes     a byte that is stored to again, or dies, before its last store was loaded. It is
 *                  counted for the earlier store, the redundant one. A load of a part of a store
 *                  reads only that part.
 *   unread bytes   bytes that were stored and not loaded until the end: possibly dead
 *   silent stores  stores that change none of their bytes, if all of these were stored to before.
 *                  With one byte that changes, or that is stored to for the first time, the store
 *                  is not silent.
 *   silent loads   a load with the same result as the same instruction's last load from the same
 *                  address, byte for byte
 *   reread loads   a load of bytes that were all loaded since they were stored to, by any
 *                  instruction and with any value: a silent load by the rule of Valgrind's
 *                  `deadstores`
 *
 * Memory that dies (a popped stack) is new afterwards, as if it had never been stored to or loaded
 * from.
 *
 * A store or a load is one touch of one stretch. Masked lanes are ignored.
 */
#ifndef HOSTED_STORES_COUNTS_H
#define HOSTED_STORES_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * --- hash_table.c ---
 * Entries that are found by their keys, and numbered in the order in which they were made.
 */

/* All zero at first. */
struct hash_table {
    void **entry; /* each begins with its key */
    uint32_t entries;
    uint32_t *slot; /* open-addressed: the entry's number plus 1; 0: free */
    size_t slots;
};

/* Return the number of the entry with this key, plus 1. The key has `bytes` bytes, a multiple of 4,
 * without padding. hash_table_find() returns 0 if there is no such entry. hash_table_get() makes
 * one of `size` bytes, which are 0 after the key; 0: out of memory. */
uint32_t hash_table_find(const struct hash_table *t, const void *key, size_t bytes);
uint32_t hash_table_get(struct hash_table *t, const void *key, size_t bytes, size_t size);
void hash_table_close(struct hash_table *t);

/* --- counts.c --- */

/* One access of an instruction to one stretch of memory. */
#define TOUCH_BYTES 128 /* maximum bytes of one stretch: FNSAVE has 108 */

struct touch {
    uint64_t at;
    uint32_t size;    /* 1 .. TOUCH_BYTES */
    bool load, store; /* both: loaded first, then stored to */
    uint64_t lanes;   /* bit i: byte i is touched; a stretch above 64 bytes is touched as a whole */
};

#define TOUCH_ALL (~0ull)

static inline bool touch_has(const struct touch *t, uint32_t byte)
{
    return byte >= 64 || (t->lanes >> byte & 1);
}

/* Returns the number of touched bytes. */
static inline uint32_t touch_count(const struct touch *t)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < t->size; i++)
        n += touch_has(t, i);
    return n;
}

/* Counts of one site, or of several: the members, and their names in the output. */
#define COUNTS(COUNT)                                                                              \
    COUNT(stores, "stores")                                                                        \
    COUNT(stored, "store_bytes")                                                                   \
    COUNT(dead, "dead_bytes")                                                                      \
    COUNT(unread, "unread_bytes")                                                                  \
    COUNT(silent_stores, "silent_stores")                                                          \
    COUNT(loads, "loads")                                                                          \
    COUNT(loaded, "load_bytes")                                                                    \
    COUNT(silent_loads, "silent_loads")                                                            \
    COUNT(reread_loads, "reread_loads")
#define COUNTS_MEMBER(member, name) uint64_t member;
struct counted {
    COUNTS(COUNTS_MEMBER)
};

struct counts_page;

/* All zero at first. */
struct counts {
    struct counted *by; /* [site] */
    uint32_t sites;
    struct hash_table page; /* struct counts_page, by the page's number */
    struct counts_page *last;
    struct hash_table load; /* struct counts_load, by address and instruction */
    uint64_t deaths;        /* number of counts_died() calls */
    /* The number of touches by their size in bytes; the last element is for longer ones. */
    uint64_t loads_of[66], stores_of[66];
    bool full; /* out of memory: counting has stopped */
};

void counts_close(struct counts *c);

/*
 * site: number of the site to count for, from 0, without large gaps; who: the instruction's number.
 * A load has `value`, t->size bytes; a store has the bytes `before` and `after`. Bytes of untouched
 * lanes are not read. A touch without lanes is not counted.
 */
void counts_load(struct counts *c, uint32_t site, uint32_t who, const struct touch *t,
                 const uint8_t *value);
void counts_store(struct counts *c, uint32_t site, const struct touch *t, const uint8_t *before,
                  const uint8_t *after);

/* Marks the memory in [from, to) as dead. */
void counts_died(struct counts *c, uint64_t from, uint64_t to);

/* Sets `unread` of all sites. Call once, after the last touch. */
void counts_end(struct counts *c);

/* to += by */
static inline void counts_add(struct counted *to, const struct counted *by)
{
#define COUNTS_ADD(member, name) to->member += by->member;
    COUNTS(COUNTS_ADD)
}

/* Returns the sum of all sites. */
static inline struct counted counts_total(const struct counts *c)
{
    struct counted all = {0};

    for (uint32_t i = 0; i < c->sites; i++)
        counts_add(&all, &c->by[i]);
    return all;
}

/*
 * --- calls and sites ---
 * The stack of calls that a function is in, from its CALLs and its stack pointer; and sites: an
 * instruction together with its innermost CALLS_DEEP calls.
 */

#define CALLS_DEEP 5

struct site {
    uint32_t who;              /* the instruction's number */
    uint32_t deep;             /* 0 .. CALLS_DEEP */
    uint32_t call[CALLS_DEEP]; /* numbers of the CALLs, the innermost first; the rest is 0 */
};

struct calls_frame;

/* All zero at first. */
struct calls {
    struct hash_table sites;   /* struct site */
    struct calls_frame *frame; /* outermost first */
    size_t frames, frame_room;
    bool full; /* out of memory */
};

void calls_close(struct calls *c);

static inline const struct site *calls_at(const struct calls *c, uint32_t site)
{
    return c->sites.entry[site];
}

/* Adds a call by instruction `who`; its return address is at `stack`. */
void calls_enter(struct calls *c, uint32_t who, uint64_t stack);
/* Removes the calls whose return address is below `stack`, the raised stack pointer, however they
 * ended. */
void calls_leave(struct calls *c, uint64_t stack);

/* Returns the site of an instruction in the current calls: a number from 0, without gaps. */
uint32_t calls_site(struct calls *c, uint32_t who);

#endif
