#include "hosted/tools/insn_table.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void give_up(const struct described *d, const char *what)
{
    fprintf(stderr, "insn_table: %s: %s\n", ZydisMnemonicGetString(d->in.mnemonic), what);
    exit(1);
}

static bool decode(struct described *d, const uint8_t *bytes)
{
    static ZydisDecoder decoder;
    static bool ready;

    if (!ready)
        ready = ZYAN_SUCCESS(
            ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64));
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, WALK_BYTES, &d->in, d->zydis)) ||
        d->in.mnemonic == ZYDIS_MNEMONIC_INVALID)
        return false;
    /* PREFETCH of a register is reserved. */
    if (d->in.opcode_map == ZYDIS_OPCODE_MAP_0F && d->in.opcode == 0x0d && d->in.raw.modrm.mod == 3)
        return false;
    switch (d->in.meta.isa_ext) {
    case ZYDIS_ISA_EXT_KNC:
    case ZYDIS_ISA_EXT_KNCE:
    case ZYDIS_ISA_EXT_KNCV:
        return false;
    default:
        return d->in.encoding != ZYDIS_INSTRUCTION_ENCODING_3DNOW;
    }
}

/* --- operands --------------------------------------------------------------------------------- */

static uint8_t class_of(ZydisRegister r)
{
    static const uint8_t known[ZYDIS_REGCLASS_MAX_VALUE + 1] = {
        [ZYDIS_REGCLASS_GPR8] = INSN_R8,     [ZYDIS_REGCLASS_GPR16] = INSN_R16,
        [ZYDIS_REGCLASS_GPR32] = INSN_R32,   [ZYDIS_REGCLASS_GPR64] = INSN_R64,
        [ZYDIS_REGCLASS_X87] = INSN_ST,      [ZYDIS_REGCLASS_MMX] = INSN_MM,
        [ZYDIS_REGCLASS_XMM] = INSN_XMM,     [ZYDIS_REGCLASS_YMM] = INSN_YMM,
        [ZYDIS_REGCLASS_ZMM] = INSN_ZMM,     [ZYDIS_REGCLASS_MASK] = INSN_K,
        [ZYDIS_REGCLASS_TMM] = INSN_TMM,     [ZYDIS_REGCLASS_BOUND] = INSN_BND,
        [ZYDIS_REGCLASS_SEGMENT] = INSN_SEG, [ZYDIS_REGCLASS_CONTROL] = INSN_CR,
        [ZYDIS_REGCLASS_DEBUG] = INSN_DR,
    };
    ZydisRegisterClass class = ZydisRegisterGetClass(r);

    return known[class] || class == ZYDIS_REGCLASS_GPR8 ? known[class] : INSN_OTHER;
}

/* 4 to 7 of Zydis' 8-bit registers are AH to BH; the other numbers continue after them. */
static uint8_t number_of(ZydisRegister r)
{
    ZyanI8 id = ZydisRegisterGetId(r);

    if (ZydisRegisterGetClass(r) == ZYDIS_REGCLASS_GPR8)
        return (uint8_t)(id < 8 ? id : id - 4);
    return (uint8_t)(id < 0 ? 0 : id);
}

static uint8_t element_of(const ZydisDecodedOperand *o)
{
    static const uint8_t floats[ZYDIS_ELEMENT_TYPE_MAX_VALUE + 1] = {
        [ZYDIS_ELEMENT_TYPE_FLOAT16] = INSN_F16,
        [ZYDIS_ELEMENT_TYPE_FLOAT32] = INSN_F32,
        [ZYDIS_ELEMENT_TYPE_FLOAT64] = INSN_F64,
        [ZYDIS_ELEMENT_TYPE_FLOAT80] = INSN_F80,
    };

    return floats[o->element_type]; /* INSN_INT for the others */
}

static uint8_t access_of(const ZydisDecodedOperand *o)
{
    unsigned access = 0;

    if (o->actions & ZYDIS_OPERAND_ACTION_MASK_READ)
        access |= INSN_READ;
    if (o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
        access |= INSN_WRITE;
    if (o->actions & (ZYDIS_OPERAND_ACTION_CONDREAD | ZYDIS_OPERAND_ACTION_CONDWRITE))
        access |= INSN_MAY;
    if (o->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN)
        access |= INSN_HIDDEN;
    return (uint8_t)access;
}

/* Returns whether it is the memory that MOVDIR64B and ENQCMD write: its address is the first
 * operand. */
static bool writes_at_register(const struct described *d, const ZydisDecodedOperand *o)
{
    return o->type == ZYDIS_OPERAND_TYPE_MEMORY &&
           d->zydis[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
           d->zydis[0].encoding == ZYDIS_OPERAND_ENCODING_MODRM_REG &&
           d->zydis[0].reg.value == o->mem.base && d->in.attributes & ZYDIS_ATTRIB_HAS_MODRM &&
           o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
}

static uint8_t field_of(const struct described *d, const ZydisDecodedOperand *o)
{
    static const uint8_t fields[ZYDIS_OPERAND_ENCODING_MAX_VALUE + 1] = {
        [ZYDIS_OPERAND_ENCODING_MODRM_REG] = INSN_REG, [ZYDIS_OPERAND_ENCODING_MODRM_RM] = INSN_RM,
        [ZYDIS_OPERAND_ENCODING_OPCODE] = INSN_OPCODE, [ZYDIS_OPERAND_ENCODING_NDSNDD] = INSN_VVVV,
        [ZYDIS_OPERAND_ENCODING_IS4] = INSN_IS4,       [ZYDIS_OPERAND_ENCODING_MASK] = INSN_MASK,
    };

    if (o->encoding == ZYDIS_OPERAND_ENCODING_NONE)
        return writes_at_register(d, o) ? INSN_REG_BASE : INSN_FIXED;
    if (fields[o->encoding])
        return fields[o->encoding];
    if (o->type != ZYDIS_OPERAND_TYPE_MEMORY && o->type != ZYDIS_OPERAND_TYPE_IMMEDIATE)
        give_up(d, "an operand is in an unknown place");
    return o->type == ZYDIS_OPERAND_TYPE_MEMORY ? INSN_MOFFS : INSN_TAIL;
}

static void take_memory(struct insn_operand *to, const ZydisDecodedOperand *o)
{
    to->kind = o->mem.type == ZYDIS_MEMOP_TYPE_AGEN ? INSN_ADDRESS : INSN_MEMORY;
    to->class = o->mem.type == ZYDIS_MEMOP_TYPE_VSIB ? class_of(o->mem.index) : INSN_R64;
    to->number = to->field == INSN_FIXED ? number_of(o->mem.base) : 0;
}

static void take_operand(struct described *d, const ZydisDecodedOperand *o)
{
    struct insn_operand to = {
        .field = field_of(d, o), .access = access_of(o), .element = element_of(o), .bits = o->size};

    switch (o->type) {
    case ZYDIS_OPERAND_TYPE_REGISTER:
        to.kind = INSN_REGISTER;
        to.class = class_of(o->reg.value);
        to.number = to.field == INSN_FIXED ? number_of(o->reg.value) : 0;
        /* RFLAGS, RIP, MXCSR and similar: the flags are described separately. */
        if (to.class == INSN_OTHER && to.access & INSN_HIDDEN)
            return;
        if (to.field == INSN_MASK && o->reg.value == ZYDIS_REGISTER_K0)
            return;
        break;
    case ZYDIS_OPERAND_TYPE_MEMORY:
        take_memory(&to, o);
        break;
    case ZYDIS_OPERAND_TYPE_IMMEDIATE:
        to.kind = o->imm.is_relative ? INSN_RELATIVE : INSN_IMMEDIATE;
        to.number = to.field == INSN_FIXED ? (uint8_t)o->imm.value.u : 0;
        break;
    default:
        to.kind = INSN_IMMEDIATE;
    }
    if (d->operands == INSN_OPERANDS_MOST)
        give_up(d, "it has too many operands");
    d->operand[d->operands++] = to;
}

/* Adds what CLZERO writes, which Zydis omits: the line at [rax] (AMD APM vol. 3). */
static void take_line(struct described *d)
{
    d->operand[d->operands++] = (struct insn_operand){.kind = INSN_MEMORY,
                                                      .field = INSN_FIXED,
                                                      .class = INSN_R64,
                                                      .access = INSN_WRITE | INSN_HIDDEN,
                                                      .bits = 512};
}

static uint16_t flag_bits(ZydisAccessedFlagsMask mask)
{
    return (uint16_t)(mask & (INSN_STATUS | INSN_DF));
}

static uint16_t x87_bits(ZydisAccessedFlagsMask mask)
{
    return (uint16_t)((mask & ZYDIS_FPUFLAG_C0 ? INSN_C0 : 0) |
                      (mask & ZYDIS_FPUFLAG_C1 ? INSN_C1 : 0) |
                      (mask & ZYDIS_FPUFLAG_C2 ? INSN_C2 : 0) |
                      (mask & ZYDIS_FPUFLAG_C3 ? INSN_C3 : 0));
}

static void take_flags(struct described *d)
{
    const ZydisAccessedFlags *f = d->in.cpu_flags, *x = d->in.fpu_flags;

    if (f) {
        d->flags.read = flag_bits(f->tested);
        d->flags.written = flag_bits(f->modified | f->set_0 | f->set_1 | f->undefined);
    }
    if (x) {
        d->flags.read |= x87_bits(x->tested);
        d->flags.written |= x87_bits(x->modified | x->set_0 | x->set_1 | x->undefined);
    }
}

/* --- the template ----------------------------------------------------------------------------- */

static bool has_field(const struct described *d, unsigned field)
{
    for (unsigned i = 0; i < d->operands; i++)
        if (d->operand[i].field == field)
            return true;
    return false;
}

static uint8_t plain_modrm(const struct described *d, uint8_t modrm)
{
    if (has_field(d, INSN_REG) || has_field(d, INSN_REG_BASE))
        modrm &= (uint8_t)~0x38;
    if (has_field(d, INSN_RM))
        modrm &= modrm >= 0xc0 ? 0xf8 : 0x38;
    return modrm;
}

/* Sets all registers to 0: the bits of VEX and EVEX for them are inverted. */
static void plain_prefix(struct described *d)
{
    uint8_t *b = d->form.bytes;

    switch (d->form.encoding) {
    case INSN_LEGACY:
        break;
    case INSN_EVEX:
        b[1] |= 0xf0;
        b[2] |= 0x78;
        b[3] = (uint8_t)((b[3] & 0x60) | 0x08);
        break;
    default:
        b[1] |= 0xe0;
        b[2] |= 0x78;
    }
}

static void take_template(struct described *d, const uint8_t *bytes)
{
    static const uint8_t encodings[] = {
        [ZYDIS_INSTRUCTION_ENCODING_LEGACY] = INSN_LEGACY,
        [ZYDIS_INSTRUCTION_ENCODING_XOP] = INSN_XOP,
        [ZYDIS_INSTRUCTION_ENCODING_VEX] = INSN_VEX,
        [ZYDIS_INSTRUCTION_ENCODING_EVEX] = INSN_EVEX,
    };
    const ZydisDecodedInstruction *in = &d->in;
    struct insn_form *f = &d->form;
    unsigned tail = (in->raw.imm[0].size + in->raw.imm[1].size) / 8u, end, n = 0;

    if (has_field(d, INSN_MOFFS))
        tail += in->raw.disp.size / 8u;
    f->tail = (uint8_t)tail;
    f->encoding = encodings[in->encoding] & 3;
    bool modrm = in->attributes & ZYDIS_ATTRIB_HAS_MODRM;
    end = modrm ? in->raw.modrm.offset + 1u : in->length - tail;
    for (unsigned i = 0; i < end; i++) {
        if (in->attributes & ZYDIS_ATTRIB_HAS_REX && i == in->raw.rex.offset)
            continue;
        if (n == INSN_TEMPLATE)
            give_up(d, "its template is too long");
        f->bytes[n++] = bytes[i];
    }
    f->length = n & 15;
    unsigned prefixes =
        in->attributes & ZYDIS_ATTRIB_HAS_REX ? in->raw.rex.offset : in->raw.prefix_count;
    f->prefixes = (f->encoding == INSN_LEGACY ? prefixes : 0) & 3;
    if (modrm) {
        f->properties |= INSN_MODRM;
        f->bytes[n - 1] = plain_modrm(d, f->bytes[n - 1]);
    }
    if (has_field(d, INSN_OPCODE))
        f->bytes[n - 1] &= 0xf8;
    if (in->attributes & ZYDIS_ATTRIB_HAS_REX && in->raw.rex.W)
        f->properties |= INSN_REX_W;
    plain_prefix(d);
}

/* --- what EVEX adds --------------------------------------------------------------------------- */

/* EVEX.b means broadcast with memory, and rounding if ModRM has registers. */
static bool is_memory(const struct described *d)
{
    for (unsigned i = 0; i < d->operands; i++)
        if (d->operand[i].kind == INSN_MEMORY && d->operand[i].field == INSN_RM)
            return true;
    return false;
}

static uint8_t decoration_of(const struct described *d, const uint8_t *bytes)
{
    unsigned is = INSN_PLAIN;

    if (bytes[3] & 7)
        is |= bytes[3] & 0x80 ? INSN_ZERO : INSN_MERGE;
    if (!(bytes[3] & 0x10))
        return (uint8_t)is;
    if (is_memory(d)) {
        unsigned bits = 0;
        for (unsigned i = 0; i < d->operands; i++)
            if (d->operand[i].kind == INSN_MEMORY)
                bits = d->operand[i].bits;
        return (uint8_t)(is | INSN_BROADCAST | (bits == 16 ? 1u : bits == 32 ? 2u : 3u) << 6);
    }
    return (uint8_t)(is | (d->in.avx.rounding.mode ? INSN_ROUND : INSN_SAE));
}

static bool describe_plain(struct described *d, const uint8_t *bytes)
{
    memset(d, 0, sizeof *d);
    if (!decode(d, bytes))
        return false;
    for (unsigned i = 0; i < d->in.operand_count; i++)
        take_operand(d, &d->zydis[i]);
    if (d->in.mnemonic == ZYDIS_MNEMONIC_CLZERO)
        take_line(d);
    take_flags(d);
    take_template(d, bytes);
    judge(d);
    return true;
}

/* Describes the form to which these bytes add something: the same with no mask, no broadcast and no
 * rounding, whose length bits are those of 512-bit vectors, or 0 if it is scalar. */
static bool describe_evex(struct described *d, const uint8_t *bytes)
{
    static const uint8_t lengths[] = {0x40, 0x00, 0x20};
    uint8_t plain[WALK_BYTES];

    if (!describe_plain(d, bytes))
        return false;
    unsigned decoration = decoration_of(d, bytes);
    if (decoration == INSN_PLAIN)
        return true;
    bool rounds = decoration & (INSN_ROUND | INSN_SAE);
    for (unsigned i = 0; i < (rounds ? sizeof lengths : 1); i++) {
        memcpy(plain, bytes, sizeof plain);
        plain[3] = rounds ? lengths[i] | 0x08 : (bytes[3] & 0x60) | 0x08;
        if (describe_plain(d, plain)) {
            d->decoration = (uint8_t)decoration;
            return true;
        }
    }
    /* Gathers and scatters: invalid without a mask. */
    if (decoration != INSN_MERGE || !describe_plain(d, bytes))
        give_up(d, "what its EVEX prefix adds is in no plain form");
    d->form.properties |= INSN_NEEDS_MASK;
    return true;
}

bool describe(struct described *d, const uint8_t *bytes)
{
    return bytes[0] == 0x62 ? describe_evex(d, bytes) : describe_plain(d, bytes);
}

/* Compares visible operands only: if a prefix changes only hidden ones, such as the size of what
 * RET pops, the first form is kept. */
bool described_same(const struct described *a, const struct described *b)
{
    unsigned i = 0;

    if (a->form.encoding != b->form.encoding || strcmp(a->mnemonic, b->mnemonic) != 0)
        return false;
    for (; i < a->operands && !(a->operand[i].access & INSN_HIDDEN); i++) {
        const struct insn_operand *x = &a->operand[i], *y = &b->operand[i];
        if (i >= b->operands || y->access & INSN_HIDDEN || x->kind != y->kind ||
            x->class != y->class || x->number != y->number ||
            (x->bits != y->bits && x->kind != INSN_REGISTER) ||
            (x->field == INSN_FIXED) != (y->field == INSN_FIXED))
            return false;
    }
    return i >= b->operands || b->operand[i].access & INSN_HIDDEN;
}
