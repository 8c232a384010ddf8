/*
 * Advice on how the machine is set up: what to change for figures that repeat, in the firmware's
 * setup or in baretick's options. What was not read is not judged.
 */
#ifndef LIB_CPU_ADVICE_H
#define LIB_CPU_ADVICE_H

#include <stdbool.h>
#include <stddef.h>

enum seen { SEEN_NOT, SEEN_NO, SEEN_YES }; /* not read; it is not so; it is so */

struct advice_facts {
    enum seen emulated; /* an emulator executes this: nothing else is judged then */
    enum seen virtualised;
    enum seen smt;   /* two usable logical CPUs on one core */
    enum seen turbo; /* the core's clock may go above its base */
    enum seen c1e;
    enum seen lfence;    /* it serialises */
    enum seen invariant; /* the TSC */
    enum seen smi;       /* some came */
};

#define ADVICE_MAX 8

struct advice {
    const char *topic;
    bool change; /* else: was looked at, and is well */
    const char *text;
};

/* How many; those to change come first. */
size_t advice_choose(const struct advice_facts *f, struct advice out[ADVICE_MAX]);

#endif
