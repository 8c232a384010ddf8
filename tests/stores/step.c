#include "tests/stores/step.h"
#include <asm/prctl.h>
#include <cpuid.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
#include "tests/hosted/guard.h"

#define TF 0x100u

/* uint64_t step_enter(const uint64_t arguments[STEP_ARGUMENTS], const void *function): the first
 * trap is behind the call, at the function's first instruction. */
uint64_t step_enter(const uint64_t *arguments, const void *function);
extern const char step_back[];
__asm__(".text\n"
        ".globl step_enter, step_back\n"
        ".hidden step_enter, step_back\n"
        ".type step_enter, @function\n"
        "step_enter:\n\t"
        "push %rbx\n\t"
        "mov %rsi, %rax\n\t"
        "mov %rdi, %r11\n\t"
        "mov (%r11), %rdi\n\t"
        "mov 8(%r11), %rsi\n\t"
        "mov 16(%r11), %rdx\n\t"
        "mov 24(%r11), %rcx\n\t"
        "mov 32(%r11), %r8\n\t"
        "pushfq\n\t"
        "orl $0x100, (%rsp)\n\t"
        "popfq\n\t"
        "call *%rax\n"
        "step_back:\n\t"
        "pop %rbx\n\t"
        "ret\n"
        ".size step_enter, . - step_enter\n");

static struct step *now;
static ucontext_t *at; /* of the trap that is handled */

static greg_t *flags(void)
{
    return &at->uc_mcontext.gregs[REG_EFL];
}

static void on_trap(int number, siginfo_t *info, void *context)
{
    /* The function may have set AC, of which nothing here knows. */
    __asm__ volatile("pushfq\n\tandl $~0x40000, (%%rsp)\n\tpopfq" : : : "memory", "cc");
    at = context;
    (void)number;
    uint64_t ip = (uint64_t)at->uc_mcontext.gregs[REG_RIP];
    if (info->si_code != TRAP_TRACE) {
        guard_leave(GUARD_FAULT, ip, "SIGTRAP");
        _exit(1); /* no step is under way: whose trap is it? */
    }
    bool back = ip == (uint64_t)step_back;
    if (now->before)
        now->before(now->ctx, ip, back);
    if (back) {
        *flags() &= ~(greg_t)TF;
        return;
    }
    now->steps++;
    *flags() |= TF; /* POPF may have taken it away; that takes effect behind the next one */
}

void step_open(void)
{
    struct sigaction trap = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    /* A person's wish to stop waits for the end of a handler: nothing is left half done. */
    sigaddset(&trap.sa_mask, SIGINT);
    sigaddset(&trap.sa_mask, SIGTERM);
    sigaction(SIGTRAP, &trap, NULL);
}

static void enter(void *ctx)
{
    struct step *s = ctx;
    s->result = step_enter(s->argument, s->function);
}

bool step_call(struct step *s, struct guard_ended *ended)
{
    now = s;
    s->steps = 0;
    return guard_call(enter, s, ended);
}

void step_end(void)
{
    guard_leave(GUARD_STOPPED, (uint64_t)at->uc_mcontext.gregs[REG_RIP], "");
    _exit(1); /* not called by `before` */
}

void step_clean_flags(void)
{
    uint64_t pushed = (uint64_t)at->uc_mcontext.gregs[REG_RSP];
    *(uint16_t *)pushed &= (uint16_t)~TF; /* PUSHF of 16 bits or of 64 */
}

/* --- registers -------------------------------------------------------------------------------- */

static const int general_at[16] = {
    REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
    REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
};

/* What XSAVE has in a signal's frame, in its standard form: SDM volume 1, 13.4; Linux,
 * arch/x86/include/uapi/asm/sigcontext.h. */
#define LEGACY_XMM   160
#define LEGACY_MAGIC 464 /* FP_XSTATE_MAGIC1 where there is more than the legacy area */
#define MAGIC        0x46505853u
#define HEADER       512 /* XSTATE_BV: which components are not in their initial state, zero */
enum { YMM_HIGH = 2, MASKS = 5, ZMM_HIGH = 6, ZMM_REST = 7 };

/* A component's bytes; NULL: all zero. */
static const uint8_t *component(const uint8_t *area, unsigned number)
{
    static uint32_t offset[8];
    uint32_t size, ecx, edx, magic;
    uint64_t present;
    memcpy(&magic, area + LEGACY_MAGIC, sizeof magic);
    if (magic != MAGIC)
        return NULL;
    memcpy(&present, area + HEADER, sizeof present);
    if (!(present >> number & 1))
        return NULL;
    if (!offset[number])
        __cpuid_count(0xd, number, size, offset[number], ecx, edx);
    return area + offset[number];
}

static void put(uint8_t *to, const uint8_t *from, size_t bytes)
{
    if (from)
        memcpy(to, from, bytes);
    else
        memset(to, 0, bytes);
}

static void read_vectors(struct registers *r)
{
    const uint8_t *area = (const uint8_t *)at->uc_mcontext.fpregs;
    const uint8_t *high = component(area, YMM_HIGH), *masks = component(area, MASKS);
    const uint8_t *zmm = component(area, ZMM_HIGH), *rest = component(area, ZMM_REST);
    for (unsigned i = 0; i < 16; i++) {
        put(r->vector[i], area + LEGACY_XMM + 16 * i, 16);
        put(r->vector[i] + 16, high ? high + 16 * i : NULL, 16);
        put(r->vector[i] + 32, zmm ? zmm + 32 * i : NULL, 32);
        put(r->vector[i + 16], rest ? rest + 64 * i : NULL, 64);
    }
    put((uint8_t *)r->mask, masks, sizeof r->mask);
}

void step_registers(struct registers *r, bool vectors, bool segments)
{
    for (unsigned i = 0; i < 16; i++)
        r->general[i] = (uint64_t)at->uc_mcontext.gregs[general_at[i]];
    if (vectors)
        read_vectors(r);
    if (segments) {
        syscall(SYS_arch_prctl, ARCH_GET_FS, &r->fs);
        syscall(SYS_arch_prctl, ARCH_GET_GS, &r->gs);
    }
}
