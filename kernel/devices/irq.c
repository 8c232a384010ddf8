#include "kernel/devices/irq.h"
#include "kernel/cpu/instructions.h"
#include "kernel/cpu/msr.h"
#include "kernel/devices/device_registers.h"

/* --- the local APIC --------------------------------------------------------------------------- */

#define VERSION_EXTENDED (1u << 31) /* AMD APM vol. 2 section 16.3.4 */
#define ICR_PENDING      (1u << 12)
#define ICR_WAIT_READS   100000u /* reads of the register; a delivery takes microseconds */
#define LAPIC_BYTES      0x1000u

bool lapic_read(const struct lapic *l, uint32_t offset, uint32_t *v)
{
    uint64_t wide = 0;

    if (l->x2apic) {
        bool there = msr_read(MSR_X2APIC + offset / 16, &wide);
        *v = (uint32_t)wide;
        return there;
    }
    *v = *(volatile uint32_t *)(l->address + offset);
    return *v != NO_DEVICE;
}

void lapic_write(const struct lapic *l, uint32_t offset, uint32_t v)
{
    if (l->x2apic)
        (void)msr_write(MSR_X2APIC + offset / 16, v);
    else
        *(volatile uint32_t *)(l->address + offset) = v;
}

static bool find_lapic(struct lapic *l, struct paging *p, const struct cpu *cpu)
{
    uint64_t base;

    if (!cpu->apic || !msr_read(MSR_APIC_BASE, &base) || !(base & BASE_ENABLED))
        return false;
    l->x2apic = base & BASE_X2APIC;
    l->bsp = base & BASE_BSP;
    if (!l->x2apic)
        l->address = (uint64_t)paging_map_mmio(p, base & BASE_ADDRESS, LAPIC_BYTES);
    return l->x2apic || l->address;
}

struct lapic lapic_open(struct paging *p, const struct cpu *cpu)
{
    struct lapic l = {0};
    uint32_t version, ext;

    if (!find_lapic(&l, p, cpu) || !lapic_read(&l, LAPIC_VERSION, &version) ||
        !lapic_read(&l, LAPIC_ID, &l.id))
        return l;
    if (!l.x2apic)
        l.id >>= 24;
    l.lvt_max = version >> 16 & 0xff;
    if (version & VERSION_EXTENDED && lapic_read(&l, LAPIC_EXT_FEATURES, &ext))
        l.lvt_ext = ext >> 16 & 0xff;
    l.present = true;
    return l;
}

static bool icr_idle(const struct lapic *l)
{
    uint32_t v;

    for (unsigned i = 0; i < ICR_WAIT_READS; i++)
        if (!lapic_read(l, LAPIC_ICR, &v) || !(v & ICR_PENDING))
            return true;
    return false;
}

bool lapic_ipi(const struct lapic *l, uint32_t apic_id, uint32_t command)
{
    if (l->x2apic) { /* it has no delivery status: the write delivers (SDM 11.12.9) */
        /* The write of the MSR does not wait for stores before it (SDM 11.12.3). */
        __asm__ volatile("mfence; lfence" : : : "memory");
        return msr_write(MSR_X2APIC + LAPIC_ICR / 16, (uint64_t)apic_id << 32 | command);
    }
    if (!icr_idle(l))
        return false;
    lapic_write(l, LAPIC_ICR_HIGH, apic_id << 24);
    lapic_write(l, LAPIC_ICR, command);
    return icr_idle(l);
}

const char *lapic_read_id(const struct lapic *l, uint32_t *id)
{
    if (!lapic_read(l, LAPIC_ID, id))
        return "its APIC does not answer";
    if (!l->x2apic)
        *id >>= 24;
    return NULL;
}

/* --- masking ---------------------------------------------------------------------------------- */

/* 8259A, data ports: OCW1 is the mask. */
#define PIC1_MASK 0x21
#define PIC2_MASK 0xa1

static bool is_kept(uint32_t entry)
{
    uint32_t delivery = entry & ENTRY_DELIVERY;

    return delivery == DELIVERY_SMI || delivery == DELIVERY_NMI;
}

static void mask_pic(struct irq_masked *m)
{
    m->pic_was[0] = in8(PIC1_MASK);
    m->pic_was[1] = in8(PIC2_MASK);
    out8(PIC1_MASK, 0xff);
    out8(PIC2_MASK, 0xff);
}

/* `opened`: the bits of this IO-APIC; NULL: not needed. */
static void mask_ioapic(struct irq_masked *m, struct paging *p, uint64_t address, uint8_t *opened)
{
    volatile uint8_t *at = address & 3 ? NULL : paging_map_mmio(p, address, IOAPIC_BYTES);
    uint32_t version = at ? ioapic_read(at, IOAPIC_VERSION) : NO_DEVICE;
    uint32_t entries = (version >> 16 & 0xff) + 1;

    if (version == NO_DEVICE || version == 0 || entries > IOAPIC_ENTRIES_MAX) {
        m->ioapics_refused++;
        return;
    }
    m->ioapics++;
    m->ioapic_entries += entries;
    for (uint32_t i = 0; i < entries; i++) {
        uint32_t index = IOAPIC_REDIRECTION + 2 * i, entry = ioapic_read(at, index);
        if (is_kept(entry)) {
            m->ioapic_kept++;
        } else if (!(entry & ENTRY_MASKED)) {
            ioapic_write(at, index, entry | ENTRY_MASKED);
            m->ioapic_masked++;
            if (opened)
                opened[i / 8] |= (uint8_t)(1u << i % 8);
            if (!(ioapic_read(at, index) & ENTRY_MASKED))
                m->ioapic_stuck++;
        }
    }
}

/* `bit`: the entry's bit in lvt_opened. */
static void mask_lvt_entry(struct irq_masked *m, uint32_t offset, unsigned bit)
{
    uint32_t entry;

    if (!lapic_read(&m->lapic, offset, &entry))
        return;
    m->lvt_entries++;
    if (is_kept(entry)) {
        if (m->lvt_kept < IRQ_KEPT_MAX) {
            m->kept[m->lvt_kept].offset = (uint16_t)offset;
            m->kept[m->lvt_kept].entry = entry;
        }
        m->lvt_kept++;
    } else if (!(entry & ENTRY_MASKED)) {
        lapic_write(&m->lapic, offset, entry | ENTRY_MASKED);
        m->lvt_masked++;
        m->lvt_opened |= 1u << bit;
        if (lapic_read(&m->lapic, offset, &entry) && !(entry & ENTRY_MASKED))
            m->lvt_stuck++;
    }
}

/* The standard entries, in the order in which they were added: entry n exists if lvt_max is n or
 * more. AMD's extended entries follow, at most as many as their register space holds. */
static const uint16_t lvt[] = {LAPIC_LVT_TIMER, LAPIC_LVT_LINT0,    LAPIC_LVT_LINT1,
                               LAPIC_LVT_ERROR, LAPIC_LVT_COUNTERS, LAPIC_LVT_THERMAL,
                               LAPIC_LVT_CMCI};
#define LVT     (sizeof(lvt) / sizeof(lvt[0]))
#define LVT_EXT 16u

static uint32_t lvt_offset(unsigned bit)
{
    return bit < LVT ? lvt[bit] : LAPIC_EXT_LVT + 16 * (bit - LVT);
}

static void mask_lvt(struct irq_masked *m)
{
    for (unsigned bit = 0; bit < LVT && bit <= m->lapic.lvt_max; bit++)
        mask_lvt_entry(m, lvt_offset(bit), bit);
    for (unsigned i = 0; i < m->lapic.lvt_ext && i < LVT_EXT; i++)
        mask_lvt_entry(m, lvt_offset(LVT + i), LVT + i);
}

static void restore_lvt(const struct irq_masked *m)
{
    uint32_t entry;

    for (unsigned bit = 0; bit < LVT + LVT_EXT; bit++)
        if (m->lvt_opened >> bit & 1 && lapic_read(&m->lapic, lvt_offset(bit), &entry))
            lapic_write(&m->lapic, lvt_offset(bit), entry & ~ENTRY_MASKED);
    lapic_write(&m->lapic, LAPIC_SPURIOUS, m->spurious_was);
}

struct irq_masked irq_mask(struct paging *p, const struct cpu *cpu, const struct madt *madt,
                           struct irq_opened *opened)
{
    struct irq_masked m = {.done = true, .opened = opened};

    mask_pic(&m);
    for (unsigned i = 0; madt && i < madt->ioapics; i++)
        mask_ioapic(&m, p, madt->ioapic[i].address, opened ? opened->ioapic[i] : NULL);
    m.lapic = lapic_open(p, cpu);
    if (m.lapic.present) {
        (void)lapic_read(&m.lapic, LAPIC_SPURIOUS, &m.spurious_was);
        mask_lvt(&m);
    }
    m.priority_was = (uint8_t)read_cr8();
    write_cr8(CR8_HOLD_ALL);
    return m;
}

static void restore_ioapic(struct paging *p, uint64_t address, const uint8_t *opened)
{
    volatile uint8_t *at = paging_map_mmio(p, address, IOAPIC_BYTES); /* as in mask_ioapic() */

    for (uint32_t i = 0; at && i < IOAPIC_ENTRIES_MAX; i++) {
        uint32_t index = IOAPIC_REDIRECTION + 2 * i;
        if (opened[i / 8] >> i % 8 & 1)
            ioapic_write(at, index, ioapic_read(at, index) & ~ENTRY_MASKED);
    }
}

void irq_restore(const struct irq_masked *m, struct paging *p, const struct madt *madt)
{
    if (!m->done)
        return;
    if (m->lapic.present)
        restore_lvt(m);
    for (unsigned i = 0; m->opened && madt && i < madt->ioapics; i++)
        restore_ioapic(p, madt->ioapic[i].address, m->opened->ioapic[i]);
    out8(PIC1_MASK, m->pic_was[0]);
    out8(PIC2_MASK, m->pic_was[1]);
    write_cr8(m->priority_was);
}

struct irq_masked irq_mask_core(const struct irq_masked *boot, bool lent)
{
    struct irq_masked m = {.lapic = boot->lapic, .priority_was = (uint8_t)read_cr8()};

    (void)lapic_read(&m.lapic, LAPIC_SPURIOUS, &m.spurious_was);
    for (unsigned i = 0; !lent && i < boot->lvt_kept && i < IRQ_KEPT_MAX; i++)
        lapic_write(&m.lapic, boot->kept[i].offset, boot->kept[i].entry);
    mask_lvt(&m);
    write_cr8(CR8_HOLD_ALL);
    return m;
}

void irq_restore_lent(const struct irq_masked *m)
{
    restore_lvt(m);
    write_cr8(m->priority_was);
}
