#include "lib/cpu/machine_cores.h"
#include "lib/text/fmt.h"
#include "lib/text/mem.h"

#define XAPIC_ALL 255u /* a physical destination of eight bits: every core (SDM 11.6.2.1) */

const char *const cores_feature_names[CORES_FEATURE_WORDS] = {
    "1.ECX", "1.EDX", "7.EBX", "7.ECX", "7.EDX", "7.1.EAX", "80000001.ECX", "80000001.EDX"};

unsigned cores_find(const struct cores_list *l, uint32_t id)
{
    unsigned i = 0;

    while (i < l->count && l->id[i] != id)
        i++;
    return i;
}

void cores_list(struct cores_list *l, const struct cores_known *known, uint32_t boot_id)
{
    l->count = 1;
    l->id[0] = boot_id;
    l->boot_listed = false;
    l->disabled = l->duplicates = l->left_out = 0;
    for (unsigned i = 0; i < known->cpus; i++) {
        const struct madt_cpu *c = &known->cpu[i];
        if (c->usable && c->id == boot_id)
            l->boot_listed = true;
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

bool cores_reachable(uint32_t id, bool x2apic)
{
    return x2apic || id < XAPIC_ALL;
}

bool cores_need_x2apic(const struct cores_list *l)
{
    for (unsigned i = 0; i < l->count; i++)
        if (!cores_reachable(l->id[i], false))
            return true;
    return false;
}

void tsc_offset_add(struct tsc_offset *o, uint64_t t0, uint64_t other, uint64_t t1)
{
    uint64_t round = t1 - t0, error = round - round / 2;

    if (o->rounds++ > 0 && error >= o->error)
        return;
    o->error = error;
    o->ahead = (int64_t)(other - (t0 + round / 2));
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
