/* The two registers of an IO-APIC through which all others are accessed: 82093AA data sheet,
 * section 3. */
#ifndef KERNEL_DEVICES_IOAPIC_H
#define KERNEL_DEVICES_IOAPIC_H

#include <stdint.h>

#define IOAPIC_BYTES       0x20u
#define IOAPIC_SELECT      0x00
#define IOAPIC_WINDOW      0x10
#define IOAPIC_VERSION     0x01
#define IOAPIC_REDIRECTION 0x10 /* two words per entry; destination in bits 31:24 of the second */
#define NO_IOAPIC          0xffffffffu /* the result of a read that no device answers */

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
