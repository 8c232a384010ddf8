/* The object of made_program(), opened, and sets of its sections. */
#ifndef TESTS_OPENED_OBJECT_H
#define TESTS_OPENED_OBJECT_H

#include "lib/object/elf_place.h"
#include "tests/unit/made_object.h"
#include "tests/unit/says.h"
#include "tests/unit/text.h"

static struct made m;
static struct elf e;
static struct elf_set set;

static const struct elf_given givens[] = {{"memcpy", 0x7fff12345678}, {NULL, 0}};

static inline void begin(void)
{
    made_program(&m);
}

/* A copy of exactly its size: one byte too many is found. */
static inline bool opens(void)
{
    static uint8_t *copy;

    free(copy);
    copy = malloc(m.size ? m.size : 1);
    assert_non_null(copy);
    memcpy(copy, m.bytes, m.size);
    bool ok = elf_open(&e, "test.o", copy, m.size, text_sink());
    assert_true(ok == (text[0] == '\0'));
    return ok;
}

static inline void refused(const char *words)
{
    assert_false(opens());
    if (!strstr(text, words) || strncmp(text, "test.o: ", 8) != 0)
        fail_msg("\"%s\" does not say \"%s\"", text, words);
}

/* The section header at its place in the file. */
static inline uint8_t *header(unsigned section)
{
    return m.bytes + m.size - m.sections * 64 + section * 64;
}

static inline uint8_t *contents(unsigned section)
{
    return m.bytes + le64(header(section) + 24);
}

static struct elf_entry entry;

static inline bool adds(const char *symbol)
{
    struct elf_spot spot;

    assert_true(opens());
    elf_set_init(&set, &e, givens);
    return elf_find(&e, symbol, &spot, text_sink()) && elf_add(&set, spot, &entry, text_sink());
}

static inline void not_added(const char *words)
{
    assert_false(adds("f"));
    if (!strstr(text, words) || strncmp(text, "test.o: ", 8) != 0)
        fail_msg("\"%s\" does not say \"%s\"", text, words);
}

#endif
