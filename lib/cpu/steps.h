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
 *                             6.8.3); QEMU does not.
 *   CPUID, RDTSC, IN, ...     exit to a hypervisor, and some of these lose the trap. SYSCALL and
 *                             INT come back with the flags restored, one instruction too late.
 *                             In both cases the next trap is after the instruction that
 *                             follows, which is how a lost trap is recognised.
 *   PUSHF                     pushes the trap flag, which is not the program's: cleared there.
 *   POPF, IRET                may clear the trap flag: the caller sets it again after each trap.
 *   XBEGIN                    begins a transaction, which the trap aborts: stepping ends before it.
 */
#ifndef LIB_CPU_STEPS_H
#define LIB_CPU_STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STEPS_RANGES 2

enum steps_end {
    STEPS_RUNNING,    /* no end was seen: the code itself cleared the trap flag */
    STEPS_BACK,       /* it reached `back`: all of it was counted */
    STEPS_MOST,       /* it took more than `most` traps */
    STEPS_TRANSACTION /* it was about to begin a transaction */
};

/* What the first bytes of an instruction show. */
enum steps_kind {
    STEPS_PLAIN,
    STEPS_REPEATED, /* a string instruction with REP, REPE or REPNE */
    STEPS_LOSES,    /* its trap may be lost */
    STEPS_PUSHES,   /* PUSHF */
    STEPS_BEGINS    /* XBEGIN */
};
struct steps_instruction {
    enum steps_kind kind;
    uint8_t length;    /* of STEPS_LOSES */
    bool count_is_ecx; /* of STEPS_REPEATED: 32-bit addresses */
};

struct steps {
    /* Set by the caller. */
    uint64_t most; /* maximum number of traps */
    uint64_t back; /* the address at which counting ends, outside the counted code */
    struct {
        uint64_t from, size;
    } code[STEPS_RANGES]; /* where instructions may be read; elsewhere all are STEPS_PLAIN */

    /* The result. */
    uint64_t traps;
    uint64_t instructions;
    uint64_t iterations; /* of repeated string instructions */
    uint64_t repeats;    /* traps after which one of these was not finished */
    uint64_t repeated;   /* number of these instructions */
    uint64_t lost;       /* lost traps, each corrected for */
    enum steps_end end;

    /* Private: the next instruction to run. */
    uint64_t at, count;
    struct steps_instruction next;
};

/* Clears the result. The first trap is at the first instruction to count. */
void steps_begin(struct steps *s);

/* Handles a trap at `rip`, with this RCX and RSP; after PUSHF it corrects the flags on the stack.
 * True: set the trap flag; false: clear it, and s->end has the reason. */
bool steps_trap(struct steps *s, uint64_t rip, uint64_t rcx, uint64_t rsp);

/* Decodes the instruction that starts with these `n` bytes; with too few it is STEPS_PLAIN. */
struct steps_instruction steps_read(const uint8_t *bytes, size_t n);

#endif
