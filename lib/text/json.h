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
#include "lib/text/json_shape.h"
#include "lib/text/sink.h"

#define JSON_DEPTH 8 /* nested objects and arrays in one record, the record itself included */

#define JSON_PATH 80

/* What records are checked against, and the first member that is not as it says: its path and what
 * was written, "" while there is none. */
struct json_check {
    const struct json_shape *shape;
    char odd[JSON_PATH + 16];
};

struct json {
    struct sink *out;
    uint32_t crc;   /* running, over all that was written so far */
    unsigned depth; /* of open objects and arrays */
    bool first[JSON_DEPTH];
    char close[JSON_DEPTH];
    struct json_check *check; /* NULL: nothing is checked */
    size_t at;                /* in its shape: where the last member was found */
    char path[JSON_PATH];
    size_t here;              /* its length with the last member's name, ... */
    size_t under[JSON_DEPTH]; /* ... and up to the members of an open object or array */
    uint32_t type[JSON_DEPTH];
};

void json_begin(struct json *j, struct sink *out, uint64_t seq, const char *type);
/* Has all further members of this record checked. A member that is not in the shape, or has another
 * type there, is written all the same. */
void json_expect(struct json *j, struct json_check *check, const char *type);
/* Closes whatever is open, writes the crc and CR LF. */
void json_end(struct json *j);

/* One object on a line by itself, for tools: no record, so without type, seq and crc, and ended by
 * LF. */
void json_line_begin(struct json *j, struct sink *out);
void json_line_end(struct json *j);

/* Members of an object; name is NULL for an element of an array. Doubles: lib/decimal/json_f64.h,
 * since this room is compiled for general registers only. */
void json_u64(struct json *j, const char *name, uint64_t v);
void json_i64(struct json *j, const char *name, int64_t v);
void json_bool(struct json *j, const char *name, bool v);
/* UTF-8. A byte that is no part of a character is written as \u00XX, control characters are
 * escaped. NULL is a value that is not known, as below. */
void json_str(struct json *j, const char *name, const char *s);
/* Deeper than JSON_DEPTH is a mistake in the program and traps. */
void json_object(struct json *j, const char *name);
void json_array(struct json *j, const char *name);
void json_close(struct json *j); /* the innermost object or array, never the record itself */

/* For values that have no function here: json_member writes comma and name, then the value
 * comes, of this kind (json_shape.h). */
void json_member(struct json *j, const char *name, uint32_t kind);
void json_raw(struct json *j, const char *bytes, size_t n);
/* A value that is not known: null in an array, nothing in an object. */
void json_unknown(struct json *j);

#endif
