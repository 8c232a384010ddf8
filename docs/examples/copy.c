/* memcpy of 64 to 4096 bytes: the program's own, and a loop over words of 16 bytes. */
#include "baretick.h"

#define FROM(o) ((const uint8_t *)(o)->room)
#define TO(o)   ((uint8_t *)(o)->room + 8192)
#define ROOM    (2 * 8192)

/* The program has a memcpy for you; what the compiler makes of this is a call of it. */
static void copy_by_call(void *to, const void *from, size_t n)
{
    __builtin_memcpy(to, from, n);
}

typedef uint64_t words __attribute__((vector_size(16), aligned(1), may_alias));

static void copy_words(void *to, const void *from, size_t n)
{
    for (size_t i = 0; i < n; i += sizeof(words))
        *(words *)((char *)to + i) = *(const words *)((const char *)from + i);
}

static void fill(struct baretick_object *o)
{
    for (unsigned i = 0; i < 8192; i++) {
        ((uint8_t *)o->room)[i] = (uint8_t)(7 * i + 1);
        TO(o)[i] = 0;
    }
}

static const char *copied(const struct baretick_object *o, unsigned n)
{
    for (unsigned i = 0; i < 8192; i++)
        if (TO(o)[i] != (i < n ? FROM(o)[i] : 0))
            return i < n ? "a byte was not copied" : "a byte was copied that should not be";
    return NULL;
}

/* A row of n bytes by `copy`. The size is hidden, as a caller's is that is not known. */
#define COPY(name_, copy_, n_)                                                                     \
    static const char *check_##name_##_##n_(const struct baretick_object *o, uint64_t operations)  \
    {                                                                                              \
        (void)operations;                                                                          \
        return copied(o, n_);                                                                      \
    }                                                                                              \
    BARETICK_STATEMENT(copy, name_##_##n_, "a copy of " #n_ " bytes", 1000, .room = ROOM,          \
                       .setup = fill, .check = check_##name_##_##n_, .unit = "byte", .units = n_)  \
    {                                                                                              \
        size_t n = n_;                                                                             \
        BARETICK_HIDE(n);                                                                          \
        copy_(TO(o), FROM(o), n);                                                                  \
    }

COPY(memcpy, copy_by_call, 64)
COPY(memcpy, copy_by_call, 512)
COPY(memcpy, copy_by_call, 4096)
COPY(words, copy_words, 64)
COPY(words, copy_words, 512)
COPY(words, copy_words, 4096)
