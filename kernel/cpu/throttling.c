#include "kernel/cpu/core.h"
#include "kernel/cpu/msr.h"
#include "lib/text/fmt.h"

static const uint32_t registers[THERMAL_SCOPES] = {
    [THERMAL_CORE] = MSR_THERM_STATUS, [THERMAL_PACKAGE] = MSR_PACKAGE_THERM_STATUS};
static const char *const scopes[THERMAL_SCOPES] = {
    [THERMAL_CORE] = "core", [THERMAL_PACKAGE] = "package"};

static bool read_status(const struct thermal_state *s, unsigned scope, uint64_t *v)
{
    return s->cpu.scope[scope].causes && msr_read(registers[scope], v);
}

void thermal_init(struct thermal_state *s, const struct cpu *c, cpuid_fn cpuid)
{
    uint64_t v;

    *s = (struct thermal_state){0};
    thermal_decode(&s->cpu, c, cpuid, NULL);
    for (unsigned i = 0; i < THERMAL_SCOPES; i++)
        if (read_status(s, i, &v))
            s->was[i] = thermal_causes(&s->cpu, i, 0, v);
        else
            s->cpu.scope[i].causes = 0; /* CPUID promises the MSR, but it faults: treat as absent */
}

void thermal_begin(const struct thermal_state *s, struct thermal_row *row)
{
    *row = (struct thermal_row){0};
    for (unsigned i = 0; i < THERMAL_SCOPES; i++) {
        uint64_t *v = &row->first[i], clear;
        if (!read_status(s, i, v))
            continue;
        clear = thermal_clear(&s->cpu, i, *v);
        row->begun[i] = !clear || !msr_write(registers[i], clear) || msr_read(registers[i], v);
    }
}

void thermal_end(const struct thermal_state *s, struct thermal_row *row)
{
    uint64_t v;

    for (unsigned i = 0; i < THERMAL_SCOPES; i++) {
        row->known[i] = row->begun[i] && read_status(s, i, &v);
        if (row->known[i])
            row->causes[i] = thermal_causes(&s->cpu, i, row->first[i], v);
    }
}

/* Bits of a word of kept[], above the causes: the register was known in at least one round; it was
 * not known in at least one. */
#define KEPT_KNOWN   (1ull << 62)
#define KEPT_UNKNOWN (1ull << 63)

void thermal_keep(const struct thermal_row *row, uint64_t *kept)
{
    for (unsigned i = 0; i < THERMAL_SCOPES; i++)
        kept[i] |= row->known[i] ? KEPT_KNOWN | row->causes[i] : KEPT_UNKNOWN;
}

static bool is_known(uint64_t kept)
{
    return (kept & (KEPT_KNOWN | KEPT_UNKNOWN)) == KEPT_KNOWN;
}

static enum throttled throttled_of(const uint64_t *kept)
{
    enum throttled result = THROTTLED_UNKNOWN;

    for (unsigned i = 0; i < THERMAL_SCOPES; i++)
        if (is_known(kept[i]) && result != THROTTLED_YES)
            result = (uint32_t)kept[i] ? THROTTLED_YES : THROTTLED_NO;
    return result;
}

/* Writes each cause to the table `out`, or, if that is NULL, to a record's array. */
static void write_causes(const uint64_t *kept, struct sink *out, struct json *j)
{
    char text[32];

    for (unsigned i = 0; i < THERMAL_SCOPES; i++) {
        for (unsigned bit = 0; bit < THERMAL_BITS; bit++) {
            if (!is_known(kept[i]) || !(kept[i] >> bit & 1))
                continue;
            fmt_buf(text, sizeof text, "%s_%s", scopes[i], thermal_cause_names[bit]);
            if (out)
                fmt(out, " %s", text);
            else
                json_str(j, NULL, text);
        }
    }
}

static void show_throttled(const uint64_t *kept, struct sink *out)
{
    if (throttled_of(kept) != THROTTLED_YES)
        return;
    fmt(out, "  ^ throttled by");
    write_causes(kept, out, NULL);
    fmt(out, "\r\n");
}

static void record_throttled(const uint64_t *kept, struct json *j)
{
    enum throttled throttled = throttled_of(kept);

    if (throttled == THROTTLED_UNKNOWN)
        return;
    json_bool(j, "throttled", throttled == THROTTLED_YES);
    if (throttled == THROTTLED_NO)
        return;
    json_array(j, "throttled_by");
    write_causes(kept, NULL, j);
    json_close(j);
}

const struct platform_kept thermal_kept = {show_throttled, record_throttled, throttled_of};

void thermal_show(const struct thermal_state *s, struct sink *out)
{
    bool any = false;

    fmt(out, "thermal   ");
    for (unsigned i = 0; i < THERMAL_SCOPES; i++) {
        if (!s->cpu.scope[i].causes)
            continue;
        fmt(out, "%s%s status%s", any ? ", " : "", scopes[i],
            s->was[i] ? " (throttled since reset)" : "");
        any = true;
    }
    fmt(out, "%s\r\n",
        any ? "" : "no status known here: rows do not say whether the core was throttled");
}
