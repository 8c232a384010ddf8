/*
 * Ends a start that measures nothing: help, list, or an error. The text for people goes to the
 * firmware's console, the records to the serial port. If the firmware's console is that port, it
 * gets nothing twice.
 */
#include "bench/api/tsc.h"
#include "bench/api/registry.h"
#include "bench/api/report.h"
#include "bench/api/survey.h"
#include "boot/boot.h"
#include "lib/config/options.h"
#include "lib/text/fmt.h"

#define WINDOWS_A_S 100 /* windows of 10 ms */

/* The machine's timers as `list` finds them, by id. */
struct timers {
    struct timer_found clock[CLOCK_IDS];
    struct timer_found cycle[CYCLE_IDS];
};

/* --- the timers that work: starts, tests and restores each; no firmware code runs meanwhile --- */

static struct timer *find_clock(void *context, unsigned id, const char **why)
{
    struct timer *t = counters_timer(context, id, why);

    if (t && id == CLOCK_ID_TSC && !t->tsc_hz) {
        *why = counters_tsc_unknown;
        return NULL;
    }
    return t;
}

static struct timer *find_cycle(void *context, unsigned id, const char **why)
{
    return core_cycles_timer(context, id, why);
}

/* Measures over 10 ms of a started clock. 0: the clock stops. kernel/devices/clocks.c is more
 * exact, but uses SSE. */
static uint64_t tsc_hz_by(struct timer *t)
{
    uint64_t again = 0, from, to, hz = t->hz / t->hz_per, tsc = rdtsc();

    if (timer_read_whole(t, &from, &again) != TIMER_OK || !counters_wait(t, hz / WINDOWS_A_S))
        return 0;
    uint64_t ticks = rdtsc() - tsc;
    if (timer_read_whole(t, &to, &again) != TIMER_OK)
        return 0;
    uint64_t counts = (to - from) & ~0ull >> (64 - t->bits);
    return counts ? ticks * 1000 / counts * hz / 1000 : 0;
}

/* Returns the frequency by CPUID leaf 15h, or else by the first clock that starts and works; 0:
 * none does. */
static uint64_t tsc_hz(struct counters *counters)
{
    static const enum clock_id order[] = {CLOCK_ID_PMTIMER, CLOCK_ID_HPET, CLOCK_ID_PIT};
    struct cpu cpu;
    uint64_t hz;

    cpu_decode(&cpu, cpuid_here, NULL);
    hz = cpu.tsc_hz;
    for (unsigned i = 0; i < sizeof order / sizeof order[0] && hz == 0; i++) {
        struct timer *t = &counters->timer[order[i]];
        if (t->start(t))
            continue;
        hz = tsc_hz_by(t);
        if (t->stop)
            t->stop(t);
    }
    return hz;
}

/* Takes milliseconds with interrupts disabled. */
static void find_timers(struct boot *b, struct timers *t)
{
    struct core_cycles cycles = {0};
    struct counters counters;
    struct boot_acpi tables;
    struct fadt fadt;
    struct hpet_table hpet;

    boot_acpi(b, &tables);
    struct acpi_table f = acpi_find(&tables.acpi, "FACP"), h = acpi_find(&tables.acpi, "HPET");
    counters_init(&counters, f.bytes && acpi_fadt(&f, &fadt) ? &fadt : NULL,
                  h.bytes && acpi_hpet(&h, &hpet) ? &hpet : NULL, boot_map, b);
    struct boot_hold held = boot_hold(b);
    boot_guard(b);
    counters.timer[CLOCK_ID_TSC].tsc_hz = tsc_hz(&counters);
    timer_survey(t->clock, CLOCK_IDS, find_clock, &counters);
    timer_survey_cycles(t->cycle, &(struct cycle_survey){
                                      .source = find_cycle,
                                      .context = &cycles,
                                      .tsc_hz = counters.timer[CLOCK_ID_TSC].tsc_hz,
                                      .tsc = tsc_now,
                                      .adds = chain_adds,
                                  });
    boot_unguard(b);
    boot_unhold(b, held);
}

/* --- the answer ------------------------------------------------------------------------------- */

static bool failed(const struct boot *b)
{
    return b->error[0] != 0;
}

static bool lists(const struct boot *b)
{
    return !failed(b) && !b->handoff->options.help;
}

static void show_answer(struct boot *b, const struct timers *t, struct sink *out)
{
    if (failed(b))
        fmt(out, "\r\nbaretick: %s\r\nNothing was measured.\r\n", b->error);
    else if (b->handoff->options.help)
        options_help(out);
    else {
        registry_list(out);
        objects_show(out);
    }
    if (lists(b)) {
        timer_survey_show("clock", CLOCK_WORDS, t->clock, CLOCK_IDS, out);
        timer_survey_show("cycle", CYCLE_WORDS, t->cycle, CYCLE_IDS, out);
    }
}

/* `told`: the console has the text already. `t`: used only for `list`; may be NULL otherwise. */
static void record_answer(struct boot *b, const struct timers *t, struct sink *out, bool told)
{
    struct report r;

    fmt(out, "\r\n"); /* the firmware's console may have left an incomplete line */
    report_init(&r, out, b->handoff->options.format);
    if (told)
        report_records_only(&r, failed(b));
    if (failed(b)) {
        r.failures++;
        report_event(&r, "error", b->error);
    }
    if (t && lists(b)) {
        timer_survey_record("clock", CLOCK_WORDS, t->clock, CLOCK_IDS, &r);
        timer_survey_record("cycle", CYCLE_WORDS, t->cycle, CYCLE_IDS, &r);
    }
    report_end(&r, false);
}

EFI_STATUS boot_answer(struct boot *b)
{
    struct serial serial = boot_serial(b);
    EFI_STATUS status = failed(b) ? EFI_INVALID_PARAMETER : EFI_SUCCESS;
    struct timers timers;

    if (lists(b))
        find_timers(b, &timers);
    show_answer(b, &timers, b->st->ConOut ? &b->conout.sink : &serial.sink);
    record_answer(b, &timers, &serial.sink, true);
    serial_flush(&serial);
    boot_once_end(b, NULL);
    /* If it returned, the firmware would start the next entry in this boot, and PCR 4 of the TPM
     * would differ there. */
    if (b->once)
        boot_end_machine(b, true);
    if (b->handoff->qemu)
        qemu_exit(failed(b) ? STATUS_BAD_OPTIONS : STATUS_SUCCESS);
    boot_let_read(b);
    boot_close(b);
    return status;
}

void boot_stuck(struct boot *b)
{
    struct serial serial = boot_serial(b);

    fmt(boot_error(b), "firmware: ExitBootServices failed every time; the machine must be reset");
    record_answer(b, NULL, &serial.sink, false);
    serial_flush(&serial);
    if (b->handoff->qemu)
        qemu_exit(STATUS_FAULTED);
    for (;;)
        __asm__ volatile("hlt");
}
