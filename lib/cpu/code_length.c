#include "lib/cpu/code_length.h"

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
