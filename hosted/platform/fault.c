#include "hosted/platform/signal_guard.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "bench/engine/place.h"
#include "lib/text/fmt.h"
#include "hosted/platform/process.h"
#include "lib/config/status.h"

#define HANDLER_STACK (64u << 10)

static void (*end_report)(const char *message);
static char *told; /* fault_say() */
static size_t told_size;
static void (*hand_on)(void);
static const char *row_suite, *row_name, *last_suite, *last_name;
static volatile sig_atomic_t interrupted, faulted;

/* Only a bad access has an address, unless the kernel does not know it (SI_KERNEL). */
static void describe(int number, const siginfo_t *info, char *text, size_t size)
{
    if ((number == SIGSEGV || number == SIGBUS) && info->si_code != SI_KERNEL)
        fmt_buf(text, size, "SIG%s, address %llx,%s", sigabbrev_np(number),
                (unsigned long long)info->si_addr,
                number == SIGSEGV && info->si_code == SEGV_PKUERR ? " which PKRU forbids," : "");
    else if (number == SIGSYS)
        exit_guard_describe(info, text, size);
    else
        fmt_buf(text, size, "SIG%s", sigabbrev_np(number));
}

_Noreturn void fault_end(const char *what)
{
    char message[320];

    if (faulted) /* while handling the first fault */
        _exit(STATUS_FAULTED);
    faulted = 1;
    size_t n =
        fmt_buf(message, sizeof message, "%s while running %s%s%s", what,
                row_suite ? row_suite : "no row", row_name ? "/" : "", row_name ? row_name : "");
    if (!row_name && last_name)
        fmt_buf(message + n, sizeof message - n, ", after %s/%s", last_suite, last_name);
    if (told) {
        fmt_buf(told, told_size, "%s", message);
        _exit(STATUS_FAULTED);
    }
    end_report(message);
    output_flush();
    _exit(STATUS_FAULTED);
}

/* No report is half written outside the sampling loop's calls: a body faults between two writes,
 * not during one. */
static void on_fault(int number, siginfo_t *info, void *context)
{
    /* A body may have set AC or NT, which this code does not expect. */
    __asm__ volatile("pushfq\n\tandl $~0x44000, (%%rsp)\n\tpopfq" : : : "memory", "cc");
    /* Code that needs FS ran with a body's value: it is executed again. INT3 and SYSCALL are
     * already complete when they are reported. */
    if (segments_put_back() && number != SIGTRAP && number != SIGSYS)
        return;
    const ucontext_t *u = context;
    char place[208], what[sizeof((struct guard_ended *)0)->what];
    uint64_t offset, at = (uint64_t)u->uc_mcontext.gregs[REG_RIP];
    if (number == SIGSYS)
        at -= 2; /* SYSCALL and INT 0x80 are complete */
    describe(number, info, what, sizeof what);
    guard_leave(GUARD_FAULT, at, what);
    const char *name = place_name_at(at, &offset);
    size_t n = fmt_buf(place, sizeof place, "%s at %llx", what, (unsigned long long)at);
    if (name)
        fmt_buf(place + n, sizeof place - n, " in %.64s+0x%llx", name, (unsigned long long)offset);
    fault_end(place);
}

/* --- single steps ------------------------------------------------------------------------------
 */

static step_each *volatile stepped; /* NULL: no stepping */
static void *step_ctx;

/* A step is TRAP_TRACE on Linux and TRAP_BRKPT in qemu-user. On Linux TRAP_BRKPT is a body's own
 * icebp, which fails the row in its windows: such a row is not stepped. */
static bool is_step(const siginfo_t *info)
{
    return info->si_code == TRAP_TRACE || info->si_code == TRAP_BRKPT;
}

static void on_trap(int number, siginfo_t *info, void *context)
{
    /* The function may have set AC, which this code does not expect. */
    __asm__ volatile("pushfq\n\tandl $~0x40000, (%%rsp)\n\tpopfq" : : : "memory", "cc");
    ucontext_t *at = context;
    if (!stepped || !is_step(info)) {
        on_fault(number, info, context);
        return;
    }
    greg_t *flags = &at->uc_mcontext.gregs[REG_EFL];
    bool goes_on = stepped(step_ctx, at); /* it may change the flags */
    *flags = (greg_t)step_flags((uint64_t)*flags, goes_on);
}

struct step_result step_run(step_each *each, void *ctx, step_entry *entry, const void *code,
                            const uint64_t argument[STEP_ARGUMENTS])
{
    step_ctx = ctx;
    stepped = each;
    struct step_result result = entry(argument, code);
    stepped = NULL;
    return result;
}

void step_drop(void)
{
    stepped = NULL;
}

/* --- the user, and the deadline ----------------------------------------------------------------
 */

/* timeout(1) and shells signal a process and then its group: both signals are one request. */
#define SAME_WISH_NS 100000000

/* The first signal leaves the current row, and the run ends with its report; the second ends the
 * run and its forked processes at once. */
static void on_interrupt(int number)
{
    segments_put_back();
    static uint64_t first;
    if (!interrupted)
        first = clock_ns(CLOCK_MONOTONIC);
    else if (clock_ns(CLOCK_MONOTONIC) - first < SAME_WISH_NS)
        return;
    if (interrupted && !told) {
        signal(number, SIG_DFL);
        raise(number); /* delivered when this handler returns */
    }
    interrupted = 1;
    if (hand_on)
        hand_on();
    guard_leave(GUARD_STOPPED, 0, "");
}

void fault_overdue(void)
{
    if (!told)
        return;
    fmt_buf(told, told_size, "it did not end before deadline=");
    _exit(STATUS_FAULTED);
}

void fault_catch(void (*end)(const char *message))
{
    static const int faults[] = {SIGILL, SIGFPE, SIGSEGV, SIGBUS, SIGSYS};
    static uint8_t handler_stack[HANDLER_STACK]; /* after a stack overflow no other stack is left */
    stack_t stack = {.ss_sp = handler_stack, .ss_size = sizeof handler_stack};
    struct sigaction fault = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    struct sigaction trap = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    struct sigaction interrupt = {.sa_handler = on_interrupt, .sa_flags = SA_RESTART | SA_ONSTACK};

    end_report = end;
    sigaltstack(&stack, NULL);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigaction(faults[i], &fault, NULL);
    /* A signal from the user waits for the end of a handler, so that nothing is left half done. */
    sigaddset(&trap.sa_mask, SIGINT);
    sigaddset(&trap.sa_mask, SIGTERM);
    sigaction(SIGTRAP, &trap, NULL);
    sigaction(SIGINT, &interrupt, NULL);
    sigaction(SIGTERM, &interrupt, NULL);
}

void fault_hand_on(void (*to_others)(void))
{
    hand_on = to_others;
}

void fault_say(char *said, size_t size)
{
    signal(SIGINT, SIG_IGN); /* a terminal signals all of them: the parent passes it on */
    hand_on = NULL;
    told = said;
    told_size = size;
}

void fault_row(const char *suite, const char *name)
{
    if (row_name) {
        last_suite = row_suite;
        last_name = row_name;
    }
    row_suite = suite;
    row_name = name;
}

bool fault_interrupted(void)
{
    return interrupted;
}
