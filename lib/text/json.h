/*
 * One JSON Lines record of a baretick report:
 *   {"baretick":1,"seq":0,"type":"run",...,"crc":"1a2b3c4d"}\r\n
 * The crc is the CRC-32 (IEEE 802.3) of the line's bytes before the last `,"crc"`. Streamed:
 * nothing is buffered, a record may be of any length.
 */
#ifndef LIB_TEXT_JSON_H
#define LIB_TEXT_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lib/text/sink.h"

/*
 * The contents of a record: every field's path, its type, and when it is there. The writer checks
 * each written member, and each object as it is closed, against it.
 *
 * A path names the objects on the way, from the record's type on: "row.ticks.min". "[]" follows an
 * array, "row.modes[].share"; a "*" at the end matches any name.
 */

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
static inline unsigned json_length(uint32_t type)
{
    return json_dimensions(type) == 1 ? type >> 16 : 0;
}

/* Returns the name of the field at a path: what follows its last ".". */
const char *json_name(const char *path);

/* The fields of a shape that were written, one bit each. */
#define JSON_FIELDS 1024 /* the most of a shape */
struct json_seen {
    uint64_t bits[JSON_FIELDS / 64];
};

#define JSON_DEPTH 8 /* nested objects and arrays in one record, including the record itself */

#define JSON_PATH 80

/* The shape that records are checked against, and the first violation ("": the records keep to it):
 * the member's path, and the type that was written and is declared, or when it is declared to be
 * there. */
struct json_check {
    const struct json_shape *shape;
    struct json_shape now; /* the fields of the current record's type */
    struct json_seen seen; /* the fields that the record has */
    char odd[JSON_PATH + 64];
};

struct json {
    struct sink *out;
    uint32_t crc;   /* running, over all bytes written so far */
    unsigned depth; /* number of open objects and arrays */
    bool first[JSON_DEPTH];
    char close[JSON_DEPTH];
    struct json_check *check; /* NULL: no checks */
    size_t at;                /* in its shape: the index of the last member */
    char path[JSON_PATH];
    size_t here;              /* the length of the path with the last member's name */
    size_t under[JSON_DEPTH]; /* its length up to the members of each open object or array */
    uint32_t type[JSON_DEPTH];
};

void json_begin(struct json *j, struct sink *out, uint64_t seq, const char *type);
/* Checks this record from here on. A member that is not in the shape, or has another type there, is
 * still written. An object must have the members that the shape says, when it is closed. */
void json_expect(struct json *j, struct json_check *check, const char *type);
/* For json.c: check a member of `kind`, one of the types above, which is written next; what the
 * innermost open object lacks or must not have. */
void json_check_member(struct json *j, const char *name, uint32_t kind);
void json_check_close(struct json *j);
/* Closes everything open, writes the crc and CR LF. */
void json_end(struct json *j);

/* One object on a line, for tools: not a record, so without type, seq and crc, and terminated by
 * LF. */
void json_line_begin(struct json *j, struct sink *out);
void json_line_end(struct json *j);

/* Members of an object; name is NULL for an element of an array. Doubles: decimal.h, because
 * this unit is compiled for general registers only. */
void json_u64(struct json *j, const char *name, uint64_t v);
void json_i64(struct json *j, const char *name, int64_t v);
void json_bool(struct json *j, const char *name, bool v);
/* Writes an array of these as an element of an array. */
void json_u64s(struct json *j, const uint64_t v[], unsigned n);
/* Writes a member only if it is not zero. */
void json_nonzero(struct json *j, const char *name, uint64_t v);
/* UTF-8. A byte that is not part of a character is written as \u00XX, control characters are
 * escaped. NULL is an unknown value, as below. */
void json_str(struct json *j, const char *name, const char *s);

/* A member with its value, for json_put(). */
struct json_value {
    const char *name;
    enum { JSON_LAST, JSON_SKIPPED, JSON_UNSIGNED, JSON_SIGNED, JSON_TRUTH, JSON_TEXT } form;
    uint64_t value;
};
#define JSON_FORM(v)                                                                               \
    _Generic((v),                                                                                  \
        bool: JSON_TRUTH,                                                                          \
        char *: JSON_TEXT,                                                                         \
        const char *: JSON_TEXT,                                                                   \
        int: JSON_SIGNED,                                                                          \
        long: JSON_SIGNED,                                                                         \
        long long: JSON_SIGNED,                                                                    \
        default: JSON_UNSIGNED)
/* `v`: an integer, a bool or a string (as above); a comparison or a bit is an int without
 * JSON_BOOL. JSON_IF: omitted unless `there`; JSON_NONZERO: if it is 0. The value is evaluated in
 * any case. */
#define JSON_IS(name, v)                                                                           \
    {                                                                                              \
        name, JSON_FORM(v), (uint64_t)(uintptr_t)(v)                                               \
    }
#define JSON_IF(there, name, v)                                                                    \
    {                                                                                              \
        name, (there) ? JSON_FORM(v) : JSON_SKIPPED, (uint64_t)(uintptr_t)(v)                      \
    }
#define JSON_BOOL(name, v)    JSON_IS(name, (bool)(v))
#define JSON_NONZERO(name, v) JSON_IF((v) != 0, name, v)
/* Writes these members in order: JSON_PUT(j, JSON_IS("level", 2), JSON_IS("type", "data")).
 * JSON_PUT_OBJECT and JSON_PUT_LINE write an object and a line for tools that have them. */
#define JSON_PUT(j, ...)              json_put(j, (const struct json_value[]){__VA_ARGS__, {0}})
#define JSON_PUT_OBJECT(j, name, ...) JSON_OBJECT_OF(j, name, JSON_PUT(j, __VA_ARGS__))
#define JSON_PUT_LINE(j, out, ...)    JSON_LINE_OF(j, out, JSON_PUT(j, __VA_ARGS__))
/* The same, of what these expressions write; an array too. */
#define JSON_OBJECT_OF(j, name, ...) (json_object(j, name), __VA_ARGS__, json_close(j))
#define JSON_ARRAY_OF(j, name, ...)  (json_array(j, name), __VA_ARGS__, json_close(j))
#define JSON_LINE_OF(j, out, ...)    (json_line_begin(j, out), __VA_ARGS__, json_line_end(j))
/* Write an array, or an object, of what these expressions write for each i from 0 to n - 1. */
#define JSON_EACH(j, name, i, n, ...)    JSON_FOR(j, json_array, name, i, n, __VA_ARGS__)
#define JSON_MEMBERS(j, name, i, n, ...) JSON_FOR(j, json_object, name, i, n, __VA_ARGS__)
#define JSON_FOR(j, open, name, i, n, ...)                                                         \
    do {                                                                                           \
        open(j, name);                                                                             \
        for (unsigned i = 0; i < (n); i++)                                                         \
            __VA_ARGS__;                                                                           \
        json_close(j);                                                                             \
    } while (0)
void json_put(struct json *j, const struct json_value *values);

/* A string that is written piece by piece: what is written to `sink` is a part of it. Only
 * printable ASCII without quotes and backslashes, since nothing is escaped. */
struct json_text {
    struct sink sink;
    struct json *j;
};
void json_text_begin(struct json_text *t, struct json *j, const char *name);
void json_text_end(struct json_text *t);

/* Nesting deeper than JSON_DEPTH is a programming error and traps. */
void json_object(struct json *j, const char *name);
void json_array(struct json *j, const char *name);
void json_close(struct json *j); /* the innermost object or array, never the record itself */

/* For other kinds of values: json_member writes comma and name; then write the value, of this kind
 * above. */
void json_member(struct json *j, const char *name, uint32_t kind);
void json_raw(struct json *j, const char *bytes, size_t n);
/* Writes an unknown value: null in an array, nothing in an object. */
void json_unknown(struct json *j);

#endif
