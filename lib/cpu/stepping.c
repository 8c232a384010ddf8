#include "lib/cpu/stepping.h"
#include "lib/cpu/code_length.h"

#define LONGEST  15 /* bytes of an instruction (SDM vol. 2A section 2.3.11) */
#define TRAP_BIT 0x100u

/* --- instructions ----------------------------------------------------------------------------- */

/* 0F xx: those that exit to a hypervisor (SDM vol. 3C 25.1), and SYSCALL. */
static enum stepping_kind kind_of_two(uint8_t opcode)
{
    switch (opcode) {
    case 0x00: /* SLDT, STR, LLDT, LTR */
    case 0x01: /* SGDT to INVLPG; XSETBV, MONITOR, MWAIT, RDTSCP, VMCALL, ... */
    case 0x05: /* SYSCALL */
    case 0x06: /* CLTS */
    case 0x08: /* INVD */
    case 0x09: /* WBINVD */
    case 0x20: /* MOV of control and debug registers */
    case 0x21:
    case 0x22:
    case 0x23:
    case 0x30: /* WRMSR */
    case 0x31: /* RDTSC */
    case 0x32: /* RDMSR */
    case 0x33: /* RDPMC */
    case 0xa2: /* CPUID */
    case 0xae: /* TPAUSE, UMWAIT; the fences and XSAVE, which are never lost */
    case 0xc7: /* RDRAND, RDSEED, XSAVES; CMPXCHG16B, which is never lost */
        return STEPPING_LOSES;
    default:
        return STEPPING_PLAIN;
    }
}

static bool is_string(uint8_t opcode)
{
    return (opcode >= 0x6c && opcode <= 0x6f) || (opcode >= 0xa4 && opcode <= 0xa7) ||
           (opcode >= 0xaa && opcode <= 0xaf);
}

static enum stepping_kind kind_of_one(const struct code_instruction *i)
{
    if (i->repeats && is_string(i->opcode))
        return STEPPING_REPEATED;
    switch (i->opcode) {
    case 0x8e: /* MOV to a segment register: /2 is SS */
        return (i->after >> 3 & 7) == 2 ? STEPPING_LOSES : STEPPING_PLAIN;
    case 0x9c:
        return STEPPING_PUSHES;
    case 0xc7: /* F8: XBEGIN */
        return i->after == 0xf8 ? STEPPING_BEGINS : STEPPING_PLAIN;
    case 0x90: /* PAUSE */
        return i->repeats ? STEPPING_LOSES : STEPPING_PLAIN;
    case 0xcd: /* INT n */
    case 0xe4: /* IN, OUT by number */
    case 0xe5:
    case 0xe6:
    case 0xe7:
    case 0xec: /* IN, OUT by DX */
    case 0xed:
    case 0xee:
    case 0xef:
    case 0xf4: /* HLT */
    case 0xfb: /* STI */
        return STEPPING_LOSES;
    default:
        return STEPPING_PLAIN;
    }
}

static enum stepping_kind kind_of(const struct code_instruction *i)
{
    if (i->vex)
        return STEPPING_PLAIN;
    if (i->map == CODE_0F38) /* INVEPT, INVVPID, INVPCID */
        return i->opcode >= 0x80 && i->opcode <= 0x82 ? STEPPING_LOSES : STEPPING_PLAIN;
    return i->map == CODE_ONE_BYTE ? kind_of_one(i)
           : i->map == CODE_0F     ? kind_of_two(i->opcode)
                                   : STEPPING_PLAIN;
}

struct stepping_instruction stepping_read(const uint8_t *bytes, size_t n)
{
    size_t readable = n < LONGEST ? n : LONGEST;
    struct code_instruction i = code_instruction(bytes, readable);
    enum stepping_kind kind = i.length <= readable ? kind_of(&i) : STEPPING_PLAIN;

    return (struct stepping_instruction){kind, (uint8_t)i.length, i.addresses_32};
}

static struct stepping_instruction read_at(const struct stepping *s, uint64_t rip)
{
    for (unsigned i = 0; i < STEPPING_RANGES; i++) {
        uint64_t into = rip - s->code[i].from;
        if (into < s->code[i].size)
            return stepping_read((const uint8_t *)(uintptr_t)rip, s->code[i].size - into);
    }
    return (struct stepping_instruction){0};
}

/* --- counting --------------------------------------------------------------------------------- */

void stepping_begin(struct stepping *s)
{
    s->traps = s->instructions = s->iterations = s->repeats = s->repeated = s->lost = 0;
    s->end = STEPPING_RUNNING;
}

static uint64_t count_of(const struct stepping_instruction *i, uint64_t rcx)
{
    return i->count_is_ecx ? (uint32_t)rcx : rcx;
}

static void count_repeated(struct stepping *s, uint64_t rip, uint64_t rcx)
{
    uint64_t left = count_of(&s->next, rcx);

    s->iterations += s->count - left;
    s->count = left;
    if (rip == s->at) {
        s->repeats++;
        return;
    }
    s->instructions++;
    s->repeated++;
}

/* Counts the instruction at s->at, and those after it that ran too if traps were lost; s->next is
 * the last of them. True: `back` was passed; what ran after it is not counted. */
static bool count_losing(struct stepping *s, uint64_t rip)
{
    while (s->next.kind == STEPPING_LOSES) {
        s->at += s->next.length;
        s->instructions++;
        if (rip == s->at)
            return false;
        s->lost++;
        if (s->at == s->back)
            return true;
        s->next = read_at(s, s->at);
    }
    s->instructions++; /* its trap came */
    return false;
}

static void clean_pushed(uint64_t rsp)
{
    uint16_t *pushed = (uint16_t *)(uintptr_t)rsp; /* the flags' low half, for any operand size */

    *pushed &= (uint16_t)~TRAP_BIT;
}

/* Counts what ran since the last trap. True: it reached `back`. */
static bool count(struct stepping *s, uint64_t rip, uint64_t rcx, uint64_t rsp)
{
    bool passed = false;

    if (s->next.kind == STEPPING_REPEATED)
        count_repeated(s, rip, rcx);
    else if (s->next.kind == STEPPING_LOSES)
        passed = count_losing(s, rip);
    else
        s->instructions++;
    if (s->next.kind == STEPPING_PUSHES)
        clean_pushed(rsp);
    return passed || rip == s->back;
}

static bool end(struct stepping *s, enum stepping_end how)
{
    s->end = how;
    return false;
}

bool stepping_trap(struct stepping *s, uint64_t rip, uint64_t rcx, uint64_t rsp)
{
    bool repeating = s->traps > 0 && s->next.kind == STEPPING_REPEATED && rip == s->at;

    if (s->traps++ ? count(s, rip, rcx, rsp) : rip == s->back)
        return end(s, STEPPING_BACK);
    s->at = rip;
    if (!repeating) {
        s->next = read_at(s, rip);
        s->count = count_of(&s->next, rcx);
    }
    if (s->next.kind == STEPPING_BEGINS)
        return end(s, STEPPING_TRANSACTION);
    return s->traps < s->most || end(s, STEPPING_MOST);
}

/* --- traps after branches only ---------------------------------------------------------------- */

void branch_trap_clear(struct branch_trap *b, const struct msr_access *a)
{
    b->cleared = msr_keep(&b->kept, a, MSR_DEBUGCTL) && b->kept.was & DEBUGCTL_BTF;
    if (b->cleared)
        (void)msr_change(&b->kept, a, DEBUGCTL_BTF, 0);
}

void branch_trap_restore(struct branch_trap *b, const struct msr_access *a)
{
    if (!b->cleared)
        return;
    b->cleared = false;
    (void)msr_put_back(&b->kept, a);
}
