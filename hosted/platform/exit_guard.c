#include "hosted/platform/signal_guard.h"
#include <asm/prctl.h>
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "bench/api/platform.h"
#include "lib/text/fmt.h"
#include "lib/text/str.h"

#define X32_BIT 0x40000000u /* asm/unistd.h: __X32_SYSCALL_BIT */

enum abi { NATIVE, X32, I386, ABIS };
#define NO_NUMBER UINT32_MAX /* the ABI does not have the call */

#define ENDS      "end the program"
#define REPLACES  "replace the program"
#define DOUBLES   "run the program twice"
#define SIGNALS   "change the program's signals"
#define BLOCKS    "wait with signals blocked"
#define SENDS     "send a signal"
#define TIMES     "change the program's timers"
#define SCHEDULES "change how the program is scheduled"
#define LIMITS    "limit the program"
#define CONTROLS  "change the process"
#define TRACES    "stop the program at each signal"
#define UNMAPS    "change the memory of the program"
#define FORGES    "write into the report"

/* The condition on which calls of a number are refused. ALWAYS: all. ON_REPORT, ON_CPUID: if the
 * first argument is the report's descriptor, or ARCH_SET_CPUID. The others: if the call may reach
 * the code buffer, the data buffer or the stack; ON_BUFFERS: by the range of the first two
 * arguments; AT_SECOND, AT_FIFTH: by the address in that argument. */
enum condition { ALWAYS, ON_REPORT, ON_CPUID, ON_BUFFERS, AT_SECOND, AT_FIFTH };

#define ARGUMENT(N)   (offsetof(struct seccomp_data, args) - 8 + 8 * (N))
#define UPPER_HALF(N) (ARGUMENT(N) + 4)
#define BUFFERS       (PLATFORM_CODE_VA >> 32)

/* A condition holds if one of its tests does. A range below 4 GiB that reaches the buffers begins
 * among them, or in the 4 GiB before them. */
static const struct test {
    enum condition of;
    size_t half; /* of an argument */
    uint32_t is;
    bool unlike; /* holds if the half is anything else */
} tests[] = {
    {ON_REPORT, ARGUMENT(1), STDOUT_FILENO, false}, {ON_CPUID, ARGUMENT(1), ARCH_SET_CPUID, false},
    {ON_BUFFERS, UPPER_HALF(1), BUFFERS, false},    {ON_BUFFERS, UPPER_HALF(1), BUFFERS - 1, false},
    {ON_BUFFERS, UPPER_HALF(2), 0, true},           {AT_SECOND, UPPER_HALF(2), BUFFERS, false},
    {AT_SECOND, UPPER_HALF(2), BUFFERS - 1, false}, {AT_FIFTH, UPPER_HALF(5), BUFFERS, false},
    {AT_FIFTH, UPPER_HALF(5), BUFFERS - 1, false},
};
#define TESTS (sizeof tests / sizeof *tests)

/* Numbers of asm/unistd_64.h, of unistd_x32.h without X32_BIT, and of unistd_32.h for INT 0x80 and
 * SYSENTER. */
static const struct refused {
    const char *name, *would;
    enum condition when;
    uint32_t number[ABIS];
} refused[] = {
    {"exit", ENDS, ALWAYS, {60, 60, 1}},
    {"exit_group", ENDS, ALWAYS, {231, 231, 252}},
    {"execve", REPLACES, ALWAYS, {59, 520, 11}},
    {"execveat", REPLACES, ALWAYS, {322, 545, 358}},
    {"fork", DOUBLES, ALWAYS, {57, 57, 2}},
    {"vfork", DOUBLES, ALWAYS, {58, 58, 190}},
    {"clone", DOUBLES, ALWAYS, {56, 56, 120}},
    {"clone3", DOUBLES, ALWAYS, {435, 435, 435}},
    {"rt_sigaction", SIGNALS, ALWAYS, {13, 512, 174}},
    {"rt_sigprocmask", SIGNALS, ALWAYS, {14, 14, 175}},
    {"rt_sigreturn", SIGNALS, ALWAYS, {15, 513, 173}},
    {"sigaltstack", SIGNALS, ALWAYS, {131, 525, 186}},
    {"rt_sigtimedwait", SIGNALS, ALWAYS, {128, 523, 177}},
    {"rt_sigtimedwait_time64", SIGNALS, ALWAYS, {NO_NUMBER, NO_NUMBER, 421}},
    {"signalfd", SIGNALS, ALWAYS, {282, 282, 321}},
    {"signalfd4", SIGNALS, ALWAYS, {289, 289, 327}},
    {"signal", SIGNALS, ALWAYS, {NO_NUMBER, NO_NUMBER, 48}},
    {"sigaction", SIGNALS, ALWAYS, {NO_NUMBER, NO_NUMBER, 67}},
    {"ssetmask", SIGNALS, ALWAYS, {NO_NUMBER, NO_NUMBER, 69}},
    {"sigprocmask", SIGNALS, ALWAYS, {NO_NUMBER, NO_NUMBER, 126}},
    {"sigreturn", SIGNALS, ALWAYS, {NO_NUMBER, NO_NUMBER, 119}},
    {"rt_sigsuspend", BLOCKS, ALWAYS, {130, 130, 179}},
    {"sigsuspend", BLOCKS, ALWAYS, {NO_NUMBER, NO_NUMBER, 72}},
    {"ppoll", BLOCKS, ALWAYS, {271, 271, 309}},
    {"ppoll_time64", BLOCKS, ALWAYS, {NO_NUMBER, NO_NUMBER, 414}},
    {"pselect6", BLOCKS, ALWAYS, {270, 270, 308}},
    {"pselect6_time64", BLOCKS, ALWAYS, {NO_NUMBER, NO_NUMBER, 413}},
    {"epoll_pwait", BLOCKS, ALWAYS, {281, 281, 319}},
    {"epoll_pwait2", BLOCKS, ALWAYS, {441, 441, 441}},
    {"io_pgetevents", BLOCKS, ALWAYS, {333, 333, 385}},
    {"io_pgetevents_time64", BLOCKS, ALWAYS, {NO_NUMBER, NO_NUMBER, 416}},
    {"kill", SENDS, ALWAYS, {62, 62, 37}},
    {"tkill", SENDS, ALWAYS, {200, 200, 238}},
    {"tgkill", SENDS, ALWAYS, {234, 234, 270}},
    {"rt_sigqueueinfo", SENDS, ALWAYS, {129, 524, 178}},
    {"rt_tgsigqueueinfo", SENDS, ALWAYS, {297, 536, 335}},
    {"pidfd_send_signal", SENDS, ALWAYS, {424, 424, 424}},
    {"setitimer", TIMES, ALWAYS, {38, 38, 104}},
    {"alarm", TIMES, ALWAYS, {37, 37, 27}},
    {"timer_create", TIMES, ALWAYS, {222, 526, 259}},
    {"sched_setparam", SCHEDULES, ALWAYS, {142, 142, 154}},
    {"sched_setscheduler", SCHEDULES, ALWAYS, {144, 144, 156}},
    {"sched_setaffinity", SCHEDULES, ALWAYS, {203, 203, 241}},
    {"sched_setattr", SCHEDULES, ALWAYS, {314, 314, 351}},
    {"setpriority", SCHEDULES, ALWAYS, {141, 141, 97}},
    {"nice", SCHEDULES, ALWAYS, {NO_NUMBER, NO_NUMBER, 34}},
    {"setrlimit", LIMITS, ALWAYS, {160, 160, 75}},
    {"prlimit64", LIMITS, ALWAYS, {302, 302, 340}},
    {"seccomp", LIMITS, ALWAYS, {317, 317, 354}},
    {"prctl", CONTROLS, ALWAYS, {157, 157, 172}},
    {"arch_prctl", CONTROLS, ON_CPUID, {158, 158, 384}},
    {"rseq", CONTROLS, ALWAYS, {334, 334, 386}},
    {"ptrace", TRACES, ALWAYS, {101, 521, 26}},
    {"userfaultfd", UNMAPS, ALWAYS, {323, 323, 374}},
    {"munlockall", UNMAPS, ALWAYS, {152, 152, 153}},
    {"mmap", UNMAPS, ON_BUFFERS, {9, 9, NO_NUMBER}},
    {"munmap", UNMAPS, ON_BUFFERS, {11, 11, NO_NUMBER}},
    {"mprotect", UNMAPS, ON_BUFFERS, {10, 10, NO_NUMBER}},
    {"pkey_mprotect", UNMAPS, ON_BUFFERS, {329, 329, NO_NUMBER}},
    {"mremap", UNMAPS, ON_BUFFERS, {25, 25, NO_NUMBER}},
    {"mremap", UNMAPS, AT_FIFTH, {25, 25, NO_NUMBER}},
    {"madvise", UNMAPS, ON_BUFFERS, {28, 28, NO_NUMBER}},
    {"process_madvise", UNMAPS, ALWAYS, {440, 440, 440}},
    {"mseal", UNMAPS, ON_BUFFERS, {462, 462, NO_NUMBER}},
    {"munlock", UNMAPS, ON_BUFFERS, {150, 150, NO_NUMBER}},
    {"mbind", UNMAPS, ON_BUFFERS, {237, 237, NO_NUMBER}},
    {"remap_file_pages", UNMAPS, ON_BUFFERS, {216, 216, NO_NUMBER}},
    {"shmat", UNMAPS, AT_SECOND, {30, 30, NO_NUMBER}},
    {"write", FORGES, ON_REPORT, {1, 1, 4}},
    {"writev", FORGES, ON_REPORT, {20, 516, 146}},
    {"pwrite64", FORGES, ON_REPORT, {18, 18, 181}},
    {"pwritev", FORGES, ON_REPORT, {296, 535, 334}},
    {"pwritev2", FORGES, ON_REPORT, {328, 547, 379}},
    {"sendfile", FORGES, ON_REPORT, {40, 40, 187}},
    {"sendfile64", FORGES, ON_REPORT, {NO_NUMBER, NO_NUMBER, 239}},
};
#define REFUSED (sizeof refused / sizeof *refused)

/* --- the filter ------------------------------------------------------------------------------- */

/* In each ABI a number takes two instructions, in each test of its condition again, and a test four
 * with those that load its half and the number. */
#define MOST (ABIS * (2 * 3 * REFUSED + 4 * (TESTS + 1)) + 48)

struct filter {
    struct sock_filter at[MOST];
    unsigned n;
};

static void add(struct filter *f, struct sock_filter instruction)
{
    f->at[f->n++] = instruction;
}

static void load(struct filter *f, size_t offset)
{
    add(f, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset));
}

static void load_number(struct filter *f)
{
    load(f, offsetof(struct seccomp_data, nr));
    add(f, (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, ~X32_BIT));
}

static void allow(struct filter *f)
{
    add(f, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
}

/* Skips the following code, up to end_if(), unless the value is equal; if end_if() gets `unlike`,
 * unless it differs. */
static struct sock_filter *if_equal(struct filter *f, uint32_t value)
{
    add(f, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 0));
    return &f->at[f->n - 1];
}

static void end_if(struct filter *f, struct sock_filter *jump, bool unlike)
{
    *(unlike ? &jump->jt : &jump->jf) = (uint8_t)(&f->at[f->n] - jump - 1);
}

static bool is_refused(const struct refused *r, enum abi abi)
{
    return r->number[abi] != NO_NUMBER && !(abi == X32 && r->number[X32] == r->number[NATIVE]);
}

static bool has_numbers(enum abi abi, enum condition when)
{
    for (size_t i = 0; i < REFUSED; i++)
        if (refused[i].when == when && is_refused(&refused[i], abi))
            return true;
    return false;
}

static void refuse_numbers(struct filter *f, enum abi abi, enum condition when)
{
    for (size_t i = 0; i < REFUSED; i++) {
        if (refused[i].when != when || !is_refused(&refused[i], abi))
            continue;
        struct sock_filter *number = if_equal(f, refused[i].number[abi]);
        add(f, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP));
        end_if(f, number, false);
    }
}

static void refuse(struct filter *f, enum abi abi)
{
    load_number(f);
    refuse_numbers(f, abi, ALWAYS);
    for (const struct test *t = tests; t < tests + TESTS; t++) {
        if (!has_numbers(abi, t->of))
            continue;
        load(f, t->half);
        struct sock_filter *half = if_equal(f, t->is);
        load_number(f);
        refuse_numbers(f, abi, t->of);
        end_if(f, half, t->unlike);
    }
}

/* In the upper half of the status, which the kernel ignores. Not 0. */
static uint32_t secret;

/* EXIT or EXIT_GROUP with a status that means success, unless it has the secret. */
static void refuse_success(struct filter *f, uint32_t number)
{
    load_number(f);
    struct sock_filter *call = if_equal(f, number);
    load(f, ARGUMENT(1));
    add(f, (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0xff));
    struct sock_filter *status = if_equal(f, 0);
    load(f, UPPER_HALF(1));
    struct sock_filter *known = if_equal(f, secret);
    allow(f);
    end_if(f, known, false);
    add(f, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP));
    end_if(f, status, false);
    end_if(f, call, false);
}

/* Code outside the code buffer is the program's own, or a body has mapped or called it. */
static void add_elsewhere(struct filter *f)
{
    load_number(f);
    for (size_t i = 0; i < REFUSED; i++)
        for (enum abi abi = NATIVE; abi <= X32 && str_eq(refused[i].would, REPLACES); abi++) {
            struct sock_filter *number = if_equal(f, refused[i].number[abi]);
            add(f, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP));
            end_if(f, number, false);
        }
    refuse_success(f, SYS_exit);
    refuse_success(f, SYS_exit_group);
    allow(f);
}

/* Jumps over code that is too long for a conditional jump, up to land(). */
static struct sock_filter *jump(struct filter *f)
{
    add(f, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JA, 0, 0, 0));
    return &f->at[f->n - 1];
}

static void land(struct filter *f, struct sock_filter *jump)
{
    jump->k = (uint32_t)(&f->at[f->n] - jump - 1);
}

/* This program makes no i386 calls, and SYSENTER does not report its address. */
static void add_i386(struct filter *f)
{
    load(f, offsetof(struct seccomp_data, arch));
    add(f, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_I386, 1, 0));
    struct sock_filter *other = jump(f);
    refuse(f, I386);
    allow(f);
    land(f, other);
}

_Static_assert(2 * REFUSED + 1 <= UINT8_MAX, "a conditional jump's distance is a byte");
_Static_assert(PLATFORM_CODE_VA % (1ull << 32) == 0, "the filter compares only the upper half");

/* The address is that of the next instruction. Upper halves follow lower ones. */
static void add_code_buffer(struct filter *f)
{
    load(f, offsetof(struct seccomp_data, instruction_pointer) + 4);
    add(f, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PLATFORM_CODE_VA >> 32, 1, 0));
    struct sock_filter *elsewhere = jump(f);
    load(f, offsetof(struct seccomp_data, instruction_pointer));
    add(f, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, PLATFORM_CODE_SIZE, 0, 1));
    struct sock_filter *over = jump(f);
    refuse(f, NATIVE);
    refuse(f, X32);
    allow(f);
    land(f, elsewhere);
    land(f, over);
    add_elsewhere(f);
}

void exit_guard_open(const char *program, const char *whose)
{
    struct filter f = {0};

    memcpy(&secret, (const void *)getauxval(AT_RANDOM), sizeof secret);
    secret |= 1;
    add_i386(&f);
    add_code_buffer(&f);
    const struct sock_fprog filter = {(unsigned short)f.n, f.at};
    /* Without the flag, older kernels enable a mitigation that slows the process down. */
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
        syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &filter) == 0)
        return;
    fprintf(stderr, "%s: system calls of %s can end or change the program: no seccomp filter: %s\n",
            program, whose, strerror(errno));
}

_Noreturn void exit_guard_end(int status)
{
    for (;;) /* without a filter, too */
        syscall(SYS_exit_group, (uint64_t)secret << 32 | (uint8_t)status);
}

static const struct refused *refused_of(const siginfo_t *info)
{
    uint32_t number = (uint32_t)info->si_syscall;
    bool i386 = info->si_arch == AUDIT_ARCH_I386;

    for (size_t i = 0; i < REFUSED; i++) {
        const uint32_t *of = refused[i].number;
        if (i386 ? number == of[I386]
                 : (number & ~X32_BIT) == of[NATIVE] || (number & ~X32_BIT) == of[X32])
            return &refused[i];
    }
    return NULL;
}

void exit_guard_describe(const siginfo_t *info, char *text, size_t size)
{
    const struct refused *call = refused_of(info);

    if (call)
        fmt_buf(text, size, "SIGSYS, %s(2), which would %s,", call->name, call->would);
    else
        fmt_buf(text, size, "SIGSYS");
}
