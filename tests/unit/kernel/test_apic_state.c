/* The local APIC around a row, whose registers are an array here. */
#include "kernel/devices/irq.h"
#include "tests/unit/text.h"

#define IN_SERVICE 0x170

static uint32_t registers[0x400 / 16];
static unsigned served; /* interrupts in service */
static const struct lapic lapic = {.present = true};
static struct row_apic state_of_row;

bool lapic_read(const struct lapic *l, uint32_t offset, uint32_t *v)
{
    *v = offset == IN_SERVICE ? (1u << served) - 1 : registers[offset / 16];
    return true;
}

void lapic_write(const struct lapic *l, uint32_t offset, uint32_t v)
{
    if (offset == LAPIC_EOI)
        served -= served > 0;
    else
        registers[offset / 16] = v;
}

/* Begins a row, lets it change a register, and returns what is said of it. */
static const char *said_after(uint32_t offset, uint32_t v, unsigned in_service)
{
    memset(registers, 0, sizeof registers);
    registers[LAPIC_LVT_TIMER / 16] = 0x10020;
    registers[LAPIC_TIMER_INITIAL / 16] = 1000;
    apic_state_keep(&state_of_row, &lapic);
    if (offset)
        registers[offset / 16] = v;
    served = in_service;
    apic_state_put_back(&state_of_row, &lapic);
    bool any = apic_state_tell(&state_of_row, false, text_sink());
    assert_int_equal(any, text[0] != '\0');
    return text;
}

static void begin(void)
{
    served = 0;
}

BEFORE_EACH(begin);

TEST(a_row_that_changes_nothing_is_not_named)
{
    assert_string_equal(said_after(0, 0, 0), "");
}

TEST(a_changed_timer_is_named_and_restored)
{
    assert_non_null(strstr(said_after(LAPIC_LVT_TIMER, 0xf4, 0), "LVT"));
    assert_int_equal(registers[LAPIC_LVT_TIMER / 16], 0x10020);
    assert_non_null(strstr(said_after(LAPIC_TIMER_INITIAL, 7, 0), "initial count"));
    assert_int_equal(registers[LAPIC_TIMER_INITIAL / 16], 1000);
    assert_non_null(strstr(said_after(LAPIC_TIMER_DIVIDE, 0xb, 0), "divisor"));
    assert_int_equal(registers[LAPIC_TIMER_DIVIDE / 16], 0);
}

TEST(interrupts_in_service_are_named_and_ended)
{
    assert_non_null(strstr(said_after(0, 0, 2), "in service"));
    assert_int_equal(served, 0);
    assert_string_equal(said_after(0, 0, 0), "");
}

TEST(a_core_without_an_apic_and_a_row_that_has_ended_are_left_alone)
{
    static const struct lapic none = {.present = false};

    apic_state_keep(&state_of_row, &none);
    served = 1;
    apic_state_put_back(&state_of_row, &none);
    assert_int_equal(served, 1);
    apic_state_keep(&state_of_row, &lapic);
    state_of_row.kept = false;
    apic_state_put_back(&state_of_row, &lapic);
    assert_int_equal(served, 1);
}
