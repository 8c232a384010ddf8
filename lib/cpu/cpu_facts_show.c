/* A CPU's facts as lines of the table's head. */
#include "lib/cpu/cpu_facts.h"

#include "lib/text/fmt.h"

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
    fmt_list(&item.sink, format, list);
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

static void show_caches(const struct cpu_facts *f, struct sink *out)
{
    static const char *const kinds[CACHE_TYPES] = {"d", "i", ""};
    struct wrap w = {out, "caches", 0};
    char text[16], sharers[24];

    for (unsigned i = 0; i < f->caches; i++) {
        const struct cache *c = &f->cache[i];
        bool large = c->size >= 1u << 20 && c->size % (1u << 20) == 0;
        sharers[0] = '\0';
        if (f->shared_by[i] > 1)
            fmt_buf(sharers, sizeof sharers, " by %u threads", f->shared_by[i]);
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
    for (unsigned i = 0; m->arch_known && i < 64; i++)
        if ((m->arch >> i & 1) && features_arch_name(i) != NULL)
            wrap_item(&caps, "%s", features_arch_name(i));
    wrap_end(&caps);
}

void cpu_facts_show(const struct cpu_facts *f, struct sink *out)
{
    show_topology(&f->topology, out);
    show_caches(f, out);
    show_tlbs(f, out);
    show_speculation(&f->mitigations, out);
}
