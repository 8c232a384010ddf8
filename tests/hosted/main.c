/*
 * The same engine and suites as a Linux program: a second implementation of bench/platform.h. No copy of any engine
 * code; what a process cannot have (interrupts off, other programs away) it says.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "bench/platform.h"
#include "bench/probe.h"
#include "bench/registry.h"
#include "bench/report.h"
#include "bench/run.h"
#include "lib/cpu.h"

static void out_write(struct sink *self, const char *bytes, size_t n)
{
    (void)self;
    fwrite(bytes, 1, n, stdout);
}

static struct cpuid_regs cpuid_here(void *ctx, uint32_t leaf, uint32_t subleaf)
{
    struct cpuid_regs r;
    (void)ctx;
    __asm__ volatile("cpuid"
                     : "=a"(r.eax), "=b"(r.ebx), "=c"(r.ecx), "=d"(r.edx)
                     : "a"(leaf), "c"(subleaf));
    return r;
}

static void protect(int rights)
{
    if (mprotect((void *)PLATFORM_CODE_VA, PLATFORM_CODE_SIZE, rights) != 0) {
        perror("baretick: the code buffer's rights cannot be changed");
        exit(2);
    }
}

static void code_write(void)
{
    protect(PROT_READ | PROT_WRITE);
}

static void code_exec(void)
{
    protect(PROT_READ | PROT_EXEC);
}

static bool no_key(void)
{
    return false;
}

static void no_row(const char *suite, const char *name)
{
    (void)suite, (void)name;
}

static uint64_t no_nmis(void)
{
    return 0;
}

static void *map_at(uint64_t address, size_t size)
{
    void *p = mmap((void *)address, size, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE | (address ? MAP_FIXED_NOREPLACE : 0),
                   -1, 0);
    if (p == MAP_FAILED) {
        fprintf(stderr, "baretick: %zu bytes at %#llx: %s\n", size, (unsigned long long)address,
                strerror(errno));
        exit(2);
    }
    return p;
}

static void words(struct options *o, int argc, char **argv)
{
    struct sink_buf err;
    char message[1024], line[4096] = "baretick";
    for (int i = 1; i < argc; i++) {
        strncat(line, " ", sizeof line - strlen(line) - 1);
        strncat(line, argv[i], sizeof line - strlen(line) - 1);
    }
    options_default(o);
    sink_buf_init(&err, message, sizeof message);
    char quote[64];
    if (options_parse_load(o, line, strlen(line), "baretick", quote, sizeof quote, &err.sink) ==
            LOAD_OPTIONS_WRONG ||
        !registry_check(o, &err.sink)) {
        fprintf(stderr, "%s\n", message);
        exit(3);
    }
}

int main(int argc, char **argv)
{
    struct options o;
    words(&o, argc, argv);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(1, &one);
    sched_setaffinity(0, sizeof one, &one);

    struct cpu cpu;
    cpu_decode(&cpu, cpuid_here, NULL);
    size_t room = bench_memory_need(&o);
    struct sink out = {out_write};
    struct platform p = {
        .name = "hosted",
        .cpu = &cpu,
        .tsc_hz = cpu.tsc_hz,
        .code = map_at(PLATFORM_CODE_VA, PLATFORM_CODE_SIZE),
        .data = map_at(PLATFORM_DATA_VA, PLATFORM_DATA_SIZE),
        .code_write = code_write,
        .code_exec = code_exec,
        .memory = map_at(0, room * sizeof(uint64_t)),
        .out = &out,
        .key = no_key,
        .row = no_row,
        .nmis = no_nmis,
    };
    struct engine e;
    struct probe probe;
    struct report r;
    engine_init(&e, &p, &o);
    report_init(&r, &out, o.format);
    probe_run(&e, &probe);
    printf("execution %s: %s; step %f, ticks/cycle %f\n", execution_names[e.execution],
           probe.behave.why, e.step, e.ticks_per_cycle);
    for (int i = 0; i < BEHAVE_KINDS; i++)
        printf("%s %f\n", behave_names[i], probe.behave.ticks_per_op[i]);
    probe_judge(&e, &probe, &r);
    probe_report(&e, &probe, &r);
    report_end(&r, bench_run(&e, &r));
    return r.failures ? 2 : 0;
}
