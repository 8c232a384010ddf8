#include "hosted/replay/replay.h"

#include <stdlib.h>
#include <string.h>
#include "lib/text/fmt.h"
#include "hosted/replay/text_line.h"

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
    return "a line begins with cpuid, msr or #";
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
