#include "bench/api/report.h"
#define FIELDS_DECLARED
#include "bench/api/declare.h"

#define NEEDED               JSON_ALWAYS
#define PRESENT              JSON_ALWAYS
#define WITH(member, ...)    JSON_WITH(member)
#define WITHOUT(member, ...) JSON_WITHOUT(member)
#define ABSENT(words, ...)   JSON_SOMETIMES
#define ONLY(words, ...)     JSON_SOMETIMES

static const struct json_field fields[] = {
#define TABLE(name)
#define FIELD(path, type, unit, there, meaning, ...) {path, type, there},
#include "bench/api/fields/fields.def"
#undef FIELD
};

_Static_assert(sizeof fields / sizeof fields[0] <= JSON_FIELDS, "struct json_seen is too small");

/* A field without a sentence does not compile. */
#define FIELD(path, type, unit, there, meaning, ...)                                               \
    _Static_assert(sizeof(meaning) > 1, path ": its meaning is missing");
#include "bench/api/fields/fields.def"

const struct json_shape report_shape = {fields, sizeof fields / sizeof fields[0]};
