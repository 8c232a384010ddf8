/*
 * Counts instructions from the traps of single-stepping: RFLAGS.TF, which raises #DB after each
 * instruction (Intel SDM vol. 3B section 18.3.1.4; AMD APM vol. 2 section 13.1.4). The caller
 * passes the address of each trap; the instruction there is decoded. One trap is not one
 * instruction for:
 *
 *   REP string instructions   trap after each iteration, with RIP unchanged (SDM vol. 1 section
 *                             7.3.9.2): one instruction, its iterations counted apart. A jump to
 *                             itself leaves RIP unchanged too, and is an instruction each time.
 *   MOV SS                    delays the trap to after the next instruction (SDM vol. 3A section
 *                             6.8.3); QEMU does not, but it does so after STI.
 *   CPUID, RDTSC, IN, ...     exit to a hypervisor, and some of these lose the trap. SYSCALL and
 *                             INT come back with the flags restored, one instruction too late.
 *                             In both cases the next trap is after the instruction that
 *                             follows, which is how a lost trap is recognised.
 *   PUSHF                     pushes the trap flag, which is not the program's: cleared there.
 *   POPF, IRET                may clear the trap flag: the caller sets it again after each trap.
 *   XBEGIN                    begins a transaction, which the trap aborts: stepping ends before it.
 */
#ifndef LIB_CPU_STEPPING_H
#define LIB_CPU_STEPPING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lib/cpu/register_bits.h"

#define STEPPING_RANGES 2

enum stepping_end {
    STEPPING_RUNNING,    /* no end was seen: the code itself cleared the trap flag */
    STEPPING_BACK,       /* it reached `back`: all of it was counted */
    STEPPING_MOST,       /* it took more than `most` traps */
    STEPPING_TRANSACTION /* it was about to begin a transaction */
};

/* The effect of an instruction on stepping, by its first bytes. */
enum stepping_kind {
    STEPPING_PLAIN,
    STEPPING_REPEATED, /* a string instruction with REP, REPE or REPNE */
    STEPPING_LOSES,    /* its trap may be lost */
    STEPPING_PUSHES,   /* PUSHF */
    STEPPING_BEGINS    /* XBEGIN */
};
struct stepping_instruction {
    enum stepping_kind kind;
    uint8_t length;    /* of STEPPING_LOSES */
    bool count_is_ecx; /* of STEPPING_REPEATED: 32-bit addresses */
};

struct stepping {
    /* Set by the caller. */
    uint64_t most; /* maximum number of traps */
    uint64_t back; /* the address at which counting ends, outside the counted code */
    struct {
        uint64_t from, size;
    } code[STEPPING_RANGES]; /* where instructions may be read; elsewhere all are STEPPING_PLAIN */

    /* The result. */
    uint64_t traps;
    uint64_t instructions;
    uint64_t iterations; /* of repeated string instructions */
    uint64_t repeats;    /* traps after which one of these was not finished */
    uint64_t repeated;   /* number of these instructions */
    uint64_t lost;       /* lost traps, each corrected for */
    enum stepping_end end;

    /* Private: the next instruction to run. */
    uint64_t at, count;
    struct stepping_instruction next;
};

/* Clears the result. The first trap is at the first instruction to count. */
void stepping_begin(struct stepping *s);

/* Handles a trap at `rip`, with this RCX and RSP; after PUSHF it corrects the flags on the stack.
 * True: set the trap flag; false: clear it, and s->end has the reason. */
bool stepping_trap(struct stepping *s, uint64_t rip, uint64_t rcx, uint64_t rsp);

/* Decodes the instruction that starts with these `n` bytes; with too few it is STEPPING_PLAIN. */
struct stepping_instruction stepping_read(const uint8_t *bytes, size_t n);

/*
 * IA32_DEBUGCTL.BTF: with it, the trap flag traps only after taken branches. Sources: Intel SDM
 * vol. 3B sections 18.4.1 and 18.4.3, vol. 4 table 2-2; AMD APM vol. 2 section 13.1.1.7 (DebugCtl,
 * the same number and bit).
 */
#define MSR_DEBUGCTL 0x1d9
#define DEBUGCTL_BTF (1u << 1)

struct branch_trap {
    struct msr_kept kept;
    bool cleared; /* the bit was set and must be restored */
};

/* Clears the bit if the CPU has the MSR and the bit is set. A write that faults or is ignored is
 * not reported: the known instructions that are stepped first show whether each traps. */
static inline void branch_trap_clear(struct branch_trap *b, const struct msr_access *a)
{
    b->cleared = msr_keep(&b->kept, a, MSR_DEBUGCTL) && b->kept.was & DEBUGCTL_BTF;
    if (b->cleared)
        (void)msr_change(&b->kept, a, DEBUGCTL_BTF, 0);
}

/* Restores the bit, if it was cleared. */
static inline void branch_trap_restore(struct branch_trap *b, const struct msr_access *a)
{
    if (!b->cleared)
        return;
    b->cleared = false;
    (void)msr_put_back(&b->kept, a);
}

/* Splits machine code into instructions, as far as needed to find the next one, and detects 256- or
 * 512-bit vectors, which make a core change its licence. */

enum code_map { CODE_ONE_BYTE, CODE_0F, CODE_0F38, CODE_0F3A };

/* A 64-bit instruction. A byte that is not there reads as 0. */
struct code_instruction {
    size_t length; /* at least 1; above the number of bytes that could be read if it is truncated */
    bool operands_16, operand_64, addresses_32, repeats; /* its prefixes */
    bool vex;                                            /* VEX or EVEX */
    enum code_map map;
    uint8_t opcode, after; /* the last byte of the opcode, and the next one: often ModRM */
};

/* Reads the instruction at `at`, of which n bytes can be read. Correct for everything that
 * compilers emit (Intel SDM vol. 2D appendix A, tables ); a guess for an invalid
 * opcode. */
struct code_instruction code_instruction(const uint8_t *at, size_t n);

/*
 * Returns whether one of the instructions from `code` on is VEX with L set, or EVEX with a length
 * above 128 bits or with rounding (SDM vol. 2A sections 2.3.6 and 2.7). Decodes them in sequence:
 * data between them can hide the following ones, or look like one.
 */
bool wide_code(const uint8_t *code, size_t n);

#endif
