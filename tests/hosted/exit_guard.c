#include "tests/hosted/exit_guard.h"
#include <asm/unistd_64.h>
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <unistd.h>
#include "bench/api/platform.h"
#include "lib/text/fmt.h"

#define EXIT_32       1 /* asm/unistd_32.h, whose names are those of the other header */
#define EXIT_GROUP_32 252
#define X32           0x40000000u /* asm/unistd.h: __X32_SYSCALL_BIT */

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
/* Skips `skip` instructions unless, or if, the loaded value equals `value`. */
#define UNLESS(value, skip) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 0, (skip))
#define IF(value, skip)     BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), (skip), 0)
#define RETURN(what)        BPF_STMT(BPF_RET | BPF_K, (what))

_Static_assert(PLATFORM_CODE_VA % (1ull << 32) == 0, "the filter compares the upper half alone");

int exit_guard_open(void)
{
    /* The address is that of the next instruction. Upper halves stand behind lower ones. */
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, instruction_pointer) + 4),
        UNLESS(PLATFORM_CODE_VA >> 32, 11), /* 1 */
        LOAD(instruction_pointer),
        BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, PLATFORM_CODE_SIZE, 9, 0), /* 3 */
        LOAD(arch),
        UNLESS(AUDIT_ARCH_I386, 3), /* 5 */
        LOAD(nr),
        IF(EXIT_32, 6),                                           /* 7 */
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, EXIT_GROUP_32, 5, 4), /* 8 */
        LOAD(nr),                                                 /* 9 */
        BPF_STMT(BPF_ALU | BPF_AND | BPF_K, ~X32),
        IF(__NR_exit, 2), /* 11 */
        IF(__NR_exit_group, 1),
        RETURN(SECCOMP_RET_ALLOW), /* 13 */
        RETURN(SECCOMP_RET_TRAP),
    };
    const struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return errno;
    /* Without the flag older kernels switch a mitigation on that slows the process down. */
    if (syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program) ==
        0)
        return 0;
    return errno;
}

void exit_guard_describe(const siginfo_t *info, char *text, size_t size)
{
    bool group =
        info->si_syscall == EXIT_GROUP_32 || ((unsigned)info->si_syscall & ~X32) == __NR_exit_group;
    fmt_buf(text, size, "SIGSYS, %s(2), which would end the program,",
            group ? "exit_group" : "exit");
}
