#include "kernel/devices/lapic.h"
#include "kernel/cpu/msr.h"
#include "kernel/cpu/registers.h"

#define VERSION_EXTENDED (1u << 31) /* AMD APM vol. 2 section 16.3.4 */
#define ICR_PENDING      (1u << 12)
#define ICR_WAIT_READS   100000u /* reads of the register; a delivery takes microseconds */
#define LAPIC_BYTES      0x1000u
#define NO_DEVICE        0xffffffffu /* the result of a read that no device answers */

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

static bool find(struct lapic *l, struct paging *p, const struct cpu *cpu)
{
    uint64_t base;

    if (!cpu->apic || !msr_read(MSR_APIC_BASE, &base) || !(base & BASE_ENABLED))
        return false;
    l->x2apic = base & BASE_X2APIC;
    if (!l->x2apic)
        l->address = (uint64_t)paging_map_mmio(p, base & BASE_ADDRESS, LAPIC_BYTES);
    return l->x2apic || l->address;
}

struct lapic lapic_open(struct paging *p, const struct cpu *cpu)
{
    struct lapic l = {0};
    uint32_t version, ext;

    if (!find(&l, p, cpu) || !lapic_read(&l, LAPIC_VERSION, &version) ||
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

bool lapic_stop_others(const struct lapic *l)
{
    return lapic_ipi(l, 0, ICR_INIT | ICR_OTHERS);
}

static bool set_base(uint64_t bits)
{
    uint64_t base;

    return msr_read(MSR_APIC_BASE, &base) && msr_write(MSR_APIC_BASE, base | bits);
}

static const char *read_id(const struct lapic *l, uint32_t *id)
{
    if (!lapic_read(l, LAPIC_ID, id))
        return "its APIC does not answer";
    if (!l->x2apic)
        *id >>= 24;
    return NULL;
}

const char *lapic_follow(const struct lapic *l, uint32_t *id)
{
    uint64_t base;

    if (!msr_read(MSR_APIC_BASE, &base))
        return "no IA32_APIC_BASE";
    if (!l->x2apic && base & BASE_X2APIC)
        return "its APIC is in x2APIC mode, the boot core's is not";
    if (!l->x2apic && (base & BASE_ADDRESS) != l->address &&
        !msr_write(MSR_APIC_BASE, (base & ~BASE_ADDRESS) | l->address))
        return "its APIC's address cannot be set to the boot core's";
    /* A disabled APIC cannot go to x2APIC mode directly (SDM vol. 3A figure 11-27). */
    if (!set_base(BASE_ENABLED) || (l->x2apic && !set_base(BASE_X2APIC)))
        return "its APIC cannot be put into the boot core's mode";
    return read_id(l, id);
}

const char *lapic_is_alike(const struct lapic *l, uint32_t *id)
{
    uint64_t base;

    if (!msr_read(MSR_APIC_BASE, &base))
        return "no IA32_APIC_BASE";
    if (!(base & BASE_ENABLED) || !(base & BASE_X2APIC) != !l->x2apic)
        return "its APIC is not in the boot core's mode";
    if (!l->x2apic && (base & BASE_ADDRESS) != l->address)
        return "its APIC's address is not the boot core's";
    return read_id(l, id);
}

bool lapic_switch_x2apic(struct lapic *l)
{
    uint64_t base;

    if (!set_base(BASE_X2APIC) || !msr_read(MSR_APIC_BASE, &base) || !(base & BASE_X2APIC))
        return false;
    l->x2apic = true;
    return lapic_read(l, LAPIC_ID, &l->id);
}
