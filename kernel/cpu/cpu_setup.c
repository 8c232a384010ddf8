#include "kernel/cpu/cpu_setup.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/registers.h"
#include "kernel/cpu/xstate.h"

/* SDM vol. 3A table 12-12 (power-on), with entry 4 write-combining instead of write-back. */
#define PAT_WANTED 0x0007040100070406ull

bool cpu_has_nx(void)
{
    return cpuid(0x80000000, 0).eax >= 0x80000001 && cpuid(0x80000001, 0).edx & 1u << 20;
}

static bool has_pat(void)
{
    return cpuid(1, 0).edx & 1u << 16;
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
    __asm__ volatile("mov %0, %%dr7" : : "r"(DR7_RESET));
    __asm__ volatile("mov %0, %%dr6" : : "r"(DR6_RESET)); /* as handlers of #DB leave it */
    __asm__ volatile("fninit; ldmxcsr %0" : : "m"(mxcsr));
    xstate_enable();
    if (cpu_has_nx())
        wrmsr(MSR_EFER, rdmsr(MSR_EFER) | EFER_NXE);
}

void cpu_setup_paging(void)
{
    /* WBINVD traps into some hypervisors: skip it if nothing changes. */
    if (has_pat() && rdmsr(MSR_PAT) != PAT_WANTED) {
        wbinvd();
        wrmsr(MSR_PAT, PAT_WANTED);
        wbinvd();
    }
    write_cr0(read_cr0() | CR0_WP);
}
