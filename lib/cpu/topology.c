#include "lib/cpu/topology.h"
#include "lib/text/fmt.h"
#include "lib/text/mem.h"

#define X2APIC_ID_BITS 20

const char *const core_type_names[CORE_TYPES] = {"unknown", "performance", "efficiency"};

/* The fields of an APIC id: package | core | thread, widths counted from bit 0. */
struct layout {
    uint32_t apic_id;
    unsigned thread_bits, module_bits, package_bits;
};

static uint32_t upper(uint32_t id, unsigned bits)
{
    return bits < 32 ? id >> bits : 0;
}

static uint32_t field(uint32_t id, unsigned from, unsigned to)
{
    return upper(id, from) & ~(to - from < 32 ? ~0u << (to - from) : 0);
}

/*
 * Leaf 1Fh or 0Bh: one level per subleaf (ECX[15:8]; 0 ends), EAX[4:0] is the number of id bits
 * below the next level. Type 1 is the thread level; the last level's bits are the package's. EBX is
 * 0 if the leaf does not exist.
 */
static bool extended(struct layout *l, uint32_t number, cpuid_fn cpuid, void *ctx)
{
    enum { LEVELS = 8, THREAD_LEVEL = 1 }; /* six types are defined */
    bool found = false;
    for (uint32_t i = 0; i < LEVELS; i++) {
        struct cpuid_regs r = cpuid(ctx, number, i);
        unsigned type = r.ecx >> 8 & 0xff, bits = r.eax & 0x1f;
        if (type == 0 || (r.ebx & 0xffff) == 0)
            break;
        if (!found)
            *l = (struct layout){.apic_id = r.edx};
        found = true;
        if (type == THREAD_LEVEL)
            l->thread_bits = bits;
        if (bits > l->package_bits)
            l->package_bits = bits;
    }
    if (l->thread_bits > l->package_bits)
        l->package_bits = l->thread_bits;
    return found;
}

/* Leaf 1 and leaf 4: EBX[23:16] ids in a package if EDX[28] reports that there can be several, of
 * which leaf 4 EAX[31:26] + 1 are cores. */
static void legacy(struct layout *l, const struct cpu *c, cpuid_fn cpuid, void *ctx)
{
    struct cpuid_regs one = cpuid(ctx, 1, 0);
    uint32_t ids = one.edx >> 28 & 1 ? one.ebx >> 16 & 0xff : 1, cores = 1;

    if (c->max_leaf >= 4) {
        uint32_t eax = cpuid(ctx, 4, 0).eax;
        if ((eax & 0x1f) != 0) /* there is a cache, so the field is valid */
            cores = (eax >> 26) + 1;
    }
    l->package_bits = topology_bits(ids);
    unsigned core_bits = topology_bits(cores);
    l->thread_bits = l->package_bits > core_bits ? l->package_bits - core_bits : 0;
}

/* APM vol. 3 E.4.7: 8000_0008 ECX[15:12] is the number of id bits within a package; 0 on K8, which
 * has the number of cores minus one in ECX[7:0]. */
static void amd(struct layout *l, const struct cpu *c, cpuid_fn cpuid, void *ctx)
{
    const uint32_t topology_extensions = 1u << 22; /* 8000_0001 ECX */
    const uint32_t base = 0x80000000;

    if (c->max_ext_leaf >= base + 8) {
        uint32_t ecx = cpuid(ctx, base + 8, 0).ecx;
        unsigned bits = ecx >> 12 & 0xf;
        l->package_bits = bits != 0 ? bits : topology_bits((ecx & 0xff) + 1);
    }
    if (cpu_model(c)->socket_in_bit_6 && !c->hypervisor && l->package_bits < 6)
        l->package_bits = 6;
    if (c->max_ext_leaf < base + 0x1e || !(cpuid(ctx, base + 1, 0).ecx & topology_extensions))
        return;
    struct cpuid_regs r = cpuid(ctx, base + 0x1e, 0);
    l->apic_id = r.eax;
    if (cpu_model(c)->thread_count)
        l->thread_bits = topology_bits((r.ebx >> 8 & 0xff) + 1);
}

/* Family 15h: 8000_001E EBX[15:8] + 1 cores in a compute unit, with adjacent ids. They are cores,
 * with their own integer units and data cache (BKDG 42301). */
static unsigned module_bits(const struct cpu *c, cpuid_fn cpuid, void *ctx)
{
    const uint32_t leaf = 0x8000001e;

    if (!cpu_model(c)->compute_units || c->max_ext_leaf < leaf)
        return 0;
    return topology_bits((cpuid(ctx, leaf, 0).ebx >> 8 & 0xff) + 1);
}

static enum core_type core_type(const struct cpu *c, cpuid_fn cpuid, void *ctx)
{
    if (c->vendor == VENDOR_INTEL && c->max_leaf >= 0x1a) {
        uint32_t kind = cpuid(ctx, 0x1a, 0).eax >> 24;
        return kind == 0x40   ? CORE_TYPE_PERFORMANCE
               : kind == 0x20 ? CORE_TYPE_EFFICIENCY
                              : CORE_TYPE_UNKNOWN;
    }
    if (c->vendor == VENDOR_AMD && c->max_ext_leaf >= 0x80000026) {
        /* APM vol. 3 E.4.24: at the core level (ECX[15:8] = 1), if EAX[30] reports different core
         * types. */
        struct cpuid_regs r = cpuid(ctx, 0x80000026, 0);
        if ((r.ecx >> 8 & 0xff) == 1 && r.eax >> 30 & 1)
            return r.ebx >> 28 == 0   ? CORE_TYPE_PERFORMANCE
                   : r.ebx >> 28 == 1 ? CORE_TYPE_EFFICIENCY
                                      : CORE_TYPE_UNKNOWN;
    }
    return CORE_TYPE_UNKNOWN;
}

/* APM vol. 3 E.4.15: 8000_001E ECX[7:0]; from family 15h on. */
static int node_of(const struct cpu *c, cpuid_fn cpuid, void *ctx)
{
    const uint32_t leaf = 0x8000001e;

    if (!cpu_is_amd(c) || c->max_ext_leaf < leaf)
        return -1;
    return (int)(cpuid(ctx, leaf, 0).ecx & 0xff);
}

void topology_place(struct core_place *p, const struct cpu *c, cpuid_fn cpuid, void *ctx)
{
    struct layout l = {.apic_id = c->max_leaf >= 1 ? cpuid(ctx, 1, 0).ebx >> 24 : 0};
    bool told = (c->max_leaf >= 0x1f && extended(&l, 0x1f, cpuid, ctx)) ||
                (c->max_leaf >= 0x0b && extended(&l, 0x0b, cpuid, ctx));

    if (!told && cpu_is_amd(c))
        amd(&l, c, cpuid, ctx);
    else if (!told && c->max_leaf >= 1)
        legacy(&l, c, cpuid, ctx);
    l.module_bits = module_bits(c, cpuid, ctx);
    if (l.module_bits < l.thread_bits || l.module_bits > l.package_bits)
        l.module_bits = l.thread_bits;
    if (l.thread_bits > l.package_bits)
        l.package_bits = l.thread_bits;
    *p = (struct core_place){
        .apic_id = l.apic_id,
        .package = upper(l.apic_id, l.package_bits),
        .module = field(l.apic_id, l.module_bits, l.package_bits),
        .core = field(l.apic_id, l.thread_bits, l.package_bits),
        .thread = field(l.apic_id, 0, l.thread_bits),
        .type = core_type(c, cpuid, ctx),
        .node = node_of(c, cpuid, ctx),
    };
    if (p->type != CORE_TYPE_UNKNOWN)
        p->caches = caches_decode(p->cache, c, cpuid, ctx);
}

/* Returns whether no CPU before this one in the list has the same id. */
static bool first_id(const struct core_place *cpus, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (cpus[i].apic_id == cpus[at].apic_id)
            return false;
    return true;
}

struct firsts {
    bool package, module, core;
};

static struct firsts first_of(const struct core_place *cpus, size_t at)
{
    struct firsts f = {true, true, true};

    for (size_t i = 0; i < at; i++) {
        bool package = cpus[i].package == cpus[at].package;
        f.package = f.package && !package;
        f.module = f.module && !(package && cpus[i].module == cpus[at].module);
        f.core = f.core && !(package && cpus[i].core == cpus[at].core);
    }
    return f;
}

static uint32_t threads_of(const struct core_place *cpus, size_t n, size_t at)
{
    uint32_t threads = 0;

    for (size_t i = 0; i < n; i++)
        threads += cpus[i].package == cpus[at].package && cpus[i].core == cpus[at].core &&
                   first_id(cpus, i);
    return threads;
}

uint32_t topology_sharing(const struct core_place *cpus, size_t n, uint32_t id, unsigned bits)
{
    uint32_t sharing = 0;

    for (size_t i = 0; i < n; i++)
        sharing += upper(cpus[i].apic_id, bits) == upper(id, bits) && first_id(cpus, i);
    return sharing;
}

static void take_caches(struct topology *t, const struct core_place *cpus, size_t n, size_t at)
{
    const struct core_place *p = &cpus[at];

    t->type[p->type].caches = p->caches;
    for (unsigned i = 0; i < p->caches; i++) {
        t->type[p->type].cache[i] = p->cache[i];
        if (p->cache[i].shared_known)
            t->type[p->type].shared_by[i] =
                topology_sharing(cpus, n, p->apic_id, p->cache[i].shared_bits);
    }
}

void topology_count(struct topology *t, const struct core_place *cpus, size_t n)
{
    *t = (struct topology){0};
    for (size_t i = 0; i < n; i++) {
        if (!first_id(cpus, i))
            continue;
        struct firsts f = first_of(cpus, i);
        t->logical_cpus++;
        t->packages += f.package;
        t->modules += f.module;
        t->cores += f.core;
        if (t->type[cpus[i].type].logical_cpus++ == 0)
            take_caches(t, cpus, n, i);
        t->type[cpus[i].type].cores += f.core;
        if (f.core) {
            uint32_t threads = threads_of(cpus, n, i);
            if (threads > t->threads_per_core)
                t->threads_per_core = threads;
        }
    }
}

const char *const cores_feature_names[CORES_FEATURE_WORDS] = {
    "1.ECX", "1.EDX", "7.EBX", "7.ECX", "7.EDX", "7.1.EAX", "80000001.ECX", "80000001.EDX"};

unsigned cores_find(const struct cores_list *l, uint32_t id)
{
    unsigned i = 0;

    while (i < l->count && l->id[i] != id)
        i++;
    return i;
}

static bool lists(const struct madt_cpu *cpu, unsigned n, uint32_t id, bool usable)
{
    for (unsigned i = 0; i < n; i++)
        if (cpu[i].id == id && (cpu[i].usable || !usable))
            return true;
    return false;
}

/* Returns whether MP services give APIC ids, of other cores too. Some may give indices. */
static bool met_others(const struct cores_known *known, uint32_t boot_id)
{
    bool others = false;

    for (unsigned i = 0; i < known->mets; i++) {
        if (!known->met[i].usable || known->met[i].id == boot_id)
            continue;
        if (!lists(known->cpu, known->cpus, known->met[i].id, true))
            return false;
        others = true;
    }
    return others && lists(known->met, known->mets, boot_id, false);
}

static void note_invalid(struct cores_list *l, uint32_t id)
{
    if (l->invalid++ == 0)
        l->invalid_id = id;
}

void cores_list(struct cores_list *l, const struct cores_known *known, uint32_t boot_id)
{
    bool met = met_others(known, boot_id);

    *l = (struct cores_list){.id = l->id, .room = l->room, .count = 1};
    l->id[0] = boot_id;
    l->disabled = known->empty;
    l->left_out = known->left_out;
    for (unsigned i = 0; i < known->cpus; i++) {
        const struct madt_cpu *c = &known->cpu[i];
        if (c->usable && c->id == boot_id)
            l->boot_listed = true;
        else if (c->usable && (c->id >> X2APIC_ID_BITS ||
                               (met && !lists(known->met, known->mets, c->id, false))))
            note_invalid(l, c->id);
        else if (c->usable && l->count < l->room)
            l->id[l->count++] = c->id;
        else if (c->usable)
            l->left_out++;
        else if (c->enabled && c->duplicate)
            l->duplicates++;
        else
            l->disabled++;
    }
}

/* Separates one difference from the previous one. */
static struct sink *next(struct sink_buf *b)
{
    if (b->used > 0)
        fmt(&b->sink, "; ");
    return &b->sink;
}

bool cores_differ_features(const struct core_features *boot, const struct core_features *here,
                           char *text, size_t size)
{
    struct sink_buf b;

    sink_buf_init(&b, text, size);
    for (unsigned i = 0; i < CORES_FEATURE_WORDS; i++) {
        uint32_t more = here->word[i] & ~boot->word[i], less = boot->word[i] & ~here->word[i];
        if (!more && !less)
            continue;
        fmt(next(&b), "CPUID %s", cores_feature_names[i]);
        if (more)
            fmt(&b.sink, " %08x here only", more);
        if (less)
            fmt(&b.sink, "%s %08x on the boot core only", more ? "," : "", less);
    }
    return b.used > 0;
}

static bool variable_differs(const struct mtrr *a, const struct mtrr *b, unsigned i)
{
    uint64_t nothing[2] = {0, 0};
    const void *of_a = i < a->variables ? (const void *)&a->variable[i] : nothing;
    const void *of_b = i < b->variables ? (const void *)&b->variable[i] : nothing;

    return memcmp(of_a, of_b, sizeof(nothing)) != 0;
}

bool cores_differ_mtrr(const struct mtrr *boot, const struct mtrr *here, char *text, size_t size)
{
    struct sink_buf b;

    sink_buf_init(&b, text, size);
    if (boot->enabled != here->enabled || boot->default_type != here->default_type)
        fmt(next(&b), "default type");
    if (boot->fixed_enabled != here->fixed_enabled ||
        memcmp(boot->fixed, here->fixed, sizeof(boot->fixed)) != 0)
        fmt(next(&b), "fixed ranges");
    if (boot->tom2 != here->tom2)
        fmt(next(&b), "TOM2");
    for (unsigned i = 0; i < MTRR_VARIABLE_MAX; i++)
        if (variable_differs(boot, here, i))
            fmt(next(&b), "variable range %u", i);
    return b.used > 0;
}
