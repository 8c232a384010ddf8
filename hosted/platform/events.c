#include "lib/decimal/json_f64.h"
#include "hosted/platform/events.h"
#include "hosted/platform/process.h"
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include "lib/stats/known.h"
#include "lib/text/fmt.h"

/* One core's counts, in memory that forked processes share. */
struct slot {
    int cpu;
    uint64_t moves;
    struct event_counts row, total;
};

static struct {
    int stat; /* /proc/stat, or -1 */
    bool rdtscp;
    struct slot *slot;
    unsigned slots, core; /* the current core, ... */
    uint32_t where;       /* ... and the CPU at the last check */
    struct event_counts then;
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

uint64_t events_migrations(void)
{
    if (!w.slot)
        return 0;
    uint32_t now = here();
    w.slot[w.core].moves += now != w.where;
    w.where = now;
    return w.slot[w.core].moves;
}

/* Reads the eighth number after the CPU's name, in clock ticks (proc(5)). */
static double steal_ms(void)
{
    static char text[1 << 16]; /* enough for some thousand CPUs: their lines come first */
    ssize_t n = w.stat < 0 ? -1 : pread(w.stat, text, sizeof text - 1, 0);

    text[n < 0 ? 0 : n] = 0;
    char line[16];
    fmt_buf(line, sizeof line, "\ncpu%d ", w.slot[w.core].cpu);
    char *at = strstr(text, line);
    if (!at)
        return __builtin_nan("");
    unsigned long long ticks = 0;
    at += strlen(line);
    for (int i = 0; i < 8; i++)
        ticks = strtoull(at, &at, 10);
    return (double)ticks * 1e3 / (double)sysconf(_SC_CLK_TCK);
}

bool events_open(const int *cpu, unsigned cores, bool rdtscp)
{
    w.slot = mmap(NULL, cores * sizeof *w.slot, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (w.slot == MAP_FAILED)
        return false;
    for (unsigned i = 0; i < cores; i++)
        w.slot[i].cpu = cpu[i];
    w.slots = cores;
    w.stat = open("/proc/stat", O_RDONLY | O_CLOEXEC);
    w.rdtscp = rdtscp;
    w.where = here();
    return true;
}

void events_core(unsigned core)
{
    w.core = core;
    w.where = here();
}

/* away_ns has no fixed start: only differences are valid. */
static struct event_counts look(void)
{
    struct rusage u = {0};

    getrusage(RUSAGE_THREAD, &u);
    return (struct event_counts){
        .voluntary = (uint64_t)u.ru_nvcsw,
        .involuntary = (uint64_t)u.ru_nivcsw,
        .faults = (uint64_t)(u.ru_minflt + u.ru_majflt),
        .migrations = events_migrations(),
        .steal_ms = steal_ms(),
        .away_ns = clock_ns(CLOCK_MONOTONIC) - clock_ns(CLOCK_THREAD_CPUTIME_ID),
    };
}

static void add(struct event_counts *to, const struct event_counts *more)
{
    to->voluntary += more->voluntary;
    to->involuntary += more->involuntary;
    to->faults += more->faults;
    to->migrations += more->migrations;
    to->away_ns += more->away_ns;
    to->steal_ms += more->steal_ms;
}

void events_begin(void)
{
    w.then = look();
}

void events_end(void)
{
    struct event_counts now = look(), *row = &w.slot[w.core].row, *total = &w.slot[w.core].total;

    *row = (struct event_counts){
        .voluntary = now.voluntary - w.then.voluntary,
        .involuntary = now.involuntary - w.then.involuntary,
        .faults = now.faults - w.then.faults,
        .migrations = now.migrations - w.then.migrations,
        .steal_ms = now.steal_ms - w.then.steal_ms,
        /* The two clocks are not read at the same moment: it can be slightly below 0. */
        .away_ns = (int64_t)(now.away_ns - w.then.away_ns) > 0 ? now.away_ns - w.then.away_ns : 0,
    };
    add(total, row);
}

enum kept { VOLUNTARY, INVOLUNTARY, FAULTS, MIGRATIONS, AWAY_NS, STEAL_MS, STEAL_UNKNOWN };

void events_keep(const struct platform *p, unsigned core, uint64_t *kept)
{
    const struct event_counts *row = &w.slot[core].row;
    bool known = isfinite(row->steal_ms);

    (void)p;
    kept[VOLUNTARY] += row->voluntary;
    kept[INVOLUNTARY] += row->involuntary;
    kept[FAULTS] += row->faults;
    kept[MIGRATIONS] += row->migrations;
    kept[AWAY_NS] += row->away_ns;
    kept[STEAL_MS] += known ? (uint64_t)row->steal_ms : 0;
    kept[STEAL_UNKNOWN] |= !known;
}

void events_record(const uint64_t *kept, struct json *j)
{
    json_object(j, "process");
    json_u64(j, "voluntary_switches", kept[VOLUNTARY]);
    json_u64(j, "involuntary_switches", kept[INVOLUNTARY]);
    json_u64(j, "page_faults", kept[FAULTS]);
    json_u64(j, "migrations", kept[MIGRATIONS]);
    json_f64(j, "steal_ms", kept[STEAL_UNKNOWN] ? UNKNOWN : (double)kept[STEAL_MS], 0);
    json_f64(j, "away_ms", (double)kept[AWAY_NS] / 1e6, 3);
    json_close(j);
}

struct event_counts events_total(void)
{
    struct event_counts all = {0};

    for (unsigned i = 0; i < w.slots; i++)
        add(&all, &w.slot[i].total);
    return all;
}
