/*
 * Timers: clocks, which give seconds, and counters of core cycles. A platform hands them out by id.
 * The first timer of clock= or cycle= is used; with `auto` the first one that starts, and the
 * reasons of those before it are kept for the report. General registers only: boot/ asks too.
 */
#ifndef BENCH_API_TIMER_H
#define BENCH_API_TIMER_H

#include <stdbool.h>
#include <stdint.h>
#include "lib/config/timer_list.h"

struct json;
struct report;
struct sink;

enum timer_status {
    TIMER_OK,
    TIMER_AGAIN,  /* this reading is spoilt (its halves do not belong together); the next may do */
    TIMER_FAILED, /* and so will the next */
};

struct timer {
    const char *name;
    /* The preflight, on the core that measures: switches it on, proves that it counts and does not
     * go back. NULL, or why it cannot be used; it is then as it was found. */
    const char *(*start)(struct timer *t);
    /* Counts up; bits above `bits` are 0. */
    enum timer_status (*read)(struct timer *t, uint64_t *count);
    void (*stop)(struct timer *t); /* leaves it as it was found; NULL: nothing to do */
    void *context;                 /* its platform's own */
    unsigned bits;                 /* width: differences are taken modulo 2^bits */

    /* Of a clock, valid once it is started. */
    uint64_t hz;           /* counts in `hz_per` seconds */
    uint32_t hz_per;       /* 1, or what makes hz a whole number */
    uint64_t tsc_hz;       /* the TSC's frequency by this clock */
    uint64_t tsc_error_hz; /* half-width; 0: not known */
};

/* A platform's timers of one kind; context: the platform's own; id: enum clock_id or enum cycle_id.
 * NULL: it has none such, and *why says why not (once the platform is known, always the same). */
typedef struct timer *timer_source(void *context, unsigned id, const char **why);

struct timer_refusal {
    char name[TIMER_NAME_MAX];
    const char *why;
};

struct timer_choice {
    struct timer *used; /* started; NULL: no timer of the list could be */
    bool required;      /* a timer that is named does not start: the last refusal */
    unsigned refusals;  /* of those ahead of it in the list */
    struct timer_refusal refusal[TIMER_LIST_MAX];
    uint64_t again, failed; /* readings that were repeated, and given up */
};

/* Starts the first timer of the order; where that fails, the next one if the order goes on. */
void timer_choose(struct timer_choice *c, const struct timer_order *order,
                  const struct timer_kind *kind, timer_source *source, void *context);
/* Whether the run can go on with this choice of `list`. If not, a message for people: the timer
 * that is named, why it does not start, and what to write instead. */
bool timer_check(const struct timer_choice *c, const struct timer_list *list,
                 const struct timer_kind *kind, struct sink *err);
/* Stops the one used. */
void timer_release(struct timer_choice *c);

#define TIMER_TRIES 8
/* A reading of a started timer, tried TIMER_TRIES times at the most; *again counts what was spoilt.
 * TIMER_AGAIN: all of them were. */
enum timer_status timer_read_whole(struct timer *t, uint64_t *count, uint64_t *again);
/* The same of the timer used, counted in the choice. False: it failed; *count is then undefined. */
bool timer_read(struct timer_choice *c, uint64_t *count);

/* Why a machine without an operating system lacks a timer. */
extern const char timer_of_a_process[];

/* What every platform has, for its cycle(): ruler, tsc and null, which are never read, and rdtscp.
 * NULL: the CPU lacks RDTSCP, and *why says so. */
struct timer *cycle_plain(unsigned id, bool has_rdtscp, const char **why);

/* For the table's heading: a line with the label and the name, and one for each refusal. */
void timer_show(const struct timer_choice *c, const char *label, struct sink *out);
/* "clock":"hpet","clock_refused":[{"name":"tsc","why":"..."}] where kind is "clock". */
void timer_record(const struct timer_choice *c, const char *kind, struct json *j);

#endif
