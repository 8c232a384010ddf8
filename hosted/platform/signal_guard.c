/* Guarded calls, and what a body can change and no window restores. CFLAGS: no function here has a
 * stack canary, which would be read through FS. */
#include "hosted/platform/signal_guard.h"
#include <asm/prctl.h>
#include <asm/unistd_64.h>
#include <cpuid.h>
#include <linux/rseq.h>
#include <setjmp.h>
#include <sys/auxv.h>
#include <sys/rseq.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>
#include "lib/text/fmt.h"
#include "hosted/platform/process.h"

/* --- protection keys of memory ---------------------------------------------------------------- */

/*
 * Protection keys of memory (Intel SDM vol. 3A section 4.6.2): a body can execute WRPKRU and take
 * from the program the memory of key 0, which is all of it. The next access is then a SIGSEGV.
 * Linux 6.12 and later write its frame and run its handler with the keys that a process begins
 * with; earlier ones cannot deliver it and end the process.
 */

#define OSPKE 0x10 /* CPUID leaf 7 ECX: the system has set CR4.PKE; Intel SDM vol. 2A CPUID */

#define AT_RSEQ_SIZE 27 /* AT_RSEQ_FEATURE_SIZE of linux/auxvec.h, since Linux 6.3 */
#define RSEQ_FIRST   32 /* the size of the area before that; sizes are multiples of it */

static bool has_keys;
static uint32_t own_keys;

static uint32_t read_pkru(void)
{
    uint32_t value, zero;

    __asm__ volatile("rdpkru" : "=a"(value), "=d"(zero) : "c"(0));
    return value;
}

static void write_pkru(uint32_t value)
{
    __asm__ volatile("wrpkru" : : "a"(value), "c"(0), "d"(0) : "memory");
}

/* The size must be that of the registration: that of the first version, or what the kernel asks
 * for. */
static void end_rseq(void)
{
    char *area = (char *)__builtin_thread_pointer() + __rseq_offset;
    uint64_t asked = (getauxval(AT_RSEQ_SIZE) + RSEQ_FIRST - 1) / RSEQ_FIRST * RSEQ_FIRST;

    if (__rseq_size == 0) /* the library has registered none */
        return;
    if (syscall(SYS_rseq, area, RSEQ_FIRST, RSEQ_FLAG_UNREGISTER, RSEQ_SIG) != 0)
        syscall(SYS_rseq, area, asked, RSEQ_FLAG_UNREGISTER, RSEQ_SIG);
}

/* Keeps PKRU as it is now. Ends the C library's rseq(2): the kernel writes that area before it
 * delivers a signal and when it moves the process, with the keys of the body, and ends the process
 * where it cannot. */
static void open_keys(void)
{
    uint32_t eax, ebx, ecx, edx;

    has_keys = __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) && ecx & OSPKE;
    if (!has_keys)
        return;
    own_keys = read_pkru();
    end_rseq();
}

/* Restores PKRU. True: it had changed. */
static bool put_back_keys(void)
{
    if (!has_keys || read_pkru() == own_keys)
        return false;
    write_pkru(own_keys);
    return true;
}

/* --- FS and GS -------------------------------------------------------------------------------- */

/*
 * FS and GS of this process, which a body can change and no window restores. FS points to the C
 * library's thread-local data: code before segments_put_back() must not use any. May be called in a
 * signal's handler.
 */

enum { FS, GS, SEGMENTS };

struct segment {
    uint16_t selector;
    uint64_t base;
};

static const char *const segment_names[SEGMENTS] = {"the FS base", "the GS base"};
static struct segment own[SEGMENTS];
static bool kept, changed[SEGMENTS];

/* arch_prctl(2) without the library's errno. */
static void base_call(int code, uint64_t argument)
{
    long result;

    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(__NR_arch_prctl), "D"(code), "S"(argument)
                     : "rcx", "r11", "memory");
}

static struct segment read_segment(unsigned i)
{
    struct segment s = {0, 0};

    base_call(i == FS ? ARCH_GET_FS : ARCH_GET_GS, (uint64_t)(uintptr_t)&s.base);
    if (i == FS)
        __asm__ volatile("mov %%fs, %0" : "=r"(s.selector));
    else
        __asm__ volatile("mov %%gs, %0" : "=r"(s.selector));
    return s;
}

/* Loading a selector changes the base. */
static void write_segment(unsigned i, const struct segment *s)
{
    if (i == FS)
        __asm__ volatile("mov %0, %%fs" : : "r"((uint32_t)s->selector));
    else
        __asm__ volatile("mov %0, %%gs" : : "r"((uint32_t)s->selector));
    base_call(i == FS ? ARCH_SET_FS : ARCH_SET_GS, s->base);
}

/* A row begins: the values found now are kept. */
static void keep_segments(void)
{
    for (unsigned i = 0; i < SEGMENTS; i++) {
        own[i] = read_segment(i);
        changed[i] = false;
    }
    kept = true;
}

bool segments_put_back(void)
{
    bool any = false;

    for (unsigned i = 0; kept && i < SEGMENTS; i++) {
        struct segment now = read_segment(i);
        if (now.selector == own[i].selector && now.base == own[i].base)
            continue;
        write_segment(i, &own[i]);
        changed[i] = any = true;
    }
    return any;
}

/* Writes what was found changed ("the FS base") to `out`, and forgets it. */
static void tell_segments(struct sink *out)
{
    const char *before = "";

    for (unsigned i = 0; i < SEGMENTS; i++) {
        if (!changed[i])
            continue;
        fmt(out, "%s%s", before, segment_names[i]);
        before = ", ";
        changed[i] = false;
    }
}

/* --- guarded calls ---------------------------------------------------------------------------- */

static sigjmp_buf before;
static volatile sig_atomic_t running, overdue;
static struct guard_ended *told;
static uint64_t deadline_us, left_us; /* of every row, and of the current one */
static struct used {
    uint64_t cpu_us, wall_us;
} row_began, row_used;
static uint64_t hz;

static void set_timer(__itimer_which_t timer, uint64_t us)
{
    const struct itimerval when = {
        .it_value = {.tv_sec = (time_t)(us / 1000000), .tv_usec = (suseconds_t)(us % 1000000)}};

    setitimer(timer, &when, NULL);
}

/* Starts the timers of CPU time and of elapsed time; 0 stops them. */
static void set_alarm(uint64_t us)
{
    set_timer(ITIMER_PROF, us);
    set_timer(ITIMER_REAL, us * GUARD_WALL_TIMES);
}

static struct used now(void)
{
    return (struct used){clock_ns(CLOCK_PROCESS_CPUTIME_ID) / 1000,
                         clock_ns(CLOCK_MONOTONIC) / 1000};
}

/* A deadline between two guarded calls ends the next call. The second signal of a row is ignored:
 * it could interrupt the handling of the first one, which would look like the time between two
 * calls. */
static void on_alarm(int number, siginfo_t *info, void *context)
{
    segments_put_back(); /* leaving a guarded call needs FS */
    const ucontext_t *u = context;
    (void)number, (void)info;
    if (overdue)
        return;
    overdue = 1;
    guard_leave(GUARD_DEADLINE, (uint64_t)u->uc_mcontext.gregs[REG_RIP], "");
    fault_overdue();
}

void guard_row_begin(uint64_t ran)
{
    uint64_t ran_us = hz ? (uint64_t)((double)ran * 1e6 / (double)hz) : 0;

    left_us = ran_us < deadline_us ? deadline_us - ran_us : 1;
    overdue = 0;
    keep_segments();
    row_began = now();
    set_alarm(left_us);
}

static void row_longer(const struct platform *p, unsigned ms)
{
    (void)p;
    if (left_us == 0)
        return; /* no row has begun */
    overdue = 0;
    set_alarm(left_us + ms * 1000ull);
}

static void row_waits(bool waits)
{
    static struct itimerval left;
    static uint64_t since_us;

    if (waits) {
        since_us = clock_ns(CLOCK_PROCESS_CPUTIME_ID) / 1000;
        setitimer(ITIMER_PROF, &(struct itimerval){0}, &left);
    } else {
        row_began.cpu_us += clock_ns(CLOCK_PROCESS_CPUTIME_ID) / 1000 - since_us;
        setitimer(ITIMER_PROF, &left, NULL);
    }
}

void guard_row_end(void)
{
    struct used end = now();

    set_alarm(0);
    left_us = 0;
    kept = false;
    row_used = (struct used){end.cpu_us - row_began.cpu_us, end.wall_us - row_began.wall_us};
}

static uint64_t row_ran(void)
{
    uint64_t slept_us = row_used.wall_us / GUARD_WALL_TIMES,
             us = row_used.cpu_us > slept_us ? row_used.cpu_us : slept_us;

    return (uint64_t)((double)us * (double)hz / 1e6);
}

void guard_leave(enum guard_end by, uint64_t at, const char *what)
{
    if (!running)
        return;
    running = 0;
    step_drop();
    *told = (struct guard_ended){.by = by, .at = at};
    fmt_buf(told->what, sizeof told->what, "%s", what);
    siglongjmp(before, 1);
}

static void tell_changed(struct guard_ended *ended)
{
    struct sink_buf changed;

    sink_buf_init(&changed, ended->changed, sizeof ended->changed);
    tell_segments(&changed.sink);
}

/* Restores what a row's functions, including its setup and its check, may have changed. */
static void restore_state(uint32_t mxcsr, uint16_t control)
{
    __asm__ volatile("cld\n\tfninit\n\tfldcw %0\n\tldmxcsr %1" : : "m"(control), "m"(mxcsr));
    if (__builtin_cpu_supports("avx"))
        __asm__ volatile("vzeroupper"); /* otherwise SSE code after it could be slow */
}

bool guard_call(void (*fn)(void *ctx), void *ctx, struct guard_ended *ended)
{
    uint32_t mxcsr;
    uint16_t control;

    told = ended;
    *ended = (struct guard_ended){.by = GUARD_CAME_BACK};
    __asm__ volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(mxcsr), "=m"(control));
    if (sigsetjmp(before, 1) != 0) {
        put_back_keys();
        restore_state(mxcsr, control);
        tell_changed(ended);
        return false;
    }
    running = 1;
    /* A signal that came earlier found no call to leave. */
    if (overdue)
        guard_leave(GUARD_DEADLINE, (uint64_t)__builtin_return_address(0), "");
    if (fault_interrupted())
        guard_leave(GUARD_STOPPED, 0, "");
    fn(ctx);
    ended->pkru = put_back_keys();
    segments_put_back();
    restore_state(mxcsr, control);
    running = 0;
    tell_changed(ended);
    return true;
}

static bool count_step(void *ctx, ucontext_t *at)
{
    const greg_t *r = at->uc_mcontext.gregs;

    return stepping_trap(ctx, (uint64_t)r[REG_RIP], (uint64_t)r[REG_RCX], (uint64_t)r[REG_RSP]);
}

static struct step_result count_steps(struct stepping *s, step_entry *entry, const void *code,
                                      const uint64_t argument[STEP_ARGUMENTS])
{
    stepping_begin(s);
    return step_run(count_step, s, entry, code, argument);
}

void guard_open(struct platform *p, unsigned seconds, uint64_t tsc_hz)
{
    struct sigaction alarm = {.sa_sigaction = on_alarm,
                              .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};

    p->row.longer = row_longer;
    p->row.waits = row_waits;
    p->row.ran = row_ran;
    p->guarded = guard_call;
    p->step = count_steps;
    deadline_us = seconds * 1000000ull;
    hz = tsc_hz;
    open_keys();
    sigaction(SIGALRM, &alarm, NULL);
    sigaction(SIGPROF, &alarm, NULL);
}
