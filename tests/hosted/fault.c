#include "tests/hosted/fault.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>
#include "lib/text/fmt.h"
#include "tests/hosted/output.h"
#include "tests/hosted/status.h"

#define HANDLER_STACK (64u << 10)

static struct report *report;
static char *told; /* fault_say() */
static size_t told_size;
static const char *row_suite, *row_name;
static volatile sig_atomic_t interrupted, faulted;

/* Outside the sampling loop's own calls nothing is half done: a body faults between two writes,
 * not in one. */
static void on_fault(int number, siginfo_t *info, void *context)
{
    const ucontext_t *u = context;
    char message[192];
    if (faulted) /* on the way here */
        _exit(STATUS_FAULTED);
    faulted = 1;
    fmt_buf(message, sizeof message, "SIG%s at %llx, address %llx, while running %s%s%s",
            sigabbrev_np(number), (unsigned long long)u->uc_mcontext.gregs[REG_RIP],
            (unsigned long long)info->si_addr, row_suite ? row_suite : "no row",
            row_name ? "/" : "", row_name ? row_name : "");
    if (told) {
        fmt_buf(told, told_size, "%s", message);
        _exit(STATUS_FAULTED);
    }
    report_event(report, "fault", message);
    report->failures++;
    report_end(report, false);
    output_flush();
    _exit(STATUS_FAULTED);
}

static void on_interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

void fault_catch(struct report *r)
{
    static const int faults[] = {SIGILL, SIGFPE, SIGSEGV, SIGBUS};
    static uint8_t handler_stack[HANDLER_STACK]; /* a stack overflow has none left */
    stack_t stack = {.ss_sp = handler_stack, .ss_size = sizeof handler_stack};
    struct sigaction fault = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    struct sigaction interrupt = {.sa_handler = on_interrupt, .sa_flags = SA_RESTART | SA_ONSTACK};
    report = r;
    sigaltstack(&stack, NULL);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigaction(faults[i], &fault, NULL);
    sigaction(SIGINT, &interrupt, NULL);
    sigaction(SIGTERM, &interrupt, NULL);
}

void fault_say(char *said, size_t size)
{
    told = said;
    told_size = size;
}

void fault_row(const char *suite, const char *name)
{
    row_suite = suite;
    row_name = name;
}

bool fault_interrupted(void)
{
    return interrupted;
}
