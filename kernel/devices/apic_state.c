#include "kernel/devices/irq.h"
#include "lib/text/fmt.h"

#define LAPIC_IN_SERVICE_HIGHEST 0x170 /* the bits of vectors e0h to ffh */
#define ENDS_MOST                32    /* interrupts that can be in service there */

/* In restore order: the mode before the count that it interprets. */
static const struct {
    uint16_t offset;
    const char *name;
} registers[ROW_APIC_REGISTERS] = {
    {LAPIC_LVT_TIMER, "the APIC timer's LVT entry"},
    {LAPIC_TIMER_DIVIDE, "the APIC timer's divisor"},
    {LAPIC_TIMER_INITIAL, "the APIC timer's initial count"},
};

void apic_state_keep(struct row_apic *s, const struct lapic *l)
{
    *s = (struct row_apic){.kept = l->present};
    for (unsigned i = 0; s->kept && i < ROW_APIC_REGISTERS; i++)
        s->kept = lapic_read(l, registers[i].offset, &s->before[i]);
}

static bool in_service(const struct lapic *l)
{
    uint32_t bits;

    return lapic_read(l, LAPIC_IN_SERVICE_HIGHEST, &bits) && bits != 0;
}

void apic_state_put_back(struct row_apic *s, const struct lapic *l)
{
    uint32_t now;

    if (!s->kept)
        return;
    for (unsigned i = 0; i < ROW_APIC_REGISTERS; i++) {
        if (lapic_read(l, registers[i].offset, &now) && now == s->before[i])
            continue;
        s->changed |= 1u << i;
        lapic_write(l, registers[i].offset, s->before[i]);
    }
    for (unsigned i = 0; i < ENDS_MOST && in_service(l); i++) {
        s->served = true;
        lapic_write(l, LAPIC_EOI, 0);
    }
}

bool apic_state_tell(struct row_apic *s, bool before, struct sink *out)
{
    bool any = s->changed != 0 || s->served;

    for (unsigned i = 0; i < ROW_APIC_REGISTERS; i++) {
        if (!(s->changed >> i & 1))
            continue;
        fmt(out, "%s%s", before ? ", " : "", registers[i].name);
        before = true;
    }
    if (s->served)
        fmt(out, "%sthe APIC: an interrupt was in service", before ? ", " : "");
    s->changed = 0;
    s->served = false;
    return any;
}
