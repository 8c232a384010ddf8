/* The steps of kernel/machine/machine.h, except consoles, controls and DMA; the ways out. */
#include "kernel/machine/machine.h"
#include "kernel/cpu/msr.h"

#define QEMU_DEBUG_EXIT 0xf4 /* the device's port in `make run` */

/* ACPI 6.5 section 4.8.3.2.1. QEMU's S5 has SLP_TYP 0 on both q35 and pc (from its DSDT). */
#define PM1_SLP_EN 0x2000

/* UEFI 2.10 section 8.5.1. */
enum { RESET_COLD = 0, RESET_SHUTDOWN = 2 };
typedef void(__attribute__((ms_abi)) * reset_system)(int type, uint64_t status, uint64_t size,
                                                     const void *data);

void machine_traps(struct machine *m, struct handoff *h, const struct trap_hooks *hooks)
{
    m->handoff = h;
    arena_init(&m->arena, h);
    m->boot_core = core_new(&m->arena, 0);
    if (!m->boot_core)
        return;
    traps_init(hooks);
    core_load(m->boot_core);
    traps_load();
}

/* Enables machine checks, which are reported from here on. NULL, or why nothing can be measured. */
static const char *enable_machine_checks(struct machine *m)
{
    if (!m->boot_core)
        return "exception stacks: the arena is too small";
    m->mce = mce_enable(&m->cpu);
    return NULL;
}

static void find_arena_type(struct machine *m)
{
    const struct handoff *h = m->handoff;

    m->arena_type = MTRR_WB;
    if (!m->has_mtrr)
        return;
    for (uint64_t at = h->arena; at < h->arena + h->arena_size; at += ARENA_PAGE) {
        uint8_t type = mtrr_type(&m->mtrr, at);
        if (type != MTRR_WB)
            m->arena_type = type;
    }
}

/* Reads the MTRRs and loads our page tables. Returns NULL, or why not. */
static const char *load_page_tables(struct machine *m)
{
    uint64_t sev;
    const char *why_not;

    /* Page tables without the encryption bit would make this guest's memory unreadable. */
    if (cpu_is_amd(&m->cpu) && m->cpu.hypervisor && msr_read(MSR_SEV_STATUS, &sev) &&
        sev & SEV_ENABLED)
        return "page tables: a guest with encrypted memory (AMD SEV) is not supported";
    m->has_mtrr = mtrr_read(&m->mtrr, &m->cpu);
    find_arena_type(m);
    why_not = paging_init(&m->paging, m->handoff, &m->arena, &m->cpu, m->has_mtrr ? &m->mtrr : NULL,
                          m->boot_core);
    if (!why_not && !paging_rights(&m->paging, (uint64_t)traps_idt, sizeof traps_idt, PAGE_EXEC))
        why_not = "page tables: no room for the IDT's";
    return why_not;
}

static void find_watchdogs(struct machine *m)
{
    static const char *const signatures[] = {"WDAT", "WDDT"};

    for (unsigned i = 0; i < sizeof signatures / sizeof signatures[0]; i++) {
        struct acpi_table t = acpi_find(&m->acpi, signatures[i]);
        if (t.bytes)
            acpi_watchdog(&t, &m->watchdog[i]);
    }
}

/* Reads the ACPI tables. Does not need our page tables: what it reads is in the memory map. */
static void read_acpi(struct machine *m)
{
    struct acpi_table t;

    m->physical = memory_physical(m->handoff);
    acpi_open(&m->acpi, &m->physical, m->handoff->rsdp);

    t = acpi_find(&m->acpi, "FACP");
    m->has_fadt = t.bytes && acpi_fadt(&t, &m->fadt);
    t = acpi_find(&m->acpi, "HPET");
    m->has_hpet = t.bytes && acpi_hpet(&t, &m->hpet);
    t = acpi_find(&m->acpi, "APIC");
    m->madt = arena_take(&m->arena, sizeof(*m->madt));
    if (t.bytes && m->madt && !acpi_madt(&t, m->madt))
        m->madt_error = m->madt->error;
    if (m->madt && m->madt->cpus == 0 && m->madt->ioapics == 0)
        m->madt = NULL; /* no MADT, or no usable entry */

    find_watchdogs(m);
}

/* Sends INIT to every other core: they then wait for a SIPI and execute nothing. Firmware may leave
 * its cores in running loops (MWAIT, PAUSE). False: the command was not accepted in time. */
static bool stop_other_cores(const struct machine *m)
{
    return lapic_ipi(&m->irq.lapic, 0, ICR_INIT | ICR_OTHERS);
}

/* Masks interrupts at their sources, and stops the other cores. */
static void mask_interrupts(struct machine *m)
{
    bool borrowed = m->handoff->borrowed;

    m->irq = irq_mask(&m->paging, &m->cpu, m->madt,
                      borrowed ? arena_take(&m->arena, sizeof(struct irq_opened)) : NULL);
    /* The firmware's cores continue in its loops; the firmware needs them afterwards. */
    m->others_stopped = !borrowed && m->irq.lapic.present && stop_other_cores(m);
}

/* Makes LFENCE serializing, on which the clock reads rely. Then sets up counters, TSC frequency and
 * thermal status. */
static void open_clocks(struct machine *m)
{
    m->lfence = lfence_make_serializing(&m->cpu);
    counters_init(&m->counters, m->has_fadt ? &m->fadt : NULL, m->has_hpet ? &m->hpet : NULL,
                  paging_map_mmio, &m->paging);
    m->clock = clocks_measure(
        &m->cpu, tsc_rate_decode(&m->cpu, cpuid_here, NULL, msr_here.read, NULL), &m->counters);
    thermal_init(&m->thermal, &m->cpu, cpuid_here);
}

/* Starts or borrows the other cores, compares their TSCs and parks them. m->cores names those that
 * are not available. NULL, or why nothing can be measured. */
static const char *bring_up_cores(struct machine *m)
{
    m->cores.given = (struct cores_given){
        .handoff = m->handoff,
        .cpu = &m->cpu,
        .madt = m->madt,
        .mtrr = m->has_mtrr ? &m->mtrr : NULL,
        .arena = &m->arena,
        .paging = &m->paging,
        .irq = &m->irq,
        .lfence = m->lfence,
        .tsc_hz = m->clock.hz,
        .others_stopped = m->others_stopped,
        .boot = m->boot_core,
    };
    /* Before each core gets its own buffers: their tables copy the devices' pages. */
    deadline_open(&m->deadlines, &m->cores, &m->paging, m->madt, m->has_hpet ? &m->hpet : NULL);
    return cores_bring_up(&m->cores);
}

/* Each step relies on those before it. */
const char *machine_take(struct machine *m, void (*opened)(struct machine *m),
                         void (*opened_late)(struct machine *m, struct sink *late))
{
    const char *why_not;

    cpu_decode(&m->cpu, cpuid_here, NULL);
    read_acpi(m);
    machine_console(m);
    opened(m);
    why_not = enable_machine_checks(m);
    if (!why_not)
        why_not = load_page_tables(m);
    if (why_not)
        return why_not;
    opened_late(m, machine_console_late(m));
    machine_dma(m);
    mask_interrupts(m);
    open_clocks(m);
    why_not = bring_up_cores(m);
    if (why_not)
        return why_not;
    deadline_try(&m->deadlines);
    return core_controls_apply_all(m);
}

/* --- the ways out ----------------------------------------------------------------------------- */

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

static void reset_by_firmware(const struct machine *m, int type)
{
    if (m->handoff->reset_system)
        ((reset_system)m->handoff->reset_system)(type, 0, 0, NULL);
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
        reset_by_firmware(m, RESET_COLD);
        break;
    case FINISH_POWEROFF:
        reset_by_firmware(m, RESET_SHUTDOWN);
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
    core_controls_restore_all(m, false);
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
        (void)stop_other_cores(m);
    finish_as_asked(m, finish, status);
    pager_run(&m->screen);
    cpu_halt();
}
