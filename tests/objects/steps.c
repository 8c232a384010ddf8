/*
 * Bodies at which single-stepping can go wrong, each with the instructions of an operation that are
 * its own: what the loop of iterations() takes besides is in its empty body. stepped() is what only
 * a stepped window does: it has few operations.
 */
#include "baretick.h"

#define OPS         1000
#define FEW(n)      ((n) < 500)
#define BODY(name_) static int name_(uint64_t n, struct baretick_object *o)
#define ITERATIONS                                                                                 \
    for (; n; n--) {                                                                               \
        o->counter++;                                                                              \
        BARETICK_CLOBBER();                                                                        \
    }

/* One operation is the assembly, in a loop with a twin that lacks it. */
#define ROW(name_, what_, ...) ROW_OF(name_, what_, OPS, __VA_ARGS__)
#define ROW_OF(name_, what_, ops_, ...)                                                            \
    BODY(name_)                                                                                    \
    {                                                                                              \
        for (; n; n--) {                                                                           \
            __asm__ volatile(__VA_ARGS__);                                                         \
            __asm__ volatile("" : : : "memory");                                                   \
        }                                                                                          \
        (void)o;                                                                                   \
        return 0;                                                                                  \
    }                                                                                              \
    BARETICK_ROW(steps, name_, what_, .body = name_, .empty = iterations, .ops = ops_)

BODY(iterations)
{
    for (; n; n--)
        __asm__ volatile("" : : : "memory");
    (void)o;
    return 0;
}

/* 3: the trap after MOV SS is lost on silicon */
ROW(mov_ss, "MOV SS", "mov %%ss, %%eax\n\tmov %%eax, %%ss\n\tnop" : : : "eax");
/* 4: two in a row */
#define MOV_SS_TWICE "mov %%ss, %%eax\n\tmov %%eax, %%ss\n\tmov %%eax, %%ss\n\tnop"
ROW(mov_ss_twice, "MOV SS, MOV SS", MOV_SS_TWICE : : : "eax");
/* 3: a hypervisor may lose the trap, and takes its time */
#define CPUID_0 "xor %%eax, %%eax\n\tcpuid\n\tnop"
ROW_OF(cpuid, "CPUID", 20, CPUID_0 : : : "eax", "ebx", "ecx", "edx", "cc");
/* 2 */
ROW(rdtsc, "RDTSC", "rdtsc\n\tnop" : : : "eax", "edx");
/* 4, and the flags that it reads are its own: the shift counts the trap flag into the result */
ROW(pushf, "PUSHF, POPF", "pushfq\n\tpopfq\n\tpushfq\n\tpop %%rax" : : : "rax", "memory", "cc");
/* 3, 8 iterations */
#define REP_STOSQ "mov 8(%0), %%rdi\n\tmov $8, %%ecx\n\trep stosq" /* to the object's room */
ROW(rep, "REP STOSQ", REP_STOSQ : : "r"(o) : "rdi", "rcx", "memory");
/* 3, 2 iterations: the comparison ends it */
#define REPNE_SCASB                                                                                \
    "lea 1f(%%rip), %%rdi\n\tmov $8, %%ecx\n\trepne scasb\n\t"                                     \
    ".section .rodata\n1:\t.byte 1, 0, 1, 1, 1, 1, 1, 1\n\t.text"
ROW(repne, "REPNE SCASB", REPNE_SCASB : : "a"(0) : "rdi", "rcx", "memory", "cc");
/* 2, 0 iterations */
ROW(rep_none, "REP STOSB, none", "xor %%ecx, %%ecx\n\trep stosb" : : : "rcx", "cc");
/* 9: a loop that jumps to itself */
ROW(loop_self, "LOOP to itself", "mov $8, %%ecx\n1:\tloop 1b" : : : "rcx");

/* 3: the kernel returns with the trap flag set again, one instruction too late. 39 is getpid. */
#define GETPID "mov $39, %%eax\n\tsyscall\n\tnop"
BODY(calls_linux)
{
    for (; n; n--)
        __asm__ volatile(GETPID : : : "rax", "rcx", "r11", "memory", "cc");
    (void)o;
    return 0;
}
BARETICK_ROW(steps_linux, syscall, "SYSCALL", .body = calls_linux, .empty = iterations, .ops = 20);

/* What stepping must not show: the trap flag in what PUSHF pushes. */
BODY(sees_no_flag)
{
    for (; n; n--) {
        uint64_t flags;
        __asm__ volatile("pushfq\n\tpop %0" : "=r"(flags) : : "memory");
        if (flags & 0x100)
            return 1;
        o->counter++;
    }
    return 0;
}
BARETICK_ROW(steps, sees_no_flag, "PUSHF", .body = sees_no_flag, .ops = OPS,
             .check = baretick_counted);

BODY(faults)
{
    if (FEW(n))
        __asm__ volatile("ud2");
    ITERATIONS
    return 0;
}
BARETICK_ROW(steps_end, faults, "a fault while it is stepped", .body = faults, .ops = OPS);

BODY(endless)
{
    while (FEW(n))
        BARETICK_CLOBBER();
    ITERATIONS
    return 0;
}
BARETICK_ROW(steps_endless, endless, "no end while it is stepped", .body = endless, .ops = OPS);

/* Only a CPU with RTM has it. */
BODY(begins)
{
    if (FEW(n))
        __asm__ volatile("xbegin 1f\n\txend\n1:" : : : "rax", "memory");
    ITERATIONS
    return 0;
}
BARETICK_ROW(steps_rtm, transaction, "a transaction while it is stepped", .body = begins,
             .ops = OPS, .check = baretick_counted);

BODY(wanders)
{
    if (FEW(n))
        __asm__ volatile("mov %%rsp, %%rax\n\txor %%esp, %%esp\n\tnop\n\tmov %%rax, %%rsp"
                         :
                         :
                         : "rax", "cc");
    ITERATIONS
    return 0;
}
BARETICK_ROW(steps_end, no_stack, "a stack pointer of zero", .body = wanders, .ops = OPS,
             .check = baretick_counted);

BODY(fails)
{
    if (FEW(n))
        return 1;
    ITERATIONS
    return 0;
}
BARETICK_ROW(steps_end, refuses, "an error with few operations", .body = fails, .ops = OPS);

static const char *wants_20(const struct baretick_object *o, uint64_t operations)
{
    (void)o;
    return operations < 20 ? "that is too few" : 0;
}
static const char *wants_all(const struct baretick_object *o, uint64_t operations)
{
    (void)o;
    return operations < OPS ? "that is too few" : 0;
}
BODY(counts)
{
    ITERATIONS
    return 0;
}
BARETICK_ROW(steps_end, picky, "a check that wants more", .body = counts, .ops = OPS,
             .check = wants_20);
BARETICK_ROW(steps_end, strict, "a check that wants all of a window", .body = counts, .ops = OPS,
             .check = wants_all);

BODY(goes_on)
{
    for (; n; n--)
        __asm__ volatile("mov $16000, %%ecx\n1:\tdec %%ecx\n\tjnz 1b" : : : "rcx", "cc", "memory");
    (void)o;
    return 0;
}
BARETICK_ROW(steps_long, too_long, "32,000 instructions", .body = goes_on, .ops = 10);
BARETICK_ROW(steps_end, zz_good, "++*x", .body = counts, .ops = OPS, .check = baretick_counted);
