#include "kernel/cpu/row_state.h"
#include <stddef.h>
#include "kernel/cpu/cpu_setup.h"

/* A table register as one word. Only our own values are written back, and their bases have fewer
 * than 48 bits. */
#define LIMIT_AT 48

static uint64_t word_of(const struct table_register *t)
{
    return t->base ^ (uint64_t)t->limit << LIMIT_AT;
}

static struct table_register table_of(uint64_t v)
{
    return (struct table_register){(uint16_t)(v >> LIMIT_AT), v & ((1ull << LIMIT_AT) - 1)};
}

#define TABLE(reg)                                                                                 \
    static uint64_t read_##reg##_word(void)                                                        \
    {                                                                                              \
        struct table_register t = read_##reg();                                                    \
        return word_of(&t);                                                                        \
    }                                                                                              \
    static void write_##reg##_word(uint64_t v)                                                     \
    {                                                                                              \
        write_##reg(table_of(v));                                                                  \
    }
TABLE(idtr)
TABLE(gdtr)
#undef TABLE

static uint64_t read_cs_word(void)
{
    return read_cs();
}

/* MOV cannot load CS. A far return pops the address and CS: SDM vol. 2B, RET. */
static void write_cs(uint64_t v)
{
    __asm__ volatile("pushq %0\n\t"
                     "leaq 1f(%%rip), %%rax\n\t"
                     "pushq %%rax\n\t"
                     "lretq\n"
                     "1:"
                     :
                     : "r"(v)
                     : "rax", "memory");
}

static uint64_t read_tr(void)
{
    uint32_t v;

    __asm__ volatile("str %0" : "=r"(v));
    return v & 0xffff;
}

static uint64_t read_ldtr(void)
{
    uint32_t v;

    __asm__ volatile("sldt %0" : "=r"(v));
    return v & 0xffff;
}

static void write_ldtr(uint64_t v)
{
    __asm__ volatile("lldt %w0" : : "r"((uint32_t)v) : "memory");
}

#define TSS_BUSY (1ull << 41) /* of a descriptor; LTR accepts no busy TSS */

static void write_tr(uint64_t v)
{
    ((uint64_t *)read_gdtr().base)[v / 8] &= ~TSS_BUSY;
    __asm__ volatile("ltr %0" : : "r"((uint16_t)v) : "memory");
}

#define MSR(name, msr)                                                                             \
    static uint64_t read_##name(void)                                                              \
    {                                                                                              \
        return rdmsr(msr);                                                                         \
    }                                                                                              \
    static void write_##name(uint64_t v)                                                           \
    {                                                                                              \
        wrmsr(msr, v);                                                                             \
    }
MSR(efer, MSR_EFER)
MSR(fs_base, MSR_FS_BASE)
MSR(gs_base, MSR_GS_BASE)
MSR(kernel_gs_base, MSR_KERNEL_GS_BASE)
#undef MSR

static uint64_t read_xcr0(void)
{
    return read_cr4() & CR4_OSXSAVE ? xcr0_read() : 0;
}

const struct row_register_kind row_register_kinds[ROW_REGISTERS] = {
#define KIND(id, name, bits, read, write) [ROW_##id] = {name, bits, read, write},
    ROW_REGISTER_LIST(KIND)
#undef KIND
};
