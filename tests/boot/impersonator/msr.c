/* MSRs: those of the recording, those that CPUID promises, and QEMU's own for what QEMU does. A log
 * counts the program's accesses. */
#include "imp.h"

#define IA32_TSC         0x10u
#define APIC_BASE        0x1bu
#define BASE_X2APIC      BIT(10)
#define BASE_ENABLED     BIT(11)
#define IA32_BIOS_SIGN   0x8bu
#define SMI_COUNT        0x34u
#define IA32_MPERF       0xe7u
#define IA32_APERF       0xe8u
#define IA32_DEBUGCTL    0x1d9u
#define DEBUGCTL_REAL    3ull /* LBR, BTF */
#define MTRR_MASK_VALID  BIT(11)
#define EFER             0xc0000080u
#define EFER_SVME        BIT(12)
#define CPUID6_ECX_APERF 1u
#define LOG              512 /* addresses; a power of two */

static struct entry {
    u32 address, used;
    u64 reads, writes, faults, refused, before, after;
} entries[LOG];

static struct entry *logged(u32 address)
{
    u32 i = (address * 0x9e3779b1u) >> 23;

    for (u32 n = 0; n < LOG; n++, i = (i + 1) % LOG) {
        struct entry *e = &entries[i];
        if (e->used && e->address != address)
            continue;
        e->used = 1;
        e->address = address;
        return e;
    }
    fail("the log of MSRs is full", address, 0);
}

void msr_log_begin(void)
{
    for (u32 i = 0; i < LOG; i++)
        entries[i] = (struct entry){0};
}

void msr_log(void)
{
    for (u32 i = 0; i < LOG; i++) {
        const struct entry *e = &entries[i];
        if (!e->used)
            continue;
        log_words("msr", e->address);
        log_words("reads", e->reads);
        log_words("writes", e->writes);
        log_words("faults", e->faults);
        log_words("refused", e->refused);
        log_words("before", e->before);
        log_words("after", e->after);
        log_end_line();
    }
}

/* QEMU's own: APIC, system calls, machine checks, MTRRs and PAT, segment bases. */
static int is_real(u32 a)
{
    return a == 0x1b || a == 0xfe || (a >= 0x174 && a <= 0x176) || (a >= 0x179 && a <= 0x17b) ||
           (a >= 0x200 && a < 0x210) || a == 0x250 || a == 0x258 || a == 0x259 ||
           (a >= 0x268 && a < 0x270) || a == 0x277 || a == 0x2ff || (a >= 0x400 && a < 0x428) ||
           (a >= 0x800 && a < 0x900 && rdmsr(APIC_BASE) & BASE_X2APIC) ||
           (a >= 0xc0000081 && a <= 0xc0000084) || (a >= 0xc0000100 && a <= 0xc0000103);
}

static struct msr *find(struct core *c, u32 address)
{
    u64 from = 0, to = machine->msrs;

    while (from < to) {
        u64 middle = (from + to) / 2;
        if (c->msr[middle].address < address)
            from = middle + 1;
        else
            to = middle;
    }
    return from < machine->msrs && c->msr[from].address == address ? &c->msr[from] : 0;
}

void msr_prepare(struct core *c)
{
    const struct msr *recorded =
        (const struct msr *)((const struct row *)(machine + 1) + machine->rows);

    c->msr = pages(machine->msrs * sizeof *c->msr / PAGE + 1, ~0u);
    for (u64 i = 0; i < machine->msrs; i++) {
        c->msr[i] = recorded[i];
        if (recorded[i].address == IA32_BIOS_SIGN)
            c->microcode = recorded[i].value;
    }
}

static u64 physical(const u32 r[4])
{
    u32 bits = r[0] & 255;

    return BIT(bits < 32 ? 36 : bits) - 1;
}

/* Returns an MTRR's mask that the firmware made for QEMU's width of addresses as it made it for the
 * recorded width. A range beyond that width is not valid. */
static u64 mtrr_mask(const struct core *c, u64 base, u64 v)
{
    u32 real[4], recorded[4];

    real_cpuid(0x80000008, 0, real);
    cpuid_recorded(c, 0x80000008, 0, recorded);
    if (base & ~physical(recorded))
        v &= ~MTRR_MASK_VALID;
    return (v | (physical(recorded) & ~physical(real))) & physical(recorded);
}

static u64 real_read(const struct core *c, u32 a)
{
    u64 v = rdmsr(a);

    return a > 0x200 && a < 0x210 && a & 1 && v & MTRR_MASK_VALID ? mtrr_mask(c, rdmsr(a - 1), v)
                                                                  : v;
}

static int has_aperf(const struct core *c)
{
    u32 r[4];

    cpuid_recorded(c, 6, 0, r);
    return r[2] & CPUID6_ECX_APERF;
}

/* Makes the planted changes that are due. */
static void change(struct core *c)
{
    for (; c->changed < CHANGES; c->changed++) {
        const struct change *next = &machine->change[c->changed];
        struct msr *m = find(c, (u32)next->address);
        if (next->address == 0 || clock_program_us(c) < next->at_us)
            return;
        if (!m)
            fail("a change of an MSR that is not in \\machine.bin", next->address, 0);
        if (next->core != ALL_CORES && next->core != c->index)
            continue;
        m->value = next->value;
        if (m->address == IA32_BIOS_SIGN)
            c->microcode = next->value;
    }
}

void msr_reload_microcode(struct core *c)
{
    struct msr *m = find(c, IA32_BIOS_SIGN);

    if (m)
        m->value = c->microcode;
}

static int read(struct core *c, u32 a, u64 *v)
{
    const struct msr *m = find(c, a);

    if (m && m->flags & (MSR_FAULTS | MSR_WRITE_ONLY))
        return 0;
    if (machine->x2apic && a >= 0x800 && a < 0x900)
        return cores_x2apic_read(a, v);
    if (a == EFER)
        *v = *v64(c, V_EFER) & ~EFER_SVME;
    else if (a == IA32_TSC)
        *v = clock_tsc(c);
    else if (a == IA32_MPERF || a == IA32_APERF) {
        *v = a == IA32_MPERF ? clock_tsc(c)
                             : clock_scale(clock_cycles(c), machine->aperf_a, machine->aperf_b);
        return has_aperf(c);
    } else if (a == SMI_COUNT && m)
        *v = c->smis;
    else if (a == IA32_DEBUGCTL)
        *v = c->debugctl;
    else if (pmu_msr(c, a, v, 0))
        return 1;
    else if (m)
        *v = m->value;
    else if (is_real(a))
        *v = real_read(c, a) | (a == APIC_BASE && machine->x2apic ? BASE_X2APIC : 0);
    else
        return 0;
    return 1;
}

static int write(struct core *c, u32 a, u64 v)
{
    struct msr *m = find(c, a);

    if (m && m->flags & (MSR_FAULTS | MSR_READ_ONLY))
        return 0;
    if (m && m->flags & MSR_KEEPS)
        return 1;
    if (machine->x2apic && a >= 0x800 && a < 0x900)
        return cores_x2apic_write(a, v);
    if (machine->x2apic && a == APIC_BASE)
        return v & BASE_X2APIC && v & BASE_ENABLED;
    if (a == EFER)
        *v64(c, V_EFER) = v | EFER_SVME;
    else if (a == IA32_TSC)
        c->offset += v - clock_tsc(c);
    else if (a == IA32_MPERF || a == IA32_APERF || a == SMI_COUNT)
        return 0;
    else if (a == IA32_DEBUGCTL) {
        c->debugctl = v & ~DEBUGCTL_REAL;
        wrmsr(a, v & DEBUGCTL_REAL);
    } else if (pmu_msr(c, a, &v, 1))
        return 1;
    else if (m)
        m->value = v;
    else if (is_real(a))
        wrmsr(a, v);
    else
        return 0;
    return 1;
}

int msr_read(struct core *c, u32 address, u64 *v)
{
    struct entry *e = logged(address);
    int ok;

    change(c);
    ok = read(c, address, v);
    e->reads++;
    e->faults += !ok;
    return ok;
}

int msr_write(struct core *c, u32 address, u64 v)
{
    struct entry *e = logged(address);
    u64 before = 0;
    int ok;

    (void)read(c, address, &before);
    ok = write(c, address, v);
    if (!e->writes && !e->refused)
        e->before = before;
    if (ok)
        e->after = v;
    e->writes += ok;
    e->refused += !ok;
    return ok;
}
