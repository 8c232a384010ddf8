/*
 * Declarations of fields, as in bench/api/fields/fields.def, for files that include a .def:
 *
 * - as code, unless FIELDS_DECLARED is defined. A function that writes a record includes the .def
 *   of that record, and each declaration there writes its field. The function has `struct json *j`,
 *   and the variables that the declarations name.
 * - with FIELDS_DECLARED as whatever FIELD() is; the file defines it, NEEDED, PRESENT, WITH(),
 *   WITHOUT(), ABSENT() and ONLY().
 */
#ifndef LIB_TEXT_FIELDS_H
#define LIB_TEXT_FIELDS_H

#include "lib/text/decimal.h"
#include "lib/text/json.h"

#define STRING      JSON_STRING
#define INTEGER     JSON_INTEGER
#define ABOVE_0     JSON_ABOVE_0
#define NUMBER      JSON_NUMBER
#define BOOLEAN     JSON_BOOLEAN
#define OBJECT      JSON_OBJECT
#define NOTHING     JSON_NULL
#define ARRAY(type) JSON_ARRAY(type)
#define TUPLE       JSON_TUPLE

#ifdef FIELDS_DECLARED

#define DECLARE(...) FIELD(__VA_ARGS__)
#define WRITTEN_BY(call)
#define LIST(...)                             FIELD(__VA_ARGS__)
#define LIST_BY(...)                          FIELD(__VA_ARGS__)
#define TEXT(...)                             FIELD(__VA_ARGS__)
#define LIST_TEXT(...)                        FIELD(__VA_ARGS__)
#define BEGIN_OBJECT(path, there, meaning)    FIELD(path, OBJECT, "", there, meaning)
#define BEGIN_EACH(path, there, meaning, ...) FIELD(path, ARRAY(OBJECT), "", there, meaning)
#define END_OBJECT
#define END_EACH

#else

#define NEEDED                      true
#define PRESENT                     true
#define WITH(member, when)          (when)
#define WITHOUT(member, when)       (when)
#define ABSENT(words, when)         (when)
#define ONLY(words, when)           (when)

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
#define LIST_BY(path, type, unit, there, meaning, each, ...)                                       \
    if (there) {                                                                                   \
        json_array(j, json_name(path));                                                            \
        for (each)                                                                                 \
            __VA_ARGS__;                                                                           \
        json_close(j);                                                                             \
    }
/* Text that `put` writes to struct sink *out, which hides a variable of that name. */
#define TEXT(path, type, unit, there, meaning, put)                                                \
    if (there)                                                                                     \
    WRITE_TEXT(json_name(path), put)
/* A list of such texts. */
#define LIST_TEXT(path, type, unit, there, meaning, each, put)                                     \
    if (there) {                                                                                   \
        json_array(j, json_name(path));                                                            \
        for (each)                                                                                 \
            WRITE_TEXT(NULL, put)                                                                  \
        json_close(j);                                                                             \
    }
#define WRITE_TEXT(name, put)                                                                      \
    {                                                                                              \
        struct json_text text;                                                                     \
        struct sink *out = &text.sink;                                                             \
        json_text_begin(&text, j, name);                                                           \
        put;                                                                                       \
        json_text_end(&text);                                                                      \
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

#endif
