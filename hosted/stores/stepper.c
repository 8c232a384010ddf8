#include "hosted/stores/trace.h"
#include <asm/prctl.h>
#include <cpuid.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
#include "hosted/platform/signal_guard.h"

#define TF 0x100u

static ucontext_t *at; /* of the current trap */

/* --- state that a function must preserve ------------------------------------------------------ */

/* System V ABI, AMD64 supplement, 3.2.1: these registers belong to the caller; DF is clear, the x87
 * stack is empty and without MMX's tags, the control bits of MXCSR and the x87 control word are
 * preserved. It does not name AC and NT; no callee expects them to be set. */
const struct step_state step_states[STEP_STATES] = {
    {"rbx", REG_RBX, ~0ull},       {"rbp", REG_RBP, ~0ull},   {"r12", REG_R12, ~0ull},
    {"r13", REG_R13, ~0ull},       {"r14", REG_R14, ~0ull},   {"r15", REG_R15, ~0ull},
    {"rsp", REG_RSP, ~0ull},       {"DF", REG_EFL, 1u << 10}, {"NT", REG_EFL, 1u << 14},
    {"AC", REG_EFL, 1u << 18},     {"MXCSR", -1, 0xffc0},     {"the x87 control word", -1, 0xffff},
    {"the x87 stack", -1, 0xffff},
};
enum { MXCSR = 10, X87_CONTROL, X87_STACK };

static uint64_t at_entry[STEP_STATES];

static uint64_t state_of(const ucontext_t *u, unsigned i)
{
    const struct _libc_fpstate *x87 = u->uc_mcontext.fpregs;
    uint64_t v = i == MXCSR         ? x87->mxcsr
                 : i == X87_CONTROL ? x87->cwd
                 : i == X87_STACK   ? x87->ftw /* FXSAVE's: a bit per used register */
                                    : (uint64_t)u->uc_mcontext.gregs[step_states[i].at];

    return v & step_states[i].bits;
}

static void set_state(ucontext_t *u, unsigned i, uint64_t v)
{
    struct _libc_fpstate *x87 = u->uc_mcontext.fpregs;

    if (i == MXCSR)
        x87->mxcsr = (uint32_t)((x87->mxcsr & ~step_states[i].bits) | v);
    else if (i == X87_CONTROL)
        x87->cwd = (uint16_t)v;
    else if (i == X87_STACK)
        x87->ftw = (uint16_t)v;
    else
        u->uc_mcontext.gregs[step_states[i].at] =
            (greg_t)(((uint64_t)u->uc_mcontext.gregs[step_states[i].at] & ~step_states[i].bits) |
                     v);
}

static void keep_state(const ucontext_t *u)
{
    for (unsigned i = 0; i < STEP_STATES; i++)
        at_entry[i] =
            state_of(u, i) + (step_states[i].at == REG_RSP ? 8 : 0); /* RET pops the address */
}

/* Returns a bit for each part that had changed. */
static uint32_t restore_state(ucontext_t *u)
{
    uint32_t changed = 0;

    for (unsigned i = 0; i < STEP_STATES; i++)
        if (state_of(u, i) != at_entry[i]) {
            changed |= 1u << i;
            set_state(u, i, at_entry[i]);
        }
    return changed;
}

/* --- steps ------------------------------------------------------------------------------------ */

static bool on_step(void *ctx, ucontext_t *u)
{
    struct step *s = ctx;
    uint64_t ip = (uint64_t)u->uc_mcontext.gregs[REG_RIP];
    bool back = ip == (uint64_t)step_back;

    at = u;
    if (s->steps == 0)
        keep_state(u);
    if (s->before)
        s->before(s->ctx, ip, back);
    s->steps += !back;
    if (back)
        s->changed = restore_state(u);
    return !back;
}

static void enter(void *ctx)
{
    struct step *s = ctx;

    s->result = step_run(on_step, s, step_enter, s->function, s->argument).rax;
}

/* The return from a signal's handler keeps NT as the handler left it (Linux' FIX_EFLAGS). */
static void clear_nested_task(void)
{
    __asm__ volatile("sub $128, %%rsp\n\t" /* the red zone */
                     "pushfq\n\tbtrq $14, (%%rsp)\n\tpopfq\n\t"
                     "add $128, %%rsp"
                     :
                     :
                     : "memory", "cc");
}

bool step_call(struct step *s, struct guard_ended *ended)
{
    s->steps = 0;
    s->changed = 0;
    bool back = guard_call(enter, s, ended);
    clear_nested_task();
    return back;
}

void step_end(void)
{
    guard_leave(GUARD_STOPPED, (uint64_t)at->uc_mcontext.gregs[REG_RIP], "");
    _exit(1); /* reached only outside `before` */
}

void step_clean_flags(void)
{
    uint64_t pushed = (uint64_t)at->uc_mcontext.gregs[REG_RSP];

    *(uint16_t *)pushed &= (uint16_t)~TF; /* for PUSHF of 16 bits and of 64 */
}

/* --- registers -------------------------------------------------------------------------------- */

static const int general_at[16] = {
    REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
    REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
};

/* The XSAVE area in a signal's frame, in its standard form: SDM volume 1, 13.4; Linux,
 * arch/x86/include/uapi/asm/sigcontext.h. */
#define LEGACY_XMM   160
#define LEGACY_MAGIC 464 /* FP_XSTATE_MAGIC1 if there is more than the legacy area */
#define MAGIC        0x46505853u
#define HEADER       512 /* XSTATE_BV: components that are not in their initial state, zero */
enum { YMM_HIGH = 2, MASKS = 5, ZMM_HIGH = 6, ZMM_REST = 7 };

/* Returns a component's bytes; NULL: all zero. */
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

uint64_t step_stack(void)
{
    return (uint64_t)at->uc_mcontext.gregs[REG_RSP];
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
