/* Finds the timers that work, while the firmware is alive: `list`'s counterpart of
 * kernel/platform.c. */
#ifndef BOOT_TIMERS_H
#define BOOT_TIMERS_H

#include "bench/api/survey.h"
#include "boot/boot.h"

/* By id. */
struct boot_timers {
    struct timer_found clock[CLOCK_IDS];
    struct timer_found cycle[CYCLE_IDS];
};

/* Tests the timers. Takes milliseconds with interrupts disabled; restores every timer. */
void boot_timers(struct boot *b, struct boot_timers *t);

#endif
