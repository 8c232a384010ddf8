/* A PIT and an HPET that send NMIs through an IO-APIC: the pin and comparator that are used, what
 * is written to them, and that everything is restored. */
#include "tests/unit/kernel/fake_cpu.h"
#include "tests/unit/cmocka_unit.h"
#include "kernel/cores/deadline.h"
#include "kernel/devices/device_registers.h"

#define HPET_AT    0xfed00000ull
#define IOAPIC_AT  0xfec00000u
#define IOAPICS    2
#define PINS       24
#define WAS_MASKED (ENTRY_MASKED | 0x21)
#define WAS_TO     0x05000000u
#define APIC_ID    7

static uint8_t ioapic[IOAPICS][IOAPIC_BYTES];
static uint32_t entry[IOAPICS][IOAPIC_REDIRECTION + 2 * PINS];
static _Alignas(8) uint8_t hpet[HPET_BYTES];
static struct madt madt;
static const struct hpet_table table = {.address = HPET_AT};
static bool ioapic_gone;

/* In order: the commands for the PIT and its pin. */
static struct {
    char what; /* 'o'pen, 'c'losed, or of the PIT 'm'ode, 'd'ata */
    uint8_t v;
} log_of[64];
static unsigned logged;

static void note(char what, uint8_t v)
{
    assert_true(logged < 64);
    log_of[logged].what = what;
    log_of[logged++].v = v;
}

static unsigned which(volatile uint8_t *at)
{
    return at == ioapic[1];
}

uint32_t ioapic_read(volatile uint8_t *at, uint32_t index)
{
    if (ioapic_gone)
        return NO_DEVICE;
    return index == IOAPIC_VERSION ? (PINS - 1) << 16 | 0x20 : entry[which(at)][index];
}

void ioapic_write(volatile uint8_t *at, uint32_t index, uint32_t v)
{
    entry[which(at)][index] = v;
    if (index % 2 == 0)
        note(v & ENTRY_MASKED ? 'c' : 'o', (uint8_t)index);
}

volatile void *paging_map_mmio(void *p, uint64_t address, uint64_t size)
{
    for (unsigned i = 0; i < IOAPICS; i++)
        if (address == IOAPIC_AT + i * 0x1000)
            return ioapic[i];
    return address == HPET_AT ? hpet : NULL;
}

void out8(uint16_t port, uint8_t v)
{
    assert_true(port == PIT_COMMAND || port == PIT_CHANNEL0);
    note(port == PIT_COMMAND ? 'm' : 'd', v);
}

static uint32_t *hpet_at(unsigned offset)
{
    return (uint32_t *)(void *)(hpet + offset);
}

static void set_up(void)
{
    memset(&madt, 0, sizeof madt);
    madt.ioapics = IOAPICS;
    for (unsigned i = 0; i < IOAPICS; i++) {
        madt.ioapic[i].address = IOAPIC_AT + i * 0x1000;
        madt.ioapic[i].gsi_base = i * PINS;
        for (unsigned k = IOAPIC_REDIRECTION; k < IOAPIC_REDIRECTION + 2 * PINS; k += 2) {
            entry[i][k] = WAS_MASKED;
            entry[i][k + 1] = WAS_TO;
        }
    }
    madt.pit_gsi = 2;
    ioapic_gone = false;
    logged = 0;
    /* Three comparators of 32 bits, each of which can be routed to pins 20 to 23; 10 ns per
     * tick. */
    memset(hpet, 0, sizeof hpet);
    *hpet_at(HPET_ID) = 0x8086a201;
    *hpet_at(HPET_PERIOD) = 10000000;
    for (unsigned n = 0; n < 3; n++)
        *hpet_at(TIMER_ROUTES(n)) = 0x00f00000;
}

BEFORE_EACH(set_up);

static uint32_t *pin(unsigned i, unsigned n)
{
    return &entry[i][IOAPIC_REDIRECTION + 2 * n];
}

static void pit(struct nmi_timer *t)
{
    nmi_timer_pit(t, NULL, &madt, false, APIC_ID);
}

/* --- PIT -------------------------------------------------------------------------------------- */

static struct nmi_timer t;

TEST(the_pits_pin_is_the_overrides)
{
    pit(&t);
    assert_null(t.why_not);
    assert_int_equal(nmi_timer_start(&t, 1000), 1000);
    assert_int_equal(pin(0, 2)[0], DELIVERY_NMI);
    assert_int_equal(pin(0, 2)[1], (uint32_t)APIC_ID << 24);
    nmi_timer_close(&t);
    assert_int_equal(pin(0, 2)[0], WAS_MASKED);
    assert_int_equal(pin(0, 2)[1], WAS_TO);
    madt.pit_gsi = PINS + 3; /* on the second IO-APIC */
    pit(&t);
    assert_null(t.why_not);
    assert_int_equal(nmi_timer_start(&t, 1000), 1000);
    assert_int_equal(pin(1, 3)[0], DELIVERY_NMI);
    madt.pit_low = true;
    pit(&t);
    assert_string_equal(t.why_not, "its pin of the IO-APIC is in use"); /* by the one above */
    nmi_timer_stop(&(struct nmi_timer){
        .ioapic = ioapic[1], .index = IOAPIC_REDIRECTION + 6, .was = WAS_MASKED, .was_to = WAS_TO});
    pit(&t);
    (void)nmi_timer_start(&t, 1000);
    assert_int_equal(pin(1, 3)[0], DELIVERY_NMI | 1u << 13); /* 82093AA section 3.2.4: INTPOL */
}

/* Opened while its output is low, so that the rising edge is the end of this count. */
TEST(the_pit_counts_once)
{
    pit(&t);
    assert_int_equal(nmi_timer_start(&t, 1000), 1000);
    static const struct {
        char what;
        uint8_t v;
    } want[] = {{'c', 0x14}, {'m', 0x30}, {'c', 0x14}, {'o', 0x14}, {'d', 0xa9}, {'d', 0x04}};
    assert_int_equal(logged, 6); /* 1193 counts are a millisecond */
    for (unsigned i = 0; i < logged; i++) {
        assert_int_equal(log_of[i].what, want[i].what);
        assert_int_equal(log_of[i].v, want[i].v);
    }
    logged = 0;
    assert_int_equal(nmi_timer_start(&t, 1000000), t.us_most);
    assert_in_range(log_of[4].v | log_of[5].v << 8, 65530, 65535);
    logged = 0;
    (void)nmi_timer_start(&t, 0);
    assert_int_equal(log_of[4].v | log_of[5].v << 8, 1);
}

TEST(a_missing_pin_of_the_pit_has_its_reason)
{
    nmi_timer_pit(&t, NULL, NULL, false, APIC_ID);
    assert_string_equal(t.why_not, "no IO-APIC is known");
    nmi_timer_pit(&t, NULL, &madt, true, APIC_ID);
    assert_non_null(t.why_not);
    nmi_timer_pit(&t, NULL, &madt, false, 256);
    assert_string_equal(t.why_not, "an IO-APIC cannot name this core");
    madt.pit_gsi = 2 * PINS;
    pit(&t);
    assert_string_equal(t.why_not, "no IO-APIC has its pin");
    madt.pit_gsi = 2;
    ioapic_gone = true;
    pit(&t);
    assert_string_equal(t.why_not, "no IO-APIC has its pin");
    ioapic_gone = false;
    pin(0, 2)[0] = 0x30;
    pit(&t);
    assert_string_equal(t.why_not, "its pin of the IO-APIC is in use");
    nmi_timer_close(&t);
    assert_int_equal(pin(0, 2)[0], 0x30);
}

/* --- HPET ------------------------------------------------------------------------------------- */

static void open_hpet(struct nmi_timer *t)
{
    nmi_timer_hpet(t, NULL, &madt, &table, APIC_ID, NULL);
}

TEST(an_hpet_takes_the_last_comparator_and_the_highest_free_pin)
{
    pin(0, 23)[0] = 0x40; /* a device's */
    *hpet_at(TIMER_CONFIG(2)) = TIMER_LEVEL | TIMER_PERIODIC | TIMER_FSB | 0x200;
    *hpet_at(HPET_COUNTER) = 5000;
    open_hpet(&t);
    assert_null(t.why_not);
    assert_int_equal(*hpet_at(HPET_CONFIG), HPET_ENABLE);
    assert_int_equal(nmi_timer_start(&t, 1000), 1000);
    assert_int_equal(*hpet_at(TIMER_COMPARE(2)), 5000 + 100000);
    assert_int_equal(*hpet_at(TIMER_CONFIG(2)), TIMER_OPEN | TIMER_32 | 22u << 9);
    assert_int_equal(pin(0, 22)[0], DELIVERY_NMI);
    assert_int_equal(pin(0, 23)[0], 0x40);
    nmi_timer_close(&t);
    assert_int_equal(*hpet_at(TIMER_CONFIG(2)), TIMER_LEVEL | TIMER_PERIODIC | TIMER_FSB | 0x200);
    assert_int_equal(*hpet_at(HPET_CONFIG), 0);
    assert_int_equal(pin(0, 22)[0], WAS_MASKED);
    assert_int_equal(pin(0, 22)[1], WAS_TO);
}

/* 2^31 counts at most, and none after the wrap of its 32 bits. */
TEST(an_hpet_reaches_2_31_counts_or_the_wrap)
{
    open_hpet(&t);
    assert_int_equal(nmi_timer_start(&t, 60000000), (1ull << 31) / 100);
    *hpet_at(HPET_COUNTER) = 0u - 100002;
    assert_int_equal(nmi_timer_start(&t, 60000000), 1000);
    assert_int_equal(*hpet_at(TIMER_COMPARE(2)), 0u - 2);
    *hpet_at(HPET_COUNTER) = 5000;
    assert_int_equal(nmi_timer_start(&t, 0), 20); /* it is to be set before that is over */
    assert_int_equal(*hpet_at(TIMER_COMPARE(2)), 5000 + 2000);
    assert_int_equal(*hpet_at(TIMER_COMPARE(2) + 4), 0);
}

/* It interrupts only at the requested time, not at the wrap of its 32 bits. */
TEST(an_hpet_of_64_bits_takes_one_shot)
{
    *hpet_at(TIMER_CONFIG(2)) = TIMER_64 | TIMER_32;
    *hpet_at(HPET_COUNTER) = 0u - 100002;
    *hpet_at(HPET_COUNTER + 4) = 6;
    open_hpet(&t);
    assert_int_equal(nmi_timer_start(&t, 60000000), 60000000);
    assert_int_equal(*hpet_at(TIMER_COMPARE(2)), (uint32_t)(6000000000 - 100002));
    assert_int_equal(*hpet_at(TIMER_COMPARE(2) + 4), 6 + 2);
    assert_int_equal(*hpet_at(TIMER_CONFIG(2)), TIMER_OPEN | TIMER_64 | 23u << 9);
    nmi_timer_close(&t);
    assert_int_equal(*hpet_at(TIMER_CONFIG(2)), TIMER_64 | TIMER_32);
    *hpet_at(HPET_ID) &= ~HPET_64; /* comparators of more bits than the counter */
    open_hpet(&t);
    assert_int_equal(nmi_timer_start(&t, 60000000), 1000);
    assert_int_equal(*hpet_at(TIMER_CONFIG(2)), TIMER_OPEN | TIMER_64 | TIMER_32 | 23u << 9);
}

TEST(comparators_in_use_are_left_alone)
{
    *hpet_at(TIMER_CONFIG(2)) = TIMER_OPEN;
    open_hpet(&t);
    assert_null(t.why_not);
    assert_int_equal(t.comparator, 1);
    *hpet_at(HPET_CONFIG) = HPET_LEGACY; /* 0 and 1 are the PIT's and the RTC's */
    open_hpet(&t);
    assert_string_equal(t.why_not, "all its comparators are in use");
    nmi_timer_close(&t);
    assert_int_equal(*hpet_at(HPET_CONFIG), HPET_LEGACY);
    *hpet_at(HPET_CONFIG) = 0;
    for (unsigned n = 0; n < 3; n++)
        *hpet_at(TIMER_ROUTES(n)) = 0;
    open_hpet(&t);
    assert_string_equal(t.why_not, "its comparators have no pin of the IO-APIC");
}

/* Of the two the first is closed first: the second then counts on, and restores what was found. */
TEST(a_second_timer_has_its_own_comparator_and_pin)
{
    struct nmi_timer second;

    open_hpet(&t);
    nmi_timer_hpet(&second, NULL, &madt, &table, APIC_ID, &t);
    assert_null(second.why_not);
    assert_int_equal(second.comparator, 1);
    (void)nmi_timer_start(&t, 1000);
    (void)nmi_timer_start(&second, 2000);
    assert_int_equal(*hpet_at(TIMER_COMPARE(1)), 200000);
    assert_int_equal(pin(0, 23)[0], DELIVERY_NMI);
    assert_int_equal(pin(0, 22)[0], DELIVERY_NMI);
    logged = 0;
    assert_int_equal(nmi_timer_later(&second, 3000), 3000);
    assert_int_equal(*hpet_at(TIMER_COMPARE(1)), 300000);
    assert_int_equal(logged, 0); /* the IO-APIC was not accessed */
    nmi_timer_close(&t);
    assert_int_equal(*hpet_at(HPET_CONFIG), 0);
    (void)nmi_timer_start(&second, 2000);
    assert_int_equal(*hpet_at(HPET_CONFIG), HPET_ENABLE);
    nmi_timer_close(&second);
    assert_int_equal(*hpet_at(HPET_CONFIG), 0);
    assert_int_equal(pin(0, 22)[0], WAS_MASKED);
    *hpet_at(TIMER_CONFIG(0)) = *hpet_at(TIMER_CONFIG(1)) = TIMER_OPEN;
    nmi_timer_hpet(&second, NULL, &madt, &table, APIC_ID, &t);
    assert_string_equal(second.why_not, "all its comparators are in use");
}

TEST(a_missing_or_odd_hpet_is_refused)
{
    const struct hpet_table odd = {.address = HPET_AT + 4}, nowhere = {.address = 0x1000};

    nmi_timer_hpet(&t, NULL, &madt, NULL, APIC_ID, NULL);
    assert_string_equal(t.why_not, "no HPET table");
    nmi_timer_hpet(&t, NULL, &madt, &odd, APIC_ID, NULL);
    assert_string_equal(t.why_not, "the HPET table's address is not a device's");
    nmi_timer_hpet(&t, NULL, &madt, &nowhere, APIC_ID, NULL);
    assert_string_equal(t.why_not, "the HPET table's address is not a device's");
    *hpet_at(HPET_PERIOD) = 0;
    open_hpet(&t);
    assert_string_equal(t.why_not, "no device answers");
    *hpet_at(HPET_PERIOD) = 10000000;
    *hpet_at(HPET_ID) = NO_DEVICE;
    open_hpet(&t);
    assert_string_equal(t.why_not, "no device answers");
}
