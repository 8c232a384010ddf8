/* Instructions that C cannot express, under the manual's names. */
#ifndef KERNEL_CPU_INSTRUCTIONS_H
#define KERNEL_CPU_INSTRUCTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include "kernel/cpu/registers.h"
#include "lib/cpu/cpu.h"

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

static inline uint8_t in8(uint16_t port)
{
    uint8_t v;

    __asm__ volatile("inb %1, %0" : "=a"(v) : "Nd"(port));
    return v;
}

static inline uint32_t in32(uint16_t port)
{
    uint32_t v;

    __asm__ volatile("inl %1, %0" : "=a"(v) : "Nd"(port));
    return v;
}

static inline void out8(uint16_t port, uint8_t v)
{
    __asm__ volatile("outb %0, %1" : : "a"(v), "Nd"(port));
}

static inline void out16(uint16_t port, uint16_t v)
{
    __asm__ volatile("outw %0, %1" : : "a"(v), "Nd"(port));
}

static inline void out32(uint16_t port, uint32_t v)
{
    __asm__ volatile("outl %0, %1" : : "a"(v), "Nd"(port));
}

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

static inline void sfence(void)
{
    __asm__ volatile("sfence" : : : "memory");
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

static inline uint64_t read_rflags(void)
{
    uint64_t v;

    __asm__ volatile("pushfq; pop %0" : "=r"(v));
    return v;
}

static inline void cli(void)
{
    __asm__ volatile("cli" : : : "memory");
}

static inline void sti(void)
{
    __asm__ volatile("sti" : : : "memory");
}

static inline void wbinvd(void)
{
    __asm__ volatile("wbinvd" : : : "memory");
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
