/* Rows as a person may bring them, in C; own.cc, own.asm, own.rs have the same. SUITE is given. */
#include "baretick.h"

#define ROW(...)       BARETICK_ROW(__VA_ARGS__)
#define STATEMENT(...) BARETICK_STATEMENT(__VA_ARGS__)

/* Without an empty body: a loop's own instructions run in parallel with a chain, not after it. */
static int chain(uint64_t n, struct baretick_object *o)
{
    uint64_t x = 3;

    (void)o;
    for (; n; n--)
        __asm__ volatile(".rept 10\n\timul %0, %0\n\t.endr" : "+r"(x) : : "cc");
    return 0;
}
ROW(SUITE, chain, "ten products, each of the one before", .body = chain, .ops = 500);

STATEMENT(SUITE, count, "++*x", 1000, .check = baretick_counted)
{
    o->counter++;
}

#ifdef BREAKS /* a row more */
#define BREAKABLE(...) BARETICK_BREAKABLE(__VA_ARGS__)
BREAKABLE(SUITE, breaks, "++*x, or every fourth time a break that adds it", 1000,
          (.check = baretick_counted), o->counter++, {
              uint64_t each[] = {4, 1};
              if (n % each[0] == each[1])
                  break;
              o->counter++;
          });
#endif

#define WORDS 512
static uint64_t expected; /* data of the object itself */

static void fill(struct baretick_object *o)
{
    uint64_t *room = (uint64_t *)o->room;

    expected = 0;
    for (uint64_t i = 0; i < WORDS; i++)
        expected += room[i] = i * 7 + 1;
}

static int sum(uint64_t n, struct baretick_object *o)
{
    const uint64_t *room = (const uint64_t *)o->room;

    for (; n; n--) {
        uint64_t total = 0;
        for (uint64_t i = 0; i < WORDS; i++)
            total += room[i];
        BARETICK_KEEP(total);
        o->counter = total;
        BARETICK_CLOBBER();
    }
    return 0;
}

static const char *summed(const struct baretick_object *o, uint64_t operations)
{
    (void)operations;
    return o->counter == expected ? NULL : "the sum is wrong";
}
ROW(SUITE, sum, "a pass over 512 words", .body = sum, .ops = 20, .room = WORDS * 8, .setup = fill,
    .check = summed, .unit = "byte", .units = WORDS * 8);
