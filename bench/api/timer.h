/*
 * Timers: clocks, which give seconds, and counters of core cycles. A platform provides them by id.
 * The first timer of clock= or cycle= is used. With `auto` it is the first one that starts; the
 * report has the reasons of those before it. Only general registers are used: boot/ calls it too.
 */
#ifndef BENCH_API_TIMER_H
#define BENCH_API_TIMER_H

#include <stdbool.h>
#include <stdint.h>
#include "lib/config/choices.h"

struct sink;

enum timer_status {
    TIMER_OK,
    TIMER_AGAIN,  /* this reading is invalid (its halves do not match); the next may be valid */
    TIMER_FAILED, /* this reading and all later ones fail */
};

struct timer {
    const char *name;
    /* Enables and tests it, on the core that measures: it must count, and never backwards. Returns
     * NULL, or why it cannot be used; its former state is then restored. */
    const char *(*start)(struct timer *t);
    /* Reads the count, which increases; bits above `bits` are 0. */
    enum timer_status (*read)(struct timer *t, uint64_t *count);
    void (*stop)(struct timer *t); /* restores its former state; NULL: nothing to do */
    void *context;                 /* private to its platform */
    unsigned bits;                 /* width: differences are taken modulo 2^bits */

    /* For a clock; valid once it is started. */
    uint64_t hz;           /* counts in `hz_per` seconds */
    uint32_t hz_per;       /* 1, or the number that makes hz an integer */
    uint64_t tsc_hz;       /* the TSC's frequency by this clock */
    uint64_t tsc_error_hz; /* half-width; 0: not known */
};

/* Returns a platform's timer of one kind. context: the platform's; id: enum clock_id or enum
 * cycle_id. NULL: not available; *why is the reason (always the same on one platform). */
typedef struct timer *timer_source(void *context, unsigned id, const char **why);

struct timer_refusal {
    char name[TIMER_NAME_MAX];
    const char *why;
};

struct timer_choice {
    struct timer *used; /* started; NULL: no timer of the list starts */
    bool required;      /* a timer that is named does not start: the last refusal */
    unsigned refusals;  /* of the timers before it in the list */
    struct timer_refusal refusal[TIMER_LIST_MAX];
    uint64_t again, failed; /* readings that were repeated, and given up */
};

/* Starts the first timer of the order. If that fails, tries the next one if the order has one. */
void timer_choose(struct timer_choice *c, const struct timer_order *order,
                  const struct timer_kind *kind, timer_source *source, void *context);
/* Returns whether the run can continue with this choice of `list`. If not, writes a message: the
 * timer that is named, why it does not start, and what to write instead. */
bool timer_check(const struct timer_choice *c, const struct timer_list *list,
                 const struct timer_kind *kind, struct sink *err);
/* Stops the timer that is used. */
void timer_release(struct timer_choice *c);

#define TIMER_TRIES 8
/* Reads a started timer, with at most TIMER_TRIES tries; *again counts the invalid readings.
 * TIMER_AGAIN: all were invalid. */
enum timer_status timer_read_whole(struct timer *t, uint64_t *count, uint64_t *again);
/* The same for the timer that is used; the choice counts it. False: failed, *count is undefined. */
bool timer_read(struct timer_choice *c, uint64_t *count);

/* The reason why a machine without an operating system lacks a timer. */
extern const char timer_of_a_process[];

/* Returns a timer that every platform has, for its cycle(): ruler, tsc and null, which are never
 * read, and rdtscp. NULL: the CPU lacks RDTSCP, as *why says. */
struct timer *cycle_plain(unsigned id, bool has_rdtscp, const char **why);

/* Writes a line with the label and the name, and one for each refusal, for the table's heading. */
void timer_show(const struct timer_choice *c, const char *label, struct sink *out);

#endif
