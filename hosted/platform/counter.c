#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "bench/api/tsc.h"
#include "lib/config/choices.h"
#include "lib/cpu/core_counter.h"
#include "lib/cpu/cpu.h"
#include "hosted/platform/process.h"

/* The kernel's counter of core cycles, and how it is read. Each core has its own: a counter of one
 * CPU does not work on another. */
struct event {
    uint64_t config; /* what it counts: PERF_COUNT_HW_... */
    int fd;
    volatile struct perf_event_mmap_page *page; /* NULL: not started, or not read by RDPMC */
    uint32_t lock;                              /* the page's lock at the last reading */
    bool started;
    char why[120];
    struct timer timer;
};

struct counter {
    int cpu;                /* -1: any CPU */
    struct event pmc, perf; /* by RDPMC, by read(2) */
    struct event retired;   /* of instructions, by read(2) */
};

static struct counter counters[CORE_LIST_MAX] = {{.cpu = -1}};
static struct counter *here = counters;

static uint64_t rdpmc(uint32_t index)
{
    uint32_t low, high;

    __asm__ volatile("lfence; rdpmc; lfence" : "=a"(low), "=d"(high) : "c"(index) : "memory");
    return (uint64_t)high << 32 | low;
}

/* As in perf_event_open(2), "cap_user_rdpmc": the lock changes with each switch of the thread. If
 * it changed between two readings, not all cycles between them were counted. */
static enum timer_status read_pmc(struct timer *t, uint64_t *count)
{
    struct event *e = t->context;

    if (!e->page)
        return TIMER_FAILED;
    uint32_t lock = e->page->lock, before = e->lock;
    __asm__ volatile("" : : : "memory");
    uint32_t index = e->page->index;
    int64_t offset = e->page->offset;
    uint64_t raw = index ? rdpmc(index - 1) : 0;
    __asm__ volatile("" : : : "memory");
    if (e->page->lock != lock)
        return TIMER_AGAIN;
    e->lock = lock;
    *count = (raw + (uint64_t)offset) & ((1ull << t->bits) - 1);
    return index && lock == before ? TIMER_OK : TIMER_FAILED;
}

#define CPUID1_ECX_GUEST (1u << 31)

/* The result of read(2) with READ_FORMAT, in this order (perf_event_open(2), "Reading results"). */
struct reading {
    uint64_t count, enabled_ns, running_ns;
};
#define READ_FORMAT (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

/* The event follows the thread, so a switch costs nothing. A pinned event that lost its counter
 * reads as end of file; one that did not count all the time missed cycles. */
static enum timer_status read_perf(struct timer *t, uint64_t *count)
{
    struct event *e = t->context;
    struct reading r;

    if (!e->started || read(e->fd, &r, sizeof r) != sizeof r)
        return TIMER_FAILED;
    *count = r.count;
    return r.running_ns == r.enabled_ns ? TIMER_OK : TIMER_FAILED;
}

static void stop(struct timer *t)
{
    struct event *e = t->context;

    if (e->page)
        munmap((void *)e->page, (size_t)sysconf(_SC_PAGESIZE));
    if (e->started)
        close(e->fd);
    e->page = NULL;
    e->started = false;
}

static const char *prove(struct timer *t)
{
    uint64_t counted[COUNTER_PROOF_TRIES], from, to, mask = ~0ull >> (64 - t->bits);

    t->read(t, &from); /* RDPMC records the lock */
    for (unsigned i = 0; i < COUNTER_PROOF_TRIES; i++) {
        bool known = t->read(t, &from) == TIMER_OK;
        chain_adds(COUNTER_PROOF_ADDS);
        known = t->read(t, &to) == TIMER_OK && known;
        counted[i] = known ? (to - from) & mask : 0;
    }
    return core_counter_prove(process_cpuid(NULL, 1, 0).ecx & CPUID1_ECX_GUEST, counted);
}

/* Reports that `what` failed with errno. */
static const char *refuse(struct event *e, const char *what)
{
    bool none = errno == ENOENT || errno == ENODEV || errno == EOPNOTSUPP;

    snprintf(e->why, sizeof e->why, "%s: %s", what,
             none ? "the kernel knows no such counter here" : strerror(errno));
    stop(&e->timer);
    return e->why;
}

/* Returns NULL, or why this process gets no counter. */
static const char *open_event(struct event *e, int cpu)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_HARDWARE,
        .size = sizeof attr,
        .config = e->config,
        .read_format = READ_FORMAT,
        .pinned = 1,
        .exclude_kernel = 1, /* what an ordinary process is allowed */
        .exclude_hv = 1,
    };

    e->fd = (int)syscall(SYS_perf_event_open, &attr, 0, cpu, -1, PERF_FLAG_FD_CLOEXEC);
    e->started = e->fd >= 0;
    return e->started ? NULL : refuse(e, "perf_event_open");
}

static const char *map_page(struct event *e)
{
    void *page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, e->fd, 0);

    if (page == MAP_FAILED)
        return refuse(e, "perf_event_open's page");
    e->page = page;
    return NULL;
}

static const char *open_pmc(struct event *e, int cpu)
{
    const char *why = open_event(e, cpu);

    return why ? why : map_page(e);
}

static const char *start_pmc(struct timer *t)
{
    struct event *e = t->context;
    const char *why = open_pmc(e, here->cpu);

    if (why)
        return why;
    t->bits = e->page->pmc_width;
    why = !e->page->cap_user_rdpmc       ? "the kernel grants no RDPMC in user mode"
          : t->bits < 32 || t->bits > 63 ? "its width is not one of 32 to 63 bits"
                                         : prove(t);
    if (why)
        stop(t);
    return why;
}

static const char *start_perf(struct timer *t)
{
    const char *why = open_event(t->context, here->cpu);

    if (why)
        return why;
    why = prove(t);
    if (why)
        stop(t);
    return why;
}

void counter_core(unsigned core, int cpu)
{
    here = &counters[core];
    if (core > 0)
        here->cpu = cpu;
}

void counter_resume(void)
{
    if (here->pmc.page)
        here->pmc.lock = here->pmc.page->lock;
}

/* If an event cannot be opened again, each reading fails and is counted as unread. */
void counter_after_fork(void)
{
    if (here->pmc.started) {
        close(here->pmc.fd);
        here->pmc.page = NULL; /* a fork does not copy it */
        open_pmc(&here->pmc, here->cpu);
    }
    if (here->perf.started) {
        close(here->perf.fd);
        open_event(&here->perf, here->cpu);
    }
}

static struct timer *timer_of(struct event *e, const char *name,
                              const char *(*start)(struct timer *),
                              enum timer_status (*read_it)(struct timer *, uint64_t *),
                              unsigned bits)
{
    e->timer = (struct timer){
        .name = name, .start = start, .read = read_it, .stop = stop, .context = e, .bits = bits};
    return &e->timer;
}

struct timer *counter_source(void *context, unsigned id, const char **why)
{
    (void)context;
    *why = NULL;
    if (id == CYCLE_PMC)
        return timer_of(&here->pmc, "pmc", start_pmc, read_pmc, here->pmc.timer.bits);
    if (id == CYCLE_PERF)
        return timer_of(&here->perf, "perf", start_perf, read_perf, 64);
    if (id != CYCLE_APERF)
        return cycle_plain(id, cpu_has_rdtscp(process_cpuid, NULL), why);
    *why = "MSRs need ring 0; a process has ring 3";
    return NULL;
}

struct timer *counter_retired(void *context, const char **why)
{
    (void)context;
    *why = NULL;
    here->retired.config = PERF_COUNT_HW_INSTRUCTIONS;
    return timer_of(&here->retired, "perf", start_perf, read_perf, 64);
}
