/*
 * The allowed contents of a record: every field's path and type. json.h checks each written member
 * against it.
 *
 * A path names the objects on the way, from the record's type on: "row.ticks.min". "[]" follows an
 * array, "row.modes[].share"; a "*" at the end matches any name.
 */
#ifndef LIB_TEXT_JSON_SHAPE_H
#define LIB_TEXT_JSON_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A type: alternatives, joined by |. */
#define JSON_STRING   0x01U
#define JSON_INTEGER  0x02U /* a number without a fraction */
#define JSON_FRACTION 0x04U /* a number that may have one */
#define JSON_BOOLEAN  0x08U
#define JSON_OBJECT   0x10U
#define JSON_NULL     0x20U
#define JSON_NUMBER   (JSON_INTEGER | JSON_FRACTION)
#define JSON_KINDS    0xffU
/* An integer above 0, which others are divided by. */
#define JSON_ABOVE_0 (0x100U | JSON_INTEGER)
/* An array of such a type, of any length or of exactly `n`: "type" is that of the elements. */
#define JSON_ARRAY(type)    ((type) + 0x1000U)
#define JSON_TUPLE(n, type) (JSON_ARRAY(type) + ((n) << 16))

struct json_field {
    const char *path;
    uint32_t type;
};

struct json_shape {
    const struct json_field *field; /* the fields of an object follow it */
    size_t count;
};

/* Return the number of array levels of a type; the type of an array's elements; the required
 * length, 0: any. */
unsigned json_dimensions(uint32_t type);
uint32_t json_element(uint32_t type);
unsigned json_length(uint32_t type);

/* Whether a value of `kind`, one of the above or JSON_ARRAY(0), is allowed. */
bool json_allows(uint32_t type, uint32_t kind);

/* Returns the field at this path, NULL: none. `*at`: where the search begins, and where it ended;
 * records are written roughly in the order of their shape. */
const struct json_field *json_find(const struct json_shape *shape, const char *path, size_t *at);

#endif
