/* Rows of ctype.c and split.c. */
#include "bench/suites/compiler/rows.h"

static void make_table(struct object *o)
{
    (void)o;
    compiler_fill_tolower_table();
}

static uint64_t lowered(void)
{
    static const char text[] = COMPILER_UPPER;
    uint64_t sum = 0;

    for (const char *c = text; *c; c++)
        sum += (uint64_t)(*c >= 'A' && *c <= 'Z' ? *c - 'A' + 'a' : *c);
    return sum;
}

ADDED(texts_added, lowered())

/* Least instructions of the cures: one look-up per letter; one comparison per character of the
 * shortest field. */
TRAP_AND_CURE(ctype, sizeof COMPILER_UPPER - 1,
              "tolower of \"" COMPILER_UPPER "\" by the library's table: 7 look-ups",
              "tolower of a hidden \"" COMPILER_UPPER "\" by the library's table: 10 look-ups, "
              "their loop included",
              .setup = make_table, .check = texts_added);

/* Fields of 3 to 7 characters. */
#define SHORTEST 3
static unsigned length(unsigned i)
{
    return SHORTEST + 37 * i % 5;
}

static void write_fields(struct object *o)
{
    char *to = o->room;

    for (unsigned i = 0; i < PASS; i++) {
        for (unsigned j = 0; j < length(i); j++)
            *to++ = (char)('a' + (i + j) % 26);
        *to++ = COMPILER_SEPARATOR;
    }
    *to = 0;
}

ADDED(lengths_added, length(i))

TRAP_AND_CURE(split_plain, SHORTEST, "the next field of a text: another splitter in the file",
              "the next field of a text: no other splitter in the file", .setup = write_fields,
              .check = lengths_added);
TRAP_AND_CURE(split_quoted, SHORTEST,
              "the next field of a text with quotes: another splitter in the file",
              "the next field of a text with quotes: no other splitter in the file",
              .setup = write_fields, .check = lengths_added);
