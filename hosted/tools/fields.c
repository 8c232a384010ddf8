/*
 * Prints every field of a report that bench/api/fields/fields.def declares, one line of JSON each,
 * for scripts/build/fields. Exit 1: not all of it could be written.
 */
#include <stdio.h>
#include <string.h>
#define FIELDS_DECLARED
#include "bench/api/declare.h"
#include "lib/text/json.h"

struct declared {
    const char *table; /* not NULL: the following fields are in this table */
    const char *path;
    uint32_t type;
    const char *unit;
    const char *there; /* a word, and after a blank the condition, or the other member */
    const char *meaning;
};

static const struct declared declared[] = {
#define NEEDED                                       "needed"
#define PRESENT                                      "present"
#define WITH(other, ...)                             "with " other
#define WITHOUT(other, ...)                          "without " other
#define ABSENT(when, ...)                            "absent " when
#define ONLY(when, ...)                              "only " when
#define TABLE(name)                                  {.table = (name)},
#define FIELD(path, type, unit, there, meaning, ...) {NULL, path, type, unit, there, meaning},
#include "bench/api/fields/fields.def"
};

static void type_text(uint32_t type, char *text, size_t size)
{
    static const char *const words[] = {"string", "integer", "number", "boolean", "object", "null"};

    text[0] = '\0';
    for (; json_dimensions(type) > 0; type = json_element(type))
        strncat(text, "array of ", size - strlen(text) - 1);
    if (type & JSON_FRACTION)
        type &= ~JSON_INTEGER;
    const char *between = "";
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (!(type >> i & 1))
            continue;
        strncat(text, between, size - strlen(text) - 1);
        strncat(text, words[i], size - strlen(text) - 1);
        between = " or ";
    }
}

/* Returns the length of the innermost array. */
static unsigned length_of(uint32_t type)
{
    while (json_dimensions(type) > 1)
        type = json_element(type);
    return json_length(type);
}

static void show(const char *table, const struct declared *d, struct sink *out)
{
    size_t n = strcspn(d->there, " ");
    char type[80], there[16];
    struct json j;

    type_text(d->type, type, sizeof type);
    snprintf(there, sizeof there, "%.*s", (int)n, d->there);
    JSON_PUT_LINE(&j, out, JSON_IS("table", table), JSON_IS("path", d->path), JSON_IS("type", type),
                  JSON_NONZERO("length", length_of(d->type)),
                  JSON_IF((d->type & JSON_ABOVE_0) == JSON_ABOVE_0, "above_0", (bool)true),
                  JSON_IS("unit", d->unit), JSON_IS("there", there),
                  JSON_IS("when", d->there[n] ? d->there + n + 1 : NULL),
                  JSON_IS("meaning", d->meaning));
}

static void print(struct sink *self, const char *bytes, size_t n)
{
    (void)self;
    fwrite(bytes, 1, n, stdout);
}

int main(void)
{
    struct sink out = {print};
    const char *table = "";

    for (size_t i = 0; i < sizeof declared / sizeof declared[0]; i++) {
        if (declared[i].table)
            table = declared[i].table;
        else
            show(table, &declared[i], &out);
    }
    if (fflush(stdout) == 0 && !ferror(stdout))
        return 0;
    perror("fields: standard output");
    return 1;
}
