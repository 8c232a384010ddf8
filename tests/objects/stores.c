/* Redundant stores and loads, for the tests of `baretick stores`. SUITE is given. */
#include "baretick.h"

#define ROW(...) BARETICK_ROW(__VA_ARGS__)

struct record {
    uint64_t word[8];
};

static void load_all(const struct record *r)
{
    for (unsigned i = 0; i < 8; i++)
        BARETICK_KEEP(r->word[i]);
}

/* Bytes from `from` on are cleared, the first half written again; all are read. */
#define CLEARED(function, from)                                                                    \
    static int function(uint64_t n, struct baretick_object *o)                                     \
    {                                                                                              \
        struct record *r = (struct record *)o->room;                                               \
        for (; n; n--) {                                                                           \
            __builtin_memset((char *)r + (from), 0, sizeof *r - (from));                           \
            BARETICK_CLOBBER();                                                                    \
            __builtin_memset(r, 1, sizeof *r / 2);                                                 \
            BARETICK_CLOBBER();                                                                    \
            load_all(r);                                                                           \
            BARETICK_CLOBBER();                                                                    \
        }                                                                                          \
        return 0;                                                                                  \
    }
CLEARED(half, 0)
CLEARED(half_cure, sizeof *r / 2)
ROW(SUITE, half, "a memset of 64 bytes of which 32 are dead", .body = half, .ops = 100, .room = 64);
ROW(SUITE, half_cure, "a memset of the 32 bytes that nobody else writes", .body = half_cure,
    .ops = 100, .room = 64);

#define COPIED(function, then)                                                                     \
    static int function(uint64_t n, struct baretick_object *o)                                     \
    {                                                                                              \
        struct record *r = (struct record *)o->room;                                               \
        for (; n; n--) {                                                                           \
            r[1] = r[0];                                                                           \
            BARETICK_CLOBBER();                                                                    \
            then;                                                                                  \
        }                                                                                          \
        return 0;                                                                                  \
    }
COPIED(copied, (void)0)
COPIED(copied_cure, load_all(&r[1]); BARETICK_CLOBBER())
ROW(SUITE, copied, "a struct of 64 bytes copied, and the copy never read", .body = copied,
    .ops = 100, .room = 128);
ROW(SUITE, copied_cure, "the same, and the copy is read", .body = copied_cure, .ops = 100,
    .room = 128);

static int counter(uint64_t n, struct baretick_object *o)
{
    uint64_t *count = (uint64_t *)o->room;

    for (uint64_t i = 1; i <= n; i++) {
        *count = i;
        BARETICK_CLOBBER();
    }
    BARETICK_KEEP(*count);
    return 0;
}
ROW(SUITE, counter, "a counter that is written in each iteration and read once", .body = counter,
    .ops = 100, .room = 8);

static int counter_cure(uint64_t n, struct baretick_object *o)
{
    uint64_t *count = (uint64_t *)o->room, i = 0;

    while (i < n) {
        i++;
        BARETICK_KEEP(i);
    }
    *count = i;
    BARETICK_CLOBBER();
    BARETICK_KEEP(*count);
    return 0;
}
ROW(SUITE, counter_cure, "a counter in a register, written once", .body = counter_cure, .ops = 100,
    .room = 8);
