/* The registers of the HPET (IA-PC HPET specification 1.0a section 2.3), of the PIT (Intel 8254
 * data sheet) and of IO-APICs. */
#ifndef KERNEL_DEVICES_DEVICE_REGISTERS_H
#define KERNEL_DEVICES_DEVICE_REGISTERS_H

#include <stdint.h>

#define NO_DEVICE 0xffffffffu /* the result of a read that no device answers */

/* Offsets, and fields. */
#define HPET_BYTES       0x400u
#define HPET_ID          0x00
#define HPET_PERIOD      0x04
#define HPET_CONFIG      0x10
#define HPET_COUNTER     0xf0
#define HPET_64          (1u << 13) /* the counter has 64 bits */
#define HPET_ENABLE      1u
#define HPET_LEGACY      2u
#define HPET_PERIOD_MIN  1000000u   /* fs: 1 ns, shorter than any HPET's */
#define HPET_PERIOD_MAX  100000000u /* fs: section 2.3.4, 05F5E100h */
#define TIMER_CONFIG(n)  (0x100 + 0x20 * (n))
#define TIMER_ROUTES(n)  (0x104 + 0x20 * (n))
#define TIMER_COMPARE(n) (0x108 + 0x20 * (n))
#define TIMER_LEVEL      (1u << 1)
#define TIMER_OPEN       (1u << 2)
#define TIMER_PERIODIC   (1u << 3)
#define TIMER_64         (1u << 5) /* it compares 64 bits, */
#define TIMER_32         (1u << 8) /* unless this is set */
#define TIMER_ROUTE(pin) ((uint32_t)(pin) << 9)
#define TIMER_ROUTE_MASK (31u << 9)
#define TIMER_FSB        (1u << 14)

/* Ports, and commands. Software controls the gate of channel 2 only, in port 0x61. */
#define PIT_HZ_12         14318180 /* Hz, twelve times its frequency */
#define PIT_CHANNEL0      0x40
#define PIT_CHANNEL2      0x42
#define PIT_COMMAND       0x43
#define PIT_CH0_ONCE      0x30 /* channel 0, low then high byte, mode 0, binary */
#define PIT_CH2_RATE      0xb4 /* channel 2, low then high byte, mode 2, binary */
#define PIT_CH2_READ_BACK 0xc8 /* latches the status and the count of channel 2 */
#define PIT_STATUS_SET    0x37 /* low then high byte, mode (bit 2 is undefined in mode 2), BCD */
#define PIT_STATUS_RATE   0x34
#define PORT_B            0x61
#define PORT_B_KEEP       0x0c /* enables of parity and bus errors; bits 7:4 are read-only */
#define PORT_B_GATE2      0x01
#define PORT_B_GATE_SPEAK 0x03

/* --- IO-APIC: its two registers, through which all others are accessed: 82093AA data sheet,
 * section 3 --- */

#define IOAPIC_BYTES       0x20u
#define IOAPIC_SELECT      0x00
#define IOAPIC_WINDOW      0x10
#define IOAPIC_VERSION     0x01
#define IOAPIC_REDIRECTION 0x10 /* two words per entry; destination in bits 31:24 of the second */

/* The same bits in an IO-APIC's entry and in the LVT (SDM vol. 3A figure 11-8). */
#define ENTRY_MASKED   (1u << 16)
#define ENTRY_DELIVERY (7u << 8)
#define DELIVERY_SMI   (2u << 8)
#define DELIVERY_NMI   (4u << 8)
#define ENTRY_LOW      (1u << 13) /* active low */

static inline uint32_t ioapic_read(volatile uint8_t *at, uint32_t index)
{
    *(volatile uint32_t *)(at + IOAPIC_SELECT) = index;
    return *(volatile uint32_t *)(at + IOAPIC_WINDOW);
}

static inline void ioapic_write(volatile uint8_t *at, uint32_t index, uint32_t v)
{
    *(volatile uint32_t *)(at + IOAPIC_SELECT) = index;
    *(volatile uint32_t *)(at + IOAPIC_WINDOW) = v;
}

#endif
