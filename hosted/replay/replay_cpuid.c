/* The kind cpuid: reads a recording, and writes all that lib/ decodes from CPUID and MSRs, for its
 * CPUs. */
#include <stdlib.h>
#include <string.h>
#include "lib/cpu/controls.h"
#include "lib/cpu/core_counter.h"
#include "lib/cpu/cpu_facts.h"
#include "lib/cpu/speeds.h"
#include "lib/insn/form.h"
#include "lib/text/fmt.h"
#include "hosted/replay/replay.h"
#include "hosted/replay/text_line.h"

#define LEAF1_XSAVE  (1u << 26) /* ECX */
#define XCR0_VECTORS 0xe7u      /* x87, SSE, AVX and the three components of AVX-512 */

#define CONTROL_WORDS 40   /* bytes of a control's value in words */
#define RECORDER      2000 /* a recorder's TSC measurement is accurate to one part in this number */

/* --- the text --------------------------------------------------------------------------------- */

static bool add_leaf(struct cpuid_dump *d, struct dump_leaf r)
{
    for (size_t i = d->leaves; r.subleaf == 0 && i > 0; i--) {
        const struct dump_leaf *old = &d->leaf[i - 1];
        if (old->cpu == r.cpu && old->leaf == r.leaf)
            r.subleaf = old->subleaf + 1;
    }
    struct dump_leaf *more = array_grow(d->leaf, d->leaves, sizeof *more);
    if (more == NULL)
        return false;
    d->leaf = more;
    d->leaf[d->leaves++] = r;
    return true;
}

static const char *leaf_line(struct cpuid_dump *d, struct line l)
{
    uint64_t v[7];

    if (!line_number(&l, 10, DUMP_CPU_MAX, &v[0]))
        return "the CPU is not a decimal number from 0 to 65535";
    for (unsigned i = 1; i < 7; i++)
        if (!line_number(&l, 16, UINT32_MAX, &v[i]))
            return "leaf, subleaf, EAX, EBX, ECX and EDX must be hexadecimal, of 32 bits";
    if (line_word(&l).at != l.end)
        return "more than seven numbers after cpuid";
    struct dump_leaf r = {
        .cpu = (uint32_t)v[0],
        .leaf = (uint32_t)v[1],
        .subleaf = (uint32_t)v[2],
        .regs = {(uint32_t)v[3], (uint32_t)v[4], (uint32_t)v[5], (uint32_t)v[6]},
    };
    return add_leaf(d, r) ? NULL : "out of memory";
}

static const char *msr_line(struct cpuid_dump *d, struct line l)
{
    struct dump_msr r = {.fault = false};
    uint64_t address;

    if (!line_number(&l, 16, UINT32_MAX, &address))
        return "the MSR's address must be hexadecimal, of 32 bits";
    r.address = (uint32_t)address;
    struct line before = l;
    if (!line_number(&l, 16, UINT64_MAX, &r.value)) {
        r.fault = line_is(line_word(&before), "fault");
        if (!r.fault)
            return "the MSR's value must be hexadecimal, of 64 bits, or fault";
    }
    if (line_word(&l).at != l.end)
        return "more than a value after the MSR's address";
    struct dump_msr *more = array_grow(d->msr, d->msrs, sizeof *more);
    if (more == NULL)
        return "out of memory";
    d->msr = more;
    d->msr[d->msrs++] = r;
    return NULL;
}

static const char *one_line(struct cpuid_dump *d, struct line l)
{
    struct line word = line_word(&l);

    if (word.at == word.end || *word.at == '#')
        return NULL;
    if (line_is(word, "cpuid"))
        return leaf_line(d, l);
    if (line_is(word, "msr"))
        return msr_line(d, l);
    return machine_line(&d->machine, word, l);
}

static bool list_cpus(struct cpuid_dump *d)
{
    uint8_t *seen = calloc(DUMP_CPU_MAX + 1, 1);

    for (size_t i = 0; seen != NULL && i < d->leaves; i++) {
        uint32_t cpu = d->leaf[i].cpu;
        if (seen[cpu])
            continue;
        uint32_t *more = array_grow(d->cpu, d->cpus, sizeof *more);
        if (more == NULL)
            break;
        d->cpu = more;
        d->cpu[d->cpus++] = cpu;
        seen[cpu] = 1;
    }
    bool all = seen != NULL && (d->leaves == 0 || seen[d->leaf[d->leaves - 1].cpu]);
    free(seen);
    return all;
}

bool cpuid_dump_parse(struct cpuid_dump *d, const uint8_t *text, size_t n, char *error, size_t size)
{
    const uint8_t *end = text + n;
    unsigned line = 0;
    struct line l;

    *d = (struct cpuid_dump){0};
    while (line_next(&text, end, &l)) {
        const char *wrong = one_line(d, l);
        line++;
        if (wrong != NULL) {
            fmt_buf(error, size, "line %u: %s", line, wrong);
            return false;
        }
    }
    if (!cpuid_dump_has(&(struct dump_cpu){d, 0}, 0, 0)) {
        fmt_buf(error, size, "line %u: the text ends without `cpuid 0 0 0 ...`, leaf 0 of CPU 0",
                line);
        return false;
    }
    if (!list_cpus(d)) {
        fmt_buf(error, size, "line %u: out of memory", line);
        return false;
    }
    return true;
}

void cpuid_dump_free(struct cpuid_dump *d)
{
    machine_free(&d->machine);
    free(d->leaf);
    free(d->msr);
    free(d->cpu);
    *d = (struct cpuid_dump){0};
}

static const struct dump_leaf *find(const struct cpuid_dump *d, uint32_t cpu, uint32_t leaf,
                                    uint32_t subleaf)
{
    for (size_t i = 0; i < d->leaves; i++)
        if (d->leaf[i].leaf == leaf && d->leaf[i].subleaf == subleaf && d->leaf[i].cpu == cpu)
            return &d->leaf[i];
    return NULL;
}

bool cpuid_dump_has(const struct dump_cpu *cpu, uint32_t leaf, uint32_t subleaf)
{
    return find(cpu->dump, cpu->cpu, leaf, subleaf) != NULL;
}

struct cpuid_regs cpuid_dump_get(void *context, uint32_t leaf, uint32_t subleaf)
{
    const struct dump_cpu *c = context;
    const struct dump_leaf *r = find(c->dump, c->cpu, leaf, subleaf);

    if (r == NULL)
        r = find(c->dump, 0, leaf, subleaf);
    return r != NULL ? r->regs : (struct cpuid_regs){0};
}

bool cpuid_dump_rdmsr(void *context, uint32_t address, uint64_t *value)
{
    const struct dump_cpu *c = context;

    for (size_t i = 0; i < c->dump->msrs; i++) {
        const struct dump_msr *m = &c->dump->msr[i];
        if (m->address == address && !m->fault) {
            *value = m->value;
            return true;
        }
    }
    return false;
}

/* --- what lib/ decodes ------------------------------------------------------------------------ */

/* A recording, its decoded boot CPU, and the place of each of its CPUs. */
struct recorded {
    const struct cpuid_dump *dump;
    struct dump_cpu boot;
    struct cpu cpu;
    struct core_place *place;
    size_t n, self; /* place[self] is CPU 0's */
    uint64_t measured_hz;
};

/* Every CPU decodes its own leaves, as on a live machine. */
static bool place_all(struct recorded *r)
{
    r->n = r->dump->cpus;
    r->place = calloc(r->n, sizeof *r->place);
    for (size_t i = 0; r->place != NULL && i < r->n; i++) {
        struct dump_cpu one = {r->dump, r->dump->cpu[i]};
        struct cpu c;
        cpu_decode(&c, cpuid_dump_get, &one);
        topology_place(&r->place[i], &c, cpuid_dump_get, &one);
        if (one.cpu == 0)
            r->self = i;
    }
    return r->place != NULL;
}

static void signature(struct json *j, struct recorded *r)
{
    const struct cpu *c = &r->cpu;
    uint64_t v;

    JSON_PUT(j, JSON_IS("vendor", c->vendor_id), JSON_IS("brand", c->brand),
             JSON_IS("family", c->family), JSON_IS("model", c->model),
             JSON_IS("stepping", c->stepping), JSON_IS("model_masked", cpu_model_is_masked(c)));
    if (cpuid_dump_rdmsr(&r->boot, 0x8b, &v))
        JSON_PUT(j, JSON_NONZERO("microcode", features_microcode(c, v)));
}

/* Returns the recorder's measurement ("# measured_tsc_mhz: 2195.61") in Hz; 0: none. */
static uint64_t measured_hz(const uint8_t *bytes, size_t n)
{
    static const char key[] = "# measured_tsc_mhz: ";

    for (size_t at = 0; at + sizeof key + 16 < n; at++) {
        char text[17] = "";
        if (memcmp(bytes + at, key, sizeof key - 1) != 0)
            continue;
        memcpy(text, bytes + at + sizeof key - 1, sizeof text - 1);
        return (uint64_t)(strtod(text, NULL) * 1e6 + 0.5);
    }
    return 0;
}

/* Compares the CPU's stated clocks with the TSC that the recorder measured. */
static void labels(struct json *j, const struct recorded *r, struct tsc_rate rate)
{
    struct speed_stated s[SPEEDS];

    speeds(s, &r->cpu, rate, NULL, r->measured_hz, r->measured_hz / RECORDER);
    JSON_EACH(j, "speeds", i, SPEED_SMBIOS_CURRENT,
              JSON_PUT_OBJECT(j, NULL, JSON_IS("name", speed_names[i]),
                              JSON_IS("verdict", speed_verdicts[s[i].verdict]),
                              JSON_NONZERO("hz", s[i].hz),
                              JSON_IF(!s[i].hz, "why_not", s[i].why_not),
                              JSON_IF(s[i].compared, "off_ppm", s[i].off_ppm)));
}

static void clock(struct json *j, struct recorded *r)
{
    struct tsc_rate rate =
        tsc_rate_decode(&r->cpu, cpuid_dump_get, &r->boot, cpuid_dump_rdmsr, &r->boot);

    JSON_PUT(j, JSON_NONZERO("tsc_hz", rate.hz),
             JSON_IS("tsc_source", tsc_rate_source_names[rate.source]),
             JSON_IS("tsc_invariant", r->cpu.tsc_invariant),
             JSON_NONZERO("tsc_nominal_hz", r->cpu.tsc_nominal_hz));
    labels(j, r, rate);
}

static void measuring(struct json *j, struct recorded *r)
{
    const struct cpu *c = &r->cpu;
    struct core_counters counters;

    core_counters_decode(&counters, cpuid_dump_get, &r->boot);
    JSON_PUT(
        j,
        JSON_IS("lfence_serializing", features_lfence_serializing(c, cpuid_dump_rdmsr, &r->boot)),
        JSON_IS("core_cycle_counter", core_counter_names[core_counters_best(&counters)]),
        JSON_IS("smi_counter", features_smi_counter(c)), JSON_IS("hypervisor", c->hypervisor),
        JSON_IF(c->hypervisor && c->hypervisor_id[0], "hypervisor_id", c->hypervisor_id),
        JSON_IS("page_1g", c->page_1g), JSON_IS("la57", c->la57), JSON_IS("x2apic", c->x2apic),
        JSON_IS("rdtscp", c->rdtscp), JSON_IS("serialize", c->serialize),
        JSON_IS("physical_bits", c->phys_bits));
}

/* Returns XCR0 as the program sets it: the CPU's components without AMX; 0 without XSAVE. */
static uint64_t xcr0_of(struct recorded *r)
{
    struct cpuid_regs one = cpuid_dump_get(&r->boot, 1, 0);

    return one.ecx & LEAF1_XSAVE ? cpuid_dump_get(&r->boot, 0xd, 0).eax & XCR0_VECTORS : 0;
}

/* Counts the forms of suite insn that the CPU has, and those that it lacks by the feature. */
static void forms(struct json *j, struct recorded *r)
{
    struct insn_support support;
    unsigned run = 0, lacks[INSN_FEATURES + 1] = {0};

    insn_support(&support, cpuid_dump_get, &r->boot, xcr0_of(r));
    for (unsigned i = 0; i < insn_count(); i++) {
        bool runs = insn_form(i)->why == INSN_RUNS;
        enum insn_feature missing = insn_lacks(&support, insn_form(i));
        run += runs && missing == INSN_FEATURES;
        lacks[missing] += runs;
    }
    JSON_PUT(j, JSON_IS("run", run));
    JSON_MEMBERS(j, "lacks", i, INSN_FEATURES,
                 JSON_PUT(j, JSON_NONZERO(insn_feature_names[i], lacks[i])));
}

static const char *words_of(const struct control *s, uint64_t value, char text[CONTROL_WORDS])
{
    struct sink_buf buf;

    sink_buf_init(&buf, text, CONTROL_WORDS);
    control_text(s, value, &buf.sink);
    return text;
}

/* What turbo=off, prefetch=off and freq=base change. */
static void controls(struct json *j, struct recorded *r)
{
    const struct options asked = {.turbo = SETTING_OFF, .prefetch = SETTING_OFF, .freq = FREQ_BASE};
    const struct msr_access access = {&r->boot, cpuid_dump_rdmsr, NULL};
    char found[CONTROL_WORDS], wanted[CONTROL_WORDS];
    struct controls q;

    controls_plan(&q, &asked, &r->cpu, cpuid_dump_get, &r->boot, &access);
    for (const struct control *s = q.of; s < q.of + CONTROL_IDS; s++)
        JSON_PUT_OBJECT(j, NULL, JSON_IS("name", control_names[s - q.of]),
                        JSON_IF(s->control, "control", s->control), JSON_NONZERO("msr", s->msr),
                        JSON_IF(s->control, "found", words_of(s, s->found, found)),
                        JSON_IF(s->control, "wanted", words_of(s, s->wanted, wanted)),
                        JSON_IF(s->why_not, "why_not", s->why_not));
}

/* False: out of memory. */
static bool decode(struct json *j, const struct cpuid_dump *d, uint64_t hz)
{
    struct recorded r = {.dump = d, .boot = {d, 0}, .measured_hz = hz};
    const struct cpu_source source = {cpuid_dump_get, &r.boot, cpuid_dump_rdmsr, &r.boot};
    struct cpu_facts facts;

    cpu_decode(&r.cpu, cpuid_dump_get, &r.boot);
    if (!place_all(&r))
        return false;
    signature(j, &r);
    cpu_facts_read(&facts, &r.cpu, &source, r.place, r.n, r.self);
    /* More than logical_cpus if a recorder recorded one twice. */
    JSON_PUT(j, JSON_IS("cpus_recorded", r.n));
    if (facts.topology.logical_cpus > 0)
        cpu_facts_record_topology(&facts.topology, j);
    clock(j, &r);
    measuring(j, &r);
    cpu_facts_record(&facts, j);
    JSON_ARRAY_OF(j, "controls", controls(j, &r));
    JSON_OBJECT_OF(j, "insn", forms(j, &r));
    machine_record(j, &d->machine);
    free(r.place);
    return true;
}

void replay_cpuid(struct json *j, const uint8_t *bytes, size_t n)
{
    struct cpuid_dump d;
    char wrong[200];

    const char *why = !cpuid_dump_parse(&d, bytes, n, wrong, sizeof wrong) ? wrong
                      : !decode(j, &d, measured_hz(bytes, n)) ? "out of memory for its CPUs"
                                                              : NULL;
    JSON_PUT(j, JSON_IS("error", why)); /* NULL: omitted */
    cpuid_dump_free(&d);
}
