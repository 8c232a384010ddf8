#include "kernel/trampoline.h"
#include "kernel/cpu.h"
#include "lib/mem.h"

/* As the assembler lays them out. */
struct __attribute__((packed)) values {
    struct trampoline t;
    struct __attribute__((packed)) {
        uint32_t offset;
        uint16_t selector, unused;
    } far_32, far_64;
    uint16_t gdt_limit;
    uint32_t gdt_base;
};
_Static_assert(offsetof(struct trampoline, cr0) == 40 && offsetof(struct values, far_32) == 52 + 4,
               "the layout in kernel/trampoline.asm");

extern const uint8_t trampoline[] HIDDEN, trampoline_end[] HIDDEN, trampoline_values[] HIDDEN;
extern const uint32_t trampoline_offsets[] HIDDEN; /* protected mode, long mode, GDT */

void trampoline_write(uint64_t page, const struct trampoline *t)
{
    struct values *v = (struct values *)(page + (uint64_t)(trampoline_values - trampoline));

    memcpy((void *)page, trampoline, (size_t)(trampoline_end - trampoline));
    v->t = *t;
    v->far_32.offset = (uint32_t)page + trampoline_offsets[0];
    v->far_64.offset = (uint32_t)page + trampoline_offsets[1];
    v->gdt_base = (uint32_t)page + trampoline_offsets[2];
}
