/*
 * State of a core that a row's code in ring 0 can change and no window puts back: descriptor
 * tables, segments, control and debug registers, EFER and XCR0. The running core's own, in each
 * function. Other MSRs are not looked at.
 */
#ifndef KERNEL_CPU_ROW_STATE_H
#define KERNEL_CPU_ROW_STATE_H

#include <stdbool.h>
#include <stdint.h>
#include "lib/text/sink.h"

/* In the order in which they are put back: each can be read and written once those before it are as
 * they were. */
enum row_register {
    ROW_IDTR,
    ROW_GDTR,
    ROW_TR,
    ROW_LDTR,
    ROW_EFER,
    ROW_CR0,
    ROW_CR3,
    ROW_CR4,
    ROW_XCR0, /* takes CR4.OSXSAVE */
    ROW_CR8,
    ROW_DR7, /* before the addresses that it arms */
    ROW_DR0,
    ROW_DR1,
    ROW_DR2,
    ROW_DR3,
    ROW_FS, /* the load of a selector changes the base */
    ROW_GS,
    ROW_FS_BASE,
    ROW_GS_BASE,
    ROW_KERNEL_GS_BASE,
    ROW_REGISTERS
};

struct row_state {
    bool kept; /* a row runs; else nothing is compared */
    uint64_t own[ROW_REGISTERS];
    uint32_t changed;              /* 1 << each that was found changed, ... */
    uint64_t found[ROW_REGISTERS]; /* ... and what it was changed to, first */
};

/* A row begins: what is found now is to stay. And it is over. */
void row_state_keep(struct row_state *s);
void row_state_drop(struct row_state *s);

/* Puts back what has changed, and notes it. True: something had. In a handler too. */
bool row_state_put_back(struct row_state *s);

/* The registers that were found changed, into `out`, and forgets them. False: no register was. */
bool row_state_tell(struct row_state *s, struct sink *out);

/*
 * While EFER.NXE is clear hardly any data can be read, and no struct row_state: sets it, before
 * anything else in the handler of a fault that may come of it. EFER as it was found; 0: NXE was
 * set, or this CPU has none. row_state_note() is for later.
 */
uint64_t row_state_nx(void);
void row_state_note(struct row_state *s, enum row_register r, uint64_t found);

#endif
