/*
 * How a process counts core cycles (hosted/platform/counter.c), on a simulated kernel: what it
 * grants, what read(2) returns, and a core whose additions take a cycle each.
 */
#include "tests/unit/cmocka_unit.h"
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "hosted/platform/process.h"
#include "tests/unit/linked_tsc.h" /* chain_adds() is this core's */

#define FD      7
#define READING 60 /* core cycles in user mode around a read(2) */

static struct kernel {
    int error;       /* of perf_event_open; 0: granted */
    int error_later; /* of the second one */
    bool rdpmc;      /* granted to user mode */
    bool lost;       /* the event has no counter any more: read(2) gives nothing */
    bool shared;     /* it counts half of the time only */
    double per_add;  /* what an addition counts */
    uint64_t cycles;
    unsigned opens, closes, reads;
    struct perf_event_attr attr;
    struct perf_event_mmap_page page;
} k;

void chain_adds(uint32_t adds)
{
    k.cycles += (uint64_t)(adds * k.per_add);
}

/* The linker replaces the system calls by these. */
long __wrap_syscall(long number, ...);
ssize_t __wrap_read(int fd, void *to, size_t n);
int __wrap_close(int fd);
void *__wrap_mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset);
int __wrap_munmap(void *at, size_t n);

long __wrap_syscall(long number, ...)
{
    va_list list;

    va_start(list, number);
    const struct perf_event_attr *attr = va_arg(list, struct perf_event_attr *);
    int pid = va_arg(list, int), cpu = va_arg(list, int), group = va_arg(list, int);
    unsigned long flags = va_arg(list, unsigned long);
    va_end(list);
    assert_int_equal(number, SYS_perf_event_open);
    assert_int_equal(pid, 0);
    assert_true(cpu >= -1 && group == -1 && flags == PERF_FLAG_FD_CLOEXEC);
    k.attr = *attr;
    int error = k.opens++ ? k.error_later : k.error;
    errno = error;
    return error ? -1 : FD;
}

ssize_t __wrap_read(int fd, void *to, size_t n)
{
    assert_int_equal(fd, FD);
    k.reads++;
    k.cycles += READING;
    uint64_t r[3] = {k.cycles, 1000 * k.reads, k.shared ? 500 * k.reads : 1000 * k.reads};
    assert_int_equal(n, sizeof r);
    memcpy(to, r, sizeof r);
    return k.lost ? 0 : (ssize_t)n;
}

int __wrap_close(int fd)
{
    assert_int_equal(fd, FD);
    k.closes++;
    return 0;
}

void *__wrap_mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset)
{
    assert_true(!at && n && protection == PROT_READ && flags == MAP_SHARED && offset == 0);
    assert_int_equal(fd, FD);
    k.page.cap_user_rdpmc = k.rdpmc;
    k.page.pmc_width = 48;
    return &k.page;
}

int __wrap_munmap(void *at, size_t n)
{
    assert_true(at == &k.page && n);
    return 0;
}

static struct timer plain;

struct timer *cycle_plain(unsigned id, bool has_rdtscp, const char **why)
{
    *why = NULL;
    return &plain;
}

struct cpuid_regs process_cpuid(void *ctx, uint32_t leaf, uint32_t subleaf)
{
    return (struct cpuid_regs){0};
}

static struct timer *timer_of(unsigned id)
{
    const char *why = "not looked at";
    struct timer *t = counter_source(NULL, id, &why);

    assert_null(why);
    return t;
}

/* Each test is another core. */
static void set_up(void)
{
    static unsigned core;

    k = (struct kernel){.per_add = 1};
    counter_core(++core, -1);
}

BEFORE_EACH(set_up);

/* If RDPMC is not allowed read(2) is used, and counts what the thread's own code takes. */
TEST(read_counts_where_rdpmc_is_not_allowed)
{
    uint64_t from, to;
    struct timer *pmc = timer_of(CYCLE_PMC), *perf = timer_of(CYCLE_PERF);

    assert_string_equal(pmc->start(pmc), "the kernel grants no RDPMC in user mode");
    assert_int_equal(k.closes, 1);
    assert_null(perf->start(perf));
    assert_true(k.attr.type == PERF_TYPE_HARDWARE && k.attr.config == PERF_COUNT_HW_CPU_CYCLES);
    assert_true(k.attr.pinned && k.attr.exclude_kernel && k.attr.exclude_hv);
    assert_int_equal(perf->read(perf, &from), TIMER_OK);
    chain_adds(12345);
    assert_int_equal(perf->read(perf, &to), TIMER_OK);
    assert_int_equal(to - from, 12345 + READING);
    perf->stop(perf);
    assert_int_equal(k.closes, 2);
    assert_int_equal(perf->read(perf, &to), TIMER_FAILED);
}

TEST(readings_of_a_multiplexed_counter_fail)
{
    uint64_t count;
    struct timer *perf = timer_of(CYCLE_PERF);

    assert_null(perf->start(perf));
    k.shared = true;
    assert_int_equal(perf->read(perf, &count), TIMER_FAILED);
    k.shared = false;
    assert_int_equal(perf->read(perf, &count), TIMER_OK);
    k.lost = true;
    assert_int_equal(perf->read(perf, &count), TIMER_FAILED);
    perf->stop(perf);
}

TEST(a_counter_that_does_not_count_core_cycles_does_not_start)
{
    struct timer *perf = timer_of(CYCLE_PERF);

    k.per_add = 0.5;
    assert_non_null(strstr(perf->start(perf), "counts, but not core cycles"));
    k.per_add = 0;
    k.shared = true;
    assert_non_null(strstr(perf->start(perf), "does not count"));
    assert_int_equal(k.opens, 2);
    assert_int_equal(k.closes, 2);
    k = (struct kernel){.error = ENOENT};
    assert_non_null(strstr(perf->start(perf), "knows no such counter here"));
    k = (struct kernel){.error = EACCES};
    assert_non_null(strstr(perf->start(perf), strerror(EACCES)));
    assert_int_equal(k.closes, 0);
}

/* A child counts its own cycles; if it is not allowed to, its readings fail. */
TEST(after_a_fork_the_child_has_a_new_counter)
{
    uint64_t count;
    struct timer *perf = timer_of(CYCLE_PERF);

    assert_null(perf->start(perf));
    counter_after_fork();
    assert_true(k.opens == 2 && k.closes == 1);
    assert_int_equal(perf->read(perf, &count), TIMER_OK);
    k.error_later = EMFILE;
    counter_after_fork();
    assert_int_equal(perf->read(perf, &count), TIMER_FAILED);
    unsigned closes = k.closes;
    perf->stop(perf);
    assert_int_equal(k.closes, closes); /* not twice */
}
