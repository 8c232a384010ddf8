/*
 * kernel/cpu/instructions.h and kernel/devices/device_registers.h for the host: the privileged
 * instructions, the clock and the accesses to an IO-APIC become functions. The units of kernel/ are
 * compiled with this for the unit tests; a test defines the functions that the units that it links
 * call.
 */
#ifndef TESTS_UNIT_KERNEL_FAKE_CPU_H
#define TESTS_UNIT_KERNEL_FAKE_CPU_H

#include <stdint.h>

#define in8        real_in8
#define in16       real_in16
#define in32       real_in32
#define out8       real_out8
#define out16      real_out16
#define out32      real_out32
#define rdtsc      real_rdtsc
#define mmio_read  real_mmio_read
#define mmio_write real_mmio_write
#define read_cr4   real_read_cr4
#define write_cr4  real_write_cr4
#define write_cr3  real_write_cr3
#define read_cr8   real_read_cr8
#define write_cr8  real_write_cr8
#define invlpg     real_invlpg
#define take_irqs  real_take_irqs
#define write_idtr real_write_idtr
#include "kernel/cpu/instructions.h"
#undef in8
#undef in16
#undef in32
#undef out8
#undef out16
#undef out32
#undef rdtsc
#undef mmio_read
#undef mmio_write
#undef read_cr4
#undef write_cr4
#undef write_cr3
#undef read_cr8
#undef write_cr8
#undef invlpg
#undef take_irqs
#undef write_idtr
#define ioapic_read  real_ioapic_read
#define ioapic_write real_ioapic_write
#include "kernel/devices/device_registers.h"
#undef ioapic_read
#undef ioapic_write

uint8_t in8(uint16_t port);
uint16_t in16(uint16_t port);
uint32_t in32(uint16_t port);
void out8(uint16_t port, uint8_t v);
void out16(uint16_t port, uint16_t v);
void out32(uint16_t port, uint32_t v);
uint64_t rdtsc(void);
uint32_t mmio_read(uint64_t at, unsigned width);
void mmio_write(uint64_t at, unsigned width, uint32_t v);
uint64_t read_cr4(void);
void write_cr4(uint64_t v);
void write_cr3(uint64_t v);
uint64_t read_cr8(void);
void write_cr8(uint64_t v);
void invlpg(uint64_t virt);
void take_irqs(void);
void write_idtr(struct table_register r);
uint32_t ioapic_read(volatile uint8_t *at, uint32_t index);
void ioapic_write(volatile uint8_t *at, uint32_t index, uint32_t v);

#endif
