/* Which timers work here, asked while firmware is alive: `list`'s part of kernel/platform.c. */
#ifndef BOOT_TIMERS_H
#define BOOT_TIMERS_H

#include "bench/api/survey.h"
#include "boot/boot.h"

/* By id. */
struct boot_timers {
    struct timer_found clock[CLOCK_IDS];
    struct timer_found cycle[CYCLE_IDS];
};

/* Takes milliseconds, interrupts off; every timer is left as it was found. */
void boot_timers(struct boot *b, struct boot_timers *t);

#endif
