/* Lazy binding: the symbol table, the resolver's look-up, the rows. lazy.asm has the bodies. */
#include "bench/suites/calls/lazy.h"
#include "bench/suites/calls/calls.h"
#include "lib/text/mem.h"
#include "lib/text/str.h"

_Static_assert(sizeof(struct calls_lazy) <= OBJECT_ROOM, "the room");

/* What a small library exports; the resolver is asked for the one in the middle. */
static const char *const names[] = {
    "memchr",  "memcmp", "memcpy",  "memmove",
    "memset",  "strchr", "strcmp",  [LAZY_CALLEE] = "baretick_callee",
    "strcspn", "strlen", "strncmp", "strrchr",
    "strspn",  "strstr", "strtok",
};
#define NAMES (sizeof names / sizeof *names)
_Static_assert(2 * NAMES <= LAZY_BUCKETS, "the table stays half empty");

/* The hash of ELF's .gnu.hash: h = h * 33 + c from 5381. */
static uint32_t hash_name(const char *name)
{
    uint32_t h = 5381;
    for (; *name; name++)
        h = h * 33 + (uint8_t)*name;
    return h;
}

/* Ends at the symbol, or at the next free bucket, since half of them are free. */
void (*calls_lazy_bind(struct object *o, uint32_t index))(struct object *)
{
    struct calls_lazy *lazy = o->room;
    uint32_t hash = hash_name(names[index]), at = hash;
    const struct lazy_symbol *found = &lazy->bucket[at % LAZY_BUCKETS];
    while (found->name && (found->hash != hash || !str_eq(found->name, names[index])))
        found = &lazy->bucket[++at % LAZY_BUCKETS];
    memcpy(&o->slot, &found->address, sizeof o->slot);
    lazy->bound++;
    return found->address;
}

/* The slot as the linker leaves it. */
static void unresolve(struct object *o)
{
    void (*unresolved)(struct object *) = calls_lazy_unresolved;
    memcpy(&o->slot, &unresolved, sizeof o->slot);
}

static void export_names(struct object *o)
{
    struct calls_lazy *lazy = o->room;
    memset(lazy, 0, sizeof *lazy);
    for (uint32_t i = 0; i < NAMES; i++) {
        uint32_t hash = hash_name(names[i]), at = hash;
        while (lazy->bucket[at % LAZY_BUCKETS].name)
            at++;
        lazy->bucket[at % LAZY_BUCKETS] = (struct lazy_symbol){
            hash, names[i], i == LAZY_CALLEE ? calls_callee_inc : calls_callee};
    }
    unresolve(o);
}

/* The first call is over before the first window. */
static void export_and_call(struct object *o)
{
    export_names(o);
    calls_lazy_stub(o);
    o->counter = 0;
}

static const char *called(const struct object *o, uint64_t operations, uint64_t bound)
{
    const struct calls_lazy *lazy = o->room;
    if (o->counter != operations)
        return "the counter is not the number of operations";
    return lazy->bound == bound ? NULL : "the resolver did not run as often as it must";
}

static const char *bound_each(const struct object *o, uint64_t operations)
{
    return called(o, operations, operations);
}

static const char *bound_once(const struct object *o, uint64_t operations)
{
    return called(o, operations, 1);
}

/*
 * Floors: a call's, as in calls.c; the look-up hashes 15 characters, each step waiting for the one
 * before.
 */
#define LAZY(name_, ops_, floor_, setup_, check_, ...)                                             \
    BENCH(calls, name_, .form = FORM_FUNCTION, .ops = ops_, .function = calls_##name_,             \
          .empty_function = calls_##name_##_empty, .setup = setup_,                                \
          .room_bytes = sizeof(struct calls_lazy), .check = check_, .floor = floor_,               \
          .errors_are_wrong = true, __VA_ARGS__)

LAZY(lazy_later, 1000, 0.25, export_and_call, bound_once,
     .what = "call through a GOT slot that the resolver has filled, ++*x");
LAZY(lazy_first, 100, 15, export_names, bound_each, .beside = "lazy_later",
     .what = "call through a GOT slot that leads to the resolver, its look-up included, ++*x");
