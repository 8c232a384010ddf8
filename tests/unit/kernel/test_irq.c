#include "lib/firmware/acpi_tables.h"
#include "tests/unit/kernel/fake_cpu.h"
#include "tests/unit/fake_msr.h"
#include "tests/unit/cmocka_unit.h"
#include "kernel/devices/irq.h"
#include "kernel/devices/device_registers.h"

#define LAPIC_AT  0xfee00000ull
#define IOAPIC_AT 0xfec00000ull
#define PIC1_MASK 0x21
#define PIC2_MASK 0xa1

static uint8_t pic[2];
static uint64_t priority;
static uint32_t lapic[4096 / 4];
static uint32_t ioapic[IOAPIC_BYTES / 4];

uint8_t in8(uint16_t port)
{
    return pic[port == PIC2_MASK];
}

void out8(uint16_t port, uint8_t v)
{
    assert_true(port == PIC1_MASK || port == PIC2_MASK);
    pic[port == PIC2_MASK] = v;
}

uint64_t read_cr8(void)
{
    return priority;
}

void write_cr8(uint64_t v)
{
    priority = v;
}

volatile void *paging_map_mmio(void *p, uint64_t address, uint64_t size)
{
    return address == LAPIC_AT ? lapic : address == IOAPIC_AT ? ioapic : NULL;
}

/* As memory: the second register keeps what was written last, whatever the first one selects. */
uint32_t ioapic_read(volatile uint8_t *at, uint32_t index)
{
    return ioapic[IOAPIC_WINDOW / 4];
}

void ioapic_write(volatile uint8_t *at, uint32_t index, uint32_t v)
{
    ioapic[IOAPIC_WINDOW / 4] = v;
}

static const struct cpu cpu = {.apic = true};

static void set_up(void)
{
    pic[0] = 0xb8;
    pic[1] = 0x8e;
    priority = 0;
    memset(lapic, 0, sizeof(lapic));
    fake_msr_reset();
}

BEFORE_EACH(set_up);

TEST(the_local_apic_is_masked_by_mmio)
{
    fake_msr_add(MSR_APIC_BASE, LAPIC_AT | BASE_ENABLED | 0x100);
    lapic[LAPIC_ID / 4] = 0x07000000;
    lapic[LAPIC_VERSION / 4] = (1u << 31) | 5u << 16 | 0x14;
    lapic[LAPIC_EXT_FEATURES / 4] = 1u << 16;
    lapic[LAPIC_LVT_TIMER / 4] = 0x20020;      /* periodic, open */
    lapic[LAPIC_LVT_LINT0 / 4] = 0x700;        /* ExtINT, open */
    lapic[LAPIC_LVT_LINT1 / 4] = 0x400;        /* NMI */
    lapic[LAPIC_LVT_ERROR / 4] = ENTRY_MASKED; /* as after reset */
    lapic[LAPIC_LVT_THERMAL / 4] = 0x200;      /* SMI: the firmware's fan control */
    lapic[LAPIC_LVT_COUNTERS / 4] = ENTRY_MASKED;
    lapic[LAPIC_LVT_CMCI / 4] = 0x21; /* beyond what the version says */
    lapic[LAPIC_EXT_LVT / 4] = 0x22;
    struct irq_masked m = irq_mask(NULL, &cpu, NULL, NULL);

    assert_true(m.lapic.present);
    assert_false(m.lapic.x2apic);
    assert_int_equal(m.lapic.id, 7);
    assert_int_equal(lapic[LAPIC_LVT_TIMER / 4], 0x20020 | ENTRY_MASKED);
    assert_int_equal(lapic[LAPIC_LVT_LINT0 / 4], 0x700 | ENTRY_MASKED);
    assert_int_equal(lapic[LAPIC_LVT_LINT1 / 4], 0x400);
    assert_int_equal(lapic[LAPIC_LVT_THERMAL / 4], 0x200);
    assert_int_equal(lapic[LAPIC_LVT_CMCI / 4], 0x21);
    assert_int_equal(lapic[LAPIC_EXT_LVT / 4], 0x22 | ENTRY_MASKED);
    assert_int_equal(m.lvt_entries, 7);
    assert_int_equal(m.lvt_masked, 3);
    assert_int_equal(m.lvt_kept, 2);
    assert_int_equal(m.lvt_stuck, 0);
    assert_int_equal(m.pic_was[0], 0xb8);
    assert_int_equal(m.pic_was[1], 0x8e);
    assert_int_equal(pic[0] & pic[1], 0xff);
    assert_int_equal(priority, CR8_HOLD_ALL);
}

TEST(the_local_apic_is_masked_by_msr)
{
    fake_msr_add(MSR_APIC_BASE, LAPIC_AT | BASE_ENABLED | BASE_X2APIC);
    fake_msr_add(MSR_X2APIC + LAPIC_ID / 16, 0x12345);
    fake_msr_add(MSR_X2APIC + LAPIC_VERSION / 16, 6u << 16 | 0x15);
    fake_msr_add(MSR_X2APIC + LAPIC_LVT_TIMER / 16, 0x40030);
    fake_msr_add(MSR_X2APIC + LAPIC_LVT_LINT1 / 16, 0x400);
    fake_msr_add(MSR_X2APIC + LAPIC_LVT_CMCI / 16, 0x30);
    fake_msr.of[5].stuck = true;
    struct irq_masked m = irq_mask(NULL, &cpu, NULL, NULL);

    assert_true(m.lapic.x2apic);
    assert_int_equal(m.lapic.id, 0x12345);
    assert_int_equal(m.lvt_entries, 3); /* the others are not there */
    assert_int_equal(m.lvt_masked, 2);
    assert_int_equal(m.lvt_kept, 1);
    assert_int_equal(m.lvt_stuck, 1);
    assert_int_equal(fake_msr_value(MSR_X2APIC + LAPIC_LVT_TIMER / 16), 0x40030 | ENTRY_MASKED);
}

TEST(a_missing_local_apic_is_left_alone)
{
    const struct cpu none = {.apic = false};

    assert_false(lapic_open(NULL, &none).present);
    assert_false(lapic_open(NULL, &cpu).present); /* no MSR */
    fake_msr_add(MSR_APIC_BASE, LAPIC_AT);
    assert_false(lapic_open(NULL, &cpu).present); /* off */
    fake_msr.of[0].value = 0x1000 | BASE_ENABLED;
    assert_false(lapic_open(NULL, &cpu).present);
    for (unsigned bsp = 0; bsp < 2; bsp++) {
        fake_msr.of[0].value = LAPIC_AT | BASE_ENABLED | (bsp ? BASE_BSP : 0);
        memset(lapic, 0, sizeof(lapic));
        assert_int_equal(lapic_open(NULL, &cpu).bsp, bsp);
    }
    memset(lapic, 0xff, sizeof(lapic));
    assert_false(lapic_open(NULL, &cpu).present);
}

/* A window that does not follow the index: every register reads the same. */
TEST(every_open_ioapic_entry_is_masked)
{
    struct madt t = {.ioapics = 2};

    t.ioapic[0].address = IOAPIC_AT;
    t.ioapic[1].address = 0x00100000;

    memset(ioapic, 0xff, sizeof(ioapic));
    struct irq_masked m = irq_mask(NULL, &cpu, &t, NULL);
    assert_int_equal(m.ioapics, 0);
    assert_int_equal(m.ioapics_refused, 2);

    ioapic[IOAPIC_WINDOW / 4] = 0x00ff0011; /* 256 entries: more than there can be */
    assert_int_equal(irq_mask(NULL, &cpu, &t, NULL).ioapics, 0);

    ioapic[IOAPIC_WINDOW / 4] = 0x00160020; /* 23 entries, of which each is open */
    m = irq_mask(NULL, &cpu, &t, NULL);
    assert_int_equal(m.ioapics, 1);
    assert_int_equal(m.ioapic_entries, 23);
    assert_int_equal(m.ioapic_masked, 1); /* and masked for all by the first write */
    assert_int_equal(m.ioapic_stuck, 0);

    ioapic[IOAPIC_WINDOW / 4] = 0x00160420;
    m = irq_mask(NULL, &cpu, &t, NULL);
    assert_int_equal(m.ioapic_kept, 23);
    assert_int_equal(ioapic[IOAPIC_WINDOW / 4], 0x00160420);
}

/* Everything that was open is open again, and nothing else. */
TEST(every_source_that_was_open_is_opened_again)
{
    static struct irq_opened opened; /* as the arena's: all zero */
    struct madt t = {.ioapics = 2};
    uint32_t before[sizeof lapic / 4];

    t.ioapic[0].address = 0x00100000;
    t.ioapic[1].address = IOAPIC_AT;
    ioapic[IOAPIC_WINDOW / 4] = 0x00160020;
    fake_msr_add(MSR_APIC_BASE, LAPIC_AT | BASE_ENABLED | 0x100);
    lapic[LAPIC_VERSION / 4] = (1u << 31) | 5u << 16 | 0x14;
    lapic[LAPIC_EXT_FEATURES / 4] = 2u << 16;
    lapic[LAPIC_SPURIOUS / 4] = 0x10f;
    lapic[LAPIC_LVT_TIMER / 4] = 0x20020;
    lapic[LAPIC_LVT_LINT0 / 4] = 0x700;
    lapic[LAPIC_LVT_LINT1 / 4] = 0x400;
    lapic[LAPIC_LVT_ERROR / 4] = ENTRY_MASKED | 0x33;
    lapic[LAPIC_LVT_THERMAL / 4] = 0x40;
    lapic[LAPIC_EXT_LVT / 4] = ENTRY_MASKED;
    lapic[LAPIC_EXT_LVT / 4 + 4] = 0x22;
    memcpy(before, lapic, sizeof(lapic));
    priority = 3;
    struct irq_masked m = irq_mask(NULL, &cpu, &t, &opened);
    assert_int_equal(ioapic[IOAPIC_WINDOW / 4], 0x00160020 | ENTRY_MASKED);
    assert_int_equal(opened.ioapic[1][0], 1);
    assert_int_equal(m.lvt_masked, 5);
    lapic[LAPIC_SPURIOUS / 4] = 0x1ff; /* as kernel/cores/run.c sets it */

    irq_restore(&m, NULL, &t);
    assert_memory_equal(before, lapic, sizeof(lapic));
    assert_int_equal(ioapic[IOAPIC_WINDOW / 4], 0x00160020);
    assert_int_equal(pic[0], 0xb8);
    assert_int_equal(pic[1], 0x8e);
    assert_int_equal(priority, 3);
}

/* A fault before irq_mask(): there is nothing to restore. */
TEST(a_machine_that_was_not_masked_is_not_restored)
{
    struct irq_masked m = {0};

    irq_restore(&m, NULL, NULL);
    assert_int_equal(pic[0], 0xb8);
    assert_int_equal(pic[1], 0x8e);
}
