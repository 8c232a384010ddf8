/* Hash functions, by the byte: FNV-1a, which takes one at a time, and one that takes eight. */
#include "baretick.h"

#define KEY 1024

/* Fowler, Noll, Vo: offset basis and prime of 64 bits (RFC 9923). */
static uint64_t fnv1a(const uint8_t *key, size_t n)
{
    uint64_t h = 0xcbf29ce484222325;

    for (size_t i = 0; i < n; i++)
        h = (h ^ key[i]) * 0x100000001b3;
    return h;
}

/* Eight bytes an iteration: multiply, and fold the upper half of the product into the lower. */
static uint64_t folded(const uint8_t *key, size_t n)
{
    uint64_t h = n;

    for (size_t i = 0; i < n; i += 8) {
        uint64_t word;
        __builtin_memcpy(&word, key + i, 8);
        unsigned __int128 p = (unsigned __int128)(h ^ word) * 0x9e3779b97f4a7c15;
        h = (uint64_t)p ^ (uint64_t)(p >> 64);
    }
    return h;
}

static void fill(struct baretick_object *o)
{
    for (unsigned i = 0; i < KEY; i++)
        ((uint8_t *)o->room)[i] = (uint8_t)(i * i);
}

/* The sum of all results, which each operation adds to. */
static const char *fnv1a_summed(const struct baretick_object *o, uint64_t operations)
{
    return o->counter == operations * fnv1a((const uint8_t *)o->room, KEY) ? NULL
                                                                           : "a hash is wrong";
}

static const char *folded_summed(const struct baretick_object *o, uint64_t operations)
{
    return o->counter == operations * folded((const uint8_t *)o->room, KEY) ? NULL
                                                                            : "a hash is wrong";
}

/* A byte waits for the multiplication of the one before. */
BARETICK_STATEMENT(hash, fnv1a, "FNV-1a of 1024 bytes", 10, .room = KEY, .setup = fill,
                   .check = fnv1a_summed, .unit = "byte", .units = KEY, .least_instructions = KEY)
{
    o->counter += fnv1a((const uint8_t *)o->room, KEY);
}

BARETICK_STATEMENT(hash, folded, "a hash of 1024 bytes, eight at a time", 100, .room = KEY,
                   .setup = fill, .check = folded_summed, .compared_with = "fnv1a", .unit = "byte",
                   .units = KEY, .least_instructions = KEY / 8)
{
    o->counter += folded((const uint8_t *)o->room, KEY);
}
