/*
 * Dead stores, silent stores, silent and reread loads, counted from a sequence of loads and stores.
 * Nothing here knows instructions or runs any: the caller names each by numbers. docs/stores.md has
 * the words, each with an example.
 *
 *   dead bytes     a byte that is stored to before anything has loaded what the last store left
 *                  there, or that dies before. It is counted for the store that was redundant, the
 *                  earlier one. A load of a part of a store reads that part alone.
 *   unread bytes   what is there at the end, stored and not loaded since: dead or not is not known
 *   silent stores  all the bytes of a store are what they were, and each of them has been stored to
 *                  before. One byte that changes, or that is stored to for the first time, and the
 *                  store is not silent.
 *   silent loads   a load that gives what the same instruction's last load from the same address
 *                  gave, byte for byte
 *   reread loads   a load of bytes that each have been loaded since they were stored to, by
 *                  whichever instruction and whatever they are: a silent load by the rule of
 *                  Valgrind's `deadstores`
 *
 * Memory that dies (a stack that was popped) is new afterwards: as if nothing had been stored there
 * or loaded from there.
 *
 * A store or a load is one touch of one stretch. Masked lanes do not take part in anything.
 */
#ifndef HOSTED_STORES_COUNTS_H
#define HOSTED_STORES_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "hosted/stores/touch.h"

/* Of one site, or of several. */
struct counted {
    uint64_t stores, stored; /* how many, bytes */
    uint64_t dead, unread;   /* bytes */
    uint64_t silent_stores;
    uint64_t loads, loaded; /* how many, bytes */
    uint64_t silent_loads, reread_loads;
};

struct counts_page;
struct counts_load;

struct counts {
    struct counted *by; /* [site] */
    uint32_t sites;
    struct counts_page **page; /* an open table, by the page's number */
    size_t pages, page_room;
    struct counts_page *last;
    struct counts_load *load; /* an open table, by instruction and address */
    size_t loads, load_room;
    uint64_t deaths; /* calls of counts_died() */
    /* The number of touches by their bytes; after the last those that are longer. */
    uint64_t loads_of[66], stores_of[66];
    bool full; /* memory ran out: nothing is counted any more */
};

void counts_open(struct counts *c);
void counts_close(struct counts *c);

/*
 * `site`: for whom it is counted, from 0 on, without large gaps; `who`: the instruction's number. A
 * load gives `value`, t->size bytes; of a store the bytes are `before` and `after`. Bytes of lanes
 * that are not touched are not looked at. A touch without a lane is none.
 */
void counts_load(struct counts *c, uint32_t site, uint32_t who, const struct touch *t,
                 const uint8_t *value);
void counts_store(struct counts *c, uint32_t site, const struct touch *t, const uint8_t *before,
                  const uint8_t *after);

/* Memory from `from` up to, not including, `to` dies. */
void counts_died(struct counts *c, uint64_t from, uint64_t to);

/* After the last touch: fills `unread` of all sites in. Once. */
void counts_end(struct counts *c);

/* to += by */
void counts_add(struct counted *to, const struct counted *by);
/* All sites together. */
struct counted counts_total(const struct counts *c);

#endif
