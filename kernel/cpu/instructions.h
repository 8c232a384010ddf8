/* Instructions that C cannot express, under the names of the manual, and their registers. */
#ifndef KERNEL_CPU_INSTRUCTIONS_H
#define KERNEL_CPU_INSTRUCTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include "lib/cpu/cpu.h"

/*
 * Numbers of model-specific registers and bits of the control registers, each with the section that
 * defines it. SDM: Intel's manual; APM: AMD's. MSRs that lib/cpu/ uses (DE_CFG, the thermal status)
 * are in its headers.
 */

/* --- control registers: SDM vol. 3A section 2.5 ----------------------------------------------- */

#define CR0_PE (1ull << 0)
#define CR0_MP (1ull << 1)
#define CR0_EM (1ull << 2)
#define CR0_TS (1ull << 3)
#define CR0_ET (1ull << 4)
#define CR0_NE (1ull << 5)
#define CR0_WP (1ull << 16)
#define CR0_AM (1ull << 18)
#define CR0_NW (1ull << 29)
#define CR0_CD (1ull << 30)
#define CR0_PG (1ull << 31)

#define CR3_LOW 0xfffull /* bits 11:0: the PCID, or cache control if CR4.PCIDE is clear */

#define CR4_PAE        (1ull << 5)
#define CR4_MCE        (1ull << 6)
#define CR4_PGE        (1ull << 7)
#define CR4_OSFXSR     (1ull << 9)
#define CR4_OSXMMEXCPT (1ull << 10)
#define CR4_LA57       (1ull << 12)
#define CR4_PCIDE      (1ull << 17)
#define CR4_OSXSAVE    (1ull << 18)
#define CR4_CET        (1ull << 23)
#define CR4_PKS        (1ull << 24)
#define CR4_FRED       (1ull << 32) /* Intel 346446 chapter 3 */

/* CR8 is the task priority: interrupt vectors of this class and below are blocked. SDM vol. 3A
 * section 11.8.6. */
#define CR8_HOLD_ALL     15
#define CR8_ONLY_HIGHEST 14 /* lets through vectors F0h to FFh, which only baretick uses */

#define RFLAGS_IF (1u << 9) /* SDM vol. 1 section 3.4.3 */

#define DR6_BD (1ull << 13) /* caused by DR7.GD: SDM vol. 3B section 18.2.3 */
#define DR6_BS (1ull << 14) /* the #DB is a single step: SDM vol. 3B section 18.2.3 */

/* Values after a reset: SDM vol. 3A table 10-1. */
#define DR6_RESET   0xffff0ff0ull
#define DR7_RESET   0x400ull     /* no breakpoint armed */
#define DR7_GD      (1ull << 13) /* SDM vol. 3B section 18.2.4 */
#define MXCSR_RESET 0x1f80u      /* all exceptions masked, round to nearest */

/* --- model-specific registers ----------------------------------------------------------------- */

#define MSR_APIC_BASE 0x1b        /* SDM vol. 3A figures 11-5 and 11-26 */
#define BASE_BSP      (1ull << 8) /* the bootstrap processor: INIT restarts the firmware there */
#define BASE_X2APIC   (1ull << 10)
#define BASE_ENABLED  (1ull << 11)
#define BASE_ADDRESS  0x000ffffffffff000ull
#define MSR_X2APIC    0x800u /* + the register's MMIO offset / 16; SDM vol. 3A section 11.12 */

#define MSR_SMI_COUNT   0x34 /* SDM vol. 4 table 2-15: bits 31:0 */
#define MSR_TSC_ADJUST  0x3b /* SDM vol. 3B section 18.17.3 */
#define MSR_PATCH_LEVEL 0x8b /* IA32_BIOS_SIGN_ID; APM vol. 2 appendix A: PATCH_LEVEL */

/* MTRRs: SDM vol. 3A sections 12.11.1 and 12.11.2. */
#define MSR_MTRR_CAP          0xfe
#define MTRR_CAP_VARIABLE     0xffu
#define MTRR_CAP_FIXED        (1u << 8)
#define MSR_MTRR_DEF_TYPE     0x2ff
#define MTRR_DEF_FIXED        (1u << 10)
#define MTRR_DEF_ENABLED      (1u << 11)
#define MTRR_WB               6 /* write-back: SDM vol. 3A table 12-2 */
#define MSR_MTRR_PHYS_BASE(i) (0x200u + 2 * (i))
#define MSR_MTRR_PHYS_MASK(i) (0x201u + 2 * (i))

/* Machine checks: SDM vol. 3B section 16.3; the banks: 16.3.2. */
#define MSR_MCG_CAP      0x179
#define MCG_CAP_CTL_P    (1ull << 8)
#define MSR_MCG_STATUS   0x17a
#define MCG_STATUS_RIPV  (1ull << 0)
#define MSR_MCG_CTL      0x17b
#define MSR_MC_CTL(i)    (0x400u + 4 * (i))
#define MSR_MC_STATUS(i) (MSR_MC_CTL(i) + 1)
#define MC_STATUS_VAL    (1ull << 63)
#define MC_STATUS_ADDRV  (1ull << 58)
#define MC_STATUS_PCC    (1ull << 57)
#define MSR_MC_ADDR(i)   (MSR_MC_CTL(i) + 2)

#define MSR_PAT 0x277 /* SDM vol. 3A section 12.12 */

#define MSR_EFER 0xc0000080 /* SDM vol. 3A section 2.2.1 */
#define EFER_LME (1ull << 8)
#define EFER_NXE (1ull << 11)

#define MSR_FS_BASE        0xc0000100 /* SDM vol. 3A section 3.4.4 */
#define MSR_GS_BASE        0xc0000101
#define MSR_KERNEL_GS_BASE 0xc0000102 /* SWAPGS exchanges it with GS_BASE: SDM vol. 2B */

/* APM vol. 2 section 7.7.2: TOM2, and the bit that makes memory below it write-back without an
 * MTRR. */
#define MSR_SYSCFG     0xc0010010
#define SYSCFG_TOM2    (1u << 21)
#define SYSCFG_TOM2_WB (1u << 22)
#define MSR_TOM2       0xc001001d
#define TOM2_ADDRESS   (~((1ull << 23) - 1)) /* bits 22:0 are reserved */

/* --- instructions ------------------------------------------------------------------------------
 */

/* Reads the TSC after all earlier loads are done. */
static inline uint64_t rdtsc(void)
{
    uint32_t lo, hi;

    __asm__ volatile("lfence; rdtsc" : "=a"(lo), "=d"(hi) : : "memory");
    return (uint64_t)hi << 32 | lo;
}

static inline struct cpuid_regs cpuid(uint32_t leaf, uint32_t subleaf)
{
    struct cpuid_regs r;

    __asm__ volatile("cpuid"
                     : "=a"(r.eax), "=b"(r.ebx), "=c"(r.ecx), "=d"(r.edx)
                     : "a"(leaf), "c"(subleaf));
    return r;
}

/* A cpuid_fn for the running CPU. */
static inline struct cpuid_regs cpuid_here(void *ctx, uint32_t leaf, uint32_t subleaf)
{
    (void)ctx;
    return cpuid(leaf, subleaf);
}

#define CPU_PORT(bits, size)                                                                       \
    static inline uint##bits##_t in##bits(uint16_t port)                                           \
    {                                                                                              \
        uint##bits##_t v;                                                                          \
        __asm__ volatile("in" size " %1, %0" : "=a"(v) : "Nd"(port));                              \
        return v;                                                                                  \
    }                                                                                              \
    static inline void out##bits(uint16_t port, uint##bits##_t v)                                  \
    {                                                                                              \
        __asm__ volatile("out" size " %0, %1" : : "a"(v), "Nd"(port));                             \
    }
CPU_PORT(8, "b")
CPU_PORT(16, "w")
CPU_PORT(32, "l")
#undef CPU_PORT

/* Reads a device register of 1, 2 or 4 bytes. */
static inline uint32_t mmio_read(uint64_t at, unsigned width)
{
    if (width == 4)
        return *(volatile uint32_t *)at;
    return width == 2 ? *(volatile uint16_t *)at : *(volatile uint8_t *)at;
}

static inline void mmio_write(uint64_t at, unsigned width, uint32_t v)
{
    if (width == 4)
        *(volatile uint32_t *)at = v;
    else if (width == 2)
        *(volatile uint16_t *)at = (uint16_t)v;
    else
        *(volatile uint8_t *)at = (uint8_t)v;
}

static inline void pause(void)
{
    __asm__ volatile("pause");
}

#define CPU_PLAIN(name)                                                                            \
    static inline void name(void)                                                                  \
    {                                                                                              \
        __asm__ volatile(#name : : : "memory");                                                    \
    }
CPU_PLAIN(sfence)
CPU_PLAIN(cli)
CPU_PLAIN(sti)
CPU_PLAIN(wbinvd)
#undef CPU_PLAIN

/* Takes the interrupts that are pending. */
static inline void take_irqs(void)
{
    __asm__ volatile("sti; nop; cli" : : : "memory");
}

/* For symbols of the linker script and of assembly: accessed directly, not through the GOT. */
#define HIDDEN __attribute__((visibility("hidden")))

/* These fault if the MSR does not exist; kernel/cpu/msr.h has accessors that survive the fault. */
static inline uint64_t rdmsr(uint32_t msr)
{
    uint32_t lo, hi;

    __asm__ volatile("rdmsr" : "=a"(lo), "=d"(hi) : "c"(msr));
    return (uint64_t)hi << 32 | lo;
}

static inline void wrmsr(uint32_t msr, uint64_t v)
{
    __asm__ volatile("wrmsr" : : "c"(msr), "a"((uint32_t)v), "d"((uint32_t)(v >> 32)) : "memory");
}

/* XCR0; both need CR4.OSXSAVE. */
static inline uint64_t xcr0_read(void)
{
    uint32_t lo, hi;

    __asm__ volatile("xgetbv" : "=a"(lo), "=d"(hi) : "c"(0));
    return (uint64_t)hi << 32 | lo;
}

static inline void xcr0_write(uint64_t v)
{
    __asm__ volatile("xsetbv" : : "a"((uint32_t)v), "d"((uint32_t)(v >> 32)), "c"(0));
}

static inline uint64_t read_rflags(void)
{
    uint64_t v;

    __asm__ volatile("pushfq; pop %0" : "=r"(v));
    return v;
}

static inline void invlpg(uint64_t virt)
{
    __asm__ volatile("invlpg (%0)" : : "r"(virt) : "memory");
}

/* Waits for a condition, for at most this many ticks of the TSC. Its value: whether it holds. */
#define WAIT_FOR(condition, ticks)                                                                 \
    ({                                                                                             \
        uint64_t began_ = rdtsc(), most_ = (ticks);                                                \
        bool holds_;                                                                               \
        while (!(holds_ = (condition)) && rdtsc() - began_ <= most_)                               \
            pause();                                                                               \
        holds_;                                                                                    \
    })

/* Atomically changes the word from one value to another. False: it has a third value. */
static inline bool change(volatile uint32_t *word, uint32_t from, uint32_t to)
{
    return __atomic_compare_exchange_n(word, &from, to, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

/* Halts for good: only an SMI, NMI, machine check or INIT wakes the core, and it halts again. */
static inline _Noreturn void cpu_halt(void)
{
    for (;;)
        __asm__ volatile("cli; hlt");
}

#define CPU_CONTROL(reg)                                                                           \
    static inline uint64_t read_##reg(void)                                                        \
    {                                                                                              \
        uint64_t v;                                                                                \
        __asm__ volatile("mov %%" #reg ", %0" : "=r"(v));                                          \
        return v;                                                                                  \
    }                                                                                              \
    static inline void write_##reg(uint64_t v)                                                     \
    {                                                                                              \
        __asm__ volatile("mov %0, %%" #reg : : "r"(v) : "memory");                                 \
    }
CPU_CONTROL(cr0)
CPU_CONTROL(cr2)
CPU_CONTROL(cr3)
CPU_CONTROL(cr4)
CPU_CONTROL(cr8)
CPU_CONTROL(dr0)
CPU_CONTROL(dr1)
CPU_CONTROL(dr2)
CPU_CONTROL(dr3)
CPU_CONTROL(dr6)
CPU_CONTROL(dr7)
#undef CPU_CONTROL

static inline uint16_t read_cs(void)
{
    uint16_t v;

    __asm__ volatile("mov %%cs, %0" : "=r"(v));
    return v;
}

#define CPU_SELECTOR(reg)                                                                          \
    static inline uint64_t read_##reg(void)                                                        \
    {                                                                                              \
        uint16_t v;                                                                                \
        __asm__ volatile("mov %%" #reg ", %0" : "=r"(v));                                          \
        return v;                                                                                  \
    }                                                                                              \
    static inline void write_##reg(uint64_t v)                                                     \
    {                                                                                              \
        __asm__ volatile("mov %0, %%" #reg : : "r"((uint32_t)v) : "memory");                       \
    }
CPU_SELECTOR(ss)
CPU_SELECTOR(ds)
CPU_SELECTOR(es)
CPU_SELECTOR(fs)
CPU_SELECTOR(gs)
#undef CPU_SELECTOR

struct table_register {
    uint16_t limit;
    uint64_t base;
} __attribute__((packed));

#define CPU_TABLE(reg, store, load)                                                                \
    static inline struct table_register read_##reg(void)                                           \
    {                                                                                              \
        struct table_register v;                                                                   \
        __asm__ volatile(store " %0" : "=m"(v));                                                   \
        return v;                                                                                  \
    }                                                                                              \
    static inline void write_##reg(struct table_register v)                                        \
    {                                                                                              \
        __asm__ volatile(load " %0" : : "m"(v) : "memory");                                        \
    }
CPU_TABLE(gdtr, "sgdt", "lgdt")
CPU_TABLE(idtr, "sidt", "lidt")
#undef CPU_TABLE

#endif
