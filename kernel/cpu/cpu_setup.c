#include "kernel/cpu/cpu_setup.h"
#include "lib/cpu/tsc_rate.h"

/* SDM vol. 3A table 12-12 (power-on), with entry 4 write-combining instead of write-back. */
#define PAT_WANTED 0x0007040100070406ull

#define LEAF1_XSAVE      (1u << 26) /* ECX */
#define LEAF1_SELF_SNOOP (1u << 27) /* EDX; SDM vol. 2A, CPUID */

/* At least 10 s, for all cores that flush before. */
#define FLUSH_TICKS (10 * TSC_HZ_MAX)

/*
 * XCR0: which vector registers instructions may use. Firmware enables none beyond SSE; user objects
 * may use AVX and AVX-512. Sources: Intel SDM vol. 1 section 13.3 (bits of XCR0 and their valid
 * combinations), vol. 2A CPUID leaf 0Dh; AMD APM vol. 2 section 11.5.2 is the same.
 */
#define XCR0_X87    (1ull << 0)
#define XCR0_SSE    (1ull << 1)
#define XCR0_AVX512 (7ull << 5) /* opmask, ZMM_Hi256, Hi16_ZMM: all or none, and only with AVX */

static bool cpu_has_pat(void)
{
    return cpuid(1, 0).edx & 1u << 16;
}

static bool xcr0_exists(void)
{
    return cpuid(1, 0).ecx & LEAF1_XSAVE;
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

/* Not inlined: a test stops there. */
static void __attribute__((noinline)) flush_caches(void)
{
    wbinvd();
}

/* Sets the PAT. The caches are flushed before and after it (SDM vol. 3A section 12.12.4), unless
 * the CPU snoops its own caches: Linux skips it there too (arch/x86/kernel/cpu/cacheinfo.c). A
 * flush of large caches takes milliseconds, and on all cores at once seconds: one core at a
 * time. */
static void write_pat(uint64_t v)
{
    static uint32_t flushing;
    bool self_snoop = cpuid(1, 0).edx & LEAF1_SELF_SNOOP;

    /* WBINVD traps into some hypervisors: skip it if nothing changes. */
    if (rdmsr(MSR_PAT) == v)
        return;
    if (self_snoop) {
        wrmsr(MSR_PAT, v);
        return;
    }
    bool alone = WAIT_FOR(change(&flushing, 0, 1), FLUSH_TICKS);
    flush_caches();
    wrmsr(MSR_PAT, v);
    flush_caches();
    if (alone)
        __atomic_store_n(&flushing, 0, __ATOMIC_SEQ_CST);
}

void cpu_setup_paging(void)
{
    if (cpu_has_pat())
        write_pat(PAT_WANTED);
    write_cr0(read_cr0() | CR0_WP);
}

/* --- the firmware's state --------------------------------------------------------------------- */

/* Bits of a descriptor's first half, SDM vol. 3A figure 8-4: type 9 (its bit 1: busy), present. */
#define TSS_TYPE    (0x1full << 40)
#define TSS_BUSY    (1ull << 41)
#define TSS_64      (9ull << 40)
#define TSS_PRESENT (1ull << 47)

#define SELECTOR_TI 4u /* set: the selector is in the LDT */

void cpu_state_save(struct cpu_state *s)
{
    s->cr0 = read_cr0();
    s->cr3 = read_cr3();
    s->cr4 = read_cr4();
    s->dr6 = read_dr6();
    s->dr7 = read_dr7();
    s->efer = rdmsr(MSR_EFER);
    s->pat = cpu_has_pat() ? rdmsr(MSR_PAT) : 0;
    s->fs_base = rdmsr(MSR_FS_BASE);
    s->gs_base = rdmsr(MSR_GS_BASE);
    s->gdtr = read_gdtr();
    s->idtr = read_idtr();
    __asm__ volatile("str %0" : "=r"(s->tr));
    s->cs = read_cs();
    s->ss = read_ss();
    s->ds = read_ds();
    s->es = read_es();
    s->fs = read_fs();
    s->gs = read_gs();
    s->xcr0 = 0;
    if (xcr0_exists()) {
        write_cr4(s->cr4 | CR4_OSXSAVE);
        s->xcr0 = xcr0_read();
    }
    /* Without OSFXSR, FXSAVE need not save XMM registers; with EM or TS it faults. */
    write_cr4(read_cr4() | CR4_OSFXSR);
    write_cr0(s->cr0 & ~(CR0_EM | CR0_TS));
    __asm__ volatile("fxsave64 %0" : "=m"(s->fx));
}

/* CR3 first: our tables need EFER.NXE, and the firmware's PAT must be in force before one of its
 * pages is used. */
static void restore_memory(const struct cpu_state *s)
{
    uint64_t cr4 = s->cr4 & ~CR4_CET;

    write_cr3(s->cr4 & CR4_PCIDE ? s->cr3 & ~CR3_LOW : s->cr3);
    if (s->pat)
        write_pat(s->pat);
    wrmsr(MSR_EFER, s->efer);
    write_cr0(s->cr0);
    /* A change of PGE flushes the whole TLB, including global entries (SDM vol. 3A section
     * 4.10.4.1). */
    write_cr4((cr4 ^ CR4_PGE) & ~CR4_PCIDE);
    write_cr4(cr4);
    write_cr3(s->cr3);
}

/* Returns the descriptor of the saved TR if it is a loadable TSS of the saved GDT, or NULL. */
static uint64_t *tss_descriptor(const struct cpu_state *s)
{
    uint32_t at = s->tr & ~7u;
    uint64_t *d = (uint64_t *)(s->gdtr.base + at);

    if (at == 0 || s->tr & SELECTOR_TI || at + 15 > s->gdtr.limit)
        return NULL;
    return (*d & (TSS_TYPE & ~TSS_BUSY)) == TSS_64 && *d & TSS_PRESENT ? d : NULL;
}

uint16_t cpu_state_tss_selector(const struct cpu_state *s, uint16_t first, uint16_t last)
{
    const uint64_t *gdt = (const uint64_t *)s->gdtr.base;

    if (tss_descriptor(s))
        return first;
    for (uint16_t at = first; at <= last && at + 7u <= s->gdtr.limit; at += 8)
        if (!(gdt[at / 8] & TSS_PRESENT))
            return at;
    return 0;
}

/* A selector that was loaded from an earlier GDT, as U-Boot's FS, may fault with the current one:
 * then the register keeps only its base. Source: SDM vol. 2B VERR. */
static uint64_t loadable(uint16_t selector)
{
    bool readable;

    __asm__ volatile("verr %w1" : "=@ccz"(readable) : "r"((uint32_t)selector));
    return readable ? selector : 0;
}

static void restore_descriptors(const struct cpu_state *s)
{
    uint64_t *tss = tss_descriptor(s);

    __asm__ volatile("lidt %0\n\t"
                     "lgdt %1\n\t"
                     "pushq %2\n\t"
                     "leaq 1f(%%rip), %%rax\n\t"
                     "pushq %%rax\n\t"
                     "lretq\n"
                     "1:\tmov %3, %%ss"
                     :
                     : "m"(s->idtr), "m"(s->gdtr), "r"((uint64_t)s->cs), "r"((uint32_t)s->ss)
                     : "rax", "memory");
    write_ds(loadable(s->ds));
    write_es(loadable(s->es));
    write_fs(loadable(s->fs));
    write_gs(loadable(s->gs));
    /* Loading FS and GS changed their bases. */
    wrmsr(MSR_FS_BASE, s->fs_base);
    wrmsr(MSR_GS_BASE, s->gs_base);
    if (tss) {
        *tss &= ~TSS_BUSY; /* LTR accepts no busy TSS */
        __asm__ volatile("ltr %0" : : "r"(s->tr) : "memory");
    }
}

void cpu_state_restore(const struct cpu_state *s)
{
    if (s->xcr0) {
        xstate_zero_uppers(); /* or state that XCR0 no longer enables would stay in use */
        xcr0_write(s->xcr0);
    }
    __asm__ volatile("fxrstor64 %0" : : "m"(s->fx));
    restore_memory(s);
    restore_descriptors(s);
    write_dr6(s->dr6);
    write_dr7(s->dr7);
}
