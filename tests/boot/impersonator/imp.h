/*
 * The impersonator: a hypervisor as an EFI program. It makes itself the host of a guest (AMD SVM),
 * in which the firmware continues and starts \baretick.efi. It shows that guest the CPU and the
 * MSRs of \machine.bin. tests/boot/README.md describes it; ../impersonated.py writes the file.
 *
 * loader.c   starts as an EFI program, starts the guest and the program in it
 * exits.c    the guest's state (VMCB), and what each of its exits does
 * cpuid.c    CPUID      msr.c  MSRs, and the log of their accesses      pmu.c  counters
 * clock.c    the TSC, planted SMIs, a slow clock      cores.c  the other cores
 * model.c    time of instructions
 * waits.c    MONITOR and MWAIT, WBINVD
 * enter.asm  enters and leaves the guest
 *
 * Sources: AMD APM vol. 2 ch. 15 (SVM) and appendix B (VMCB), Intel SDM vol. 4 (MSRs) and vol. 3B
 * ch. 20 (counters).
 */
#ifndef IMPERSONATOR_H
#define IMPERSONATOR_H

#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

#define BIT(n)   (1ull << (n))
#define PAGE     4096ull
#define CORES    8
#define COUNTERS 16 /* 0 to 7 are programmable, the fixed ones follow */
#define FIXED    8
#define CHANGES  8
#define COM2     0x2f8
#define END_PORT 0xf4 /* isa-debug-exit; every use of it ends the run */

/* --- \machine.bin; impersonated.py knows these structs ---------------------------------------- */

/* Sorted by core, leaf, subleaf. */
struct row {
    u32 core, leaf, subleaf, r[4];
};

enum { MSR_FAULTS = 1, MSR_READ_ONLY = 2, MSR_KEEPS = 4, MSR_WRITE_ONLY = 8 };

/* Sorted by address. KEEPS: a write succeeds, and changes nothing. */
struct msr {
    u32 address, flags;
    u64 value;
};

/* From this time of the program on, in microseconds, this MSR of one core or all has this value. */
#define ALL_CORES (~0ull)
struct change {
    u64 at_us, address, value, core;
};

struct machine {
    u64 magic, rows, msrs, cores;
    u64 tsc_khz;
    u64 shift;                             /* an instruction takes 2^shift ns */
    u64 model;                             /* 1: but model.c's IMUL */
    u64 cycles_a, cycles_b;                /* the counters count A cycles for B that pass */
    u64 aperf_a, aperf_b;                  /* the same of APERF */
    u64 smi_first, smi_every, smi_last;    /* us; smi_last 0: no SMIs */
    u64 slow_first, slow_every, slow_last; /* us; the core's clock is A/B while it is slow */
    u64 slow_a, slow_b;
    u64 x2apic; /* 1: the APIC is in x2APIC mode, and locked in it */
    u64 apic_id[CORES];
    u64 tsc_offset[CORES];         /* ticks */
    struct change change[CHANGES]; /* address 0: none */
    /* struct row [rows], struct msr [msrs] */
};
#define MAGIC 0x31504d49544142ull /* "BATIMP1" */

/* --- a core ----------------------------------------------------------------------------------- */

struct counter {
    u64 value, since, control;
};

/* The PMU that CPUID reports. Version 1, Intel's or AMD's: the counters have no global enable. */
struct pmu {
    u32 amd, version, counters, fixed, bits;
};

/* enter.asm knows the first members. */
struct core {
    u64 gpr[16];       /* as encoded; RAX and RSP are in the VMCB */
    u64 vmcb, entered; /* entered: the time soon after the exit, in ns since power-on */
    u64 lasts;         /* ns from there to the guest's next instruction */
    u64 stack, shift;
    u64 late;               /* exits that took longer than they should */
    u64 index, now;         /* now: the time at which the guest's instruction takes effect */
    u64 resumed, last_read; /* the time of its next instruction, and where a clock was read last */
    u64 exits, faults;      /* faults: #GP raised */
    u64 offset;             /* of its TSC, in ticks */
    u64 next_smi, smis, changed;
    u64 without_cycles; /* ns that passed because the clock was slow */
    u64 microcode;      /* IA32_BIOS_SIGN_ID as CPUID loads it */
    u64 debugctl, fixed_control, global, status, pending;
    struct pmu pmu;
    struct counter counter[COUNTERS];
    u64 save_area, msr_map, io_map;
    struct msr *msr;         /* its own copy */
    const u64 *watched;      /* what MONITOR watches, ... */
    u64 seen, waits;         /* ... its value then; it is in MWAIT */
    u64 hints;               /* of MWAIT: bit 8 * state + sub-state */
    u64 flushes, flush_ends; /* WBINVDs; time at which the last one ends */
};

extern struct core cores[CORES];
extern struct machine *machine;
extern u64 host_cr3;

/* Fields of the VMCB. */
enum {
    V_EXCEPTIONS = 0x08,
    V_INTERCEPT = 0x0c,
    V_INTERCEPT_SVM = 0x10,
    V_IO_MAP = 0x40,
    V_MSR_MAP = 0x48,
    V_ASID = 0x58,
    V_TLB = 0x5c,
    V_SHADOW = 0x68,
    V_CODE = 0x70,
    V_INFO1 = 0x78,
    V_INFO2 = 0x80,
    V_NESTED = 0x90,
    V_INJECT = 0xa8,
    V_NESTED_CR3 = 0xb0,
    V_SEGMENTS = 0x400, /* ES CS SS DS FS GS GDTR LDTR IDTR TR, 16 bytes each */
    V_EFER = 0x4d0,
    V_CR4 = 0x548,
    V_CR3 = 0x550,
    V_CR0 = 0x558,
    V_DR7 = 0x560,
    V_DR6 = 0x568,
    V_RFLAGS = 0x570,
    V_RIP = 0x578,
    V_RSP = 0x5d8,
    V_RAX = 0x5f8,
    V_CR2 = 0x640,
    V_PAT = 0x668,
};
enum { SEG_ES, SEG_CS, SEG_SS, SEG_DS, SEG_FS, SEG_GS, SEG_GDTR, SEG_LDTR, SEG_IDTR, SEG_TR };

static inline volatile u64 *v64(const struct core *c, u32 field)
{
    return (volatile u64 *)(c->vmcb + field);
}

static inline volatile u32 *v32(const struct core *c, u32 field)
{
    return (volatile u32 *)(c->vmcb + field);
}

static inline void out8(u16 port, u8 v)
{
    __asm__ volatile("outb %0,%1" : : "a"(v), "Nd"(port));
}

static inline u64 rdmsr(u32 address)
{
    u32 lo, hi;

    __asm__ volatile("rdmsr" : "=a"(lo), "=d"(hi) : "c"(address));
    return (u64)hi << 32 | lo;
}

static inline void wrmsr(u32 address, u64 v)
{
    __asm__ volatile("wrmsr" : : "c"(address), "a"((u32)v), "d"((u32)(v >> 32)));
}

/* The CPUID that QEMU emulates. */
static inline void real_cpuid(u32 leaf, u32 subleaf, u32 r[4])
{
    __asm__ volatile("cpuid"
                     : "=a"(r[0]), "=b"(r[1]), "=c"(r[2]), "=d"(r[3])
                     : "a"(leaf), "c"(subleaf));
}

/* --- enter.asm -------------------------------------------------------------------------------- */

/* Continues as the guest, which is this caller. */
void enter_here(struct core *c);
void __attribute__((noreturn)) enter(struct core *c);

/* --- loader.c --------------------------------------------------------------------------------- */

/* Returns zeroed pages below 4 GiB, or below `limit`, that outlive the firmware. Not after the
 * program has started. */
void *pages(u64 n, u64 limit);
/* Writes a line to COM2: words, each followed by a number in hexadecimal. */
void log_words(const char *word, u64 v);
void log_end_line(void);
void log_heading(void);
/* Ends the run because something is not emulated. */
void __attribute__((noreturn)) fail(const char *why, u64 a, u64 b);

/* --- exits.c ---------------------------------------------------------------------------------- */

void exits_prepare(struct core *c);    /* makes its VMCB */
void exits_virtualise(struct core *c); /* returns as the guest */
void exits_intercept(struct core *c);  /* of a core whose VMCB is empty */
void exit_handle(struct core *c);      /* called by enter.asm */
/* Returns the host's pointer to the guest's byte; NULL: nothing is mapped, or by five levels. */
const u8 *exits_guest(const struct core *c, u64 address);
/* Moves the guest to the next instruction. */
void exits_skip(struct core *c, u64 bytes);
/* Writes what happened since log_begin() to COM2. */
void log_report(const char *how, u64 v);
void log_begin(void);

/* --- cpuid.c ---------------------------------------------------------------------------------- */

/* The recorded registers, or zeros as CPUID defines them. */
void cpuid_recorded(const struct core *c, u32 leaf, u32 subleaf, u32 r[4]);
/* What the guest sees: recorded, without features that QEMU does not execute. */
void cpuid_shown(const struct core *c, u32 leaf, u32 subleaf, u32 r[4]);
/* Of AMD's architecture (AMD, Hygon). */
int cpuid_is_amd(const struct core *c);

/* --- msr.c ------------------------------------------------------------------------------------ */

void msr_prepare(struct core *c);
/* CPUID loads the revision of the microcode: SDM vol. 3A 10.11.7.1. */
void msr_reload_microcode(struct core *c);
/* 0: #GP. */
int msr_read(struct core *c, u32 address, u64 *v);
int msr_write(struct core *c, u32 address, u64 v);
void msr_log(void);
void msr_log_begin(void);

/* --- pmu.c ------------------------------------------------------------------------------------ */

void pmu_prepare(struct core *c); /* at reset */
/* 0: it is not one of the PMU. */
int pmu_msr(struct core *c, u32 address, u64 *v, int write);
/* Returns whether an NMI that ended the guest's run is the guest's: an overflow, or another NMI. */
int pmu_interrupts(struct core *c);
int pmu_rdpmc(struct core *c, u32 index, u64 *v);

/* --- clock.c ---------------------------------------------------------------------------------- */

/* Takes the time of an exit that lasts this number of instructions. An SMI that is due happens. */
void clock_exit(struct core *c, u64 instructions);
/* Lets core cycles pass, for all clocks, before the instruction that exits. */
void clock_pass(struct core *c, u64 cycles);
/* Returns v * a / b, wrapped to 64 bits as a counter wraps; the quotient of 128 bits is exact. */
u64 clock_scale(u64 v, u64 a, u64 b);
u64 clock_tsc(const struct core *c);
u64 clock_instructions(const struct core *c);
u64 clock_cycles(const struct core *c);
/* Time since log_begin(), in us. */
u64 clock_program_us(const struct core *c);
void clock_begin(void);

/* --- model.c ---------------------------------------------------------------------------------- */

u64 model_more_cycles(struct core *c);

/* --- waits.c ---------------------------------------------------------------------------------- */

void waits_monitor(struct core *c);
/* The guest executes MWAIT again until it ends. */
void waits_mwait(struct core *c);
void waits_flush(struct core *c);
/* Returns the WBINVDs that began while another core executed one. */
u64 waits_overlaps(void);

/* --- cores.c ---------------------------------------------------------------------------------- */

void cores_prepare(void);
/* An access to the local APIC, which starts other cores. */
void cores_nested_fault(struct core *c);
/* The same by MSRs 800h to 83Fh, where the machine is in x2APIC mode. 0: #GP. */
int cores_x2apic_read(u32 address, u64 *v);
int cores_x2apic_write(u32 address, u64 v);

#endif
