#include "kernel/trap/traps.h"
#include "kernel/cpu/cpu_setup.h"
#include "kernel/cpu/msr.h"

#define TRAP_STUB_SIZE 16   /* kernel/trap/traps.asm */
#define GATE_INTERRUPT 0x8e /* present, DPL 0, 64-bit interrupt gate: IF stays clear */

#define BIT(vector) (1u << (vector))
/* #DE #DB #BP #OF #BR #UD #NM #DF #NP #SS #GP #PF #MF #AC #XM: SDM vol. 3A table 6-1. A body with
 * an invalid stack pointer gets #DF, which has a separate stack. #DF is not resumed. */
#define LEFT_FOR                                                                                   \
    (BIT(0) | BIT(1) | BIT(3) | BIT(4) | BIT(5) | BIT(VECTOR_INVALID_OPCODE) | BIT(7) |            \
     BIT(VECTOR_DOUBLE_FAULT) | BIT(11) | BIT(12) | BIT(VECTOR_GENERAL_PROTECTION) |               \
     BIT(VECTOR_PAGE_FAULT) | BIT(16) | BIT(17) | BIT(19))
/* SDM vol. 2: F4 and 0F 01 C9. */
#define HLT_BYTES    1
#define MWAIT_BYTES  3
#define RFLAGS_PLAIN 2u /* bit 1 is always set; DF, TF, AC and IF are clear */

/* kernel/trap/traps.asm. *stack: address of the call's frame; 0 after the call. */
bool guard_enter(volatile uint64_t *stack, void (*fn)(void *ctx), void *ctx);
void guard_exit(void);

/* kernel/trap/traps.asm. */
extern const uint8_t trap_stubs[] HIDDEN;
extern const uint8_t sleep_hlt_at[] HIDDEN, sleep_mwait_at[] HIDDEN;

/* An instruction that may fault and where to continue (kernel/cpu/msr.c). Distances from the field
 * itself in bytes, so that the table needs no relocation. */
struct fixup {
    int32_t instruction, resume;
};
extern const struct fixup __start_fixups[] HIDDEN, __stop_fixups[] HIDDEN; /* linker.ld */

/* All cores share these: the CPU passes no context to its handlers. The IDT has a separate page,
 * which is always executable (machine.c). */
_Alignas(4096) struct trap_gate traps_idt[GATES];
static const struct trap_hooks *hooks;
static uint64_t borrowed_nmis;

/* All other exceptions use the current stack. */
static const uint8_t ist[VECTORS] = {
    [VECTOR_DEBUG] = IST_DEBUG, /* a stepped row may have an invalid stack pointer */
    [VECTOR_NMI] = IST_NMI,
    [VECTOR_DOUBLE_FAULT] = IST_DOUBLE_FAULT,
    [VECTOR_MACHINE_CHECK] = IST_MACHINE_CHECK,
};

/* The stubs of the interrupts follow those of the exceptions. */
static struct trap_gate gate_of(unsigned stub, uint16_t selector, uint8_t stack)
{
    uint64_t at = (uint64_t)trap_stubs + stub * TRAP_STUB_SIZE;

    return (struct trap_gate){
        .offset_low = (uint16_t)at,
        .selector = selector,
        .ist = stack,
        .type = GATE_INTERRUPT,
        .offset_middle = (uint16_t)(at >> 16),
        .offset_high = (uint32_t)(at >> 32),
    };
}

void traps_init(const struct trap_hooks *h)
{
    hooks = h;
    for (unsigned i = 0; i < VECTORS; i++)
        traps_idt[i] = gate_of(i, SELECTOR_CODE, ist[i]);
    for (unsigned i = VECTOR_INTERRUPTS; i < GATES; i++)
        traps_idt[i] = gate_of(VECTORS + i - VECTOR_INTERRUPTS, SELECTOR_CODE, 0);
}

void traps_load(void)
{
    write_idtr((struct table_register){sizeof(traps_idt) - 1, (uint64_t)traps_idt});
}

static void load_copy(const struct borrowed_traps *b)
{
    write_idtr((struct table_register){sizeof(b->gate) - 1, (uint64_t)b->gate});
}

void traps_borrow(struct borrowed_traps *b)
{
    const struct trap_gate *theirs;
    uint16_t cs = read_cs();

    b->firmware = read_idtr();
    theirs = (const struct trap_gate *)b->firmware.base;
    for (unsigned i = 0; i < GATES; i++)
        b->gate[i] =
            (i + 1) * sizeof(*theirs) - 1 <= b->firmware.limit ? theirs[i] : (struct trap_gate){0};
    /* No IST: the firmware's TR may be empty. */
    b->nmi = b->gate[VECTOR_NMI];
    b->gate[VECTOR_NMI] = gate_of(VECTOR_NMI, cs, 0);
    b->gate[VECTOR_GENERAL_PROTECTION] = gate_of(VECTOR_GENERAL_PROTECTION, cs, 0);
    load_copy(b);
}

void traps_return(const struct borrowed_traps *b)
{
    write_idtr(b->firmware);
}

/* Clears CR0.WP, since the page can be read-only. */
static void write_gate(const struct borrowed_traps *b, const struct trap_gate *gate)
{
    struct trap_gate *theirs = (struct trap_gate *)b->firmware.base;
    uint64_t cr0 = read_cr0();

    if (read_cr4() & CR4_CET || (VECTOR_NMI + 1) * sizeof(*theirs) - 1 > b->firmware.limit)
        return;
    write_cr0(cr0 & ~CR0_WP);
    theirs[VECTOR_NMI] = *gate;
    write_cr0(cr0);
}

void traps_lend(const struct borrowed_traps *b)
{
    write_gate(b, &b->gate[VECTOR_NMI]);
    write_idtr(b->firmware);
}

void traps_lend_sent(const struct borrowed_traps *b)
{
    load_copy(b);
}

void traps_lend_end(const struct borrowed_traps *b)
{
    write_gate(b, &b->nmi);
}

uint64_t traps_borrowed_nmis(void)
{
    return __atomic_load_n(&borrowed_nmis, __ATOMIC_RELAXED);
}

/* --- guarded calls ---------------------------------------------------------------------------- */

bool guard_call(struct core *c, void (*fn)(void *ctx), void *ctx, struct guard_ended *ended)
{
    *ended = (struct guard_ended){.by = GUARD_CAME_BACK};
    c->guard_ended = ended;
    return guard_enter(&c->guard_stack, fn, ctx);
}

/* Returns the address of the interrupted code. While a call is stepped this is the stepped
 * instruction, since an NMI may have interrupted the step's handler. */
static uint64_t step_at(const struct core *c, const struct trap_frame *f)
{
    return c->steps && c->steps->traps > 0 && f->vector == VECTOR_NMI ? c->steps->at : f->rip;
}

/* Ends stepping: the call is not continued. */
static void step_drop(struct core *c)
{
    c->steps = NULL;
    branch_trap_restore(&c->branch_trap, &msr_here);
}

bool guard_leave(struct core *c, struct trap_frame *f, enum guard_end by)
{
    if (!c->guard_stack)
        return false;
    c->guard_ended->by = by;
    c->guard_ended->at = step_at(c, f);
    c->guard_ended->refused =
        f->vector == VECTOR_INVALID_OPCODE || f->vector == VECTOR_GENERAL_PROTECTION;
    if (by == GUARD_FAULT)
        fault_what(f, c->guard_ended->what, sizeof c->guard_ended->what);
    f->rip = (uint64_t)guard_exit;
    f->rsp = c->guard_stack;
    f->rflags = RFLAGS_PLAIN;
    if (f->cs != SELECTOR_CODE) {
        row_state_note(&c->state, ROW_CS, f->cs);
        f->cs = SELECTOR_CODE;
        f->ss = SELECTOR_DATA;
    }
    c->guard_stack = 0;
    step_drop(c);
    return true;
}

/* The same for an exception that can end a call: those that an instruction causes, and #DF, which
 * an invalid stack pointer causes; never a machine check. */
static bool fault_ends_call(struct core *c, struct trap_frame *f)
{
    return LEFT_FOR >> f->vector & 1 && guard_leave(c, f, GUARD_FAULT);
}

struct step_result step_call(struct stepping *s, step_entry *entry, const void *code,
                             const uint64_t argument[STEP_ARGUMENTS])
{
    struct core *c = core_current();
    struct step_result result;

    stepping_begin(s);
    branch_trap_clear(&c->branch_trap, &msr_here);
    write_dr6(DR6_RESET);
    c->steps = s;
    result = entry(argument, code);
    step_drop(c);
    return result;
}

/* In the #DB handler. True: it was a step of step_call() on this core, and `f` may continue. False:
 * it is another #DB. */
static bool is_step(struct core *c, struct trap_frame *f)
{
    struct stepping *s = c->steps;

    if (!s || !(read_dr6() & DR6_BS))
        return false;
    write_dr6(DR6_RESET); /* the CPU never clears it: SDM vol. 3B section 18.2.3 */
    f->rflags = step_flags(f->rflags, stepping_trap(s, f->rip, f->rcx, f->rsp));
    return true;
}

/* --- exceptions ------------------------------------------------------------------------------- */

static bool survives_nmi(struct core *c, struct trap_frame *f)
{
    if (hooks->own_nmi(c, f))
        return true;
    c->nmis++;
    hooks->nmi(c);
    return true;
}

static bool survives_machine_check(struct core *c)
{
    c->machine_checks++;
    return machine_check_survived(&c->last_check, c->machine_checks);
}

static bool goes_on_at_fixup(struct trap_frame *f)
{
    for (const struct fixup *x = __start_fixups; x < __stop_fixups; x++) {
        if ((uint64_t)&x->instruction + (uint64_t)(int64_t)x->instruction != f->rip)
            continue;
        f->rip = (uint64_t)&x->resume + (uint64_t)(int64_t)x->resume;
        return true;
    }
    return false;
}

/* Returns whether a MOV of a debug register met DR7.GD, which the CPU clears before the handler. */
static bool is_general_detect(const struct trap_frame *f)
{
    if (f->vector != VECTOR_DEBUG || !(read_dr6() & DR6_BD))
        return false;
    write_dr6(DR6_RESET);
    return true;
}

/* Restores registers that a row changed, to execute the instruction again. A #DF is not resumed,
 * since its frame need not point to an instruction; nor is code with a CS of the row's own GDT, or
 * of ring 3. */
static bool goes_on_as_before(struct core *c, struct trap_frame *f)
{
    if (is_general_detect(f)) {
        row_state_note(&c->state, ROW_DR7, DR7_RESET | DR7_GD);
        return true;
    }
    return row_state_put_back(&c->state, true) && f->vector != VECTOR_DOUBLE_FAULT &&
           f->cs == SELECTOR_CODE;
}

static bool survived(struct core *c, struct trap_frame *f)
{
    switch (f->vector) {
    case VECTOR_NMI:
        return survives_nmi(c, f);
    case VECTOR_MACHINE_CHECK:
        return survives_machine_check(c);
    case VECTOR_GENERAL_PROTECTION:
    case VECTOR_PAGE_FAULT:
        if (goes_on_at_fixup(f))
            return true;
        break;
    default: /* all other exceptions */
        break;
    }
    return c && (goes_on_as_before(c, f) || fault_ends_call(c, f));
}

/* Returns whether the loaded IDT is a struct borrowed_traps. It is not if a row runs: that has
 * loaded a copy of ours. */
static bool is_borrowed(const struct core *c, const struct table_register *now)
{
    return now->base != (uint64_t)traps_idt && !(c && c->state.kept);
}

/* Handles a trap while no struct core is loaded. */
static void dispatch_borrowed(const struct borrowed_traps *b, struct trap_frame *f)
{
    if (f->vector == VECTOR_NMI) {
        if (!hooks || !hooks->lent_nmi())
            __atomic_add_fetch(&borrowed_nmis, 1, __ATOMIC_RELAXED);
    } else if (!goes_on_at_fixup(f))
        traps_return(b); /* the instruction faults again, and the firmware reports it */
}

/* Returns whether this is a #PF, or a #DF that one can become: the faults that no-execute pages
 * cause while EFER.NXE is clear. */
static bool is_page_fault(const struct trap_frame *f)
{
    return f->vector == VECTOR_PAGE_FAULT || f->vector == VECTOR_DOUBLE_FAULT;
}

/*
 * While EFER.NXE is clear, hardly any data can be read, struct row_state included. So the handler
 * of a fault that this may cause first sets NXE. Returns EFER as found; 0: NXE was set, or this CPU
 * has no NXE. row_state_note() records it later.
 */
static uint64_t set_nx(void)
{
    uint64_t efer = rdmsr(MSR_EFER);

    if (efer & EFER_NXE || !cpu_has_nx())
        return 0;
    wrmsr(MSR_EFER, efer | EFER_NXE);
    return efer;
}

/* Lets a core that was about to sleep check again whether it may (kernel/trap/traps.asm). */
static void step_over_sleep(struct trap_frame *f)
{
    if (f->rip == (uint64_t)sleep_hlt_at)
        f->rip += HLT_BYTES;
    if (f->rip == (uint64_t)sleep_mwait_at)
        f->rip += MWAIT_BYTES;
}

void trap_dispatch(struct trap_frame *f)
{
    uint64_t without_nx = is_page_fault(f) ? set_nx() : 0;
    struct table_register now = read_idtr();
    struct core *c = core_find();

    if (is_borrowed(c, &now)) {
        dispatch_borrowed((const struct borrowed_traps *)now.base, f);
        return;
    }
    if (without_nx) {
        row_state_note(&c->state, ROW_EFER, without_nx);
        if (f->vector == VECTOR_DOUBLE_FAULT)
            (void)fault_ends_call(c, f);
        return;
    }
    if (f->vector == VECTOR_DEBUG && is_step(c, f))
        return;
    if (f->vector >= VECTOR_INTERRUPTS) {
        hooks->interrupt(c, (unsigned)f->vector);
        step_over_sleep(f);
        return;
    }
    if (survived(c, f)) {
        step_over_sleep(f);
        return;
    }
    c->guard_stack = 0; /* the core is about to stop */
    hooks->fatal(c, f);
    cpu_halt();
}
