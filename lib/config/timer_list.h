/*
 * The lists of clock= and cycle=: timers in the order in which they are tried. The words of a kind
 * are one text, alternatives parted by '|', whose places are the ids.
 */
#ifndef LIB_CONFIG_TIMER_LIST_H
#define LIB_CONFIG_TIMER_LIST_H

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
    WORD(CLOCK_ID_CLOCK, "clock")
/* cputime, clock: a process has them, CLOCK_PROCESS_CPUTIME_ID and clock(3). */
enum clock_id { CLOCK_TIMERS(WORD_ID) CLOCK_IDS };
#define CLOCK_WORDS WORD_LIST(CLOCK_TIMERS)

#define CYCLE_TIMERS(WORD)                                                                         \
    WORD(CYCLE_PMC, "pmc")                                                                         \
    WORD(CYCLE_APERF, "aperf")                                                                     \
    WORD(CYCLE_RULER, "ruler")                                                                     \
    WORD(CYCLE_TSC, "tsc")                                                                         \
    WORD(CYCLE_NULL, "null")
enum cycle_id { CYCLE_TIMERS(WORD_ID) CYCLE_IDS };
#define CYCLE_WORDS WORD_LIST(CYCLE_TIMERS)

#define TIMER_LIST_MAX  8 /* at least as many as the longer enum has */
#define TIMER_NAME_MAX  8 /* bytes of the longest word, NUL included */
#define TIMER_LIST_TEXT (TIMER_LIST_MAX * TIMER_NAME_MAX)

struct timer_list {
    uint8_t n; /* at least 1 once parsed */
    uint8_t id[TIMER_LIST_MAX];
};

enum timer_list_fault { TIMER_LIST_FINE, TIMER_LIST_EMPTY, TIMER_LIST_UNKNOWN, TIMER_LIST_TWICE };

/*
 * "a,b,c" of these words, each once at most, no blanks. On a fault *at and *n say which item of the
 * text it is (n 0: an empty one), and the list is left alone.
 */
enum timer_list_fault timer_list_parse(struct timer_list *l, const char *words, const char *text,
                                       const char **at, size_t *n);
/* For a message: what is wrong with a text that timer_list_parse refuses; nothing where it is
 * fine. */
void timer_list_explain(const char *words, const char *text, struct sink *out);

/* "a,b,c" again. */
void timer_list_text(const struct timer_list *l, const char *words, char out[TIMER_LIST_TEXT]);
/* The word of an id that the words have. */
void timer_name(const char *words, unsigned id, char out[TIMER_NAME_MAX]);

#endif
