#include "lib/cpu/cpu.h"

#include <stddef.h>
#include "lib/text/fmt.h"
#include "lib/text/mem.h"
#include "lib/text/str.h"

struct source {
    cpuid_fn cpuid;
    void *ctx;
};

static struct cpuid_regs leaf(const struct source *s, uint32_t number)
{
    return s->cpuid(s->ctx, number, 0);
}

static bool bit(uint32_t value, unsigned n)
{
    return (value >> n & 1) != 0;
}

/* Four bytes per register, in the given order. */
static void put_text(char *out, const uint32_t *regs, size_t n)
{
    for (size_t i = 0; i < 4 * n; i++)
        out[i] = (char)(regs[i / 4] >> i % 4 * 8);
    out[4 * n] = '\0';
}

/* CPUID strings end in NULs or blanks, and brands may begin with blanks: removes them. */
static void tidy(char *text)
{
    size_t from = 0, n = strlen(text);

    while (text[from] == ' ')
        from++;
    while (n > from && text[n - 1] == ' ')
        n--;
    memmove(text, text + from, n - from);
    text[n - from] = '\0';
    for (; *text != '\0'; text++)
        if (*text < ' ' || *text > '~')
            *text = '?';
}

static enum cpu_vendor vendor_of(const char *id)
{
    static const struct {
        const char *id;
        enum cpu_vendor vendor;
    } known[] = {
        {"GenuineIntel", VENDOR_INTEL},   {"AuthenticAMD", VENDOR_AMD},
        {"HygonGenuine", VENDOR_HYGON},   {"  Shanghai  ", VENDOR_ZHAOXIN},
        {"CentaurHauls", VENDOR_ZHAOXIN}, /* VIA's cores, and Zhaoxin's earlier ones */
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (str_eq(id, known[i].id))
            return known[i].vendor;
    return VENDOR_UNKNOWN;
}

/* Leaf 1 EAX: Intel SDM vol. 2A figure 3-6, AMD APM vol. 3 E.3.2. */
static void decode_signature(struct cpu *c, uint32_t eax)
{
    c->stepping = eax & 0xf;
    c->model = eax >> 4 & 0xf;
    c->family = eax >> 8 & 0xf;
    if (c->family >= 6) /* AMD's and Centaur's fields are zero if unused */
        c->model |= eax >> 12 & 0xf0;
    if (c->family == 0xf)
        c->family += eax >> 20 & 0xff;
}

/*
 * SDM vol. 2A, CPUID: leaf 1 ECX[28] AVX; leaf 7 EBX[5] AVX2, EBX[16] AVX512F, EDX[23] AVX512_FP16,
 * EDX[24] AMX-TILE.
 */
static enum cpu_vectors vectors_of(uint32_t leaf_1_ecx, const struct cpuid_regs *leaf_7)
{
    if (bit(leaf_7->edx, 23) || bit(leaf_7->edx, 24))
        return VECTORS_AMX;
    if (bit(leaf_7->ebx, 16))
        return VECTORS_AVX512;
    if (bit(leaf_7->ebx, 5))
        return VECTORS_AVX2;
    return bit(leaf_1_ecx, 28) ? VECTORS_AVX : VECTORS_SSE;
}

static void decode_basic(struct cpu *c, const struct source *s)
{
    struct cpuid_regs r = leaf(s, 0), leaf_7 = {0};
    uint32_t leaf_1_ecx = 0;

    c->max_leaf = r.eax;
    put_text(c->vendor_id, (uint32_t[]){r.ebx, r.edx, r.ecx}, 3);
    c->vendor = vendor_of(c->vendor_id);
    tidy(c->vendor_id);

    if (c->max_leaf >= 1) {
        r = leaf(s, 1);
        decode_signature(c, r.eax);
        c->tsc = bit(r.edx, 4);
        c->msr = bit(r.edx, 5);
        c->mce = bit(r.edx, 7);
        c->apic = bit(r.edx, 9);
        c->mtrr = bit(r.edx, 12);
        c->pat = bit(r.edx, 16);
        c->sse2 = bit(r.edx, 26);
        leaf_1_ecx = r.ecx;
        c->monitor = bit(r.ecx, 3);
        c->x2apic = bit(r.ecx, 21);
        c->hypervisor = bit(r.ecx, 31);
    }
    if (c->max_leaf >= 7) {
        r = leaf_7 = leaf(s, 7);
        c->cet_ss = bit(r.ecx, 7);
        c->la57 = bit(r.ecx, 16);
        c->serialize = bit(r.edx, 14);
        c->cet_ibt = bit(r.edx, 20);
    }
    c->vectors = vectors_of(leaf_1_ecx, &leaf_7);
    if (c->hypervisor) {
        r = leaf(s, 0x40000000);
        put_text(c->hypervisor_id, (uint32_t[]){r.ebx, r.ecx, r.edx}, 3);
        tidy(c->hypervisor_id);
    }
}

/*
 * Leaf 15h: TSC Hz = crystal (ECX) * EBX / EAX. Any of them can be 0, which means not enumerated
 * (SDM vol. 3B section 19.7.3). The nominal crystals of the manual's table are not a substitute,
 * since boards differ from them.
 */
static void decode_clock(struct cpu *c, const struct source *s)
{
    if (c->max_leaf >= 0x15) {
        struct cpuid_regs r = leaf(s, 0x15);
        if (r.eax != 0 && r.ebx != 0) {
            c->tsc_ratio_num = r.ebx;
            c->tsc_ratio_den = r.eax;
            c->tsc_hz = ((uint64_t)r.ecx * r.ebx + r.eax / 2) / r.eax;
        }
    }
    if (c->max_leaf >= 0x16) {
        struct cpuid_regs r = leaf(s, 0x16);
        c->tsc_nominal_hz = (uint64_t)(r.eax & 0xffff) * 1000000;
        c->max_mhz = r.ebx & 0xffff;
        c->bus_mhz = r.ecx & 0xffff;
    }
}

/* Returns whether LFENCE waits for earlier instructions without any MSR. AMD: a bit reports it, or
 * the family has no MSR for it. */
static bool lfence_always(const struct cpu *c, uint32_t ext21_eax)
{
    return c->vendor == VENDOR_INTEL ||
           (cpu_is_amd(c) && (bit(ext21_eax, 2) || cpu_model(c)->lfence_waits));
}

/* 0: no extended leaves. CPUs without them answer with the registers of a basic leaf. */
static uint32_t max_extended(const struct source *s)
{
    const uint32_t base = 0x80000000;
    uint32_t max = leaf(s, base).eax;

    return max >= base && max <= base + 0xffff ? max : 0;
}

bool cpu_has_rdtscp(cpuid_fn cpuid, void *ctx)
{
    const struct source s = {cpuid, ctx};

    return max_extended(&s) >= 0x80000001 && bit(leaf(&s, 0x80000001).edx, 27);
}

static void decode_extended(struct cpu *c, const struct source *s)
{
    const uint32_t base = 0x80000000;
    uint32_t ext21_eax = 0;

    c->max_ext_leaf = max_extended(s);
    c->phys_bits = 36; /* before 8000_0008: PAE */

    if (c->max_ext_leaf >= base + 1) {
        uint32_t edx = leaf(s, base + 1).edx;
        c->nx = bit(edx, 20);
        c->page_1g = bit(edx, 26);
        c->rdtscp = cpu_has_rdtscp(s->cpuid, s->ctx);
    }
    if (c->max_ext_leaf >= base + 4) {
        for (uint32_t i = 0; i < 3; i++) {
            struct cpuid_regs r = leaf(s, base + 2 + i);
            put_text(c->brand + 16 * i, (uint32_t[]){r.eax, r.ebx, r.ecx, r.edx}, 4);
        }
        tidy(c->brand);
    }
    if (c->max_ext_leaf >= base + 7)
        c->tsc_invariant = bit(leaf(s, base + 7).edx, 8);
    if (c->max_ext_leaf >= base + 8) {
        uint32_t bits = leaf(s, base + 8).eax & 0xff;
        if (bits >= 32 && bits <= 52) /* 52: the most that a page table entry holds */
            c->phys_bits = bits;
    }
    if (c->max_ext_leaf >= base + 0x21)
        ext21_eax = leaf(s, base + 0x21).eax;
    c->lfence_always_serializing = lfence_always(c, ext21_eax);
}

void cpu_decode(struct cpu *c, cpuid_fn cpuid, void *ctx)
{
    struct source s = {cpuid, ctx};

    memset(c, 0, sizeof *c);
    decode_basic(c, &s);
    decode_extended(c, &s);
    decode_clock(c, &s);
}

bool cpu_model_is_masked(const struct cpu *c)
{
    enum cpu_vectors most = cpu_model(c)->vectors;

    return most != VECTORS_NOT_KNOWN && c->vectors > most;
}

const char *cpu_lacks(const struct cpu *c, enum recipe r)
{
    if (!c->tsc)
        return "no TSC (CPUID 1 EDX[4])";
    if ((r == RECIPE_RDTSCP || r == RECIPE_XFENCE || r == RECIPE_PAOLONI) && !c->rdtscp)
        return "no RDTSCP (CPUID 8000_0001 EDX[27])";
    if (r == RECIPE_SERIALIZE && !c->serialize)
        return "no SERIALIZE (CPUID 7 EDX[14])";
    if ((r == RECIPE_XFENCE || r == RECIPE_MFENCE || r == RECIPE_LFENCE) && !c->sse2)
        return "no LFENCE and MFENCE (SSE2, CPUID 1 EDX[26])";
    return NULL;
}

bool cpu_check_recipe(const struct cpu *c, enum recipe r, struct sink *err)
{
    const char *lacks = r == RECIPE_AUTO ? NULL : cpu_lacks(c, r);

    if (!lacks)
        return true;
    fmt(err, "recipe=%s: not on this CPU: %s; this CPU can:", recipe_names[r], lacks);
    for (unsigned i = 0; i < RECIPE_COUNT; i++)
        if (!cpu_lacks(c, (enum recipe)i))
            fmt(err, " %s", recipe_names[i]);
    return false;
}

enum recipe cpu_default_recipe(const struct cpu *c)
{
    bool documented = c->vendor == VENDOR_INTEL || cpu_is_amd(c);

    return documented ? RECIPE_LFENCE : RECIPE_CPUID;
}

#define MSR_SEV_STATUS 0xc0010131u

const char *cpu_encrypted_guest(cpuid_fn cpuid, void *ctx,
                                bool (*rdmsr)(void *ctx, uint32_t msr, uint64_t *v), void *msr_ctx)
{
    const struct source s = {cpuid, ctx};
    char id[13] = "";
    uint64_t sev;

    if (leaf(&s, 0).eax >= 0x21) {
        struct cpuid_regs r = leaf(&s, 0x21);
        put_text(id, (uint32_t[]){r.ebx, r.edx, r.ecx}, 3);
    }
    if (str_eq(id, "IntelTDX    "))
        return "Intel TDX";
    if (max_extended(&s) < 0x8000001f || !bit(leaf(&s, 0x8000001f).eax, 1) ||
        !rdmsr(msr_ctx, MSR_SEV_STATUS, &sev) || !(sev & 1))
        return NULL;
    return sev & 4 ? "AMD SEV-SNP" : sev & 2 ? "AMD SEV-ES" : "AMD SEV";
}
