/*
 * Two cores of suite `wakeup`: side 1 waits, side 0 ends its wait by an interrupt or by a store to
 * the line that it watches. Side 1 has a separate IDT and lets interrupts of the highest class
 * through, only while it waits. Every wait is bounded: side 0 looks at the TSC, and the deadline of
 * the row ends that of side 1.
 */
#ifndef BENCH_SUITES_WAKEUP_OTHERS_H
#define BENCH_SUITES_WAKEUP_OTHERS_H

#include <stdatomic.h>
#include "bench/kinds/team.h"
#include "bench/suites/privileged/idt.h"

#define OTHERS_ROUNDS 3 /* of a pass; odd, so that one is the median */
#define OTHERS_IDT    ((PLATFORM_ROW_VECTOR + 1) * sizeof(struct idt_gate)) /* bytes */
#define OTHERS_LINE   256 /* more than MONITOR watches: kernel/cores/smp.c */

/* The times of a round: by the TSC of side 0 when it sends, when it has sent, and when it sees the
 * answer; by that of side 1 at the first instruction after the wait, and after the end of
 * interrupt. */
enum { OTHERS_SENT, OTHERS_FREE, OTHERS_SEEN, OTHERS_WOKE, OTHERS_ENDED, OTHERS_TIMES };

/* In the memory that all cores share. others.asm has the same offsets. */
struct others {
    _Alignas(OTHERS_LINE) volatile uint64_t line; /* side 1 watches it; the last round's number */
    _Alignas(OTHERS_LINE) volatile uint64_t woke; /* in the current round, ... */
    volatile uint64_t ended;                      /* ... and the end of interrupt */
    uint64_t apic;             /* address of the APIC's registers; 0: x2APIC mode */
    volatile uint32_t pending; /* an interrupt that side 1 waits for */
    volatile uint32_t taken;   /* interrupts so far */
    uint64_t wanted;           /* the line's value that ends the wait, or a higher one */

    _Alignas(OTHERS_LINE) _Atomic uint64_t ready;  /* the round for which side 1 waits */
    _Alignas(OTHERS_LINE) _Atomic uint64_t answer; /* the last round that side 1 has ended */
    _Alignas(OTHERS_LINE) uint32_t id;             /* the APIC's, of side 1 */
    unsigned done;                                 /* rounds, by side 0 */
    volatile bool quit;                            /* side 0 gave up before the last round */
    uint64_t time[OTHERS_ROUNDS][OTHERS_TIMES];
    struct descriptor_table idt, idt_before;
    struct idt_gate gates[OTHERS_IDT / sizeof(struct idt_gate)];
};
_Static_assert(sizeof(struct others) <= TEAM_OWN && OTHERS_ROUNDS <= TEAM_TIMES,
               "struct team has room for it");
_Static_assert(offsetof(struct others, woke) == 256 && offsetof(struct others, apic) == 272 &&
                   offsetof(struct others, taken) == 284 && offsetof(struct others, wanted) == 288,
               "others.asm");

/* others.asm: wait on side 1 until an interrupt has come, or until the line has the value `wanted`.
 * `arg` is the hint of MWAIT or the state of UMWAIT. */
typedef void others_wait(struct others *m, uint32_t arg);
others_wait wakeup_wait_spin, wakeup_wait_hlt, wakeup_wait_mwait, wakeup_wait_umwait,
    wakeup_watch_mwait, wakeup_watch_umwait;
extern const uint8_t wakeup_handler[]; /* the interrupt's, while the first four wait */

#endif
