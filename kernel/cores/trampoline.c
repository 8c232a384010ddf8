#include "kernel/cores/trampoline.h"
#include "kernel/cpu/cpu.h"
#include "lib/text/mem.h"

/* The layout in the assembly file. */
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
               "the layout in kernel/cores/trampoline.asm");

/* In the assembly file: offsets from the start of the copy. */
struct parts {
    uint32_t protected_mode, long_mode, gdt, values, size;
};
extern const uint8_t trampoline[] HIDDEN;
extern const struct parts trampoline_layout HIDDEN;

void trampoline_write(uint64_t page, const struct trampoline *t)
{
    const struct parts *at = &trampoline_layout;
    struct values *v = (struct values *)(page + at->values);

    memcpy((void *)page, trampoline, at->size);
    v->t = *t;
    v->far_32.offset = (uint32_t)page + at->protected_mode;
    v->far_64.offset = (uint32_t)page + at->long_mode;
    v->gdt_base = (uint32_t)page + at->gdt;
}
