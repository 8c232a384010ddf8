#include "kernel/cpu/row_registers.h"
#include <stddef.h>
#include "kernel/cpu/instructions.h"
#include "kernel/cpu/cpu_setup.h"
#include "kernel/cpu/cpu_state.h"
#include "kernel/cpu/gdt.h"

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

#define SELECTOR(reg)                                                                              \
    static uint64_t read_##reg##_word(void)                                                        \
    {                                                                                              \
        return read_##reg();                                                                       \
    }                                                                                              \
    static void write_##reg(uint64_t v)                                                            \
    {                                                                                              \
        __asm__ volatile("mov %0, %%" #reg : : "r"((uint32_t)v) : "memory");                       \
    }
SELECTOR(ds)
SELECTOR(es)
SELECTOR(ss)
SELECTOR(fs)
SELECTOR(gs)
#undef SELECTOR

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

static void write_tr(uint64_t v)
{
    gdt_load_tss((uint16_t)v);
}

#define DEBUG(n)                                                                                   \
    static uint64_t read_dr##n(void)                                                               \
    {                                                                                              \
        uint64_t v;                                                                                \
        __asm__ volatile("mov %%dr" #n ", %0" : "=r"(v));                                          \
        return v;                                                                                  \
    }                                                                                              \
    static void write_dr##n(uint64_t v)                                                            \
    {                                                                                              \
        __asm__ volatile("mov %0, %%dr" #n : : "r"(v));                                            \
    }
DEBUG(0)
DEBUG(1)
DEBUG(2)
DEBUG(3)
#undef DEBUG

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
    [ROW_IDTR] = {"IDTR", NULL},
    [ROW_GDTR] = {"GDTR", NULL},
    [ROW_TR] = {"TR", NULL},
    [ROW_LDTR] = {"LDTR", NULL},
    [ROW_CS] = {"CS", NULL},
    [ROW_EFER] = {"EFER", register_efer},
    [ROW_CR0] = {"CR0", register_cr0},
    [ROW_CR3] = {"CR3", NULL},
    [ROW_CR4] = {"CR4", register_cr4},
    [ROW_XCR0] = {"XCR0", register_xcr0},
    [ROW_CR8] = {"CR8", NULL},
    [ROW_DR7] = {"DR7", NULL},
    [ROW_DR6] = {"DR6", NULL},
    [ROW_DR0] = {"DR0", NULL},
    [ROW_DR1] = {"DR1", NULL},
    [ROW_DR2] = {"DR2", NULL},
    [ROW_DR3] = {"DR3", NULL},
    [ROW_DS] = {"DS", NULL},
    [ROW_ES] = {"ES", NULL},
    [ROW_SS] = {"SS", NULL},
    [ROW_FS] = {"FS", NULL},
    [ROW_GS] = {"GS", NULL},
    [ROW_FS_BASE] = {"the FS base", NULL},
    [ROW_GS_BASE] = {"the GS base", NULL},
    [ROW_KERNEL_GS_BASE] = {"KERNEL_GS_BASE", NULL},
};

static const struct {
    uint64_t (*read)(void);
    void (*write)(uint64_t v);
} access[ROW_REGISTERS] = {
    [ROW_IDTR] = {read_idtr_word, write_idtr_word},
    [ROW_GDTR] = {read_gdtr_word, write_gdtr_word},
    [ROW_TR] = {read_tr, write_tr},
    [ROW_LDTR] = {read_ldtr, write_ldtr},
    [ROW_CS] = {read_cs_word, write_cs},
    [ROW_EFER] = {read_efer, write_efer},
    [ROW_CR0] = {read_cr0, write_cr0},
    [ROW_CR3] = {read_cr3, write_cr3},
    [ROW_CR4] = {read_cr4, write_cr4},
    [ROW_XCR0] = {read_xcr0, xcr0_write},
    [ROW_CR8] = {read_cr8, write_cr8},
    [ROW_DR7] = {read_dr7, write_dr7},
    [ROW_DR6] = {read_dr6, write_dr6},
    [ROW_DR0] = {read_dr0, write_dr0},
    [ROW_DR1] = {read_dr1, write_dr1},
    [ROW_DR2] = {read_dr2, write_dr2},
    [ROW_DR3] = {read_dr3, write_dr3},
    [ROW_DS] = {read_ds_word, write_ds},
    [ROW_ES] = {read_es_word, write_es},
    [ROW_SS] = {read_ss_word, write_ss},
    [ROW_FS] = {read_fs_word, write_fs},
    [ROW_GS] = {read_gs_word, write_gs},
    [ROW_FS_BASE] = {read_fs_base, write_fs_base},
    [ROW_GS_BASE] = {read_gs_base, write_gs_base},
    [ROW_KERNEL_GS_BASE] = {read_kernel_gs_base, write_kernel_gs_base},
};

uint64_t row_register_read(enum row_register r)
{
    return access[r].read();
}

void row_register_write(enum row_register r, uint64_t v)
{
    access[r].write(v);
}

uint64_t row_registers_nx(void)
{
    uint64_t efer = rdmsr(MSR_EFER);

    if (efer & EFER_NXE || !cpu_has_nx())
        return 0;
    wrmsr(MSR_EFER, efer | EFER_NXE);
    return efer;
}
