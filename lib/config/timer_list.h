/*
 * The lists of clock= and cycle=: timers in the order in which they are tried. The words of a kind
 * are one text of alternatives separated by '|', whose positions are the ids; the last word is
 * `auto`.
 *
 * A named timer must start, or the run is refused. A list with `auto` continues with the next timer
 * instead; `auto` itself means the kind's standard order.
 */
#ifndef LIB_CONFIG_TIMER_LIST_H
#define LIB_CONFIG_TIMER_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lib/config/word_list.h"
#include "lib/text/sink.h"

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
/* Writes, for a message, what is wrong with a text that timer_list_parse refuses; nothing if it is
 * right. */
void timer_list_explain(const char *words, const char *text, struct sink *out);

/* Returns the order in which a list's timers are tried: `auto` becomes those timers of the standard
 * order that the list does not name. */
struct timer_order timer_list_order(const struct timer_list *l, const struct timer_kind *kind);

/* Writes the list as "a,b,c". */
void timer_list_text(const struct timer_list *l, const char *words, char out[TIMER_LIST_TEXT]);
/* Writes the word of a valid id. */
void timer_name(const char *words, unsigned id, char out[TIMER_NAME_MAX]);

#endif
