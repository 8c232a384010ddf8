/* The ways out, and QEMU's own. */
#include "kernel/devices/reset.h"
#include "kernel/machine/machine.h"
#include "kernel/cpu/msr.h"
#include "lib/text/fmt.h"

#define QEMU_DEBUG_EXIT 0xf4 /* the device's port in `make run` */

#define FIRMWARE_US 10000000u /* after which ResetSystem is given up, if an NMI can end it */

/* UEFI 2.10 section 8.5.1. */
enum { RESET_COLD = 0, RESET_SHUTDOWN = 2 };
typedef void(__attribute__((ms_abi)) * reset_system)(int type, uint64_t status, uint64_t size,
                                                     const void *data);

/* Firmware may leave its cores in running loops (MWAIT, PAUSE). */
bool machine_stop_others(const struct machine *m)
{
    return m->irq.lapic.bsp && lapic_ipi(&m->irq.lapic, 0, ICR_INIT | ICR_OTHERS);
}

void qemu_exit(enum status status)
{
    /* One byte suits the device at any iosize. */
    out8(QEMU_DEBUG_EXIT, (uint8_t)status);
}

/* --- the steps, in their order; each returns if it has nothing to do or did not work ---------- */

/* Paints the screen even if our page tables failed: the firmware's usually map the framebuffer, and
 * our handler catches a fault. */
static void show_last_words(struct machine *m)
{
    if (m->boot_core)
        screen_mapped(&m->screen, true);
    screen_paint(&m->screen);
}

static void restore_controls(struct machine *m)
{
    core_controls_restore_all(m, false);
}

/* Returns to the caller of kernel_borrow(). */
static void give_back(struct machine *m)
{
    struct handoff *h = m->handoff;

    h->shown = m->serial.on || m->screen.on;
    h->painted = m->screen.on;
    if (!h->borrowed || !h->way_back)
        return;
    deadline_close(&m->deadlines);
    watchdog_lend(m);
    lent_home(&m->cores, h->lent);
    lfence_restore(m->lfence);
    irq_restore(&m->irq, &m->paging, m->madt);
    mce_restore(&m->mce, &m->cpu);
    serial_release(&m->serial);
    entry_return(h->way_back, (int)m->status);
}

/* With finish=reboot it also ends a reset that hangs. */
static void stop_watchdog(struct machine *m)
{
    bool returns = m->handoff->borrowed && m->handoff->way_back;

    if (!returns && m->finish != FINISH_REBOOT)
        watchdog_stop(m);
}

/* The other cores must not run while the firmware's code does. */
static void stop_others(struct machine *m)
{
    serial_flush(&m->serial);
    if (m->cores.up > 0)
        (void)machine_stop_others(m);
    deadline_alone();
}

static void exit_qemu(struct machine *m)
{
    bool lost = !m->handoff->shown && m->status == STATUS_SUCCESS;

    if (m->finish == FINISH_AUTO && m->handoff->qemu)
        qemu_exit(lost ? STATUS_NO_REPORT : m->status);
}

/* Writes what is tried next, and waits until it is sent and painted. */
static void tell(void *machine, const char *way)
{
    struct machine *m = machine;

    fmt(&m->console.sink, FINISH_TELLS, m->finish == FINISH_REBOOT ? "reboot" : "poweroff", way);
    serial_flush(&m->serial);
    screen_paint(&m->screen);
}

static void call_firmware(void *machine)
{
    const struct machine *m = machine;
    int type = m->finish == FINISH_REBOOT ? RESET_COLD : RESET_SHUTDOWN;

    ((reset_system)m->handoff->reset_system)(type, 0, 0, NULL);
}

/* ResetSystem may call code that belongs to boot services, fault, return, or hang. */
static void reset_by_firmware(struct machine *m)
{
    bool asked = m->finish == FINISH_REBOOT || m->finish == FINISH_POWEROFF;
    struct guard_ended ended;

    if (!asked || !m->handoff->reset_system)
        return;
    tell(m, "trying the firmware (ResetSystem)");
    paging_firmware(&m->paging);
    if (!m->boot_core) {
        call_firmware(m);
        return;
    }
    m->deadlines.row = cores_ticks(&m->cores, FIRMWARE_US);
    deadline_begin(m->boot_core, 0);
    (void)guard_call(m->boot_core, call_firmware, m, &ended);
    deadline_end(m->boot_core);
}

static void close_deadlines(struct machine *m)
{
    deadline_close(&m->deadlines);
}

static void switch_off(struct machine *m)
{
    const struct acpi_s5 qemu = {0}; /* from the DSDT of q35 and pc */
    bool asked = m->finish == FINISH_POWEROFF;

    if (asked && m->has_s5 && m->fadt.pm1a_cnt) {
        tell(m, TRYING_S5);
        power_off(&m->fadt, m->s5);
    }
    if (m->finish == FINISH_AUTO && m->handoff->qemu)
        power_off(&m->fadt, qemu);
}

static void reset_by(struct machine *m, unsigned way)
{
    const struct reset reset = {m->has_fadt ? &m->fadt : NULL, paging_map_mmio, &m->paging, tell,
                                m};

    if (m->finish == FINISH_REBOOT)
        reset_try(&reset, way);
}

static void stay(struct machine *m)
{
    if (m->finish == FINISH_REBOOT || m->finish == FINISH_POWEROFF)
        tell(m, FINISH_HALTS);
    pager_run(&m->screen);
}

_Noreturn void machine_leave(struct machine *m, enum finish finish, enum status status)
{
    static void (*const first[])(struct machine * m) = {
        show_last_words, restore_controls,  stop_watchdog,   give_back,  stop_others,
        exit_qemu,       reset_by_firmware, close_deadlines, switch_off,
    };
    const unsigned others = sizeof first / sizeof first[0];

    m->finish = finish;
    m->status = status;
    while (m->left <= others + RESET_WAYS) {
        unsigned step = m->left++; /* a fault in it continues with the next step */
        if (step < others)
            first[step](m);
        else if (step < others + RESET_WAYS)
            reset_by(m, step - others);
        else
            stay(m);
    }
    cpu_halt();
}
