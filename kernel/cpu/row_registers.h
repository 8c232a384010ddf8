/*
 * Registers of a core that a row's code in ring 0 can change and that no window restores, each as
 * one word: descriptor tables, segments, control and debug registers, EFER and XCR0. Each function
 * works on the running core.
 */
#ifndef KERNEL_CPU_ROW_REGISTERS_H
#define KERNEL_CPU_ROW_REGISTERS_H

#include <stdint.h>
#include "lib/cpu/register_bits.h"

/* In restore order: each can be read and written once those before it are restored. */
enum row_register {
    ROW_IDTR,
    ROW_GDTR,
    ROW_TR,
    ROW_LDTR,
    ROW_CS,
    ROW_EFER,
    ROW_CR0,
    ROW_CR3,
    ROW_CR4,
    ROW_XCR0, /* needs CR4.OSXSAVE */
    ROW_CR8,
    ROW_DR7, /* before the addresses, which it enables */
    ROW_DR6,
    ROW_DR0,
    ROW_DR1,
    ROW_DR2,
    ROW_DR3,
    ROW_DS,
    ROW_ES,
    ROW_SS,
    ROW_FS, /* before the base, which loading a selector changes */
    ROW_GS,
    ROW_FS_BASE,
    ROW_GS_BASE,
    ROW_KERNEL_GS_BASE,
    ROW_REGISTERS
};

struct row_register_kind {
    const char *name;                /* for messages */
    const struct register_bit *bits; /* NULL: no named bits */
};
extern const struct row_register_kind row_register_kinds[ROW_REGISTERS];

uint64_t row_register_read(enum row_register r);
void row_register_write(enum row_register r, uint64_t v);

/*
 * While EFER.NXE is clear, hardly any data can be read, struct row_state included. So the handler
 * of a fault that this may cause first calls this function, which sets NXE. Returns EFER as found;
 * 0: NXE was set, or this CPU has no NXE. row_state_note() records it later.
 */
uint64_t row_registers_nx(void);

#endif
