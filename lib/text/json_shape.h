/*
 * The contents of a record: every field's path, its type, and when it is there. json.h checks each
 * written member, and each object as it is closed, against it.
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

/* When an object has a field: sometimes (not checked); always; if it has this member, and never
 * without it; if it lacks this member, and never with it. */
#define JSON_SOMETIMES       ""
#define JSON_ALWAYS          "always"
#define JSON_WITH(member)    "with " member
#define JSON_WITHOUT(member) "without " member

struct json_field {
    const char *path;
    uint32_t type;
    const char *there; /* one of these */
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

/* Returns whether a value of `kind`, one of the above or JSON_ARRAY(0), is allowed. */
bool json_allows(uint32_t type, uint32_t kind);

/* Returns the fields of one type of record, and what is between them. `type` ends in ".". */
struct json_shape json_shape_of(const struct json_shape *shape, const char *type);

/* Returns the field at this path, NULL: none. `*at`: where the search begins, and where it ended;
 * records are written roughly in the order of their shape. */
const struct json_field *json_find(const struct json_shape *shape, const char *path, size_t *at);

/* The fields of a shape that were written, one bit each. */
#define JSON_FIELDS 1024 /* the most of a shape */
struct json_seen {
    uint64_t bits[JSON_FIELDS / 64];
};

void json_seen_add(struct json_seen *seen, size_t field);
/* `inside`: the path of an object with its last ".". Forgets what was written in it. */
void json_seen_forget(struct json_seen *seen, const struct json_shape *shape, const char *inside);
/* Returns the first member that this object lacks or must not have, NULL: none. *has: which. */
const struct json_field *json_seen_amiss(const struct json_seen *seen,
                                         const struct json_shape *shape, const char *inside,
                                         bool *has);

#endif
