#include "kernel/cores/lent.h"
#include "kernel/cpu/instructions.h"
#include "kernel/machine/machine.h"

#define QEMU_DEBUG_EXIT 0xf4 /* the device's port in `make run` */

/* ACPI 6.5 section 4.8.3.2.1. QEMU's S5 has SLP_TYP 0 on both q35 and pc (from its DSDT). */
#define PM1_SLP_EN 0x2000

/* UEFI 2.10 section 8.5.1. */
enum { RESET_COLD = 0, RESET_SHUTDOWN = 2 };
typedef void(__attribute__((ms_abi)) * reset_system)(int type, uint64_t status, uint64_t size,
                                                     const void *data);

void qemu_exit(enum status status)
{
    /* One byte suits the device at any iosize. */
    out8(QEMU_DEBUG_EXIT, (uint8_t)status);
}

static void power_off_qemu(const struct machine *m)
{
    if (m->handoff->qemu && m->fadt.pm1a_cnt)
        out16(m->fadt.pm1a_cnt, PM1_SLP_EN);
}

static void reset(const struct machine *m, int type)
{
    if (m->handoff->reset_system)
        ((reset_system)m->handoff->reset_system)(type, 0, 0, NULL);
}

bool machine_halts(const struct machine *m, enum finish finish)
{
    if (m->handoff->borrowed)
        return false; /* boot/ halts instead */
    return finish == FINISH_HALT || (finish == FINISH_AUTO && !m->handoff->qemu);
}

/* Paints the screen even if our page tables failed: the firmware's usually map the framebuffer, and
 * our handler catches a fault. */
static void show_last_words(struct machine *m)
{
    if (m->boot_core)
        screen_mapped(&m->screen, true);
    screen_paint(&m->screen);
}

/* Returns to the caller of kernel_borrow() with `status`. */
static _Noreturn void give_back(struct machine *m, enum status status)
{
    lent_home(&m->cores, m->handoff->lent);
    lfence_restore(m->lfence);
    irq_restore(&m->irq, &m->paging, m->madt);
    mce_restore(&m->mce, &m->cpu);
    serial_release(&m->serial);
    entry_return(m->handoff->way_back, (int)status);
}

/* Returns if it did not work, or if `finish` asks for a halt. */
static void finish_as_asked(const struct machine *m, enum finish finish, enum status status)
{
    switch (finish) {
    case FINISH_AUTO:
        if (m->handoff->qemu)
            qemu_exit(status);
        power_off_qemu(m);
        break;
    case FINISH_REBOOT:
        reset(m, RESET_COLD);
        break;
    case FINISH_POWEROFF:
        reset(m, RESET_SHUTDOWN);
        power_off_qemu(m);
        break;
    case FINISH_HALT:
    case FINISH_RETURN: /* only for a borrowed machine, which was given back above */
        break;
    }
}

_Noreturn void machine_leave(struct machine *m, enum finish finish, enum status status)
{
    if (m->leaving)
        cpu_halt();
    m->leaving = true;
    show_last_words(m);
    core_controls_restore_all(&m->controls, false);
    deadline_close(&m->deadlines);
    m->handoff->shown = m->serial.on || m->screen.on;
    m->handoff->painted = m->screen.on;
    if (m->handoff->borrowed && m->handoff->way_back)
        give_back(m, status);
    if (!m->handoff->shown && status == STATUS_SUCCESS)
        status = STATUS_NO_REPORT;
    serial_flush(&m->serial);
    /* The other cores must not run while the firmware's code does. */
    if (m->cores.up > 0)
        (void)lapic_stop_others(&m->irq.lapic);
    finish_as_asked(m, finish, status);
    pager_run(&m->screen);
    cpu_halt();
}
