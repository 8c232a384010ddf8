/*
 * Proves that a row leaves the running core as it found it: registers that its code in ring 0 can
 * change, and the MSRs that it declares, are read before the row and compared after each part of
 * it. A difference is recorded and restored.
 */
#ifndef KERNEL_CPU_ROW_STATE_H
#define KERNEL_CPU_ROW_STATE_H

#include <stdbool.h>
#include <stdint.h>
#include "lib/cpu/register_bits.h"
#include "lib/text/sink.h"

/*
 * --- row_registers.c ---
 * Registers of a core that a row's code in ring 0 can change and that no window restores, each as
 * one word: descriptor tables, segments, control and debug registers, EFER and XCR0. Each function
 * works on the running core.
 */

/* In restore order: each can be read and written once those before it are restored. A name for
 * messages; named bits, or NULL; the functions that read and write it. */
#define ROW_REGISTER_LIST(X)                                                                       \
    X(IDTR, "IDTR", NULL, read_idtr_word, write_idtr_word)                                         \
    X(GDTR, "GDTR", NULL, read_gdtr_word, write_gdtr_word)                                         \
    X(TR, "TR", NULL, read_tr, write_tr)                                                           \
    X(LDTR, "LDTR", NULL, read_ldtr, write_ldtr)                                                   \
    X(CS, "CS", NULL, read_cs_word, write_cs)                                                      \
    X(EFER, "EFER", register_efer, read_efer, write_efer)                                          \
    X(CR0, "CR0", register_cr0, read_cr0, write_cr0)                                               \
    X(CR3, "CR3", NULL, read_cr3, write_cr3)                                                       \
    X(CR4, "CR4", register_cr4, read_cr4, write_cr4)                                               \
    X(XCR0, "XCR0", register_xcr0, read_xcr0, xcr0_write) /* needs CR4.OSXSAVE */                  \
    X(CR8, "CR8", NULL, read_cr8, write_cr8)                                                       \
    X(DR7, "DR7", NULL, read_dr7, write_dr7) /* before the addresses, which it enables */          \
    X(DR6, "DR6", NULL, read_dr6, write_dr6)                                                       \
    X(DR0, "DR0", NULL, read_dr0, write_dr0)                                                       \
    X(DR1, "DR1", NULL, read_dr1, write_dr1)                                                       \
    X(DR2, "DR2", NULL, read_dr2, write_dr2)                                                       \
    X(DR3, "DR3", NULL, read_dr3, write_dr3)                                                       \
    X(DS, "DS", NULL, read_ds, write_ds)                                                           \
    X(ES, "ES", NULL, read_es, write_es)                                                           \
    X(SS, "SS", NULL, read_ss, write_ss)                                                           \
    X(FS, "FS", NULL, read_fs, write_fs) /* before the base, which loading a selector changes */   \
    X(GS, "GS", NULL, read_gs, write_gs)                                                           \
    X(FS_BASE, "the FS base", NULL, read_fs_base, write_fs_base)                                   \
    X(GS_BASE, "the GS base", NULL, read_gs_base, write_gs_base)                                   \
    X(KERNEL_GS_BASE, "KERNEL_GS_BASE", NULL, read_kernel_gs_base, write_kernel_gs_base)

enum row_register {
#define ROW_REGISTER(id, ...) ROW_##id,
    ROW_REGISTER_LIST(ROW_REGISTER) ROW_REGISTERS
#undef ROW_REGISTER
};

struct row_register_kind {
    const char *name;                /* for messages */
    const struct register_bit *bits; /* NULL: no named bits */
    uint64_t (*read)(void);
    void (*write)(uint64_t v);
};
extern const struct row_register_kind row_register_kinds[ROW_REGISTERS];

/* --- row_state.c --- */

#define ROW_MSRS 4 /* the most that a row declares */

#define ROW_APIC_REGISTERS 3
/* Registers of the core's local APIC (kernel/devices/irq.h). */
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

/* Begins a row, saving the registers; clearing `kept` ends it. */
void row_state_keep(struct row_state *s);

/* Saves these MSRs too; 0 ends the list. One that cannot be read, such as IA32_PRED_CMD, has no
 * state. */
void row_state_keep_msrs(struct row_state *s, const uint32_t *msr);

/* Restores and records changed registers. In a handler, CS and SS are not compared: the CPU has
 * loaded the handler's, and IRETQ loads the row's. True: one had changed that can be the cause of a
 * fault, so that an interrupted instruction may succeed now. */
bool row_state_put_back(struct row_state *s, bool in_handler);

/* Writes the changed registers to `out` and clears the record. False: none had changed. */
bool row_state_tell(struct row_state *s, struct sink *out);

/* Records a register that a handler found changed and has restored. */
static inline void row_state_note(struct row_state *s, enum row_register r, uint64_t found)
{
    if (!(s->changed >> r & 1))
        s->found[r] = found;
    s->changed |= 1u << r;
}

#endif
