#include "tests/hosted/counter.h"
#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "bench/measure/chain.h"
#include "bench/measure/cycle.h"
#include "lib/config/core_list.h"
#include "lib/cpu/core_counter.h"

/* Each core's own: a counter of one CPU is of no use on another. */
struct counter {
    int cpu; /* -1: of whichever it runs on */
    int fd;
    volatile struct perf_event_mmap_page *page; /* NULL: it is not started */
    uint32_t lock;                              /* of the page, at the last reading */
    char why[120];
    struct timer pmc;
};

static struct counter counters[CORE_LIST_MAX] = {{.cpu = -1}};
static struct counter *here = counters;

static uint64_t rdpmc(uint32_t index)
{
    uint32_t low, high;
    __asm__ volatile("lfence; rdpmc; lfence" : "=a"(low), "=d"(high) : "c"(index) : "memory");
    return (uint64_t)high << 32 | low;
}

/*
 * As perf_event_open(2) tells, under "cap_user_rdpmc": the lock changes with each switch of the
 * thread, and cycles between two readings of which one did not see it are not all counted.
 */
static enum timer_status read_pmc(struct timer *t, uint64_t *count)
{
    struct counter *c = t->context;
    if (!c->page)
        return TIMER_FAILED;
    uint32_t lock = c->page->lock, before = c->lock;
    __asm__ volatile("" : : : "memory");
    uint32_t index = c->page->index;
    int64_t offset = c->page->offset;
    uint64_t raw = index ? rdpmc(index - 1) : 0;
    __asm__ volatile("" : : : "memory");
    if (c->page->lock != lock)
        return TIMER_AGAIN;
    c->lock = lock;
    *count = (raw + (uint64_t)offset) & ((1ull << t->bits) - 1);
    return index && lock == before ? TIMER_OK : TIMER_FAILED;
}

static void stop(struct counter *c)
{
    if (c->page)
        munmap((void *)c->page, (size_t)sysconf(_SC_PAGESIZE));
    close(c->fd);
    c->page = NULL;
    c->fd = -1;
}

static void stop_pmc(struct timer *t)
{
    stop(t->context);
}

static const char *prove(struct timer *t)
{
    uint64_t counted[COUNTER_PROOF_TRIES], from, to;
    read_pmc(t, &from); /* takes note of the lock */
    for (unsigned i = 0; i < COUNTER_PROOF_TRIES; i++) {
        bool known = read_pmc(t, &from) == TIMER_OK;
        chain_adds(COUNTER_PROOF_ADDS);
        known = read_pmc(t, &to) == TIMER_OK && known;
        counted[i] = known ? (to - from) & ((1ull << t->bits) - 1) : 0;
    }
    return core_counter_prove(counted);
}

static const char *fail(struct counter *c, const char *what)
{
    bool none = errno == ENOENT || errno == ENODEV || errno == EOPNOTSUPP;
    snprintf(c->why, sizeof c->why, "%s: %s", what,
             none ? "the kernel knows no counter of core cycles here" : strerror(errno));
    if (c->fd >= 0)
        stop(c);
    return c->why;
}

/* NULL, or why there is none for this process. */
static const char *open_event(struct counter *c)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_HARDWARE,
        .size = sizeof attr,
        .config = PERF_COUNT_HW_CPU_CYCLES,
        .pinned = 1,
        .exclude_kernel = 1, /* what is granted to an ordinary process */
        .exclude_hv = 1,
    };
    c->fd = (int)syscall(SYS_perf_event_open, &attr, 0, c->cpu, -1, PERF_FLAG_FD_CLOEXEC);
    if (c->fd < 0)
        return fail(c, "perf_event_open");
    void *page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, c->fd, 0);
    if (page == MAP_FAILED)
        return fail(c, "perf_event_open's page");
    c->page = page;
    return NULL;
}

static const char *start_pmc(struct timer *t)
{
    struct counter *c = t->context;
    const char *why = open_event(c);
    if (why)
        return why;
    t->bits = c->page->pmc_width;
    why = !c->page->cap_user_rdpmc       ? "the kernel grants no RDPMC in user mode"
          : t->bits < 32 || t->bits > 63 ? "its width is not one of 32 to 63 bits"
                                         : prove(t);
    if (why)
        stop(c);
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
    if (here->page)
        here->lock = here->page->lock;
}

void counter_after_fork(void)
{
    if (!here->page)
        return;
    close(here->fd);
    here->fd = -1;
    here->page = NULL;
    open_event(here); /* where that fails, each reading does, and is counted as unread */
}

struct timer *counter_source(void *context, unsigned id, const char **why)
{
    (void)context;
    *why = NULL;
    if (id == CYCLE_PMC) {
        here->pmc = (struct timer){.name = "pmc",
                                   .start = start_pmc,
                                   .read = read_pmc,
                                   .stop = stop_pmc,
                                   .context = here,
                                   .bits = here->pmc.bits};
        return &here->pmc;
    }
    if (id != CYCLE_APERF)
        return cycle_plain(id);
    *why = "MSRs need ring 0; a process has ring 3";
    return NULL;
}
