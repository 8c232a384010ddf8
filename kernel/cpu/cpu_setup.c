#include "kernel/cpu/cpu_setup.h"
#include "kernel/cpu/cpu.h"

/* Intel SDM vol. 3A section 2.5; FRED: Intel 346446 chapter 3. */
#define CR0_MP (1ull << 1)
#define CR0_EM (1ull << 2)
#define CR0_TS (1ull << 3)
#define CR0_NE (1ull << 5)
#define CR0_WP (1ull << 16)
#define CR0_NW (1ull << 29)
#define CR0_CD (1ull << 30)

#define CR4_OSFXSR     (1ull << 9)
#define CR4_OSXMMEXCPT (1ull << 10)
#define CR4_PCIDE      (1ull << 17)
#define CR4_CET        (1ull << 23)
#define CR4_PKS        (1ull << 24)
#define CR4_FRED       (1ull << 32)

#define MSR_PAT  0x277
#define MSR_EFER 0xc0000080
#define EFER_NXE (1ull << 11)

#define DR7_RESET   0x400ull /* SDM vol. 3A table 10-1: no breakpoint armed */
#define MXCSR_RESET 0x1f80u  /* the same table: all exceptions masked, round to nearest */

/* SDM vol. 3A table 12-12 (power-on), with entry 4 write-combining instead of write-back. */
#define PAT_WANTED 0x0007040100070406ull

static bool has_nx(void)
{
    return cpuid(0x80000000, 0).eax >= 0x80000001 && cpuid(0x80000001, 0).edx & 1u << 20;
}

static bool has_pat(void)
{
    return cpuid(1, 0).edx & 1u << 16;
}

void cpu_setup(void)
{
    uint32_t mxcsr = MXCSR_RESET;

    /* CET first: CR0.WP cannot be touched freely while it is on. */
    write_cr4((read_cr4() & ~(CR4_PCIDE | CR4_CET | CR4_PKS | CR4_FRED)) | CR4_OSFXSR |
              CR4_OSXMMEXCPT);
    write_cr0((read_cr0() & ~(CR0_EM | CR0_TS | CR0_CD | CR0_NW)) | CR0_MP | CR0_NE);
    __asm__ volatile("mov %0, %%dr7" : : "r"(DR7_RESET));
    __asm__ volatile("fninit; ldmxcsr %0" : : "m"(mxcsr));
    if (has_nx())
        wrmsr(MSR_EFER, rdmsr(MSR_EFER) | EFER_NXE);
}

void cpu_setup_paging(void)
{
    /* WBINVD is a trap into some hypervisors: not where nothing changes. */
    if (has_pat() && rdmsr(MSR_PAT) != PAT_WANTED) {
        wbinvd();
        wrmsr(MSR_PAT, PAT_WANTED);
        wbinvd();
    }
    write_cr0(read_cr0() | CR0_WP);
}
