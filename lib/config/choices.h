/*
 * An enum and its words, from one list, so that neither can be changed without the other:
 *
 *   #define SHARE_CHOICES(WORD) WORD(SHARE_ALONE, "alone") WORD(SHARE_TOGETHER, "together")
 *   enum share { SHARE_CHOICES(WORD_ID) };
 *   const char *const share_names[] = {SHARE_CHOICES(WORD_NAME)};
 *   WORD_LIST(SHARE_CHOICES) is "alone|together", as help and error messages show it.
 */
#ifndef LIB_CONFIG_CHOICES_H
#define LIB_CONFIG_CHOICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lib/text/sink.h"
#include "lib/text/url.h"

#define WORD_ID(id, word)   id,
#define WORD_NAME(id, word) [id] = (word),

#define WORD_OR_NEXT(id, word) "|" word
/* Without the '|' before the first word. */
#define WORD_LIST(list) (&(list(WORD_OR_NEXT))[1])

/*
 * The window recipes: how the time stamp counter is read around a body. The only list of their
 * names, for the options, the report and bench/engine/recipes.asm (same order).
 */

/*
 * plain:     rdtsc .. rdtsc
 * rdtscp:    rdtscp .. rdtscp
 * xfence:    xfence;rdtsc .. rdtscp;xfence (LFENCE on Intel, MFENCE on others)
 * paoloni:   cpuid;rdtsc .. rdtscp;cpuid (Paoloni, Intel 324264, 2010)
 * cpuid:     cpuid;rdtsc .. cpuid;rdtsc
 * mfence:    mfence;lfence;rdtsc;lfence at both ends
 * lfence:    lfence;rdtsc;lfence at both ends
 * serialize: serialize;rdtsc;serialize at both ends
 */
#define RECIPES(WORD)                                                                              \
    WORD(RECIPE_PLAIN, "plain")                                                                    \
    WORD(RECIPE_RDTSCP, "rdtscp")                                                                  \
    WORD(RECIPE_XFENCE, "xfence")                                                                  \
    WORD(RECIPE_PAOLONI, "paoloni")                                                                \
    WORD(RECIPE_CPUID, "cpuid")                                                                    \
    WORD(RECIPE_MFENCE, "mfence")                                                                  \
    WORD(RECIPE_LFENCE, "lfence")                                                                  \
    WORD(RECIPE_SERIALIZE, "serialize")

/* The words of recipe=; auto: lfence if it serialises, else cpuid. */
#define RECIPE_CHOICES(WORD) RECIPES(WORD) WORD(RECIPE_AUTO, "auto")

enum recipe { RECIPES(WORD_ID) RECIPE_COUNT, RECIPE_AUTO = RECIPE_COUNT };

extern const char *const recipe_names[RECIPE_COUNT + 1]; /* including "auto" */

/*
 * The cores in a list of words: `bsp` (the one that the firmware started), `all`, `types` (the
 * first one of each type of a hybrid CPU), `nodes` (the first one of each node of memory), or
 * numbers and ranges, "3", "1-4,8". Numbers are those of the report's `core` records; 0 is bsp.
 */
#define CORE_LIST_MAX  1024 /* cores, numbered from 0 */
#define CORE_LIST_TEXT 128  /* bytes of a list's text, including the NUL */

#define CORE_LIST_TYPES 3  /* most cores of `types`, including one of unknown type, ... */
#define CORE_LIST_NODES 64 /* ... and of `nodes` */

struct core_list {
    bool all; /* every core; then no bit is set */
    /* The first one of each type, or of each node, which only a machine can tell; then no bit is
     * set. */
    bool types, nodes;
    uint64_t bits[CORE_LIST_MAX / 64];
};

/* False: empty, not a number, a number above CORE_LIST_MAX - 1, or a descending range. */
bool core_list_parse(struct core_list *l, const char *text);

/* Returns whether the core is in the list; of `types` and `nodes`, each core may be. */
bool core_list_has(const struct core_list *l, unsigned core);

/* Returns how many of the cores 0 .. count - 1 are in the list; an upper bound if it is
 * `types` or `nodes`. */
unsigned core_list_count(const struct core_list *l, unsigned count);

/* Returns how many of these cores rows of several cores run on: with `types` and `nodes`
 * all. */
unsigned core_list_meet(const struct core_list *l, unsigned count);

/* Writes the listed cores from `count` on, as ranges: "8,10-12"; false: no cores are left. */
bool core_list_beyond(const struct core_list *l, unsigned count, struct sink *out);

/* The value of `serial=`: auto, off, or a 16550 at an I/O port or in memory, with a speed. */

#define SERIAL_BAUD_MAX 115200 /* a 16550's clock of 1.8432 MHz over 16, at divisor 1 */
#define SERIAL_BAUD_MIN 50
/* Lower ports belong to the board's devices (DMA, interrupts, timers); a 16550 has 8 registers. */
#define SERIAL_IO_MIN 0x100
#define SERIAL_IO_MAX 0xfff8

/* Lower addresses are the PC's memory; addresses have at most 52 bits (AMD APM vol. 2 5.1). */
#define SERIAL_MMIO_MIN 0x100000ull
#define SERIAL_MMIO_MAX ((1ull << 52) - 64)

struct serial_choice {
    enum { SERIAL_AUTO, SERIAL_OFF, SERIAL_PORT, SERIAL_MMIO } kind;
    uint16_t port;    /* I/O base of the 16550 if kind is SERIAL_PORT */
    uint64_t address; /* of its first register if kind is SERIAL_MMIO; a multiple of width */
    uint8_t width;    /* bytes of one access: 1, 2, 4 */
    uint8_t stride;   /* bytes from one register to the next: 1, 2, 4, 8, at least width */
    uint32_t baud;    /* SERIAL_BAUD_MIN..SERIAL_BAUD_MAX, a divisor of the latter */
    bool baud_given;  /* set by the word; otherwise it is the default */
};

/* Parses auto, off, com1..com4, io:PORT, mmio:ADDR:WIDTH:STRIDE; all but off may be followed by
 * ,BAUD. False: none of these. */
bool serial_choice_parse(struct serial_choice *c, const char *text);

#define SERIAL_CHOICE_TEXT 40 /* bytes that serial_choice_text needs, including the NUL */
/* Writes the choice as a word for serial_choice_parse. */
void serial_choice_text(const struct serial_choice *c, char *out, size_t size);

/*
 * The lists of clock= and cycle=: timers in the order in which they are tried. The words of a kind
 * are one text of alternatives separated by '|', whose positions are the ids; the last word is
 * `auto`.
 *
 * A named timer must start, or the run is refused. A list with `auto` continues with the next timer
 * instead; `auto` itself means the kind's standard order.
 */
#define CLOCK_TIMERS(WORD)                                                                         \
    WORD(CLOCK_ID_TSC, "tsc")                                                                      \
    WORD(CLOCK_ID_HPET, "hpet")                                                                    \
    WORD(CLOCK_ID_PMTIMER, "pmtimer")                                                              \
    WORD(CLOCK_ID_PIT, "pit")                                                                      \
    WORD(CLOCK_ID_CPUTIME, "cputime")                                                              \
    WORD(CLOCK_ID_CLOCK, "clock")                                                                  \
    WORD(CLOCK_ID_THREAD, "thread")                                                                \
    WORD(CLOCK_ID_TIMES, "times")
/* Only a process has those from cputime on: CLOCK_PROCESS_CPUTIME_ID, clock(3),
 * CLOCK_THREAD_CPUTIME_ID, times(2). */
enum clock_id { CLOCK_TIMERS(WORD_ID) CLOCK_IDS, CLOCK_ID_AUTO = CLOCK_IDS };
#define CLOCK_CHOICES(WORD) CLOCK_TIMERS(WORD) WORD(CLOCK_ID_AUTO, "auto")
#define CLOCK_WORDS         WORD_LIST(CLOCK_CHOICES)
#define CLOCK_STANDARD      "tsc,hpet,pmtimer,pit"

static inline bool clock_is_of_a_process(unsigned id)
{
    return id >= CLOCK_ID_CPUTIME;
}

#define CYCLE_TIMERS(WORD)                                                                         \
    WORD(CYCLE_PMC, "pmc")                                                                         \
    WORD(CYCLE_APERF, "aperf")                                                                     \
    WORD(CYCLE_RULER, "ruler")                                                                     \
    WORD(CYCLE_TSC, "tsc")                                                                         \
    WORD(CYCLE_NULL, "null")                                                                       \
    WORD(CYCLE_RDTSCP, "rdtscp")                                                                   \
    WORD(CYCLE_PERF, "perf")
/* perf: only in a process, the core cycle counter of perf_event_open(2), read with read(2). */
enum cycle_id { CYCLE_TIMERS(WORD_ID) CYCLE_IDS, CYCLE_AUTO = CYCLE_IDS };
#define CYCLE_CHOICES(WORD) CYCLE_TIMERS(WORD) WORD(CYCLE_AUTO, "auto")
#define CYCLE_WORDS         WORD_LIST(CYCLE_CHOICES)
#define CYCLE_STANDARD      "ruler,pmc,perf,aperf,tsc,null"

#define TIMER_LIST_MAX  10 /* at least the size of the longer enum, plus auto */
#define TIMER_NAME_MAX  8  /* bytes of the longest word, including the NUL */
#define TIMER_LIST_TEXT (TIMER_LIST_MAX * TIMER_NAME_MAX)

struct timer_list {
    uint8_t n; /* at least 1 after parsing */
    uint8_t id[TIMER_LIST_MAX];
};

/* A kind of timer: the words of its lists. */
struct timer_kind {
    const char *key;      /* "clock" or "cycle" */
    const char *words;    /* CLOCK_WORDS or CYCLE_WORDS */
    const char *standard; /* the meaning of `auto` */
    unsigned ids;         /* number of timers; the id of `auto` */
};
extern const struct timer_kind timer_clocks, timer_cycles;

/* The order in which a list's timers are tried: without `auto`. */
struct timer_order {
    struct timer_list list;
    bool goes_on; /* the list has `auto`: try the next timer if one does not start */
};

enum timer_list_fault { TIMER_LIST_FINE, TIMER_LIST_EMPTY, TIMER_LIST_UNKNOWN, TIMER_LIST_TWICE };

/* Parses "a,b,c" of these words, each at most once, without blanks. On a fault, *at and *n show the
 * item of the text (n 0: an empty one), and the list is unchanged. */
enum timer_list_fault timer_list_parse(struct timer_list *l, const char *words, const char *text,
                                       const char **at, size_t *n);

/* Returns the order in which a list's timers are tried: `auto` becomes those timers of the standard
 * order that the list does not name. */
struct timer_order timer_list_order(const struct timer_list *l, const struct timer_kind *kind);

/* Writes the list as "a,b,c". */
void timer_list_text(const struct timer_list *l, const char *words, char out[TIMER_LIST_TEXT]);
/* Writes the word of a valid id. */
void timer_name(const char *words, unsigned id, char out[TIMER_NAME_MAX]);

/* The value of `upload=`: auto, off, or the URL of a folder on a server, with a login. */

#define UPLOAD_LOGIN_MOST  128 /* bytes, including the NUL */
#define UPLOAD_FOLDER_MOST 192 /* the same; leaves room for the name of a report in URL_MOST */

struct upload_choice {
    enum { UPLOAD_AUTO, UPLOAD_OFF, UPLOAD_URL } kind;
    char url[UPLOAD_FOLDER_MOST];  /* of the folder, without the login; ends with a slash */
    char login[UPLOAD_LOGIN_MOST]; /* "user:password", never shown; or empty */
};

#endif
