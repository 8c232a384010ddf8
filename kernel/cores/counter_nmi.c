#include "kernel/cores/deadline.h"
#include "kernel/cpu/instructions.h"
#include "kernel/cpu/msr.h"
#include "kernel/devices/ioapic.h"

#define LVT_COUNTERS 4 /* SDM vol. 3A section 11.5.1: present if lvt_max is at least this */

const char *counter_nmi_find(struct overflow_plan *p, const struct lapic *l)
{
    uint32_t entry;

    overflow_decode(p, cpuid_here, NULL);
    if (overflow_absent(p))
        return overflow_absent(p);
    if (!l->present || l->lvt_max < LVT_COUNTERS || !lapic_read(l, LAPIC_LVT_COUNTERS, &entry))
        return "the local APIC has no entry for counters";
    return entry & ENTRY_MASKED ? NULL : "the firmware uses the local APIC's entry for counters";
}

const char *counter_nmi_start(struct core *c, const struct overflow_plan *p, const struct lapic *l,
                              uint64_t ticks)
{
    const char *why_not;

    (void)lapic_read(l, LAPIC_LVT_COUNTERS, &c->lvt_counters_was);
    lapic_write(l, LAPIC_LVT_COUNTERS, DELIVERY_NMI);
    why_not = overflow_start(&c->overflow, p, &msr_here, ticks);
    if (why_not)
        lapic_write(l, LAPIC_LVT_COUNTERS, c->lvt_counters_was);
    return why_not;
}

bool counter_nmi_came(const struct core *c)
{
    return overflow_came(&c->overflow, &msr_here);
}

/* The entry masks itself when it delivers (SDM vol. 3B section 20.6.3). */
void counter_nmi_again(struct core *c, const struct lapic *l, uint64_t ticks)
{
    (void)overflow_again(&c->overflow, &msr_here, ticks);
    lapic_write(l, LAPIC_LVT_COUNTERS, DELIVERY_NMI);
}

void counter_nmi_stop(struct core *c, const struct lapic *l)
{
    if (!c->overflow.set)
        return;
    (void)overflow_stop(&c->overflow, &msr_here);
    lapic_write(l, LAPIC_LVT_COUNTERS, c->lvt_counters_was);
}
