/*
 * The words of baretick: key=value, `help`, `list`, `dump`, `datasheet`. One table in options.c has
 * the keys, their allowed values and their meaning; parsing, error messages, `help`, baretick.conf
 * and the table in the documentation come from it.
 */
#ifndef LIB_CONFIG_OPTIONS_H
#define LIB_CONFIG_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lib/config/choices.h"
#include "lib/text/sink.h"

#define OPTIONS_LIST_MAX  256 /* bytes of a suite= or bench= list, including the NUL */
#define OPTION_ONE        1000000
#define OPTION_THOUSANDTH (OPTION_ONE / 1000)

/* The words that `datasheet` sets, a NULL after the last. The suites define them
 * (bench/suites/datasheet.c). */
extern const char *const datasheet_words[];

#define ROUNDS_MOST 64

#define TABLE_ROWS_AUTO 32 /* number of selected rows from which table=auto groups */

#define HIST_CAP 256 /* bins of hist=capped, the fullest */

/* samples=auto, in windows. docs/literature.md, "plain": N = 2048 */
#define SAMPLES_AUTO       2048
#define SAMPLES_AUTO_EXACT 64 /* if every sample is the same number */
/* ensembles=auto and size=auto; published are 1000 of 100000 windows. */
#define ENSEMBLES_AUTO       100
#define ENSEMBLES_AUTO_EXACT 4
#define SIZE_AUTO            1000
#define SIZE_AUTO_EXACT      16

/* quiet_time=auto, in seconds: several of a firmware's periodic SMIs, if any. */
#define QUIET_TIME_AUTO 10

/* The words and enums of each option with several alternatives. */
/* The methods, which compute figures from windows. All but doubled are from the literature
 * (docs/literature.md; bench/engine/method.h). */
#define METHOD_CHOICES(WORD)                                                                       \
    WORD(METHOD_DOUBLED, "doubled")                                                                \
    WORD(METHOD_PLAIN, "plain")                                                                    \
    WORD(METHOD_KBEST, "kbest")                                                                    \
    WORD(METHOD_ENSEMBLES, "ensembles")                                                            \
    WORD(METHOD_ADAPTIVE, "adaptive")

enum method { METHOD_CHOICES(WORD_ID) METHOD_COUNT };

extern const char *const method_names[METHOD_COUNT];

/* Auto is both; in a process it is a table on a terminal and records elsewhere. */
#define FORMAT_CHOICES(WORD)                                                                       \
    WORD(FORMAT_AUTO, "auto")                                                                      \
    WORD(FORMAT_BOTH, "both")                                                                      \
    WORD(FORMAT_TABLE, "table")                                                                    \
    WORD(FORMAT_JSONL, "jsonl")                                                                    \
    WORD(FORMAT_LINES, "lines")
enum format { FORMAT_CHOICES(WORD_ID) };

#define TABLE_CHOICES(WORD)                                                                        \
    WORD(TABLE_AUTO, "auto") WORD(TABLE_ROWS, "rows") WORD(TABLE_GROUPED, "grouped")
enum table { TABLE_CHOICES(WORD_ID) };

#define HIST_CHOICES(WORD) WORD(HIST_CAPPED, "capped") WORD(HIST_FULL, "full") WORD(HIST_OFF, "off")
enum hist { HIST_CHOICES(WORD_ID) };

#define FINISH_CHOICES(WORD)                                                                       \
    WORD(FINISH_AUTO, "auto")                                                                      \
    WORD(FINISH_HALT, "halt")                                                                      \
    WORD(FINISH_REBOOT, "reboot")                                                                  \
    WORD(FINISH_POWEROFF, "poweroff")                                                              \
    WORD(FINISH_RETURN, "return")
enum finish { FINISH_CHOICES(WORD_ID) };

#define CACHES_CHOICES(WORD) WORD(CACHES_KEEP, "keep") WORD(CACHES_CLEAR, "clear")
enum caches { CACHES_CHOICES(WORD_ID) };

#define COMPENSATE_CHOICES(WORD) WORD(COMPENSATE_OFF, "off") WORD(COMPENSATE_ON, "on")
enum compensate_choice { COMPENSATE_CHOICES(WORD_ID) };

#define SETTING_CHOICES(WORD) WORD(SETTING_KEEP, "keep") WORD(SETTING_OFF, "off")
enum setting { SETTING_CHOICES(WORD_ID) };

#define FREQ_CHOICES(WORD) WORD(FREQ_KEEP, "keep") WORD(FREQ_BASE, "base") WORD(FREQ_MAX, "max")
enum freq { FREQ_CHOICES(WORD_ID) };

#define INSTRUCTIONS_CHOICES(WORD) WORD(INSTRUCTIONS_AUTO, "auto") WORD(INSTRUCTIONS_OFF, "off")
enum instructions { INSTRUCTIONS_CHOICES(WORD_ID) };

#define LAYOUT_CHOICES(WORD)                                                                       \
    WORD(LAYOUT_SHUFFLE, "shuffle")                                                                \
    WORD(LAYOUT_FIXED, "fixed")                                                                    \
    WORD(LAYOUT_SWEEP, "sweep")
enum layout { LAYOUT_CHOICES(WORD_ID) };

#define SHARE_CHOICES(WORD) WORD(SHARE_ALONE, "alone") WORD(SHARE_TOGETHER, "together")
enum share { SHARE_CHOICES(WORD_ID) };

#define PARK_CHOICES(WORD) WORD(PARK_HLT, "hlt") WORD(PARK_MWAIT, "mwait") WORD(PARK_DEEP, "deep")
enum park { PARK_CHOICES(WORD_ID) };

extern const char *const park_names[];

#define CONSOLE_CHOICES(WORD)                                                                      \
    WORD(CONSOLE_AUTO, "auto")                                                                     \
    WORD(CONSOLE_SERIAL, "serial")                                                                 \
    WORD(CONSOLE_SCREEN, "screen")                                                                 \
    WORD(CONSOLE_BOTH, "both")
enum console_choice { CONSOLE_CHOICES(WORD_ID) };

#define TAKEOVER_CHOICES(WORD)                                                                     \
    WORD(TAKEOVER_AUTO, "auto")                                                                    \
    WORD(TAKEOVER_EXIT, "exit")                                                                    \
    WORD(TAKEOVER_BORROW, "borrow")
enum takeover { TAKEOVER_CHOICES(WORD_ID) };

struct options {
    bool help, list, dump;
    uint64_t given; /* keys that a word has set: bits in the order of options_docs() */
    char suite[OPTIONS_LIST_MAX]; /* globs, comma-separated; "*" is the default */
    char bench[OPTIONS_LIST_MAX];
    char objects[OPTIONS_LIST_MAX]; /* "on", "off", globs; in a process a folder or file */
    uint32_t samples;               /* windows per row; 0: auto */
    uint32_t rounds; /* passes over the row list; each row's windows are spread across them */
    uint32_t warmup; /* maximum number of warm-up blocks before sampling */
    enum recipe recipe;
    enum method method;
    uint32_t k, epsilon, most;         /* kbest: K, in OPTION_ONE, maximum number of samples */
    enum compensate_choice compensate; /* kbest: timer interrupts are subtracted */
    uint32_t ensembles, size;          /* ensembles: M of N windows; 0: auto */
    uint32_t target;                   /* adaptive: microseconds */
    enum caches caches;
    enum instructions instructions; /* count an operation's instructions by single-stepping */
    struct timer_list clock;        /* of enum clock_id */
    struct timer_list
        cycle; /* of enum cycle_id; of both lists the first that initialises is used */
    enum layout layout;
    uint32_t seed;              /* of the placements */
    uint32_t retry_budget;      /* limit for repeating shared blocks: a multiple of the row's */
    char cores[CORE_LIST_TEXT]; /* text for core_list_parse() */
    enum share share;
    enum park park;
    enum setting turbo, prefetch, dma;
    enum freq freq;
    uint32_t quiet_time; /* seconds for which all cores watch for gaps; 0: auto */
    uint32_t gaps_max;   /* microseconds; a longer gap fails the run; 0: none does */
    uint32_t time;       /* of suite insn, seconds */
    uint32_t deadline;   /* for a row, seconds */
    enum format format;
    enum table table;
    enum hist hist;
    enum console_choice console;
    struct serial_choice serial;
    enum finish finish;
    enum takeover takeover;
    struct upload_choice upload; /* where the report of a borrowed machine is sent */
    uint32_t once;               /* identifies a run of `scripts/baretick once`; 0: another start */
};

/* --- the value of an option (option_value.c) -------------------------------------------------- */

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

/* --- all of them ------------------------------------------------------------------------------ */

void options_default(struct options *o);

/*
 * Parses the text of one source. `bytes` is a file: UTF-8 or UTF-16LE/BE, with or without a BOM, LF
 * or CRLF, `#` comments to the end of the line, words separated by blanks. A word, or the part of
 * it after `=`, may be in double quotes. Later words win. At the first wrong word, `err` gets one
 * line without a line end, in which `source` is the name before the comma:
 *   baretick.conf, line 3: "samples=99999999": samples takes auto or a number from 16 to 1000000
 * and false is returned; o is then undefined.
 */
bool options_parse_file(struct options *o, const void *bytes, size_t n, const char *source,
                        struct sink *err);

/* Checks, after all sources, for words that exclude each other. False: a message on err names both,
 * and what is allowed. */
bool options_check_pairs(const struct options *o, struct sink *err);

enum load_options {
    LOAD_OPTIONS_NONE,
    LOAD_OPTIONS_OURS,
    LOAD_OPTIONS_FOREIGN,
    LOAD_OPTIONS_WRONG
};

/*
 * Parses (load_options.c) load options from the firmware: the same language, in the same encodings,
 * up to the first NUL. They are ours if they begin with the program's own name (a last path
 * component of `own_name`, which may be NULL, "baretick" or "bootx64", with or without ".efi", any
 * case; that word is then dropped) or if one word is ours (a known key before '=', or help, list or
 * dump). Then every word must be right (OURS, or WRONG with a message on err as above, "load
 * options, word 2: ..."; with several lines, the line; *o then has the words before it). Otherwise
 * they are another program's: FOREIGN, nothing is changed, and `quote` gets them as printable ASCII
 * (at most quote_size bytes, including the NUL; `\xNN` for others, "..." if truncated). Empty, or
 * only NULs and blanks: NONE. In all other cases `quote` is empty. Load options have only one text;
 * after a NUL there is the firmware's padding.
 */
enum load_options options_parse_load(struct options *o, const void *bytes, size_t n,
                                     const char *own_name, char *quote, size_t quote_size,
                                     struct sink *err);

/* The kinds of rows in a run. */
struct options_rows {
    bool windows; /* some have windows, which give a figure */
    bool watches; /* some look for gaps */
    bool forms;   /* suite insn is among them */
    bool curves;  /* some measure curves over sizes, whose orders and places are drawn from seed= */
};

/* Returns true if a word set this key. */
bool options_give(const struct options *o, const char *key);

/*
 * Finds keys that a word has set and that have no effect with these rows or the other words, which
 * the message names:
 *   warmup= has no effect with method=kbest: it needs method=doubled and method=plain
 * `tell` is called once for each.
 */
void options_without_effect(const struct options *o, const struct options_rows *rows,
                            void (*tell)(void *ctx, const char *message), void *ctx);

/* Points to all keys, in the order of help; returns their number. */
size_t options_docs(const struct option_doc **docs);

struct word;
/* Returns whether a word belongs to this language: a known key before '=', or one without value. */
bool options_knows(const char *word);
/* Takes a word. False: a message on err, beginning with source, unit ("line", "word"), number. */
bool options_take(struct options *o, const struct word *word, const char *source, const char *unit,
                  unsigned number, struct sink *err);

/* --- the options in print (option_value.c) ---------------------------------------------------- */

struct json;

/* Writes all of `help`: usage, the keys, exit codes. At most 79 columns, lines end in CR LF. */
void options_help(struct sink *out);

/* Writes suite=, bench= and samples=, the number of windows; then each other option that differs
 * from its default, in the table's order, as the words that would set it. */
void options_show(const struct options *o, uint32_t samples, struct sink *out);

/* Writes the effective settings as members of a record's object "options", in the table's order. */
void options_record(const struct options *o, struct json *j);

#endif
