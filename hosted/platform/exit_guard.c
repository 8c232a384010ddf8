#include "hosted/platform/exit_guard.h"
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
#define ENDS     "end the program"
#define REPLACES "replace the program"
#define DOUBLES  "run the program twice"

/* Numbers of asm/unistd_64.h, of unistd_x32.h without X32_BIT, and of unistd_32.h, which INT 0x80
 * and SYSENTER take. */
static const struct refused {
    const char *name, *would;
    uint32_t number[ABIS];
} refused[] = {
    {"exit", ENDS, {60, 60, 1}},         {"exit_group", ENDS, {231, 231, 252}},
    {"execve", REPLACES, {59, 520, 11}}, {"execveat", REPLACES, {322, 545, 358}},
    {"fork", DOUBLES, {57, 57, 2}},      {"vfork", DOUBLES, {58, 58, 190}},
    {"clone", DOUBLES, {56, 56, 120}},   {"clone3", DOUBLES, {435, 435, 435}},
};
#define REFUSED (sizeof refused / sizeof *refused)

/* --- the filter ------------------------------------------------------------------------------- */

#define MOST (ABIS * REFUSED + 16)

struct filter {
    struct sock_filter at[MOST];
    unsigned n;
    bool refuses[MOST]; /* a jump to the end, which refuses */
};

static void add(struct filter *f, struct sock_filter instruction)
{
    f->at[f->n++] = instruction;
}

static void load(struct filter *f, size_t offset)
{
    add(f, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset));
}

static void allow(struct filter *f)
{
    add(f, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
}

static void refuse_numbers(struct filter *f, enum abi abi)
{
    for (size_t i = 0; i < REFUSED; i++) {
        f->refuses[f->n] = true;
        add(f,
            (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, refused[i].number[abi], 0, 0));
    }
}

/* Of i386 this program itself calls nothing, and SYSENTER does not tell from where. */
static void add_i386(struct filter *f)
{
    load(f, offsetof(struct seccomp_data, arch));
    unsigned other = f->n;
    add(f, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_I386, 0, 0));
    load(f, offsetof(struct seccomp_data, nr));
    refuse_numbers(f, I386);
    allow(f);
    f->at[other].jf = (uint8_t)(f->n - other - 1);
}

_Static_assert(PLATFORM_CODE_VA % (1ull << 32) == 0, "the filter compares the upper half alone");

/* The address is that of the next instruction. Upper halves stand behind lower ones. */
static void add_code_buffer(struct filter *f)
{
    load(f, offsetof(struct seccomp_data, instruction_pointer) + 4);
    add(f, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PLATFORM_CODE_VA >> 32, 1, 0));
    allow(f);
    load(f, offsetof(struct seccomp_data, instruction_pointer));
    add(f, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, PLATFORM_CODE_SIZE, 0, 1));
    allow(f);
    load(f, offsetof(struct seccomp_data, nr));
    add(f, (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, ~X32_BIT));
    refuse_numbers(f, NATIVE);
    refuse_numbers(f, X32);
    allow(f);
}

_Static_assert(MOST <= UINT8_MAX, "a jump's distance is a byte");

static void finish(struct filter *f)
{
    for (unsigned i = 0; i < f->n; i++)
        if (f->refuses[i])
            f->at[i].jt = (uint8_t)(f->n - i - 1);
    add(f, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP));
}

int exit_guard_open(void)
{
    struct filter f = {0};

    add_i386(&f);
    add_code_buffer(&f);
    finish(&f);
    const struct sock_fprog program = {(unsigned short)f.n, f.at};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return errno;
    /* Without the flag older kernels switch a mitigation on that slows the process down. */
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
