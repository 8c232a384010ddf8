/*
 * The declarations of fields.def as code: a function that writes a record includes the .def of that
 * record, and each declaration there writes its field. The function has `struct json *j`, and the
 * variables that the declarations name.
 */
#ifndef BENCH_API_FIELDS_WRITTEN_H
#define BENCH_API_FIELDS_WRITTEN_H

#include "bench/api/declare.h"
#include "lib/text/decimal.h"
#include "lib/text/json.h"

#define NEEDED                true
#define PRESENT               true
#define WITH(member, when)    (when)
#define WITHOUT(member, when) (when)
#define ABSENT(words, when)   (when)
#define ONLY(words, when)     (when)

/* A comparison is an int in C; it is written as true or false where a BOOLEAN is declared. */
#define WRITE_WHOLE(type, function) __builtin_choose_expr((type) == BOOLEAN, write_bool, function)
/* A figure in floating point has its decimals after it. */
#define WRITE(type, name, value, decimals, ...)                                                    \
    _Generic((value),                                                                              \
        double: json_f64,                                                                          \
        char *: write_text,                                                                        \
        const char *: write_text,                                                                  \
        int: WRITE_WHOLE(type, write_signed),                                                      \
        long: write_signed,                                                                        \
        long long: write_signed,                                                                   \
        default: WRITE_WHOLE(type, write_unsigned))(j, name, value, decimals)

static inline void write_bool(struct json *j, const char *name, bool value, int decimals)
{
    (void)decimals;
    json_bool(j, name, value);
}

static inline void write_text(struct json *j, const char *name, const char *text, int decimals)
{
    (void)decimals;
    json_str(j, name, text);
}

static inline void write_signed(struct json *j, const char *name, int64_t value, int decimals)
{
    (void)decimals;
    json_i64(j, name, value);
}

static inline void write_unsigned(struct json *j, const char *name, uint64_t value, int decimals)
{
    (void)decimals;
    json_u64(j, name, value);
}

#define TABLE(name)
#define DECLARE(...)
#define WRITTEN_BY(call) call;
#define FIELD(path, type, unit, there, meaning, ...)                                               \
    if (there)                                                                                     \
        WRITE(type, json_name(path), __VA_ARGS__, 0, 0);
#define LIST(path, type, unit, there, meaning, each, ...)                                          \
    if (there) {                                                                                   \
        json_array(j, json_name(path));                                                            \
        for (each)                                                                                 \
            WRITE(type, NULL, __VA_ARGS__, 0, 0);                                                  \
        json_close(j);                                                                             \
    }
/* The same, of values that `call` writes, each as an element. */
#define LIST_BY(path, type, unit, there, meaning, each, call)                                      \
    if (there) {                                                                                   \
        json_array(j, json_name(path));                                                            \
        for (each)                                                                                 \
            call;                                                                                  \
        json_close(j);                                                                             \
    }
#define BEGIN_OBJECT(path, there, meaning)                                                         \
    if (there) {                                                                                   \
        json_object(j, json_name(path));
#define END_OBJECT                                                                                 \
    json_close(j);                                                                                 \
    }
#define BEGIN_EACH(path, there, meaning, each)                                                     \
    if (there) {                                                                                   \
        json_array(j, json_name(path));                                                            \
        for (each) {                                                                               \
            json_object(j, NULL);
#define END_EACH                                                                                   \
    json_close(j);                                                                                 \
    }                                                                                              \
    json_close(j);                                                                                 \
    }

#endif
