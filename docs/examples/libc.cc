/* Functions of the C library, and a template of C++'s. docs/own-code.md tells how to link it. */
#include "baretick.h"
#include <algorithm>
#include <math.h>
#include <string.h>

static const char *const text = "how long this is";
static const uint64_t words = 64;

BARETICK_STATEMENT(libc, memcpy_1000, "a copy of 1000 bytes", 100, .room = 4096,
                   .setup = [](baretick_object *o) { memset(o->room, 7, 1000); },
                   .check = [](const baretick_object *o, uint64_t) -> const char * {
                       auto room = static_cast<const char *>(o->room);
                       return memcmp(room, room + 2000, 1000) ? "the copy differs" : nullptr;
                   })
{
    size_t n = 1000;
    auto room = static_cast<char *>(o->room);
    BARETICK_HIDE(n);
    memcpy(room + 2000, room, n);
}

BARETICK_STATEMENT(libc, strlen_16, "the length of 16 characters", 100, .check = baretick_counted)
{
    const char *s = text;
    BARETICK_HIDE(s);
    o->counter += strlen(s) == 16;
}

BARETICK_STATEMENT(libc, sin_half, "the sine of 0.5", 100, .check = baretick_counted)
{
    double x = 0.5;
    BARETICK_HIDE(x);
    o->counter += fabs(sin(x) - 0.479425538604203) < 1e-15;
}

BARETICK_STATEMENT(libc, sort_64, "std::sort of 64 words", 10, .room = 4096,
                   .check = [](const baretick_object *o, uint64_t) -> const char * {
                       auto word = static_cast<const uint64_t *>(o->room);
                       for (uint64_t i = 0; i < words; i++)
                           if (word[i] != i)
                               return "not sorted";
                       return nullptr;
                   })
{
    auto word = static_cast<uint64_t *>(o->room);
    for (uint64_t i = 0; i < words; i++)
        word[i] = i * 29 % words;
    std::sort(word, word + words);
}
