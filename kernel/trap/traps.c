#include "kernel/trap/traps.h"
#include "kernel/cores/cores.h"
#include "kernel/cores/lent.h"
#include "kernel/cores/park.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/mce.h"
#include "kernel/cpu/msr.h"
#include "kernel/machine/machine.h"
#include "kernel/trap/fault.h"

#define TRAP_STUB_SIZE 16   /* kernel/trap/traps.asm */
#define GATE_INTERRUPT 0x8e /* present, DPL 0, 64-bit interrupt gate: IF stays clear */

/* SDM vol. 3A figure 6-8. */
struct gate {
    uint16_t offset_low, selector;
    uint8_t ist, type;
    uint16_t offset_middle;
    uint32_t offset_high, reserved;
};
_Static_assert(sizeof(struct gate) == 16, "SDM vol. 3A figure 6-8");

extern const uint8_t trap_stubs[] HIDDEN; /* kernel/trap/traps.asm */

static struct gate *idt; /* GATES of them */
static struct machine *machine;
static unsigned faults; /* fatal ones so far: a second one comes out of the report of the first */

static uint8_t ist_of(unsigned vector)
{
    switch (vector) {
    case VECTOR_NMI:
        return IST_NMI;
    case VECTOR_DOUBLE_FAULT:
        return IST_DOUBLE_FAULT;
    case VECTOR_MACHINE_CHECK:
        return IST_MACHINE_CHECK;
    default:
        return 0;
    }
}

/* The stubs of the interrupts stand behind those of the exceptions. */
static struct gate gate_of(unsigned stub, uint16_t selector, uint8_t ist)
{
    uint64_t at = (uint64_t)trap_stubs + stub * TRAP_STUB_SIZE;

    return (struct gate){
        .offset_low = (uint16_t)at,
        .selector = selector,
        .ist = ist,
        .type = GATE_INTERRUPT,
        .offset_middle = (uint16_t)(at >> 16),
        .offset_high = (uint32_t)(at >> 32),
    };
}

static void load(struct idtr idtr)
{
    __asm__ volatile("lidt %0" : : "m"(idtr) : "memory");
}

uint64_t traps_cost(void)
{
    return arena_cost(GATES * sizeof(*idt));
}

bool traps_init(struct machine *m)
{
    machine = m;
    idt = arena_take(&m->arena, GATES * sizeof(*idt));
    if (!idt)
        return false;
    for (unsigned i = 0; i < VECTORS; i++)
        idt[i] = gate_of(i, SELECTOR_CODE, ist_of(i));
    for (unsigned i = VECTOR_INTERRUPTS; i < GATES; i++)
        idt[i] = gate_of(VECTORS + i - VECTOR_INTERRUPTS, SELECTOR_CODE, 0);
    return true;
}

void traps_load(void)
{
    load((struct idtr){GATES * sizeof(*idt) - 1, (uint64_t)idt});
}

struct idtr traps_borrow(void)
{
    static struct gate gates[VECTORS];
    struct idtr firmware;
    uint16_t cs;

    __asm__ volatile("sidt %0" : "=m"(firmware));
    __asm__ volatile("mov %%cs, %0" : "=r"(cs));
    const struct gate *theirs = (const struct gate *)firmware.base;
    for (unsigned i = 0; i < VECTORS; i++)
        gates[i] = (i + 1) * sizeof(*gates) - 1 <= firmware.limit ? theirs[i] : (struct gate){0};
    gates[VECTOR_GENERAL_PROTECTION] = gate_of(VECTOR_GENERAL_PROTECTION, cs, 0);
    load((struct idtr){sizeof(gates) - 1, (uint64_t)gates});
    return firmware;
}

void traps_return(struct idtr firmware)
{
    load(firmware);
}

static bool survived(struct trap_frame *f)
{
    uint64_t resume;

    switch (f->vector) {
    case VECTOR_NMI:
        core_current()->nmis++;
        lent_nmi(core_current());
        return true;
    case VECTOR_MACHINE_CHECK:
        return machine_check_survived(core_current());
    case VECTOR_GENERAL_PROTECTION:
    case VECTOR_PAGE_FAULT:
        resume = fixup_find(f->rip);
        if (resume)
            f->rip = resume;
        return resume != 0;
    default:
        return false;
    }
}

void trap_dispatch(struct trap_frame *f)
{
    struct core *c;

    if (f->vector >= VECTOR_INTERRUPTS) {
        park_interrupt((unsigned)f->vector);
        return;
    }
    if (survived(f))
        return;
    c = core_current();
    if (c != machine->core)
        cores_faulted(machine, c, f);
    faults++;
    if (faults > 2)
        cpu_halt();
    /* Also firmware that faults in our ResetSystem call: the report is closed already. */
    if (faults == 2 || machine->leaving)
        machine_leave(machine, FINISH_AUTO, EXIT_FAULT);
    fault_print(machine, f);
    kernel_faulted(f);
}
