#include "lib/cpu/cpu_facts.h"
#include "lib/text/fmt.h"
#include "lib/text/fields.h"

void cpu_facts_read(struct cpu_facts *f, const struct cpu *c, const struct cpu_source *s,
                    const struct core_place *place, size_t n, size_t self)
{
    *f = (struct cpu_facts){.cpu = c};
    if (n > 0)
        topology_count(&f->topology, place, n);
    f->caches = caches_decode(f->cache, c, s->cpuid, s->cpuid_ctx);
    for (unsigned i = 0; n > 0 && i < f->caches; i++)
        if (f->cache[i].shared_known)
            f->shared_by[i] =
                topology_sharing(place, n, place[self].apic_id, f->cache[i].shared_bits);
    f->tlbs = tlbs_decode(f->tlb, c, s->cpuid, s->cpuid_ctx);
    features_mitigations(&f->mitigations, c, s->cpuid, s->cpuid_ctx, s->rdmsr, s->msr_ctx);
}

/* Returns the next type that some CPU has; CORE_TYPES: none. */
static unsigned next_type(const struct topology *t, unsigned after)
{
    do
        after++;
    while (after < CORE_TYPES && t->type[after].logical_cpus == 0);
    return after;
}

void cpu_facts_record_topology(const struct topology *t, struct json *j)
{
    unsigned types = 0;

    for (unsigned i = next_type(t, CORE_TYPE_UNKNOWN); i < CORE_TYPES; i = next_type(t, i))
        types++;
#include "lib/cpu/topology.def"
}

/* Returns the first bit from `from` on that is set and has a name; 64: none. */
static unsigned next_bit(uint64_t set, const char *const *names, unsigned from)
{
    while (from < 64 && !((set >> from & 1) && names[from]))
        from++;
    return from;
}

void cpu_facts_record(const struct cpu_facts *f, struct json *j)
{
    static const char *const sizes[64] = {"4k", "2m", "4m", "1g"}; /* bit by bit, from TLB_4K */
    const char *const *caps = features_arch_names;
    const struct mitigations *m = &f->mitigations;

#include "lib/cpu/cpu_facts.def"
}

/* A CPU's facts as lines of the table's head. */
#define MARGIN 10 /* columns of the label, and the indentation of the following lines */
#define COLUMN 79 /* the last column that is used */

/* A list: a label, then items separated by commas. When the line is full, it continues below the
 * first item. */
struct wrap {
    struct sink *out;
    const char *label;
    unsigned column; /* 0: no item yet, and nothing is written */
};

/* Adds an item of at most 63 bytes; a longer one is truncated. */
static void __attribute__((format(printf, 2, 3))) wrap_item(struct wrap *w, const char *format, ...)
{
    char text[64];
    struct sink_buf item;
    va_list list;

    sink_buf_init(&item, text, sizeof text);
    va_start(list, format);
    fmt_list(&item.sink, format, list, NULL);
    va_end(list);

    if (w->column == 0) {
        fmt(w->out, "%-*s", MARGIN, w->label);
        w->column = MARGIN;
    } else if (w->column + 2 + item.used < COLUMN) { /* leaves room for a comma */
        fmt(w->out, ", ");
        w->column += 2;
    } else {
        fmt(w->out, ",\r\n%*s", MARGIN, "");
        w->column = MARGIN;
    }
    fmt(w->out, "%s", text);
    w->column += (unsigned)item.used;
}

/* Ends the line, if there was an item. */
static void wrap_end(const struct wrap *w)
{
    if (w->column > 0)
        fmt(w->out, "\r\n");
}

static const char *plural(uint32_t n)
{
    return n == 1 ? "" : "s";
}

static void show_topology(const struct topology *t, struct sink *out)
{
    struct wrap w = {out, "topology", 0};

    if (t->logical_cpus == 0)
        return;
    wrap_item(&w, "%u package%s", t->packages, plural(t->packages));
    wrap_item(&w, "%u core%s", t->cores, plural(t->cores));
    wrap_item(&w, "%u thread%s", t->logical_cpus, plural(t->logical_cpus));
    for (unsigned i = CORE_TYPE_UNKNOWN + 1; i < CORE_TYPES; i++)
        if (t->type[i].cores > 0)
            wrap_item(&w, "%u of type %s", t->type[i].cores, core_type_names[i]);
    wrap_end(&w);
}

/* "4-way", or "full". */
static const char *ways(unsigned n, char *text, size_t size)
{
    if (n == 0)
        return "full";
    fmt_buf(text, size, "%u-way", n);
    return text;
}

/* `type`: of the cores that have them; NULL: of the boot core. */
static void show_caches(const struct cache *cache, unsigned n, const uint32_t *shared_by,
                        const char *type, struct sink *out)
{
    static const char *const kinds[CACHE_TYPES] = {"d", "i", ""};
    struct wrap w = {out, "caches", 0};
    char text[16], sharers[24];

    if (type)
        wrap_item(&w, "of type %s", type);
    for (unsigned i = 0; i < n; i++) {
        const struct cache *c = &cache[i];
        bool large = c->size >= 1u << 20 && c->size % (1u << 20) == 0;
        sharers[0] = '\0';
        if (shared_by[i] > 1)
            fmt_buf(sharers, sizeof sharers, " by %u threads", shared_by[i]);
        wrap_item(&w, "L%u%s %llu %s %s%s", c->level, kinds[c->type],
                  (unsigned long long)(c->size >> (large ? 20 : 10)), large ? "MiB" : "KiB",
                  ways(c->ways, text, sizeof text), sharers);
    }
    wrap_end(&w);
}

static void show_tlbs(const struct cpu_facts *f, struct sink *out)
{
    static const char *const kinds[TLB_TYPES] = {"d", "i", "", " load", " store"};
    struct wrap w = {out, "tlb", 0};
    char text[16];

    for (unsigned i = 0; i < f->tlbs; i++) {
        const struct tlb *t = &f->tlb[i];
        wrap_item(&w, "L%u%s%s%s%s%s %u %s", t->level, kinds[t->type],
                  t->pages & TLB_4K ? " 4K" : "", t->pages & TLB_2M ? " 2M" : "",
                  t->pages & TLB_4M ? " 4M" : "", t->pages & TLB_1G ? " 1G" : "", t->entries,
                  ways(t->ways, text, sizeof text));
    }
    wrap_end(&w);
}

static void show_speculation(const struct mitigations *m, struct sink *out)
{
    const struct {
        const char *name;
        bool there;
        uint32_t on; /* its bit of MSR 48h */
    } controls[] = {{"IBRS", m->ibrs, SPEC_CTRL_IBRS},
                    {"STIBP", m->stibp, SPEC_CTRL_STIBP},
                    {"SSBD", m->ssbd, SPEC_CTRL_SSBD}};
    struct wrap w = {out, "spec_ctrl", 0}, caps = {out, "arch_caps", 0};
    for (unsigned i = 0; i < sizeof controls / sizeof controls[0]; i++)
        wrap_item(&w, "%s %s", controls[i].name,
                  !controls[i].there              ? "not supported"
                  : !m->spec_ctrl_known           ? "supported (state unknown)"
                  : m->spec_ctrl & controls[i].on ? "on"
                                                  : "off");
    wrap_end(&w);
    for (unsigned i = next_bit(m->arch_known ? m->arch : 0, features_arch_names, 0); i < 64;
         i = next_bit(m->arch, features_arch_names, i + 1))
        wrap_item(&caps, "%s", features_arch_names[i]);
    wrap_end(&caps);
}

/* Returns whether cores of this type have other caches than the boot core. */
static bool has_other_caches(const struct cpu_facts *f, unsigned type)
{
    unsigned n = f->topology.type[type].caches;
    bool same = n == f->caches;

    for (unsigned i = 0; same && i < n; i++) {
        const struct cache *a = &f->topology.type[type].cache[i], *b = &f->cache[i];
        same =
            a->level == b->level && a->type == b->type && a->size == b->size && a->ways == b->ways;
    }
    return n > 0 && !same;
}

void cpu_facts_show(const struct cpu_facts *f, struct sink *out)
{
    show_topology(&f->topology, out);
    show_caches(f->cache, f->caches, f->shared_by, NULL, out);
    for (unsigned i = CORE_TYPE_UNKNOWN + 1; i < CORE_TYPES; i++)
        if (has_other_caches(f, i))
            show_caches(f->topology.type[i].cache, f->topology.type[i].caches,
                        f->topology.type[i].shared_by, core_type_names[i], out);
    show_tlbs(f, out);
    show_speculation(&f->mitigations, out);
}
