#include "kernel/traps.h"
#include "kernel/cpu.h"
#include "kernel/fault.h"
#include "kernel/machine.h"
#include "kernel/mce.h"
#include "kernel/msr.h"

#define TRAP_STUB_SIZE 16   /* kernel/traps.asm */
#define GATE_INTERRUPT 0x8e /* present, DPL 0, 64-bit interrupt gate: IF stays clear */

/* SDM vol. 3A figure 6-8. */
struct gate {
    uint16_t offset_low, selector;
    uint8_t ist, type;
    uint16_t offset_middle;
    uint32_t offset_high, reserved;
};
_Static_assert(sizeof(struct gate) == 16, "SDM vol. 3A figure 6-8");

extern const uint8_t trap_stubs[] HIDDEN; /* kernel/traps.asm */

static struct gate idt[VECTORS];
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

void traps_load(struct machine *m)
{
    struct {
        uint16_t limit;
        uint64_t base;
    } __attribute__((packed)) idtr = {sizeof(idt) - 1, (uint64_t)idt};

    machine = m;
    for (unsigned i = 0; i < VECTORS; i++) {
        uint64_t at = (uint64_t)trap_stubs + i * TRAP_STUB_SIZE;
        idt[i] = (struct gate){
            .offset_low = (uint16_t)at,
            .selector = SELECTOR_CODE,
            .ist = ist_of(i),
            .type = GATE_INTERRUPT,
            .offset_middle = (uint16_t)(at >> 16),
            .offset_high = (uint32_t)(at >> 32),
        };
    }
    __asm__ volatile("lidt %0" : : "m"(idtr));
}

static bool survived(struct trap_frame *f)
{
    uint64_t resume;

    switch (f->vector) {
    case VECTOR_NMI:
        core_current()->nmis++;
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
    if (survived(f))
        return;
    faults++;
    if (faults > 2)
        cpu_halt();
    /* Also firmware that faults in our ResetSystem call: the report is closed already. */
    if (faults == 2 || machine->leaving)
        machine_leave(machine, FINISH_AUTO, EXIT_FAULT);
    fault_print(machine, f);
    kernel_faulted(f);
}
