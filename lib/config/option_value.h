/*
 * The value of an option: its kind, its bounds, how a word becomes a value and a value a word.
 */
#ifndef LIB_CONFIG_OPTION_VALUE_H
#define LIB_CONFIG_OPTION_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lib/text/sink.h"
#include "lib/config/choices.h"

#define OPTIONS_LIST_MAX  256 /* bytes of a suite= or bench= list, including the NUL */
#define OPTION_ONE        1000000
#define OPTION_THOUSANDTH (OPTION_ONE / 1000)

enum option_kind {
    OPTION_LIST,  /* globs, char[OPTIONS_LIST_MAX] */
    OPTION_FILES, /* globs, or in a process a path: char[OPTIONS_LIST_MAX] */
    OPTION_CORES, /* char[CORE_LIST_TEXT] */
    OPTION_NUMBER,
    OPTION_NUMBER_OR_WORD, /* the word is the default and is stored as 0 */
    OPTION_FRACTION, /* of 1, with a point, or whole thousandths; stored in parts of OPTION_ONE */
    OPTION_CHOICE,   /* an enum; `values` has its words in its order */
    OPTION_TIMERS,
    OPTION_SERIAL,
    OPTION_UPLOAD
};

/* A key: its name, values, default and meaning as one line each (the documentation's table), and
 * how and where its value is stored. */
struct option_doc {
    const char *key, *values, *standard, *meaning;
    const char *former; /* the key's former name, which is still accepted; NULL: none */
    uint32_t methods;   /* bits of enum method: methods that use it; 0: independent of method= */
    struct {
        enum option_kind kind;
        size_t field;       /* offset in struct options */
        uint32_t low, high; /* of a number */
    } takes;
};

/* Room for a value as a word: a list of timers, the longest word of a choice, a number or
 * SERIAL_CHOICE_TEXT. */
#define OPTION_VALUE_TEXT TIMER_LIST_TEXT

/* Sets the field of `options` (a struct options) from a word's value. Returns false, with the field
 * possibly changed, if the value is not allowed. */
bool option_value_take(void *options, const struct option_doc *k, const char *text);

/* Writes which values are allowed, and which one may be meant by `text`, the refused value. */
void option_value_explain(const struct option_doc *k, const char *text, struct sink *err);

/* Returns the value as in a word. It may be in `text`, and for a list in `options`. */
const char *option_value_text(const void *options, const struct option_doc *k,
                              char text[OPTION_VALUE_TEXT]);

/* Returns true if the value is a number, which is then in *number. */
bool option_value_number(const void *options, const struct option_doc *k, uint32_t *number);

#endif
