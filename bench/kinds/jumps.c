#include "bench/kinds/chase.h"
#include "lib/text/mem.h"

#define LAP_JUMPS 2048        /* of a walk at least */
#define POSITIVE  0x7fffffffu /* an immediate is sign-extended */

/* An element: ADD RAX, imm32; JMP rel32. The last one of a lap: ADD RAX, imm32; DEC RCX; JNZ rel32;
 * RET (SDM vol. 2). */
static const uint8_t add[] = {0x48, 0x05}, jump[] = {0xe9},
                     again[] = {0x48, 0xff, 0xc9, 0x0f, 0x85}, back[] = {0xc3};

static uint64_t offset(const struct jumps *j, uint32_t element)
{
    return element * j->page + (uint64_t)element * JUMPS_LINE % j->page;
}

/* Returns the number that an element adds: different ones, of which no few have equal sums. */
static uint32_t number(uint32_t element)
{
    return (uint32_t)((element + 1) * 0x9e3779b97f4a7c15u >> 32) & POSITIVE;
}

static uint8_t *write(uint8_t *to, const void *bytes, size_t n)
{
    memcpy(to, bytes, n);
    return to + n;
}

/* Writes a distance from the end of its instruction to another element. */
static uint8_t *write_distance(const struct jumps *j, uint8_t *to, uint32_t element)
{
    int32_t distance = (int32_t)((int64_t)offset(j, element) - (to + sizeof distance - j->at));

    return write(to, &distance, sizeof distance);
}

static void write_element(const struct jumps *j, uint32_t t)
{
    uint32_t element = order_at(&j->order, t), next = order_at(&j->order, t + 1),
             adds = number(element);
    uint8_t *to = j->at + offset(j, element);
    bool last = t + 1 == j->n;

    to = write(write(to, add, sizeof add), &adds, sizeof adds);
    to = last ? write(to, again, sizeof again) : write(to, jump, sizeof jump);
    to = write_distance(j, to, next);
    if (last)
        (void)write(to, back, sizeof back);
}

void jumps_build(struct jumps *j, uint8_t *at, const uint8_t *code, uint64_t bytes, uint64_t page,
                 uint64_t seed)
{
    *j = (struct jumps){.at = at, .code = code, .page = page, .n = (uint32_t)(bytes / page)};
    order_init(&j->order, j->n, seed);
    for (uint32_t t = 0; t < j->n; t++) {
        write_element(j, t);
        j->sum += number(t);
    }
}

static const uint8_t *first(const struct jumps *j)
{
    return j->code + offset(j, order_at(&j->order, 0));
}

uint32_t jumps_check(const struct jumps *j)
{
    uint64_t sum;

    (void)jumps_walk(first(j), 1, &sum);
    return sum == j->sum ? j->n : 0;
}

bool jumps_time(const struct jumps *j, struct jumps_ticks *t)
{
    uint64_t laps = (LAP_JUMPS + j->n - 1) / j->n, once, twice;

    t->jumps = laps * j->n;
    (void)jumps_walk(first(j), laps, &once); /* as chase_warm() */
    t->once = jumps_walk(first(j), laps, &once);
    t->twice = jumps_walk(first(j), 2 * laps, &twice);
    return once == laps * j->sum && twice == 2 * laps * j->sum;
}
