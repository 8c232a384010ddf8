/*
 * Advice on the machine's setup: what to change, in the firmware's setup or in baretick's options,
 * for figures that repeat. Facts that were not read are not judged.
 */
#ifndef LIB_CPU_ADVICE_H
#define LIB_CPU_ADVICE_H

#include <stdbool.h>
#include <stddef.h>

enum seen { SEEN_NOT, SEEN_NO, SEEN_YES }; /* not read; read as false; read as true */

struct advice_facts {
    enum seen emulated; /* an emulator executes this: nothing else is judged */
    enum seen virtualised;
    enum seen smt;   /* two usable logical CPUs on one core */
    enum seen turbo; /* the core's clock may go above its base */
    enum seen c1e;
    enum seen lfence;    /* LFENCE serialises */
    enum seen invariant; /* the TSC is invariant */
    enum seen smi;       /* SMIs occurred */
};

#define ADVICE_MAX 8

struct advice {
    const char *topic;
    bool change; /* false: it was checked and needs no change */
    const char *text;
};

/* Returns the number of entries; those that ask for a change come first. */
size_t advice_choose(const struct advice_facts *f, struct advice out[ADVICE_MAX]);

#endif
