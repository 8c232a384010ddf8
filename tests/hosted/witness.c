#include "tests/hosted/witness.h"
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "lib/fmt.h"

static struct {
    int stat; /* /proc/stat, or -1 */
    char line[16];
    bool rdtscp;
    uint32_t where; /* the CPU it was on when it looked last */
    uint64_t moves;
    struct witness_counts then, row, total;
} w = {.stat = -1};

static uint32_t here(void)
{
    uint32_t low, high, aux;
    if (!w.rdtscp)
        return (uint32_t)sched_getcpu();
    /* Linux keeps node << 12 | CPU in IA32_TSC_AUX. */
    __asm__ volatile("rdtscp" : "=a"(low), "=d"(high), "=c"(aux));
    return aux;
}

uint64_t witness_migrations(void)
{
    uint32_t now = here();
    w.moves += now != w.where;
    w.where = now;
    return w.moves;
}

/* The eighth number behind the CPU's name, in clock ticks (proc(5)). */
static double steal_ms(void)
{
    static char text[1 << 16]; /* of a machine with some thousand CPUs: their lines come first */
    ssize_t n = w.stat < 0 ? -1 : pread(w.stat, text, sizeof text - 1, 0);
    text[n < 0 ? 0 : n] = 0;
    char *at = strstr(text, w.line);
    if (!at)
        return __builtin_nan("");
    unsigned long long ticks = 0;
    at += strlen(w.line);
    for (int i = 0; i < 8; i++)
        ticks = strtoull(at, &at, 10);
    return (double)ticks * 1e3 / (double)sysconf(_SC_CLK_TCK);
}

void witness_open(int cpu, bool rdtscp)
{
    w.stat = open("/proc/stat", O_RDONLY | O_CLOEXEC);
    fmt_buf(w.line, sizeof w.line, "\ncpu%d ", cpu);
    w.rdtscp = rdtscp;
    w.where = here();
}

static struct witness_counts look(void)
{
    struct rusage u = {0};
    getrusage(RUSAGE_THREAD, &u);
    return (struct witness_counts){
        .voluntary = (uint64_t)u.ru_nvcsw,
        .involuntary = (uint64_t)u.ru_nivcsw,
        .faults = (uint64_t)(u.ru_minflt + u.ru_majflt),
        .migrations = witness_migrations(),
        .steal_ms = steal_ms(),
    };
}

void witness_begin(void)
{
    w.then = look();
}

void witness_end(void)
{
    struct witness_counts now = look();
    w.row = (struct witness_counts){
        .voluntary = now.voluntary - w.then.voluntary,
        .involuntary = now.involuntary - w.then.involuntary,
        .faults = now.faults - w.then.faults,
        .migrations = now.migrations - w.then.migrations,
        .steal_ms = now.steal_ms - w.then.steal_ms,
    };
    w.total.voluntary += w.row.voluntary;
    w.total.involuntary += w.row.involuntary;
    w.total.faults += w.row.faults;
    w.total.migrations += w.row.migrations;
    w.total.steal_ms += w.row.steal_ms;
}

void witness_record(struct json *j)
{
    json_object(j, "process");
    json_u64(j, "voluntary_switches", w.row.voluntary);
    json_u64(j, "involuntary_switches", w.row.involuntary);
    json_u64(j, "page_faults", w.row.faults);
    json_u64(j, "migrations", w.row.migrations);
    json_f64(j, "steal_ms", w.row.steal_ms, 0);
    json_close(j);
}

struct witness_counts witness_total(void)
{
    return w.total;
}
