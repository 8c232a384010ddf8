#include "bench/api/declare.h"
#include "hosted/platform/process.h"
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include "lib/stats/mathx.h"
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

/* Reads the eighth number after the CPU's name, in clock ticks (proc(5)). False: it is not
 * known. */
static bool steal_ms(uint64_t *ms)
{
    static char text[1 << 16]; /* enough for some thousand CPUs: their lines come first */
    ssize_t n = w.stat < 0 ? -1 : pread(w.stat, text, sizeof text - 1, 0);

    text[n < 0 ? 0 : n] = 0;
    char line[16];
    fmt_buf(line, sizeof line, "\ncpu%d ", w.slot[w.core].cpu);
    char *at = strstr(text, line);
    if (!at)
        return false;
    unsigned long long ticks = 0;
    at += strlen(line);
    for (int i = 0; i < 8; i++)
        ticks = strtoull(at, &at, 10);
    *ms = ticks * 1000 / (uint64_t)sysconf(_SC_CLK_TCK);
    return true;
}

void events_core(unsigned core)
{
    w.core = core;
    w.where = here();
}

/* EVENTS_AWAY_NS has no fixed start: only differences are valid. */
static struct event_counts look(void)
{
    struct event_counts c = {0};
    struct rusage u = {0};

    getrusage(RUSAGE_THREAD, &u);
    c.of[EVENTS_VOLUNTARY] = (uint64_t)u.ru_nvcsw;
    c.of[EVENTS_INVOLUNTARY] = (uint64_t)u.ru_nivcsw;
    c.of[EVENTS_FAULTS] = (uint64_t)(u.ru_minflt + u.ru_majflt);
    c.of[EVENTS_MIGRATIONS] = events_migrations();
    c.of[EVENTS_NO_STEAL] = !steal_ms(&c.of[EVENTS_STEAL_MS]);
    c.of[EVENTS_AWAY_NS] = clock_ns(CLOCK_MONOTONIC) - clock_ns(CLOCK_THREAD_CPUTIME_ID);
    return c;
}

/* Adds the counts of the last row on a core. */
static void keep(const struct platform *p, unsigned core, uint64_t *kept)
{
    (void)p;
    for (unsigned i = 0; i < EVENTS; i++)
        kept[i] += w.slot[core].row.of[i];
}

void events_begin(void)
{
    w.then = look();
}

void events_end(void)
{
    struct event_counts now = look(), *row = &w.slot[w.core].row, *total = &w.slot[w.core].total;

    for (unsigned i = 0; i < EVENTS; i++)
        row->of[i] = now.of[i] - w.then.of[i];
    /* The two clocks are not read at the same moment: it can be slightly below 0. */
    if ((int64_t)row->of[EVENTS_AWAY_NS] < 0)
        row->of[EVENTS_AWAY_NS] = 0;
    row->of[EVENTS_NO_STEAL] = now.of[EVENTS_NO_STEAL] | w.then.of[EVENTS_NO_STEAL];
    keep(NULL, w.core, total->of);
}

_Static_assert(EVENTS <= PLATFORM_KEPT, "a word each");

static void record(const uint64_t *kept, struct json *j)
{
    BEGIN_OBJECT("row.process", PRESENT, "")
    PROCESS(FIELD, "row.process")
    END_OBJECT
}

bool events_open(struct platform *p, const int *cpu, unsigned cores)
{
    w.slot = mmap(NULL, cores * sizeof *w.slot, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (w.slot == MAP_FAILED)
        return false;
    for (unsigned i = 0; i < cores; i++)
        w.slot[i].cpu = cpu[i];
    w.slots = cores;
    w.stat = open("/proc/stat", O_RDONLY | O_CLOEXEC);
    w.rdtscp = p->cpu->rdtscp;
    w.where = here();
    p->events.nmis = events_migrations;
    p->row.keep = keep;
    p->kept.record = record;
    return true;
}

struct event_counts events_total(void)
{
    struct event_counts all = {0};

    for (unsigned core = 0; core < w.slots; core++)
        for (unsigned i = 0; i < EVENTS; i++)
            all.of[i] += w.slot[core].total.of[i];
    return all;
}
