#include "hosted/platform/signal_guard.h"
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>
#include <ucontext.h>
#include "lib/text/fmt.h"
#include "hosted/platform/process.h"
#include "hosted/platform/trap_step.h"

static sigjmp_buf before;
static volatile sig_atomic_t running, overdue;
static struct guard_ended *told;
static uint64_t deadline_us, left_us; /* of every row, and of the current one */
static struct used {
    uint64_t cpu_us, wall_us;
} row_began, row_used;
static uint64_t hz;
static bool (*is_stopped)(void);
static void (*outside)(void);

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
    outside();
}

void guard_open(unsigned seconds, uint64_t tsc_hz)
{
    struct sigaction alarm = {.sa_sigaction = on_alarm,
                              .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};

    deadline_us = seconds * 1000000ull;
    hz = tsc_hz;
    keys_open();
    sigaction(SIGALRM, &alarm, NULL);
    sigaction(SIGPROF, &alarm, NULL);
}

void guard_ask(bool (*stopped)(void), void (*overdue_outside)(void))
{
    is_stopped = stopped;
    outside = overdue_outside;
}

void guard_row_begin(uint64_t ran)
{
    uint64_t ran_us = hz ? (uint64_t)((double)ran * 1e6 / (double)hz) : 0;

    left_us = ran_us < deadline_us ? deadline_us - ran_us : 1;
    overdue = 0;
    segments_keep();
    row_began = now();
    set_alarm(left_us);
}

void guard_row_longer(const struct platform *p, unsigned ms)
{
    (void)p;
    if (left_us == 0)
        return; /* no row has begun */
    overdue = 0;
    set_alarm(left_us + ms * 1000ull);
}

void guard_row_waits(bool waits)
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
    segments_drop();
    row_used = (struct used){end.cpu_us - row_began.cpu_us, end.wall_us - row_began.wall_us};
}

uint64_t guard_row_ran(void)
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
    segments_tell(&changed.sink);
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
        keys_put_back();
        restore_state(mxcsr, control);
        tell_changed(ended);
        return false;
    }
    running = 1;
    /* A signal that came earlier found no call to leave. */
    if (overdue)
        guard_leave(GUARD_DEADLINE, (uint64_t)__builtin_return_address(0), "");
    if (is_stopped())
        guard_leave(GUARD_STOPPED, 0, "");
    fn(ctx);
    ended->pkru = keys_put_back();
    segments_put_back();
    restore_state(mxcsr, control);
    running = 0;
    tell_changed(ended);
    return true;
}
