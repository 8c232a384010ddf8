#include "bench/api/schema.h"
#include "bench/api/declare.h"

#define NEEDED       JSON_ALWAYS
#define PRESENT      JSON_ALWAYS
#define WITH         JSON_WITH
#define WITHOUT      JSON_WITHOUT
#define ABSENT(when) JSON_SOMETIMES
#define ONLY(when)   JSON_SOMETIMES

static const struct json_field fields[] = {
#define TABLE(name)
#define FIELD(path, type, unit, there, meaning) {path, type, there},
#include "bench/api/fields/fields.def"
#undef FIELD
};

_Static_assert(sizeof fields / sizeof fields[0] <= JSON_FIELDS, "struct json_seen is too small");

/* A field without a sentence does not compile. */
#define FIELD(path, type, unit, there, meaning)                                                    \
    _Static_assert(sizeof(meaning) > 1, path ": its meaning is missing");
#include "bench/api/fields/fields.def"

const struct json_shape report_shape = {fields, sizeof fields / sizeof fields[0]};
