#include "bench/kinds/chase.h"
#include "lib/text/mem.h"

#define PAGE      4096
#define IN_PAGE   536 /* of a store that is followed by a load: in the middle of a line */
#define CHECKED   128 /* operations */
#define VALUE     0x0123456789abcdefu
#define WORD      sizeof(uint64_t)
#define NEAR_FROM (PAGE + IN_PAGE)

_Static_assert(NEAR_FROM + NEAR_LEAST >= 0 && NEAR_FROM + NEAR_MOST + (int)WORD <= NEAR_BYTES &&
                   CHECKED % NEAR_UNROLL == 0,
               "a place does not fit its memory");

void near_build(struct near_place *p, enum bench_load load, uint8_t *at, int32_t offset)
{
    bool alias = load == BENCH_ALIAS;

    *p = (struct near_place){.load = load};
    p->store = alias ? at + NEAR_FROM : at + offset;
    p->at = alias ? p->store + offset : p->store;
    uint64_t self = (uint64_t)p->at;
    memset(at, 0, NEAR_BYTES);
    if (load == BENCH_SPLIT_LOAD) /* it points to itself */
        memcpy(p->at, &self, sizeof self);
}

static uint64_t walk(const struct near_place *p, uint64_t operations, uint64_t *value)
{
    static near_walk *const walks[] = {
        [BENCH_SPLIT_STORE] = near_store,
        [BENCH_ALIAS] = near_alias,
    };
    void *const *end;

    if (p->load != BENCH_SPLIT_LOAD)
        return walks[p->load](p->store, p->at, operations / NEAR_UNROLL, value);
    uint64_t ticks =
        chase_walk((void *const *)(const void *)p->at, operations / CHASE_UNROLL, &end);
    *value = (uint64_t)end;
    return ticks;
}

/* Returns the value that the operations leave, computed without them: on a copy of the bytes that
 * the store and the load have in common. */
static uint64_t expected(const struct near_place *p, uint64_t operations, uint64_t value)
{
    uint8_t bytes[3 * WORD] = {0};
    int64_t apart = p->at - p->store;
    bool overlap = apart > -(int64_t)WORD && apart < (int64_t)WORD;

    if (p->load == BENCH_SPLIT_LOAD)
        return (uint64_t)p->at;
    if (p->load == BENCH_SPLIT_STORE)
        return value;
    for (uint64_t i = 0; i < operations; i++) {
        memcpy(bytes + WORD, &value, WORD);
        value = 0;
        if (overlap)
            memcpy(&value, bytes + (int64_t)WORD + apart, WORD);
    }
    return value;
}

uint64_t near_check(const struct near_place *p)
{
    uint64_t value = VALUE, stored = 0, want = expected(p, CHECKED, VALUE),
             before = expected(p, CHECKED - 1, VALUE);

    (void)walk(p, CHECKED, &value);
    memcpy(&stored, p->store, WORD);
    if (p->load == BENCH_SPLIT_LOAD || p->load == BENCH_SPLIT_STORE)
        before = want;
    return value == want && stored == before ? CHECKED : 0;
}

uint64_t near_time(const struct near_place *p, uint64_t operations)
{
    uint64_t value = VALUE;

    return walk(p, operations, &value);
}
