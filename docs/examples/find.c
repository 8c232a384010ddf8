/* A search over a range of lengths, in two ways. docs/own-code.md, "Arguments". */
#include "baretick.h"

static void fill(struct baretick_object *o)
{
    uint32_t *word = o->room;

    for (uint64_t i = 0; i < o->arg; i++)
        word[i] = (uint32_t)(3 * i);
}

BARETICK_STATEMENT(find, each, "the last of n words, one after the other", 20, .room = 1024 * 4,
                   .setup = fill, .check = baretick_counted,
                   .args = {.from = 4, .to = 1024, .multiply = 4})
{
    const uint32_t *word = o->room;
    uint64_t at = 0, wanted = 3 * (o->arg - 1);

    while (word[at] != wanted) {
        at++;
        BARETICK_HIDE(at);
    }
    o->counter += at == o->arg - 1;
}

BARETICK_STATEMENT(find, halves, "a word of n in order, by halves", 20, .room = 1024 * 4,
                   .setup = fill, .check = baretick_counted,
                   .args = {.from = 4, .to = 1024, .multiply = 4})
{
    const uint32_t *word = o->room;
    uint64_t low = 0, high = o->arg; /* what is state.range(0) there */
    uint64_t wanted = 3 * (o->arg - 1);

    while (high - low > 1) {
        uint64_t middle = (low + high) / 2;
        if (word[middle] <= wanted)
            low = middle;
        else
            high = middle;
    }
    o->counter += word[low] == wanted;
}
