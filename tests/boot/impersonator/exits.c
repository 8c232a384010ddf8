/* The guest's state, and what each of its exits does. APM vol. 2 15.5 and appendices B and C. */
#include "imp.h"

enum exit {
    EXIT_NMI = 0x61,
    EXIT_RDTSC = 0x6e,
    EXIT_RDPMC = 0x6f,
    EXIT_CPUID = 0x72,
    EXIT_IO = 0x7b,
    EXIT_MSR = 0x7c,
    EXIT_SHUTDOWN = 0x7f,
    EXIT_VMRUN = 0x80, /* followed by VMMCALL to SKINIT */
    EXIT_SKINIT = 0x86,
    EXIT_RDTSCP = 0x87,
    EXIT_WBINVD = 0x89,
    EXIT_MONITOR = 0x8a,
    EXIT_MWAIT = 0x8b,
    EXIT_NESTED_FAULT = 0x400,
};
enum { RAX, RCX, RDX, RBX };

#define INJECT_DB   0x80000301u /* valid, exception, vector 1 */
#define INJECT_UD   0x80000306u
#define INJECT_GP   0x80000b0dull /* with error code 0 */
#define INJECT_NMI  0x80000202u
#define RFLAGS_TF   BIT(8)
#define DR6_BS      BIT(14)
#define TSC_AUX     0xc0000103u
#define CR0_PG      BIT(31)
#define ENTRY_LARGE BIT(7)

/* What an exit lasts, in instructions: more than exit_handle() needs. */
#define CLOCK_LASTS 300
#define MODEL_LASTS 1500 /* the same with model.c */
#define OTHER_LASTS 6000

/* Ports whose use ends the run: isa-debug-exit, PM1a control of Q35 (power off), reset control. */
#define PM1A_CONTROL  0x604
#define RESET_CONTROL 0xcf9

void host_nmi(void); /* enter.asm */

static u64 *host_tables; /* two pages: IDT, GDT */
struct core cores[CORES];
struct machine *machine;
u64 host_cr3;

void exits_intercept(struct core *c)
{
    *v32(c, V_INTERCEPT) = BIT(14) | BIT(15) | BIT(18) | BIT(27) | BIT(28) | BIT(31);
    *v32(c, V_INTERCEPT_SVM) = 0xff | BIT(9) | BIT(10) | BIT(11); /* WBINVD, MONITOR, MWAIT */
    if (machine->cores == 1)
        *v32(c, V_INTERCEPT) |= BIT(1); /* NMI */
    *v64(c, V_MSR_MAP) = c->msr_map;
    *v64(c, V_IO_MAP) = c->io_map;
    *v32(c, V_ASID) = 1;
    *v64(c, V_DR6) = 0xffff0ff0;
    *v64(c, V_DR7) = 0x400;
    *v64(c, V_PAT) = rdmsr(0x277);
}

static void intercept_port(struct core *c, u32 port)
{
    ((u8 *)c->io_map)[port / 8] |= 1u << port % 8;
}

void exits_prepare(struct core *c)
{
    c->index = (u64)(c - cores);
    c->shift = machine->shift;
    c->vmcb = (u64)pages(1, ~0u);
    c->save_area = (u64)pages(1, ~0u);
    c->stack = (u64)pages(4, ~0u) + 4 * PAGE;
    c->io_map = (u64)pages(3, ~0u);
    c->msr_map = (u64)pages(2, ~0u);
    for (u32 i = 0; i < 2 * PAGE / 8; i++)
        ((u64 *)c->msr_map)[i] = ~0ull;
    if (c->index == 0)
        host_tables = pages(2, ~0u);
    intercept_port(c, END_PORT);
    intercept_port(c, PM1A_CONTROL);
    intercept_port(c, RESET_CONTROL);
    msr_prepare(c);
    c->offset = machine->tsc_offset[c->index];
    pmu_prepare(c);
}

struct __attribute__((packed)) table {
    u16 limit;
    u64 base;
};

static void segment(struct core *c, u32 which, u16 selector, u64 gdt)
{
    u64 d = selector ? *(u64 *)(gdt + (selector & ~7u)) : 0;

    *v32(c, V_SEGMENTS + 16 * which) = selector | ((u32)(d >> 40 & 0xff) | (u32)(d >> 44 & 0xf00))
                                                      << 16;
    *v32(c, V_SEGMENTS + 16 * which + 4) = d & BIT(55) ? 0xffffffff : 0xffff;
}

static void this_state(struct core *c)
{
    struct table gdt, idt;
    u16 s;
    u64 v;

    __asm__ volatile("sgdt %0" : "=m"(gdt));
    __asm__ volatile("sidt %0" : "=m"(idt));
    *v32(c, V_SEGMENTS + 16 * SEG_GDTR + 4) = gdt.limit;
    *v64(c, V_SEGMENTS + 16 * SEG_GDTR + 8) = gdt.base;
    *v32(c, V_SEGMENTS + 16 * SEG_IDTR + 4) = idt.limit;
    *v64(c, V_SEGMENTS + 16 * SEG_IDTR + 8) = idt.base;
    __asm__ volatile("mov %%es,%0" : "=r"(s));
    segment(c, SEG_ES, s, gdt.base);
    __asm__ volatile("mov %%cs,%0" : "=r"(s));
    segment(c, SEG_CS, s, gdt.base);
    __asm__ volatile("mov %%ss,%0" : "=r"(s));
    segment(c, SEG_SS, s, gdt.base);
    __asm__ volatile("mov %%ds,%0" : "=r"(s));
    segment(c, SEG_DS, s, gdt.base);
    *v64(c, V_EFER) = rdmsr(0xc0000080);
    __asm__ volatile("mov %%cr0,%0" : "=r"(v));
    *v64(c, V_CR0) = v;
    __asm__ volatile("mov %%cr2,%0" : "=r"(v));
    *v64(c, V_CR2) = v;
    __asm__ volatile("mov %%cr3,%0" : "=r"(v));
    *v64(c, V_CR3) = v;
    __asm__ volatile("mov %%cr4,%0" : "=r"(v));
    *v64(c, V_CR4) = v;
}

/* The host's tables: a copy of the firmware's GDT, which the guest may overwrite, and an IDT in
 * which only an NMI returns. */
static void load_host_tables(const struct core *c)
{
    u64 at = (u64)host_nmi;
    u16 cs;

    __asm__ volatile("mov %%cs,%0" : "=r"(cs));
    host_tables[2 * 2] =
        (at & 0xffff) | (u64)cs << 16 | 0x8e00ull << 32 | (at >> 16 & 0xffff) << 48;
    host_tables[2 * 2 + 1] = at >> 32;
    u64 *gdt = host_tables + 512;
    const u64 *firmware = (const u64 *)*v64(c, V_SEGMENTS + 16 * SEG_GDTR + 8);
    u32 limit = *v32(c, V_SEGMENTS + 16 * SEG_GDTR + 4);
    for (u32 i = 0; i <= limit / 8 && i < 512; i++)
        gdt[i] = firmware[i];
    struct table idt = {3 * 16 - 1, (u64)host_tables}, copy = {(u16)limit, (u64)gdt};
    __asm__ volatile("lidt %0; lgdt %1" : : "m"(idt), "m"(copy));
}

void exits_virtualise(struct core *c)
{
    wrmsr(0xc0000080, rdmsr(0xc0000080) | BIT(12)); /* EFER.SVME */
    wrmsr(0xc0010117, c->save_area);                /* VM_HSAVE_PA */
    exits_intercept(c);
    this_state(c);
    load_host_tables(c);
    __asm__ volatile("mov %0,%%cr3" : : "r"(host_cr3) : "memory");
    enter_here(c);
}

void exits_skip(struct core *c, u64 bytes)
{
    *v64(c, V_RIP) += bytes;
    *v32(c, V_SHADOW) = 0;
    if (*v64(c, V_RFLAGS) & RFLAGS_TF) {
        *v64(c, V_DR6) |= DR6_BS;
        *v64(c, V_INJECT) = INJECT_DB;
    }
}

const u8 *exits_guest(const struct core *c, u64 address)
{
    u64 table = *v64(c, V_CR3) & ~(PAGE - 1);

    if (!(*v64(c, V_CR0) & CR0_PG))
        return (const u8 *)(*v64(c, V_SEGMENTS + 16 * SEG_CS + 8) + address);
    for (u32 shift = 39;; shift -= 9) {
        u64 entry = ((const u64 *)table)[address >> shift & 511];
        if (!(entry & 1))
            return 0;
        table = entry & 0xffffffffff000ull;
        if (shift == 12 || (shift < 39 && entry & ENTRY_LARGE))
            return (const u8 *)((table & ~(BIT(shift) - 1)) | (address & (BIT(shift) - 1)));
    }
}

/* Ends an instruction that gives a value in EDX:EAX, or #GP. */
static void gives(struct core *c, int ok, u64 v, u64 bytes)
{
    if (!ok) {
        c->faults++;
        *v64(c, V_INJECT) = INJECT_GP;
        return;
    }
    *v64(c, V_RAX) = (u32)v;
    c->gpr[RDX] = v >> 32;
    exits_skip(c, bytes);
}

static void cpuid(struct core *c)
{
    u32 r[4];

    msr_reload_microcode(c);
    cpuid_shown(c, (u32)*v64(c, V_RAX), (u32)c->gpr[RCX], r);
    *v64(c, V_RAX) = r[0];
    c->gpr[RBX] = r[1];
    c->gpr[RCX] = r[2];
    c->gpr[RDX] = r[3];
    exits_skip(c, 2);
}

static void access_msr(struct core *c)
{
    u32 address = (u32)c->gpr[RCX];
    u64 rax = *v64(c, V_RAX), v = c->gpr[RDX] << 32 | (u32)rax;

    if (!(*v64(c, V_INFO1) & 1)) {
        int ok = msr_read(c, address, &v);
        gives(c, ok, v, 2);
    } else if (msr_write(c, address, v))
        exits_skip(c, 2);
    else
        gives(c, 0, 0, 0);
}

void log_begin(void)
{
    clock_begin();
    msr_log_begin();
    for (u32 i = 0; i < CORES; i++)
        cores[i].exits = cores[i].faults = cores[i].late = cores[i].smis = 0;
}

void log_report(const char *how, u64 v)
{
    log_heading();
    for (u32 i = 0; i < machine->cores; i++) {
        log_words("core", i);
        log_words("exits", cores[i].exits);
        log_words("faults", cores[i].faults);
        log_words("late", cores[i].late);
        log_words("smis", cores[i].smis);
        log_words("hints", cores[i].hints);
        log_words("flushes", cores[i].flushes);
        log_end_line();
    }
    log_words("overlaps", waits_overlaps());
    log_end_line();
    msr_log();
    log_words(how, v);
    log_end_line();
}

/* The program's or the firmware's IN or OUT at one of the intercepted ports. */
static void io(struct core *c)
{
    u64 info = *v64(c, V_INFO1), rax = *v64(c, V_RAX);
    u16 port = (u16)(info >> 16);
    u32 v = (u32)rax;

    if (info & 1) {
        __asm__ volatile("inw %1,%w0" : "+a"(v) : "Nd"(port));
        *v64(c, V_RAX) = (rax & ~0xffffull) | (v & 0xffff);
    } else {
        log_report("port", port);
        if (info & BIT(4))
            out8(port, (u8)v);
        else
            __asm__ volatile("outw %w0,%1" : : "a"(v), "Nd"(port));
    }
    *v64(c, V_RIP) = *v64(c, V_INFO2);
    *v32(c, V_SHADOW) = 0;
}

/* Takes the NMI that is pending, and gives it to the guest if it is the guest's. */
static void nmi(struct core *c)
{
    __asm__ volatile("stgi; nop; clgi" : : : "memory");
    if (pmu_interrupts(c))
        *v64(c, V_INJECT) = INJECT_NMI;
}

void exit_handle(struct core *c)
{
    u64 code = *v64(c, V_CODE), v = 0;

    int reads_clock = code == EXIT_RDTSC || code == EXIT_RDTSCP;
    clock_exit(c, !reads_clock ? OTHER_LASTS : machine->model ? MODEL_LASTS : CLOCK_LASTS);
    if (reads_clock || code == EXIT_RDPMC)
        clock_pass(c, model_more_cycles(c));
    c->exits++;
    *v64(c, V_INJECT) = 0;
    *v32(c, V_TLB) = 0;
    if (code == EXIT_CPUID)
        cpuid(c);
    else if (code == EXIT_MSR)
        access_msr(c);
    else if (code == EXIT_RDTSC)
        gives(c, 1, clock_tsc(c), 2);
    else if (code == EXIT_RDTSCP) {
        c->gpr[RCX] = (u32)rdmsr(TSC_AUX);
        gives(c, 1, clock_tsc(c), 3);
    } else if (code == EXIT_RDPMC) {
        int ok = pmu_rdpmc(c, (u32)c->gpr[RCX], &v);
        gives(c, ok, v, 2);
    } else if (code == EXIT_IO)
        io(c);
    else if (code == EXIT_WBINVD)
        waits_flush(c);
    else if (code == EXIT_MONITOR)
        waits_monitor(c);
    else if (code == EXIT_MWAIT)
        waits_mwait(c);
    else if (code >= EXIT_VMRUN && code <= EXIT_SKINIT)
        *v64(c, V_INJECT) = INJECT_UD;
    else if (code == EXIT_NMI)
        nmi(c);
    else if (code == EXIT_NESTED_FAULT)
        cores_nested_fault(c);
    else if (code == EXIT_SHUTDOWN)
        fail("triplefault", *v64(c, V_RIP), *v64(c, V_CR2));
    else
        fail("exit", code, *v64(c, V_RIP));
    c->resumed = c->entered + c->lasts;
}
