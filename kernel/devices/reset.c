#include "kernel/devices/reset.h"
#include "kernel/cpu/instructions.h"

/* Until the next way is tried: half a second or more on any CPU so far. */
#define PATIENCE (1ull << 32)
#define BETWEEN  (1ull << 20) /* between the two writes to port CF9h */

#define CF9            0xcf9
#define CF9_SYSTEM     0x02 /* reset the whole system, */
#define CF9_POWER      0x08 /* with a power cycle, */
#define CF9_NOW        0x04 /* at this bit's rising edge */
#define CF9_BITS       (CF9_SYSTEM | CF9_POWER | CF9_NOW)
#define KEYBOARD       0x64
#define KEYBOARD_FULL  0x02 /* the status: it has not taken the last command */
#define KEYBOARD_RESET 0xfe /* pulses output 0, which resets the CPU */
#define KEYBOARD_READS 65536u

#define PM1_STATUS    0xc731u /* all events, cleared by a 1; some chipsets wake up at once else */
#define PM1_TYP_SHIFT 10
#define PM1_SLP_TYP   (7u << PM1_TYP_SHIFT)
#define PM1_SLP_EN    (1u << 13)

/* PCI 3.0 section 3.2.2.3.2: configuration mechanism 1. */
#define CONFIG_ADDRESS 0xcf8
#define CONFIG_DATA    0xcfc
#define CONFIG_ENABLE  (1u << 31)

/* ACPI 6.5 table 5.1: the address has device, function and offset, on bus 0. */
static void write_pci(uint64_t address, uint8_t value)
{
    uint32_t device = address >> 32 & 0x1f, function = address >> 16 & 7, offset = address & 0xff;

    out32(CONFIG_ADDRESS, CONFIG_ENABLE | device << 11 | function << 8 | (offset & ~3u));
    out8((uint16_t)(CONFIG_DATA + (offset & 3)), value);
}

static void by_fadt(const struct reset *r)
{
    const struct fadt *f = r->fadt;
    bool memory = f && f->has_reset && f->reset.space == ACPI_MEMORY;

    if (!f || !f->has_reset || (memory && !r->map(r->map_ctx, f->reset.address, 1)))
        return;
    r->tell(r->tell_ctx, "trying the reset register of the ACPI table FADT");
    if (memory)
        mmio_write(f->reset.address, 1, f->reset_value);
    else if (f->reset.space == ACPI_IO)
        out8((uint16_t)f->reset.address, f->reset_value);
    else
        write_pci(f->reset.address, f->reset_value);
    (void)WAIT_FOR(false, PATIENCE);
}

static void by_cf9(const struct reset *r)
{
    uint8_t v = in8(CF9) & (uint8_t)~CF9_BITS;

    r->tell(r->tell_ctx, "trying port CF9h");
    out8(CF9, v | CF9_SYSTEM | CF9_POWER);
    (void)WAIT_FOR(false, BETWEEN);
    out8(CF9, v | CF9_BITS);
    (void)WAIT_FOR(false, PATIENCE);
}

static void by_keyboard(const struct reset *r)
{
    r->tell(r->tell_ctx, "trying port 64h (keyboard controller)");
    for (unsigned i = 0; i < KEYBOARD_READS && in8(KEYBOARD) & KEYBOARD_FULL; i++)
        pause();
    out8(KEYBOARD, KEYBOARD_RESET);
    (void)WAIT_FOR(false, PATIENCE);
}

/* Without an IDT the breakpoint's exception is a double fault, and that a triple fault. */
static void by_triple_fault(const struct reset *r)
{
    r->tell(r->tell_ctx, "trying a triple fault");
    write_idtr((struct table_register){0});
    __asm__ volatile("int3");
}

void reset_try(const struct reset *r, unsigned way)
{
    static void (*const ways[RESET_WAYS])(const struct reset *r) = {by_fadt, by_cf9, by_keyboard,
                                                                    by_triple_fault};

    ways[way](r);
}

/* Both halves' events are cleared. Both get the type first, and then the bit that enters it. */
void power_off(const struct fadt *f, struct acpi_s5 s5)
{
    const uint16_t port[2] = {f->pm1a_cnt, f->pm1b_cnt};
    const uint8_t type[2] = {s5.a, s5.b};

    if (!f->pm1a_cnt)
        return;
    for (unsigned i = 0; i < 2; i++)
        if (f->pm1_sts[i])
            out16(f->pm1_sts[i], PM1_STATUS);
    for (unsigned i = 0; i < 4; i++) {
        unsigned half = i % 2;
        if (!port[half])
            continue;
        uint16_t was = in16(port[half]) & (uint16_t) ~(PM1_SLP_TYP | PM1_SLP_EN);
        out16(port[half], (uint16_t)(was | type[half] << PM1_TYP_SHIFT | (i < 2 ? 0 : PM1_SLP_EN)));
    }
    (void)WAIT_FOR(false, PATIENCE);
}
