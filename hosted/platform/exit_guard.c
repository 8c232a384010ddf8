#include "hosted/platform/exit_guard.h"
#include <asm/prctl.h>
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "bench/api/platform.h"
#include "lib/text/fmt.h"

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

/* The condition on the call's first argument: the report's descriptor; an address in the code
 * buffer or the data buffer; ARCH_SET_CPUID. */
enum condition { ALWAYS, ON_REPORT, ON_BUFFERS, ON_CPUID, CONDITIONS };

#define FIRST_ARGUMENT offsetof(struct seccomp_data, args)

static const struct {
    size_t half; /* the upper half follows the lower one */
    uint32_t is;
} first_argument[CONDITIONS] = {
    [ON_REPORT] = {FIRST_ARGUMENT, STDOUT_FILENO},
    [ON_BUFFERS] = {FIRST_ARGUMENT + 4, PLATFORM_CODE_VA >> 32},
    [ON_CPUID] = {FIRST_ARGUMENT, ARCH_SET_CPUID},
};

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
    {"ptrace", TRACES, ALWAYS, {101, 521, 26}},
    {"userfaultfd", UNMAPS, ALWAYS, {323, 323, 374}},
    {"munlockall", UNMAPS, ALWAYS, {152, 152, 153}},
    {"mmap", UNMAPS, ON_BUFFERS, {9, 9, NO_NUMBER}},
    {"munmap", UNMAPS, ON_BUFFERS, {11, 11, NO_NUMBER}},
    {"mprotect", UNMAPS, ON_BUFFERS, {10, 10, NO_NUMBER}},
    {"pkey_mprotect", UNMAPS, ON_BUFFERS, {329, 329, NO_NUMBER}},
    {"mremap", UNMAPS, ON_BUFFERS, {25, 25, NO_NUMBER}},
    {"madvise", UNMAPS, ON_BUFFERS, {28, 28, NO_NUMBER}},
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

/* A number takes two instructions, a condition four in each ABI. */
#define MOST (ABIS * (2 * REFUSED + 4 * CONDITIONS) + 16)

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

/* Skips the following code, up to end_if(), unless the value is equal. */
static unsigned if_equal(struct filter *f, uint32_t value)
{
    add(f, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 0));
    return f->n - 1;
}

static void end_if(struct filter *f, unsigned jump)
{
    f->at[jump].jf = (uint8_t)(f->n - jump - 1);
}

static bool is_refused(const struct refused *r, enum abi abi)
{
    return r->number[abi] != NO_NUMBER && !(abi == X32 && r->number[X32] == r->number[NATIVE]);
}

static void refuse_numbers(struct filter *f, enum abi abi, enum condition when)
{
    for (size_t i = 0; i < REFUSED; i++) {
        if (refused[i].when != when || !is_refused(&refused[i], abi))
            continue;
        unsigned other = if_equal(f, refused[i].number[abi]);
        add(f, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP));
        end_if(f, other);
    }
}

static void refuse(struct filter *f, enum abi abi)
{
    for (enum condition c = ALWAYS; c < CONDITIONS; c++) {
        unsigned other = 0;
        if (c != ALWAYS) {
            load(f, first_argument[c].half);
            other = if_equal(f, first_argument[c].is);
        }
        load_number(f);
        refuse_numbers(f, abi, c);
        if (c != ALWAYS)
            end_if(f, other);
    }
}

/* This program makes no i386 calls, and SYSENTER does not report its address. */
static void add_i386(struct filter *f)
{
    load(f, offsetof(struct seccomp_data, arch));
    unsigned other = if_equal(f, AUDIT_ARCH_I386);
    refuse(f, I386);
    allow(f);
    end_if(f, other);
}

_Static_assert(2 * REFUSED + 4 * CONDITIONS <= UINT8_MAX, "a jump's distance is a byte");
_Static_assert(PLATFORM_CODE_VA % (1ull << 32) == 0, "the filter compares the upper half alone");

/* The address is that of the next instruction. Upper halves follow lower ones. */
static void add_code_buffer(struct filter *f)
{
    load(f, offsetof(struct seccomp_data, instruction_pointer) + 4);
    add(f, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PLATFORM_CODE_VA >> 32, 1, 0));
    allow(f);
    load(f, offsetof(struct seccomp_data, instruction_pointer));
    add(f, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, PLATFORM_CODE_SIZE, 0, 1));
    allow(f);
    refuse(f, NATIVE);
    refuse(f, X32);
    allow(f);
}

int exit_guard_open(void)
{
    struct filter f = {0};

    add_i386(&f);
    add_code_buffer(&f);
    const struct sock_fprog program = {(unsigned short)f.n, f.at};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return errno;
    /* Without the flag, older kernels enable a mitigation that slows the process down. */
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program) ==
        0)
        return 0;
    return errno;
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
