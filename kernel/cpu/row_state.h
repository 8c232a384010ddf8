/*
 * Core state that a row's code in ring 0 can change and that no window restores: descriptor tables,
 * segments, control and debug registers, EFER and XCR0. Each function works on the running core.
 * Other MSRs are not checked.
 */
#ifndef KERNEL_CPU_ROW_STATE_H
#define KERNEL_CPU_ROW_STATE_H

#include <stdbool.h>
#include <stdint.h>
#include "lib/text/sink.h"

/* In restore order: each can be read and written once those before it are restored. */
enum row_register {
    ROW_IDTR,
    ROW_GDTR,
    ROW_TR,
    ROW_LDTR,
    ROW_EFER,
    ROW_CR0,
    ROW_CR3,
    ROW_CR4,
    ROW_XCR0, /* needs CR4.OSXSAVE */
    ROW_CR8,
    ROW_DR7, /* before the addresses, which it enables */
    ROW_DR0,
    ROW_DR1,
    ROW_DR2,
    ROW_DR3,
    ROW_FS, /* before the base, which loading a selector changes */
    ROW_GS,
    ROW_FS_BASE,
    ROW_GS_BASE,
    ROW_KERNEL_GS_BASE,
    ROW_REGISTERS
};

struct row_state {
    bool kept; /* a row runs; otherwise nothing is compared */
    uint64_t own[ROW_REGISTERS];
    uint32_t changed;              /* bit r: register r was found changed, ... */
    uint64_t found[ROW_REGISTERS]; /* ... and the first changed value */
};

/* Begin a row, saving the registers, and end it. */
void row_state_keep(struct row_state *s);
void row_state_drop(struct row_state *s);

/* Restores and records changed registers. True: one had changed. Usable in a handler too. */
bool row_state_put_back(struct row_state *s);

/* Writes the changed registers to `out` and clears the record. False: none had changed. */
bool row_state_tell(struct row_state *s, struct sink *out);

/*
 * While EFER.NXE is clear, hardly any data can be read, struct row_state included. So the handler
 * of a fault that this may cause first calls row_state_nx(), which sets NXE. Returns EFER as found;
 * 0: NXE was set, or this CPU has none. row_state_note() records it later.
 */
uint64_t row_state_nx(void);
void row_state_note(struct row_state *s, enum row_register r, uint64_t found);

#endif
