#include "kernel/cpu/cpu_setup.h"
#include "kernel/cpu/instructions.h"
#include "kernel/cpu/registers.h"

/* SDM vol. 3A table 12-12 (power-on), with entry 4 write-combining instead of write-back. */
#define PAT_WANTED 0x0007040100070406ull

#define LEAF1_XSAVE (1u << 26) /* ECX */

#define XCR0_X87    (1ull << 0)
#define XCR0_SSE    (1ull << 1)
#define XCR0_AVX    (1ull << 2)
#define XCR0_AVX512 (7ull << 5) /* opmask, ZMM_Hi256, Hi16_ZMM: all or none, and only with AVX */

bool cpu_has_nx(void)
{
    return cpuid(0x80000000, 0).eax >= 0x80000001 && cpuid(0x80000001, 0).edx & 1u << 20;
}

bool cpu_has_pat(void)
{
    return cpuid(1, 0).edx & 1u << 16;
}

bool xcr0_exists(void)
{
    return cpuid(1, 0).ecx & LEAF1_XSAVE;
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

/* Enables what the CPU supports, but not AMX, whose tiles must be released, nor memory
 * protection. */
static void enable_xstate(void)
{
    struct cpuid_regs leaf = cpuid(0xd, 0);
    uint64_t supported = (uint64_t)leaf.edx << 32 | leaf.eax;
    uint64_t wanted = XCR0_X87 | (supported & XCR0_SSE);

    if (!xcr0_exists())
        return;
    write_cr4(read_cr4() | CR4_OSXSAVE);
    if (supported & XCR0_SSE)
        wanted |= supported & XCR0_AVX;
    if (wanted & XCR0_AVX && (supported & XCR0_AVX512) == XCR0_AVX512)
        wanted |= XCR0_AVX512;
    xcr0_write(wanted);
}

void cpu_setup_traps(void)
{
    write_cr4(read_cr4() & ~(CR4_CET | CR4_FRED));
}

void cpu_setup(void)
{
    uint32_t mxcsr = MXCSR_RESET;

    /* CET first: CR0.WP cannot be cleared while CET is enabled. */
    write_cr4((read_cr4() & ~(CR4_PCIDE | CR4_CET | CR4_PKS | CR4_FRED)) | CR4_OSFXSR |
              CR4_OSXMMEXCPT);
    write_cr0((read_cr0() & ~(CR0_EM | CR0_TS | CR0_CD | CR0_NW)) | CR0_MP | CR0_NE);
    write_dr7(DR7_RESET);
    write_dr6(DR6_RESET); /* as handlers of #DB leave it */
    __asm__ volatile("fninit; ldmxcsr %0" : : "m"(mxcsr));
    enable_xstate();
    if (cpu_has_nx())
        wrmsr(MSR_EFER, rdmsr(MSR_EFER) | EFER_NXE);
}

void cpu_setup_paging(void)
{
    /* WBINVD traps into some hypervisors: skip it if nothing changes. */
    if (cpu_has_pat() && rdmsr(MSR_PAT) != PAT_WANTED) {
        wbinvd();
        wrmsr(MSR_PAT, PAT_WANTED);
        wbinvd();
    }
    write_cr0(read_cr0() | CR0_WP);
}
