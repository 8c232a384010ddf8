#include "kernel/cpu/xstate.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/registers.h"

#define LEAF1_XSAVE (1u << 26) /* ECX */

int xstate_exists(void)
{
    return (cpuid(1, 0).ecx & LEAF1_XSAVE) != 0;
}

uint64_t xcr0_read(void)
{
    uint32_t lo, hi;

    __asm__ volatile("xgetbv" : "=a"(lo), "=d"(hi) : "c"(0));
    return (uint64_t)hi << 32 | lo;
}

void xcr0_write(uint64_t v)
{
    __asm__ volatile("xsetbv" : : "a"((uint32_t)v), "d"((uint32_t)(v >> 32)), "c"(0));
}

void xstate_zero_uppers(void)
{
    if (read_cr4() & CR4_OSXSAVE && xcr0_read() & XCR0_AVX)
        __asm__ volatile("vzeroupper");
}

void xstate_enable(void)
{
    struct cpuid_regs supported;

    if (!xstate_exists())
        return;
    write_cr4(read_cr4() | CR4_OSXSAVE);
    supported = cpuid(0xd, 0);
    xcr0_write(xstate_wanted((uint64_t)supported.edx << 32 | supported.eax));
}
