/*
 * Lazy binding, as a dynamic linker does it: the first call through a GOT slot runs into a resolver
 * that looks the symbol up by name, writes the slot and goes on to the function; later calls jump
 * there straight.
 */
#ifndef BENCH_SUITES_CALLS_LAZY_H
#define BENCH_SUITES_CALLS_LAZY_H

#include "bench/api/bench.h"

#define LAZY_CALLEE  7  /* index of the symbol that is called, among those of lazy.c */
#define LAZY_BUCKETS 32 /* a power of two, twice the symbols or more */

/* What the object's room holds: a symbol table, hashed with open addressing. */
struct calls_lazy {
    uint64_t bound; /* symbols looked up so far */
    struct lazy_symbol {
        uint32_t hash;
        const char *name; /* NULL: nothing here */
        void (*address)(struct object *);
    } bucket[LAZY_BUCKETS];
};

#pragma GCC visibility push(hidden)

/* lazy.asm */
void calls_lazy_stub(struct object *o);       /* the PLT entry: jumps through the object's slot */
void calls_lazy_unresolved(struct object *o); /* where the slot leads at first */
int calls_lazy_first(uint64_t n, struct object *o); /* the slot reset before each call */
int calls_lazy_first_empty(uint64_t n, struct object *o);
int calls_lazy_later(uint64_t n, struct object *o);
int calls_lazy_later_empty(uint64_t n, struct object *o);

/* lazy.c: looks symbol `index` up, writes the slot, returns the function's address. */
void (*calls_lazy_bind(struct object *o, uint32_t index))(struct object *);

#pragma GCC visibility pop

#endif
