/* Decides whether the machine is borrowed from the firmware or taken for good. */
#include "boot/boot.h"

static bool has_serial(const struct boot *b)
{
    struct serial serial = boot_serial(b);
    bool there = serial.on;

    serial_release(&serial);
    return there || boot_serial_in_memory(b);
}

void boot_takeover(struct boot *b)
{
    struct handoff *h = b->handoff;
    bool wants = h->options.takeover == TAKEOVER_BORROW || h->options.finish == FINISH_RETURN;
    bool may = h->options.takeover == TAKEOVER_AUTO;

    /* Without a console the report can only go to the stick, which needs boot services. */
    h->borrowed = wants || (may && h->framebuffer.size == 0 && !has_serial(b));
}
