/*
 * Measures a first table of instructions with the engine's windows in this process: for each form
 * that this CPU has, the cycles of independent copies and of the chain of each pair of operands.
 *   insn [GLOB]        forms whose names match; default: all without mask and rounding
 * One line each: name; throughput, for forms with memory at different addresses and at the same
 * one; latencies as IN->OUT=CYCLES, minus the chain's other instructions; with `<` these are
 * included, because they cannot be separated from the form. `unsettled`: the core was never quiet
 * enough; `faulted`: the form is not run again. Exit status: 0, 1 if the setup failed, 2 if the
 * words are wrong.
 */
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include "bench/insn/cell.h"
#include "bench/measure/engine.h"
#include "bench/measure/probe.h"
#include "bench/run.h"
#include "hosted/platform/fault.h"
#include "hosted/platform/guard.h"
#include "hosted/platform/memory.h"
#include "hosted/platform/output.h"
#include "hosted/platform/process.h"
#include "lib/insn/support.h"
#include "lib/insn/table.h"
#include "lib/text/fmt.h"

enum { SECONDS = 20, TRIES = 4 };

static struct engine engine;
static struct options options;
static struct cpu cpu;
static struct memory memory;
static struct process process;
static struct insn_links links;
static struct insn_support support;
static double link_cycles[LINKS];
static unsigned vectors, cells, unmeasured;
static const char *only;

/* --- the parts of the platform that windows need ---------------------------------------------- */

static void row_begin(const struct platform *p, const char *suite, const char *name, uint64_t ran)
{
    (void)p;
    fault_row(suite, name);
    guard_row_begin(ran);
}

static void row_end(const struct platform *p)
{
    (void)p;
    guard_row_end();
    fault_row(NULL, NULL);
}

static uint64_t no_interruptions(void)
{
    return 0;
}

static struct platform platform = {
    .name = "hosted",
    .cpu = &cpu,
    .code_write = memory_code_write,
    .code_exec = memory_code_exec,
    .row_begin = row_begin,
    .row_end = row_end,
    .guarded = guard_call,
    .nmis = no_interruptions,
};

static uint64_t read_xcr0(void)
{
    uint32_t low, high;

    if (!(process_cpuid(NULL, 1, 0).ecx >> 27 & 1))
        return 0;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t)high << 32 | low;
}

/* --- cells ------------------------------------------------------------------------------------ */

enum outcome { MEASURED, UNSETTLED, FAULTED };

/* Measures the cycles, without the chain's links. */
static enum outcome take(const struct insn_test *t, double *cycles)
{
    struct insn_cell cell;

    cells++;
    for (unsigned i = 0; i < TRIES; i++) {
        insn_cell(&engine, &links, vectors, t, &cell);
        if (cell.measured || cell.ended.by != GUARD_CAME_BACK)
            break;
    }
    if (!cell.measured) {
        unmeasured++;
        return cell.ended.by == GUARD_CAME_BACK ? UNSETTLED : FAULTED;
    }
    *cycles = cell.cycles;
    for (unsigned i = 0; i < t->steps && !t->at_most; i++)
        *cycles -= link_cycles[t->step[i].link];
    return MEASURED;
}

/* Returns the latency of a form whose operands are all in one register file. */
static double latency_of(enum insn_link link, struct insn_end in, struct insn_end out)
{
    struct insn_test t;
    double cycles = 0;

    if (insn_lacks(&support, links.form[link]) == INSN_FEATURES &&
        insn_latency(&t, links.form[link], INSN_PLAIN, in, out) == INSN_RUNS)
        take(&t, &cycles);
    return cycles;
}

/* Measures the links within one register file, each with its own chain. TEST has no chain: a loop
 * of it and a CMOV minus the CMOV. */
static void measure_links(void)
{
    static const struct insn_end first = {INSN_DATA, 0}, second = {INSN_DATA, 1},
                                 flags = {INSN_FLAGS_PART, 0};
    static const enum insn_link of_second[] = {LINK_MOVSXD, LINK_ADD,   LINK_PSHUFD, LINK_VPSHUFD,
                                               LINK_VPAND,  LINK_CMOVB, LINK_CMOVZ,  LINK_CMOVS,
                                               LINK_CMOVO,  LINK_CMOVP};

    for (size_t i = 0; i < sizeof of_second / sizeof of_second[0]; i++)
        link_cycles[of_second[i]] = latency_of(of_second[i], second, first);
    link_cycles[LINK_AND] = latency_of(LINK_AND, first, first);
    link_cycles[LINK_OR] = latency_of(LINK_OR, first, first);
    link_cycles[LINK_TEST] = latency_of(LINK_CMOVZ, flags, first) - link_cycles[LINK_CMOVZ];
}

static void say_end(const struct insn_end *e)
{
    static const char *const parts[] = {
        [INSN_DATA] = "", [INSN_BASE_PART] = ".base", [INSN_INDEX_PART] = ".index"};

    if (e->part == INSN_FLAGS_PART)
        printf("flags");
    else
        printf("%u%s", e->operand, parts[e->part]);
}

static const char *const outcomes[] = {[UNSETTLED] = "unsettled", [FAULTED] = "faulted"};

static void measure_pairs(const struct insn_form *f, unsigned decoration)
{
    struct insn_end in[INSN_ENDS_MOST], to[INSN_ENDS_MOST];
    struct insn_view v;

    insn_view(&v, f, decoration);
    unsigned ins = insn_inputs(&v, in), outs = insn_outputs(&v, to);
    for (unsigned i = 0; i < ins * outs; i++) {
        struct insn_test t;
        if (insn_latency(&t, f, decoration, in[i / outs], to[i % outs]) != INSN_RUNS)
            continue;
        double cycles;
        enum outcome outcome = take(&t, &cycles);
        printf("\t");
        say_end(&t.in);
        printf("->");
        say_end(&t.out);
        if (outcome == MEASURED)
            printf("%s%.2f", t.at_most ? "<" : "=", cycles);
        else
            printf(":%s", outcomes[outcome]);
    }
}

static void measure_form(const struct insn_form *f, unsigned decoration, const char *name)
{
    struct insn_test t;

    if (f->why != INSN_RUNS || insn_lacks(&support, f) != INSN_FEATURES)
        return;
    double waits = 0, breaks = 0;
    insn_throughput(&t, f, decoration, INSN_DISTINCT, false);
    enum outcome outcome = take(&t, &waits);
    insn_throughput(&t, f, decoration, INSN_DISTINCT, true);
    enum outcome other = outcome == FAULTED ? outcome : take(&t, &breaks);
    printf("%s\t", name);
    if (outcome == MEASURED || other == MEASURED)
        printf("%.2f",
               outcome == MEASURED && (other != MEASURED || waits < breaks) ? waits : breaks);
    else
        printf("%s", outcomes[outcome]);
    if (insn_throughput(&t, f, decoration, INSN_ONE_LINE, false) == INSN_RUNS &&
        outcome != FAULTED) {
        other = take(&t, &breaks);
        printf(other == MEASURED ? "/%.2f" : "/unsettled", breaks);
    }
    if (outcome != FAULTED)
        measure_pairs(f, decoration);
    printf("\n");
}

static void measure_all(void *unused)
{
    static struct probe probe;

    (void)unused;
    engine_init(&engine, &platform, &options);
    probe_core(&engine, &probe);
    measure_links();
    for (unsigned i = 0; i < insn_count() && !fault_interrupted(); i++) {
        uint8_t decorations[INSN_DECORATIONS_MOST];
        unsigned n = only ? insn_decorations(insn_form(i), decorations) : 1;
        decorations[0] = INSN_PLAIN;
        for (unsigned k = 0; k < n; k++) {
            char name[128];
            struct sink_buf to;
            sink_buf_init(&to, name, sizeof name);
            insn_name(insn_form(i), decorations[k], &to.sink);
            if (!only || fnmatch(only, name, 0) == 0)
                measure_form(insn_form(i), decorations[k], name);
        }
    }
    fprintf(stderr, "insn: %u cells, %u of them not measured\n", cells, unmeasured);
}

static bool set_up(struct sink *err)
{
    static struct report report;

    cpu_decode(&cpu, process_cpuid, NULL);
    options_default(&options);
    report_init(&report, output(), FORMAT_JSONL);
    fault_catch(&report);
    const char *missing = insn_links_find(&links);
    if (missing)
        fmt(err, "no form is named %s", missing);
    if (missing || !process_pin(&process, err))
        return false;
    memory = memory_map(bench_memory_need(&options, 1));
    if (memory.what) {
        fmt(err, "%s: %s", memory.what, strerror(memory.error));
        return false;
    }
    process_settle(&process);
    guard_open(SECONDS, 0);
    platform.code = memory.code;
    platform.data = memory.data;
    platform.memory = memory.samples;
    insn_support(&support, process_cpuid, NULL, read_xcr0());
    vectors = support.avx512_on ? 512 : support.avx_on ? 256 : 128;
    return true;
}

int main(int argc, char **argv)
{
    char error[256] = "";
    struct sink_buf text;

    if (argc > 2) {
        fprintf(stderr, "usage: insn [GLOB]\n");
        return 2;
    }
    only = argc == 2 ? argv[1] : NULL;
    sink_buf_init(&text, error, sizeof error);
    if (!set_up(&text.sink)) {
        fprintf(stderr, "insn: %s\n", error);
        return 1;
    }
    memory_on_stack(&memory, measure_all, NULL);
    return 0;
}
