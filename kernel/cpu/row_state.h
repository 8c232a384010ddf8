/*
 * Proves that a row leaves the running core as it found it: registers that its code in ring 0 can
 * change, and the MSRs that it declares, are read before the row and compared after each part of
 * it. A difference is recorded and restored.
 */
#ifndef KERNEL_CPU_ROW_STATE_H
#define KERNEL_CPU_ROW_STATE_H

#include <stdbool.h>
#include <stdint.h>
#include "kernel/cpu/row_registers.h"
#include "lib/text/sink.h"

#define ROW_MSRS 4 /* the most that a row declares */

#define ROW_APIC_REGISTERS 3
/* Registers of the core's local APIC (kernel/devices/apic_state.h). */
struct row_apic {
    bool kept;
    uint32_t before[ROW_APIC_REGISTERS];
    uint32_t changed; /* bit i: register i was found changed */
    bool served;      /* an interrupt was found in service */
};

struct row_state {
    bool kept; /* a row runs; otherwise nothing is compared */
    uint64_t before[ROW_REGISTERS];
    uint32_t changed;              /* bit r: register r was found changed, ... */
    uint64_t found[ROW_REGISTERS]; /* ... and the first changed value */
    unsigned msrs;                 /* number of declared MSRs that can be read */
    uint32_t msr[ROW_MSRS];
    uint64_t msr_before[ROW_MSRS];
    uint32_t changed_msrs; /* bit i: msr[i] was found changed */
    struct row_apic apic;
};
_Static_assert(ROW_REGISTERS <= 32, "a bit of `changed` each");

/* Begin a row, saving the registers, and end it. */
void row_state_keep(struct row_state *s);
void row_state_drop(struct row_state *s);

/* Saves these MSRs too; 0 ends the list. One that cannot be read, such as IA32_PRED_CMD, has no
 * state. */
void row_state_keep_msrs(struct row_state *s, const uint32_t *msr);

/* Restores and records changed registers. True: one had changed that can be the cause of a fault,
 * so that an interrupted instruction may succeed now. */
bool row_state_put_back(struct row_state *s);
/* The same in a handler. CS and SS are not compared: the CPU has loaded the handler's, and IRETQ
 * loads the row's. */
bool row_state_put_back_in_handler(struct row_state *s);

/* Writes the changed registers to `out` and clears the record. False: none had changed. */
bool row_state_tell(struct row_state *s, struct sink *out);

/* Records a register that a handler found changed and has restored. */
void row_state_note(struct row_state *s, enum row_register r, uint64_t found);

#endif
