#include "hosted/platform/trap_step.h"
#include <stddef.h>

static step_each *volatile now; /* NULL: no stepping */
static void *now_ctx;
static void (*other)(int number, siginfo_t *info, void *context);

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
    if (!now || !is_step(info)) {
        other(number, info, context);
        return;
    }
    greg_t *flags = &at->uc_mcontext.gregs[REG_EFL];
    bool goes_on = now(now_ctx, at); /* it may change the flags */
    *flags = (greg_t)step_flags((uint64_t)*flags, goes_on);
}

void step_open(void (*otherwise)(int number, siginfo_t *info, void *context))
{
    struct sigaction trap = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO | SA_ONSTACK};

    /* A signal from the user waits for the end of a handler, so that nothing is left half done. */
    sigaddset(&trap.sa_mask, SIGINT);
    sigaddset(&trap.sa_mask, SIGTERM);
    other = otherwise;
    sigaction(SIGTRAP, &trap, NULL);
}

struct step_result step_run(step_each *each, void *ctx, step_entry *entry, const void *code,
                            const uint64_t argument[STEP_ARGUMENTS])
{
    now_ctx = ctx;
    now = each;
    struct step_result result = entry(argument, code);
    now = NULL;
    return result;
}

static bool count(void *ctx, ucontext_t *at)
{
    const greg_t *r = at->uc_mcontext.gregs;

    return stepping_trap(ctx, (uint64_t)r[REG_RIP], (uint64_t)r[REG_RCX], (uint64_t)r[REG_RSP]);
}

struct step_result step_counted(struct stepping *s, step_entry *entry, const void *code,
                                const uint64_t argument[STEP_ARGUMENTS])
{
    stepping_begin(s);
    return step_run(count, s, entry, code, argument);
}

void step_drop(void)
{
    now = NULL;
}
