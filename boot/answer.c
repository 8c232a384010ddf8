/*
 * Ends a start that measures nothing: help, list, or an error. The text for people goes to the
 * firmware's console, the records to the serial port. If the firmware's console is that port, it
 * gets nothing twice.
 */
#include "bench/api/registry.h"
#include "bench/api/report.h"
#include "bench/objects/objects.h"
#include "boot/boot.h"
#include "boot/timers.h"
#include "kernel/console/serial.h"
#include "kernel/cpu/cpu.h"
#include "kernel/machine/leave.h"
#include "lib/config/options_show.h"
#include "lib/text/fmt.h"

static bool failed(const struct boot *b)
{
    return b->error[0] != 0;
}

static bool lists(const struct boot *b)
{
    return !failed(b) && !b->handoff->options.help;
}

static void say(struct boot *b, const struct boot_timers *t, struct sink *out)
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

/* `format`: FORMAT_JSONL if the console has the text already. `t`: used only for `list`; may be
 * NULL otherwise. */
static void record(struct boot *b, const struct boot_timers *t, struct sink *out,
                   enum format format)
{
    struct report r;

    fmt(out, "\r\n"); /* the firmware's console may have left an incomplete line */
    report_init(&r, out, format);
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
    struct boot_timers timers;

    if (lists(b))
        boot_timers(b, &timers);
    say(b, &timers, b->st->ConOut ? &b->conout.sink : &serial.sink);
    record(b, &timers, &serial.sink, FORMAT_JSONL);
    serial_flush(&serial);
    boot_once_failed(b);
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
    record(b, NULL, &serial.sink, FORMAT_BOTH);
    serial_flush(&serial);
    if (b->handoff->qemu)
        qemu_exit(STATUS_FAULTED);
    for (;;)
        __asm__ volatile("hlt");
}
