#include "lib/cpu/stepping.h"

/* --- prefixes --------------------------------------------------------------------------------- */

#define VEX2 0xc5 /* in 64-bit mode these three are always prefixes */
#define VEX3 0xc4
#define EVEX 0x62

#define VEX_L    0x04 /* of the prefix's last byte */
#define VEX_MAP  0x1f /* of the second byte */
#define EVEX_MAP 0x07
#define EVEX_LL  0x60 /* of the last byte */
#define EVEX_B   0x10 /* with a register operand: rounding, and all 512 bits */

static bool is_legacy_prefix(uint8_t byte)
{
    return byte == 0x66 || byte == 0x67 || byte == 0xf0 || byte == 0xf2 || byte == 0xf3 ||
           byte == 0x2e || byte == 0x36 || byte == 0x3e || byte == 0x26 || byte == 0x64 ||
           byte == 0x65;
}

static uint8_t byte_at(const uint8_t *at, size_t i, size_t n)
{
    return i < n ? at[i] : 0;
}

/* Returns the instruction up to its opcode; `length` are the bytes before that. */
static struct code_instruction prefixes_of(const uint8_t *at, size_t n)
{
    struct code_instruction p = {0};

    for (; p.length < n && is_legacy_prefix(at[p.length]); p.length++) {
        p.operands_16 |= at[p.length] == 0x66;
        p.addresses_32 |= at[p.length] == 0x67;
        p.repeats |= at[p.length] == 0xf2 || at[p.length] == 0xf3;
    }
    uint8_t first = byte_at(at, p.length, n), second = byte_at(at, p.length + 1, n);
    p.vex = first == VEX2 || first == VEX3 || first == EVEX;
    if (p.vex) {
        unsigned map = first == VEX2 ? 1u : second & (first == VEX3 ? VEX_MAP : EVEX_MAP);
        p.map = map <= CODE_0F3A ? (enum code_map)map : CODE_0F38; /* FP16's have no immediate */
        p.length += first == VEX2 ? 2 : first == VEX3 ? 3 : 4;
    } else {
        if (first >> 4 == 4) { /* REX */
            p.operand_64 = first & 8;
            first = byte_at(at, ++p.length, n);
        }
        if (first == 0x0f) {
            second = byte_at(at, ++p.length, n);
            p.map = second == 0x38 ? CODE_0F38 : second == 0x3a ? CODE_0F3A : CODE_0F;
            p.length += p.map != CODE_0F;
        }
    }
    p.opcode = byte_at(at, p.length, n);
    p.after = byte_at(at, p.length + 1, n);
    return p;
}

/* --- what comes after the opcode -------------------------------------------------------------- */

static bool within(uint8_t byte, uint8_t from, uint8_t to)
{
    return byte >= from && byte <= to;
}

static bool has_modrm(enum code_map map, uint8_t op)
{
    if (map == CODE_ONE_BYTE)
        return (op < 0x40 && op % 8 < 4) || op == 0x63 || op == 0x69 || op == 0x6b ||
               within(op, 0x80, 0x8f) || op == 0xc0 || op == 0xc1 || op == 0xc6 || op == 0xc7 ||
               within(op, 0xd0, 0xd3) || within(op, 0xd8, 0xdf) || op == 0xf6 || op == 0xf7 ||
               op >= 0xfe;
    if (map == CODE_0F)
        return !(within(op, 0x05, 0x09) || op == 0x0b || op == 0x0e || within(op, 0x30, 0x37) ||
                 op == 0x77 || within(op, 0x80, 0x8f) || within(op, 0xa0, 0xa2) ||
                 within(op, 0xa8, 0xaa) || within(op, 0xc8, 0xcf));
    return true;
}

/* For the one-byte opcodes. */
static size_t immediate_of_one(const struct code_instruction *p)
{
    uint8_t op = p->opcode;
    size_t whole = p->operands_16 && !p->operand_64 ? 2 : 4;
    bool tests = (p->after >> 3 & 7) < 2; /* TEST, of the opcodes F6 and F7 */

    if ((op < 0x40 && op % 8 == 4) || op == 0x6a || op == 0x6b || within(op, 0x70, 0x80) ||
        op == 0x83 || op == 0xa8 || within(op, 0xb0, 0xb7) || op == 0xc0 || op == 0xc1 ||
        op == 0xc6 || op == 0xcd || within(op, 0xe0, 0xe7) || op == 0xeb || (op == 0xf6 && tests))
        return 1;
    if ((op < 0x40 && op % 8 == 5) || op == 0x68 || op == 0x69 || op == 0x81 || op == 0xa9 ||
        op == 0xc7 || (op == 0xf7 && tests))
        return whole;
    if (within(op, 0xb8, 0xbf))
        return p->operand_64 ? 8 : whole;
    if (within(op, 0xa0, 0xa3)) /* an address */
        return p->addresses_32 ? 4 : 8;
    if (op == 0xe8 || op == 0xe9)
        return 4;
    return op == 0xc2 || op == 0xca ? 2 : op == 0xc8 ? 3 : 0;
}

static size_t immediate_of(const struct code_instruction *p)
{
    uint8_t op = p->opcode;

    if (p->map == CODE_ONE_BYTE)
        return immediate_of_one(p);
    if (p->map == CODE_0F3A)
        return 1;
    if (p->map == CODE_0F38)
        return 0;
    if (within(op, 0x80, 0x8f))
        return 4;
    return within(op, 0x70, 0x73) || op == 0xa4 || op == 0xac || op == 0xba || op == 0xc2 ||
           within(op, 0xc4, 0xc6);
}

/* ModR/M, SIB and displacement: SDM vol. 2A tables 2-2 and 2-3. */
static size_t address_bytes(uint8_t modrm, uint8_t sib)
{
    unsigned mod = modrm >> 6, rm = modrm & 7;
    bool has_sib = mod != 3 && rm == 4;
    size_t bytes = 1 + has_sib;

    if (mod == 1)
        return bytes + 1;
    bool far = mod == 2 || (mod == 0 && (rm == 5 || (has_sib && (sib & 7) == 5)));
    return far ? bytes + 4 : bytes;
}

struct code_instruction code_instruction(const uint8_t *at, size_t n)
{
    struct code_instruction i = prefixes_of(at, n);
    size_t opcode = i.length;

    i.length += 1 + immediate_of(&i);
    if (i.map == CODE_0F && within(i.opcode, 0x20, 0x23)) /* always registers */
        i.length++;
    else if (has_modrm(i.map, i.opcode))
        i.length += address_bytes(i.after, byte_at(at, opcode + 2, n));
    return i;
}

/* --- width ------------------------------------------------------------------------------------ */

static bool is_wide(const uint8_t *at, size_t n)
{
    if (at[0] == VEX2)
        return byte_at(at, 1, n) & VEX_L;
    if (at[0] == VEX3)
        return byte_at(at, 2, n) & VEX_L;
    if (at[0] != EVEX)
        return false;
    uint8_t last = byte_at(at, 3, n);
    return last & EVEX_LL || (last & EVEX_B && byte_at(at, 5, n) >> 6 == 3);
}

bool wide_code(const uint8_t *code, size_t n)
{
    for (size_t i = 0; i < n; i += code_instruction(code + i, n - i).length)
        if (is_wide(code + i, n - i))
            return true;
    return false;
}

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
