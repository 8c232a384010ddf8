/* CPUID: that of the recording, without features that QEMU does not execute. */
#include "imp.h"

/* Leaves with subleaves; all others ignore ECX. */
static int has_subleaves(u32 leaf)
{
    static const u32 with[] = {0x4,  0x7,  0xb,        0xd,        0xf,       0x10,
                               0x12, 0x14, 0x17,       0x18,       0x1d,      0x1f,
                               0x20, 0x23, 0x8000001d, 0x80000020, 0x80000026};

    for (u32 i = 0; i < sizeof with / sizeof *with; i++)
        if (with[i] == leaf)
            return 1;
    return 0;
}

static const struct row *find(u32 core, u32 leaf, u32 subleaf)
{
    const struct row *rows = (const struct row *)(machine + 1);
    u64 wanted = (u64)leaf << 32 | subleaf, from = 0, to = machine->rows;

    while (from < to) {
        u64 middle = (from + to) / 2;
        const struct row *r = &rows[middle];
        u64 key = (u64)r->leaf << 32 | r->subleaf;
        if (r->core < core || (r->core == core && key < wanted))
            from = middle + 1;
        else
            to = middle;
    }
    const struct row *r = &rows[from];
    return from < machine->rows && r->core == core && r->leaf == leaf && r->subleaf == subleaf ? r
                                                                                               : 0;
}

int cpuid_is_amd(const struct core *c)
{
    const struct row *r = find((u32)c->index, 0, 0);

    return r && (r->r[1] == 0x68747541 || r->r[1] == 0x6f677948); /* "Auth", "Hygo" */
}

/* An Intel CPU gives the data of its highest basic leaf for a leaf that it does not have, others
 * give zeros. Intel SDM vol. 2A, CPUID; AMD APM vol. 3 appendix E. */
static u32 existing(const struct core *c, u32 leaf)
{
    const struct row *basic = find((u32)c->index, 0, 0);
    const struct row *group = find((u32)c->index, leaf & 0xf0000000, 0);
    u32 most = group ? group->r[0] : 0;

    if (leaf <= most && (leaf & 0xf0000000) == (most & 0xf0000000))
        return leaf;
    return cpuid_is_amd(c) || !basic ? 0x7fffffff : basic->r[0];
}

void cpuid_recorded(const struct core *c, u32 leaf, u32 subleaf, u32 r[4])
{
    leaf = existing(c, leaf);
    const struct row *f = find((u32)c->index, leaf, has_subleaves(leaf) ? subleaf : 0);
    for (u32 i = 0; i < 4; i++)
        r[i] = f ? f->r[i] : 0;
    if (!f && (leaf == 0xb || leaf == 0x1f))
        r[2] = subleaf & 255; /* a level that does not exist */
}

/* Bits that need nothing executed, or of which exits.c, msr.c and pmu.c do what they promise. */
static u32 promised(u32 leaf, u32 subleaf, u32 i)
{
    enum { EAX, EBX, ECX, EDX };

    if (leaf == 1 && i == EDX) /* PSN, DS, ACPI, HTT, TM, PBE */
        return BIT(18) | BIT(21) | BIT(22) | BIT(28) | BIT(29) | BIT(31);
    if (leaf == 1 && i == ECX) /* DTES64 DS-CPL VMX SMX EIST TM2 CNXT-ID xTPR PDCM DCA */
        return BIT(2) | BIT(4) | BIT(5) | BIT(6) | BIT(7) | BIT(8) | BIT(10) | BIT(14) | BIT(15) |
               BIT(18);
    if (leaf == 7 && subleaf == 0 && i == EBX) /* TSC_ADJUST, FDP, ERMS, RDT-M, FPU_CS, RDT-A */
        return BIT(1) | BIT(6) | BIT(9) | BIT(12) | BIT(13) | BIT(15);
    if (leaf == 7 && subleaf == 0 && i == EDX) /* FSRM, MD_CLEAR, hybrid, IBRS to SSBD */
        return BIT(4) | BIT(10) | BIT(15) | BIT(26) | BIT(27) | BIT(28) | BIT(29) | BIT(31);
    if (leaf == 7 && subleaf == 1 && i == EAX) /* fast short REP */
        return 7u << 10;
    if (leaf == 0x80000001 && i == ECX) /* CmpLegacy SVM ExtApic misaligned OSVW TopoExt counters */
        return BIT(1) | BIT(2) | BIT(3) | BIT(7) | BIT(9) | BIT(22) | BIT(23) | BIT(24) | BIT(28);
    if (leaf == 0x80000008 && i == EBX) /* all but CLZERO, INVLPGB, RDPRU, MCOMMIT */
        return ~(u32)(BIT(0) | BIT(3) | BIT(4) | BIT(8));
    return 0;
}

static int lists_features(u32 leaf, u32 subleaf, u32 i)
{
    return ((leaf == 1 || leaf == 0x80000001) && i >= 2) || (leaf == 7 && (subleaf || i)) ||
           (leaf == 0x80000008 && i == 1) || (leaf == 0xd && subleaf == 1 && i == 0);
}

void cpuid_shown(const struct core *c, u32 leaf, u32 subleaf, u32 r[4])
{
    u64 cr4 = *v64(c, V_CR4);
    u32 real[4];

    real_cpuid(leaf, subleaf, real);
    cpuid_recorded(c, leaf, subleaf, r);
    for (u32 i = 0; i < 4; i++) {
        if (leaf == 0xd && subleaf != 1 && r[0])
            r[i] = real[i]; /* sizes and places of what QEMU saves */
        if (lists_features(leaf, subleaf, i))
            r[i] &= real[i] | promised(leaf, subleaf, i);
    }
    if (leaf == 1 && machine->x2apic)
        r[2] |= BIT(21);
    if (leaf == 1) /* OSXSAVE */
        r[2] = (r[2] & ~(u32)BIT(27)) | (r[2] & BIT(26) && cr4 & BIT(18) ? BIT(27) : 0);
    if (leaf == 7 && subleaf == 0) /* OSPKE */
        r[2] = (r[2] & ~(u32)BIT(4)) | (r[2] & BIT(3) && cr4 & BIT(22) ? BIT(4) : 0);
}
