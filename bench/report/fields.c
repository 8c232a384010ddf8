#include "bench/report/fields.h"
#include "bench/report/declare.h"

static const struct json_field fields[] = {
#define TABLE(name)
#define FIELD(path, type, unit, there, meaning) {path, type},
#include "bench/report/fields.def"
#undef FIELD
#undef TABLE
};

const struct json_shape report_shape = {fields, sizeof fields / sizeof fields[0]};
