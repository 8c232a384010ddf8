/*
 * Copies of the interrupt descriptor table for rows that handle an interrupt or an exception
 * themselves. Source: SDM vol. 3A section 6.10, figure 6-8.
 */
#ifndef BENCH_SUITES_PRIVILEGED_IDT_H
#define BENCH_SUITES_PRIVILEGED_IDT_H

#include <stddef.h>
#include <stdint.h>

/* The operand of SGDT, LGDT, SIDT and LIDT. */
struct descriptor_table {
    uint16_t limit;
    uint64_t base;
} __attribute__((packed));

struct idt_gate {
    uint16_t offset_low, selector;
    uint8_t ist, type;
    uint16_t offset_middle;
    uint32_t offset_high, reserved;
};
#define IDT_BYTES       4096u
#define IDT_GATES       (IDT_BYTES / sizeof(struct idt_gate))
#define IDT_GATE_USER   0xee /* present, DPL 3, interrupt gate */
#define IDT_GATE_KERNEL 0x8e /* the same, DPL 0 */

/* Copies 64-bit words, as many as are in the table and in `most`; the rest becomes 0. */
static inline void descriptors_copy(uint64_t *to, const struct descriptor_table *from, size_t most)
{
    size_t words = (from->limit + 1u) / sizeof *to;
    const uint64_t *word = (const uint64_t *)(uintptr_t)from->base;

    for (size_t i = 0; i < most; i++)
        to[i] = i < words ? word[i] : 0;
}

/* Copies the IDT in force to `idt`, of IDT_BYTES. Sets *before to its register, *during to the
 * copy's. */
static inline void idt_copy(struct idt_gate *idt, struct descriptor_table *before,
                            struct descriptor_table *during)
{
    __asm__ volatile("sidt %0" : "=m"(*before));
    descriptors_copy((uint64_t *)(void *)idt, before, IDT_BYTES / sizeof(uint64_t));
    *during = (struct descriptor_table){IDT_BYTES - 1, (uint64_t)(uintptr_t)idt};
}

#endif
