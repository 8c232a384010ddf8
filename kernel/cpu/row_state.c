#include "kernel/cpu/row_state.h"
#include <stddef.h>
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/cpu_setup.h"
#include "kernel/cpu/cpu_state.h"
#include "kernel/cpu/gdt.h"
#include "kernel/cpu/xstate.h"
#include "lib/cpu/register_bits.h"
#include "lib/text/fmt.h"

/* --- each register ---------------------------------------------------------------------------- */

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

#define TABLE(name, store, load)                                                                   \
    static uint64_t read_##name(void)                                                              \
    {                                                                                              \
        struct table_register t;                                                                   \
        __asm__ volatile(store " %0" : "=m"(t));                                                   \
        return word_of(&t);                                                                        \
    }                                                                                              \
    static void write_##name(uint64_t v)                                                           \
    {                                                                                              \
        struct table_register t = table_of(v);                                                     \
        __asm__ volatile(load " %0" : : "m"(t) : "memory");                                        \
    }
TABLE(idtr, "sidt", "lidt")
TABLE(gdtr, "sgdt", "lgdt")
#undef TABLE

#define SELECTOR(name, read, write)                                                                \
    static uint64_t read_##name(void)                                                              \
    {                                                                                              \
        uint32_t v;                                                                                \
        __asm__ volatile(read : "=r"(v));                                                          \
        return v & 0xffff;                                                                         \
    }                                                                                              \
    static void write_##name(uint64_t v)                                                           \
    {                                                                                              \
        __asm__ volatile(write : : "r"((uint32_t)v) : "memory");                                   \
    }
SELECTOR(ldtr, "sldt %0", "lldt %w0")
SELECTOR(fs, "mov %%fs, %0", "mov %0, %%fs")
SELECTOR(gs, "mov %%gs, %0", "mov %0, %%gs")
#undef SELECTOR

static uint64_t read_tr(void)
{
    uint32_t v;

    __asm__ volatile("str %0" : "=r"(v));
    return v & 0xffff;
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
DEBUG(7)
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

static const struct {
    const char *name;
    const struct register_bit *bits; /* NULL: no named bits */
    uint64_t (*read)(void);
    void (*write)(uint64_t v);
} registers[ROW_REGISTERS] = {
    [ROW_IDTR] = {"IDTR", NULL, read_idtr, write_idtr},
    [ROW_GDTR] = {"GDTR", NULL, read_gdtr, write_gdtr},
    [ROW_TR] = {"TR", NULL, read_tr, write_tr},
    [ROW_LDTR] = {"LDTR", NULL, read_ldtr, write_ldtr},
    [ROW_EFER] = {"EFER", register_efer, read_efer, write_efer},
    [ROW_CR0] = {"CR0", register_cr0, read_cr0, write_cr0},
    [ROW_CR3] = {"CR3", NULL, read_cr3, write_cr3},
    [ROW_CR4] = {"CR4", register_cr4, read_cr4, write_cr4},
    [ROW_XCR0] = {"XCR0", register_xcr0, read_xcr0, xcr0_write},
    [ROW_CR8] = {"CR8", NULL, read_cr8, write_cr8},
    [ROW_DR7] = {"DR7", NULL, read_dr7, write_dr7},
    [ROW_DR0] = {"DR0", NULL, read_dr0, write_dr0},
    [ROW_DR1] = {"DR1", NULL, read_dr1, write_dr1},
    [ROW_DR2] = {"DR2", NULL, read_dr2, write_dr2},
    [ROW_DR3] = {"DR3", NULL, read_dr3, write_dr3},
    [ROW_FS] = {"FS", NULL, read_fs, write_fs},
    [ROW_GS] = {"GS", NULL, read_gs, write_gs},
    [ROW_FS_BASE] = {"the FS base", NULL, read_fs_base, write_fs_base},
    [ROW_GS_BASE] = {"the GS base", NULL, read_gs_base, write_gs_base},
    [ROW_KERNEL_GS_BASE] = {"KERNEL_GS_BASE", NULL, read_kernel_gs_base, write_kernel_gs_base},
};

/* --- all of them ------------------------------------------------------------------------------ */

void row_state_keep(struct row_state *s)
{
    for (unsigned r = 0; r < ROW_REGISTERS; r++)
        s->own[r] = registers[r].read();
    s->changed = 0;
    s->kept = true;
}

void row_state_drop(struct row_state *s)
{
    s->kept = false;
}

void row_state_note(struct row_state *s, enum row_register r, uint64_t found)
{
    if (!(s->changed >> r & 1))
        s->found[r] = found;
    s->changed |= 1u << r;
}

bool row_state_put_back(struct row_state *s)
{
    bool changed = false;

    if (!s->kept)
        return false;
    for (unsigned r = 0; r < ROW_REGISTERS; r++) {
        uint64_t now = registers[r].read();

        if (now == s->own[r])
            continue;
        row_state_note(s, r, now);
        registers[r].write(s->own[r]);
        changed = true;
    }
    return changed;
}

bool row_state_tell(struct row_state *s, struct sink *out)
{
    const char *before = "";
    bool any = s->changed != 0;

    for (unsigned r = 0; r < ROW_REGISTERS; r++) {
        if (!(s->changed >> r & 1))
            continue;
        fmt(out, "%s", before);
        register_difference(registers[r].name, registers[r].bits, s->own[r], s->found[r], out);
        before = ", ";
    }
    s->changed = 0;
    return any;
}

uint64_t row_state_nx(void)
{
    uint64_t efer = rdmsr(MSR_EFER);

    if (efer & EFER_NXE || !cpu_has_nx())
        return 0;
    wrmsr(MSR_EFER, efer | EFER_NXE);
    return efer;
}
