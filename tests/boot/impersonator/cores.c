/*
 * The other cores. A start-up IPI of the guest would take a core out of the hypervisor's hands. So
 * the guest's local APIC is a page that it cannot write, by nested paging: each write exits and is
 * done here, and a start-up IPI gets the vector of cores_start.asm, which enters a guest at the
 * vector that was asked for. In x2APIC mode the page is not there, and the registers are MSRs.
 * Intel SDM vol. 3A 11.6.1 and 11.12, AMD APM vol. 2 15.25.
 */
#include "imp.h"

#define LAPIC        0xfee00000ull
#define ID           0x020
#define ICR          0x300
#define ICR_HIGH     0x310
#define START_UP     6 /* delivery mode */
#define LOGICAL      BIT(11)
#define TO_SELF      BIT(18)
#define X2_ID        0x802u
#define X2_LDR       0x80du
#define X2_ICR       0x830u
#define X2_SELF_IPI  0x83fu
#define MAP_ALL      7 /* present, writable, user */
#define MAP_WRITABLE 2ull
#define MAP_LARGE    BIT(7)
#define LONG_MODE    BIT(10) /* EFER.LMA */

/* cores_start.asm: where the copies of these are set. */
extern const u8 cores_start[], cores_start_end[];
extern u32 cores_start_cr3[], cores_start_far32[], cores_start_far64[];
extern u64 cores_start_main[], cores_start_table[];
extern u8 cores_start_gdtr[];

/* INIT keeps the MTRRs, but QEMU's clears them: they are the boot core's. */
static const u32 mtrr[] = {0x200, 0x201, 0x202, 0x203, 0x204, 0x205, 0x206, 0x207, 0x208, 0x209,
                           0x20a, 0x20b, 0x20c, 0x20d, 0x20e, 0x20f, 0x250, 0x258, 0x259, 0x268,
                           0x269, 0x26a, 0x26b, 0x26c, 0x26d, 0x26e, 0x26f, 0x2ff};
#define MTRRS (sizeof mtrr / sizeof *mtrr)
static u64 mtrr_value[MTRRS];

static u64 nested_map;
static u32 vector;                /* of the copy of cores_start */
static u8 wanted[256];            /* the guest's vector, by APIC id */
static struct core *by_apic[256]; /* NULL: not a core of the guest's */

/* Maps everything as it is, except that the local APIC cannot be written, or is not there. */
static void make_nested_map(void)
{
    u64 *top = pages(4, ~0u), *gib = top + 512, *mib = gib + 512, *page = mib + 512;

    top[0] = (u64)gib | MAP_ALL;
    for (u64 i = 0; i < 512; i++) {
        gib[i] = i << 30 | MAP_LARGE | MAP_ALL;
        mib[i] = 3ull << 30 | i << 21 | MAP_LARGE | MAP_ALL;
        page[i] = LAPIC + (i << 12) + MAP_ALL;
    }
    gib[3] = (u64)mib | MAP_ALL;
    mib[(LAPIC - (3ull << 30)) >> 21] = (u64)page | MAP_ALL;
    page[0] = machine->x2apic ? 0 : page[0] & ~MAP_WRITABLE;
    nested_map = (u64)top;
}

static void nest(struct core *c)
{
    *v64(c, V_NESTED) = 1;
    *v64(c, V_NESTED_CR3) = nested_map;
}

static void segments_at_reset(struct core *c, u32 start)
{
    for (u32 i = SEG_ES; i <= SEG_TR; i++) {
        *v32(c, V_SEGMENTS + 16 * i) = 0x93u << 16; /* present, data */
        *v32(c, V_SEGMENTS + 16 * i + 4) = 0xffff;
    }
    *v32(c, V_SEGMENTS + 16 * SEG_CS) = start >> 4 | 0x9bu << 16; /* code */
    *v64(c, V_SEGMENTS + 16 * SEG_CS + 8) = start;
    *v32(c, V_SEGMENTS + 16 * SEG_LDTR) = 0x82u << 16;
    *v32(c, V_SEGMENTS + 16 * SEG_TR) = 0x8bu << 16;
}

/* The state after INIT and the start-up IPI: SDM vol. 3A table 10-1. On the core itself. */
static void __attribute__((noreturn)) core_main(struct core *c)
{
    u32 signature[4];

    for (u64 i = 0; i < PAGE / 8; i++)
        ((volatile u64 *)c->vmcb)[i] = 0;
    for (u32 i = 0; i < 16; i++)
        c->gpr[i] = 0;
    cpuid_recorded(c, 1, 0, signature);
    c->gpr[2] = signature[0]; /* RDX */
    exits_intercept(c);
    nest(c);
    segments_at_reset(c, (u32)wanted[machine->apic_id[c->index]] << 12);
    *v64(c, V_RFLAGS) = 2;
    *v64(c, V_CR0) = 0x60000010;
    *v64(c, V_EFER) = BIT(12); /* SVME */
    for (u32 i = 0; i < MTRRS; i++)
        wrmsr(mtrr[i], mtrr_value[i]);
    wrmsr(0xc0010117, c->save_area);
    enter(c);
}

static void *in_copy(u8 *copy, const void *symbol)
{
    return copy + ((const u8 *)symbol - cores_start);
}

void cores_prepare(void)
{
    u64 size = (u64)(cores_start_end - cores_start);

    if (machine->cores == 1 && !machine->x2apic)
        return;
    make_nested_map();
    nest(&cores[0]);
    for (u64 i = 0; i < machine->cores; i++)
        by_apic[machine->apic_id[i] & 255] = &cores[i];
    u8 *copy = pages(1, 0x8ffff);
    for (u64 i = 0; i < size; i++)
        copy[i] = cores_start[i];
    u32 base = (u32)(u64)copy;
    vector = base >> 12;
    *(u32 *)in_copy(copy, cores_start_cr3) = (u32)host_cr3;
    *(u64 *)in_copy(copy, cores_start_main) = (u64)core_main;
    *(u64 *)in_copy(copy, cores_start_table) = (u64)by_apic;
    *(u32 *)in_copy(copy, cores_start_far32) += base;
    *(u32 *)in_copy(copy, cores_start_far64) += base;
    *(u32 *)in_copy(copy, cores_start_gdtr + 2) += base;
}

static void send(u32 command)
{
    volatile u32 *apic = (volatile u32 *)LAPIC;

    if ((command >> 8 & 7) == START_UP) {
        u32 target = apic[ICR_HIGH / 4] >> 24;
        for (u32 i = 0; i < 256; i++)
            if (i == target || command >> 18 & 3) /* a shorthand: all */
                wanted[i] = (u8)command;
        for (u32 i = 0; i < MTRRS; i++)
            mtrr_value[i] = rdmsr(mtrr[i]);
        command = (command & ~255u) | vector;
    }
    apic[ICR / 4] = command;
}

static u32 register_of(const struct core *c, u32 n)
{
    return (u32)(n == 0 ? *v64(c, V_RAX) : n == 4 ? *v64(c, V_RSP) : c->gpr[n]);
}

/* Decodes MOV of a register or of a constant to memory: opcodes 89h, C7h, outside of long mode A3h.
 * Returns its length and what it writes; 0: another instruction. */
static u32 decode(const struct core *c, u32 *v)
{
    u8 b[16];
    u32 n = 0, rex = 0;

    for (u32 i = 0; i < sizeof b; i++) {
        const u8 *at = exits_guest(c, *v64(c, V_RIP) + i);
        b[i] = at ? *at : 0;
    }
    if ((b[n] & 0xf0) == 0x40)
        rex = b[n++];
    u8 opcode = b[n++];
    if (opcode == 0xa3 && !(*v64(c, V_EFER) & LONG_MODE)) {
        *v = register_of(c, 0);
        return n + 4;
    }
    u32 mod = b[n] >> 6, reg = (b[n] >> 3 & 7) | (rex & 4) << 1, rm = b[n] & 7;
    n++;
    if (mod == 3 || (opcode != 0x89 && opcode != 0xc7))
        return 0;
    if (rm == 4 && (b[n++] & 7) == 5 && mod == 0) /* SIB without a base */
        n += 4;
    n += mod == 1 ? 1 : mod == 2 || (mod == 0 && rm == 5) ? 4 : 0;
    *v = opcode == 0x89 ? register_of(c, reg)
                        : (u32)(b[n] | b[n + 1] << 8 | b[n + 2] << 16) | (u32)b[n + 3] << 24;
    return opcode == 0x89 ? n : n + 4;
}

void cores_nested_fault(struct core *c)
{
    u64 address = *v64(c, V_INFO2);
    u32 v, length;

    if ((address & ~(PAGE - 1)) != LAPIC || machine->x2apic)
        fail("nestedfault", address, *v64(c, V_RIP));
    length = decode(c, &v);
    if (length == 0)
        fail("undecoded", address, *v64(c, V_RIP));
    if ((address & (PAGE - 1)) == ICR)
        send(v);
    else
        *(volatile u32 *)address = v;
    exits_skip(c, length);
}

/* SDM vol. 3A table 11-6: bit n is MSR 800h + n. */
#define X2_EXIST      0xc3fd81ffffffad0cull
#define X2_READ_ONLY  0x020000ffffff240cull
#define X2_WRITE_ONLY (BIT(0x0b) | BIT(0x3f))

/* The xAPIC's register of an MSR; NULL: x2APIC mode has no such MSR. */
static volatile u32 *x2apic_register(u32 address, u64 but)
{
    u32 n = address - 0x800;

    return n < 64 && X2_EXIST & ~but & BIT(n) ? (volatile u32 *)(LAPIC + 16ull * n) : 0;
}

int cores_x2apic_read(u32 address, u64 *v)
{
    volatile u32 *at = x2apic_register(address, X2_WRITE_ONLY), *apic = (volatile u32 *)LAPIC;
    u32 id = apic[ID / 4] >> 24;

    if (!at)
        return 0;
    if (address == X2_LDR)
        *v = (id & ~15u) << 12 | 1u << (id & 15);
    else
        *v = address == X2_ID    ? id
             : address == X2_ICR ? (u64)(apic[ICR_HIGH / 4] >> 24) << 32 | *at
                                 : *at;
    return 1;
}

int cores_x2apic_write(u32 address, u64 v)
{
    volatile u32 *at = x2apic_register(address, X2_READ_ONLY), *apic = (volatile u32 *)LAPIC;

    if (!at || (v >> 32 && address != X2_ICR))
        return 0;
    if (address == X2_SELF_IPI)
        apic[ICR / 4] = (u32)(TO_SELF | v);
    else if (address != X2_ICR)
        *at = (u32)v;
    else if (v & LOGICAL)
        fail("a logical destination", v, address);
    else {
        apic[ICR_HIGH / 4] = (u32)(v >> 32) << 24;
        send((u32)v);
    }
    return 1;
}
