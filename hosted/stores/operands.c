#include "hosted/stores/trace.h"
#include <string.h>

#define CLZERO_BYTES 64

#define M(name) ZYDIS_MNEMONIC_##name

/* Returns whether it is in the list, which ends with ZYDIS_MNEMONIC_INVALID. */
static bool is_in(ZydisMnemonic mnemonic, const ZydisMnemonic *list)
{
    for (; *list != ZYDIS_MNEMONIC_INVALID; list++)
        if (*list == mnemonic)
            return true;
    return false;
}

#define IS_ANY(mnemonic, ...) is_in(mnemonic, (const ZydisMnemonic[]){__VA_ARGS__, M(INVALID)})

/* --- what cannot be stepped ------------------------------------------------------------------- */

/* Why, and which instructions. UMIP: SGDT and so on. The mask of MASKMOVQ is an MMX register. */
static const struct {
    const char *why;
    ZydisMnemonic of[17]; /* the rest is ZYDIS_MNEMONIC_INVALID */
} refused[] = {
    {"it leaves the code for the kernel",
     {M(SYSCALL), M(SYSENTER), M(SYSRET), M(SYSEXIT), M(INT), M(INT1), M(INT3), M(IRET), M(IRETD),
      M(IRETQ)}},
    {"a transaction does not survive single steps", {M(XBEGIN), M(XEND), M(XABORT)}},
    {"the instruction after it would not be traced", {M(LSS)}},
    {"it changes what this tool itself needs",
     {M(LFS), M(LGS), M(WRFSBASE), M(WRGSBASE), M(WRPKRU)}},
    {"which bytes it touches depends on what state is in use",
     {M(FXSAVE), M(FXSAVE64), M(FXRSTOR), M(FXRSTOR64), M(XSAVE), M(XSAVE64), M(XSAVEC),
      M(XSAVEC64), M(XSAVEOPT), M(XSAVEOPT64), M(XSAVES), M(XSAVES64), M(XRSTOR), M(XRSTOR64),
      M(XRSTORS), M(XRSTORS64)}},
    {"the kernel may do it in the processor's place", {M(SGDT), M(SIDT), M(SLDT), M(STR), M(SMSW)}},
    {"its operands in memory are not known here",
     {M(MASKMOVQ), M(ENQCMD), M(ENQCMDS), M(LDTILECFG), M(STTILECFG), M(TILELOADD), M(TILELOADDT1),
      M(TILESTORED)}},
};

/* Returns why an instruction cannot be single-stepped, or its bytes are not known in advance; NULL:
 * neither. */
static const char *why_refused(const struct decoded *d)
{
    const ZydisDecodedInstruction *in = &d->instruction;
    const ZydisDecodedOperand *o = d->operand;

    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (is_in(in->mnemonic, refused[i].of))
            return refused[i].why;
    if (in->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR)
        return "it changes the code segment";
    if (in->mnemonic == ZYDIS_MNEMONIC_ENTER && o[1].imm.value.u)
        return "its operands in memory are not known here";
    if ((in->mnemonic == ZYDIS_MNEMONIC_MOV || in->mnemonic == ZYDIS_MNEMONIC_POP) &&
        o[0].type == ZYDIS_OPERAND_TYPE_REGISTER) {
        if (o[0].reg.value == ZYDIS_REGISTER_SS)
            return "the instruction after it would not be traced";
        if (o[0].reg.value == ZYDIS_REGISTER_FS || o[0].reg.value == ZYDIS_REGISTER_GS)
            return "it changes what this tool itself needs";
    }
    for (unsigned i = 0; i < in->operand_count; i++)
        if (o[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
            (o[i].mem.type == ZYDIS_MEMOP_TYPE_MIB || o[i].size > 8 * TOUCH_BYTES))
            return "its operands in memory are not known here";
    return NULL;
}

/* --- properties of an instruction, independent of registers ----------------------------------- */

/* Its operand is only an address; the memory there is not accessed. */
static bool is_hint(const ZydisDecodedInstruction *in)
{
    return in->meta.isa_ext == ZYDIS_ISA_EXT_MPX || /* Linux leaves it off: NOPs, since 5.6 */
           in->meta.category == ZYDIS_CATEGORY_NOP || in->meta.category == ZYDIS_CATEGORY_WIDENOP ||
           in->meta.category == ZYDIS_CATEGORY_PREFETCH ||
           IS_ANY(in->mnemonic, M(CLFLUSH), M(CLFLUSHOPT), M(CLWB), M(CLDEMOTE), M(PREFETCHWT1));
}

/* Returns the register whose sign bits of bytes or elements are the mask; ZYDIS_REGISTER_NONE: no
 * such register. */
static ZydisRegister vector_mask(const struct decoded *d)
{
    const ZydisDecodedInstruction *in = &d->instruction;

    if (IS_ANY(in->mnemonic, M(MASKMOVDQU), M(VMASKMOVDQU), M(VMASKMOVPS), M(VMASKMOVPD),
               M(VPMASKMOVD), M(VPMASKMOVQ)))
        return d->operand[1].reg.value;
    return in->meta.category == ZYDIS_CATEGORY_AVX2GATHER ? d->operand[2].reg.value
                                                          : ZYDIS_REGISTER_NONE;
}

static bool has_mask_register(const ZydisDecodedInstruction *in)
{
    return in->encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX &&
           in->avx.mask.reg != ZYDIS_REGISTER_NONE && in->avx.mask.reg != ZYDIS_REGISTER_K0;
}

static bool is_segment(ZydisRegister r)
{
    return r == ZYDIS_REGISTER_FS || r == ZYDIS_REGISTER_GS;
}

bool operands_decode(struct decoded *d, uint64_t address, const uint8_t *bytes, size_t n)
{
    ZydisDecoder decoder;

    memset(d, 0, sizeof *d);
    d->address = address;
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, n, &d->instruction, d->operand)))
        return false;
    const ZydisDecodedInstruction *in = &d->instruction;
    d->refused = why_refused(d);
    d->needs_vectors = has_mask_register(in) || vector_mask(d) != ZYDIS_REGISTER_NONE;
    for (unsigned i = 0; i < in->operand_count; i++)
        if (d->operand[i].type == ZYDIS_OPERAND_TYPE_MEMORY) {
            d->needs_vectors |= d->operand[i].mem.type == ZYDIS_MEMOP_TYPE_VSIB;
            d->needs_segments |= is_segment(d->operand[i].mem.segment);
        }
    d->pushes_flags = in->mnemonic == ZYDIS_MNEMONIC_PUSHFQ || in->mnemonic == ZYDIS_MNEMONIC_PUSHF;
    d->calls = in->mnemonic == ZYDIS_MNEMONIC_CALL;
    d->returns = in->mnemonic == ZYDIS_MNEMONIC_RET;
    return true;
}

void operands_text(const struct decoded *d, char text[OPERANDS_TEXT])
{
    ZydisFormatter formatter;

    ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_INTEL);
    if (!ZYAN_SUCCESS(ZydisFormatterFormatInstruction(&formatter, &d->instruction, d->operand,
                                                      d->instruction.operand_count_visible, text,
                                                      OPERANDS_TEXT, d->address, ZYAN_NULL)))
        strcpy(text, "?");
}

/* --- addresses -------------------------------------------------------------------------------- */

static uint64_t general(const struct decoded *d, const struct registers *r, ZydisRegister reg)
{
    if (reg == ZYDIS_REGISTER_RIP || reg == ZYDIS_REGISTER_EIP)
        return d->address + d->instruction.length;
    ZyanI8 id = ZydisRegisterGetId(reg);
    return reg == ZYDIS_REGISTER_NONE || id < 0 || id > 15 ? 0 : r->general[id];
}

/* BT and similar with a register select a bit of a string on both sides of the operand. */
static int64_t bits_away(const struct decoded *d, const struct registers *r, uint32_t bytes)
{
    if (!IS_ANY(d->instruction.mnemonic, M(BT), M(BTC), M(BTR), M(BTS)) ||
        d->operand[1].type != ZYDIS_OPERAND_TYPE_REGISTER)
        return 0;
    uint64_t bit = general(d, r, d->operand[1].reg.value);
    int64_t wanted = bytes == 2 ? (int16_t)bit : bytes == 4 ? (int32_t)bit : (int64_t)bit;
    int64_t width = 8 * (int64_t)bytes;
    int64_t whole = wanted / width - (wanted % width < 0);
    return whole * bytes;
}

static uint64_t segment_base(const struct registers *r, ZydisRegister segment)
{
    return segment == ZYDIS_REGISTER_FS ? r->fs : segment == ZYDIS_REGISTER_GS ? r->gs : 0;
}

/* SDM volume 2, POP: an operand's address with RSP is computed after RSP is incremented. */
static uint64_t stack_moved(const struct decoded *d, const ZydisDecodedOperand *o)
{
    bool pops = d->instruction.mnemonic == ZYDIS_MNEMONIC_POP;

    return pops && o->mem.base == ZYDIS_REGISTER_RSP ? o->size / 8u : 0;
}

/* Returns the address of an operand, or of one element with that index. */
static uint64_t address_of(const struct decoded *d, const struct registers *r,
                           const ZydisDecodedOperand *o, uint64_t index)
{
    uint32_t bytes = o->size / 8;

    if (o->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN && o->mem.base == ZYDIS_REGISTER_RSP) {
        bool pushed = o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
        return r->general[RSP] - (pushed ? bytes : 0);
    }
    uint64_t at = general(d, r, o->mem.base) + index * o->mem.scale + (uint64_t)o->mem.disp.value;
    at += (uint64_t)bits_away(d, r, bytes) + stack_moved(d, o);
    if (d->instruction.mnemonic == ZYDIS_MNEMONIC_XLAT)
        at += r->general[RAX] & 0xff;
    if (d->instruction.address_width == 32)
        at = (uint32_t)at;
    return at + segment_base(r, o->mem.segment);
}

/* --- masks ------------------------------------------------------------------------------------ */

static uint64_t element(const uint8_t *vector, unsigned i, unsigned bytes)
{
    uint64_t v = 0;

    memcpy(&v, vector + i * bytes, bytes);
    return v;
}

static const uint8_t *vector_of(const struct registers *r, ZydisRegister reg)
{
    return r->vector[ZydisRegisterGetId(reg) & 31];
}

/* Returns a bit for each element of `bytes` bytes, from the elements' sign bits. */
static uint64_t signs(const uint8_t *vector, unsigned elements, unsigned bytes)
{
    uint64_t bits = 0;

    for (unsigned i = 0; i < elements; i++)
        bits |= (uint64_t)(vector[i * bytes + bytes - 1] >> 7) << i;
    return bits;
}

/* Converts bits per element to bits per byte. */
static uint64_t lanes_of(uint64_t bits, unsigned elements, unsigned bytes)
{
    uint64_t lanes = 0, one = bytes < 64 ? (1ull << bytes) - 1 : ~0ull;

    for (unsigned i = 0; i < elements && i * bytes < 64; i++)
        if (bits >> i & 1)
            lanes |= one << i * bytes;
    return lanes;
}

static uint64_t low(unsigned n)
{
    return n < 64 ? (1ull << n) - 1 : ~0ull;
}

/* Exception classes "NF": a masked element is loaded anyway (SDM volume 2, 2.8). */
static bool loads_what_is_masked(const ZydisDecodedInstruction *in)
{
    switch (in->meta.exception_class) {
    case ZYDIS_EXCEPTION_CLASS_E1NF:
    case ZYDIS_EXCEPTION_CLASS_E2NF:
    case ZYDIS_EXCEPTION_CLASS_E3NF:
    case ZYDIS_EXCEPTION_CLASS_E4NF:
    case ZYDIS_EXCEPTION_CLASS_E5NF:
    case ZYDIS_EXCEPTION_CLASS_E6NF:
    case ZYDIS_EXCEPTION_CLASS_E9NF:
    case ZYDIS_EXCEPTION_CLASS_E10NF:
    case ZYDIS_EXCEPTION_CLASS_E11NF:
        return true;
    default:
        return false;
    }
}

/* Returns which bytes of the operand a mask register selects. */
static uint64_t masked_lanes(const struct decoded *d, const struct registers *r,
                             const ZydisDecodedOperand *o, bool store)
{
    const ZydisDecodedInstruction *in = &d->instruction;
    const ZydisDecodedOperand *to = &d->operand[0];
    uint64_t bits = r->mask[ZydisRegisterGetId(in->avx.mask.reg) & 7];
    unsigned bytes = o->element_size / 8, elements = o->element_count;

    if (!store && loads_what_is_masked(in))
        return TOUCH_ALL;
    if (in->meta.category == ZYDIS_CATEGORY_COMPRESS || in->meta.category == ZYDIS_CATEGORY_EXPAND)
        return lanes_of(low((unsigned)__builtin_popcountll(bits & low(elements))), elements, bytes);
    /* One value for several lanes: it is loaded if one of them is selected. */
    if (in->avx.broadcast.mode != ZYDIS_BROADCAST_MODE_INVALID) {
        unsigned lane = to->element_size ? to->element_size : o->element_size;
        if (to->type == ZYDIS_OPERAND_TYPE_REGISTER &&
            ZydisRegisterGetClass(to->reg.value) == ZYDIS_REGCLASS_MASK)
            lane = o->element_size;
        return bits & low(in->avx.vector_length / lane) ? TOUCH_ALL : 0;
    }
    return lanes_of(bits, elements, bytes);
}

/* --- gathered and scattered ------------------------------------------------------------------- */

static unsigned index_bytes(ZydisMnemonic mnemonic)
{
    return IS_ANY(mnemonic, M(VGATHERQPS), M(VGATHERQPD), M(VPGATHERQD), M(VPGATHERQQ),
                  M(VSCATTERQPS), M(VSCATTERQPD), M(VPSCATTERQD), M(VPSCATTERQQ))
               ? 8
               : 4;
}

static unsigned elements_apart(const struct decoded *d, const struct registers *r,
                               const ZydisDecodedOperand *o, struct touch *t)
{
    const ZydisDecodedInstruction *in = &d->instruction;
    unsigned bytes = o->size / 8, wide = index_bytes(in->mnemonic), n = 0;
    unsigned elements = in->avx.vector_length / 8 / (bytes > wide ? bytes : wide);
    const uint8_t *indices = vector_of(r, o->mem.index);
    uint64_t bits = has_mask_register(in) ? r->mask[ZydisRegisterGetId(in->avx.mask.reg) & 7]
                                          : signs(vector_of(r, vector_mask(d)), elements, bytes);

    for (unsigned i = 0; i < elements; i++) {
        uint64_t index = element(indices, i, wide);
        if (wide == 4)
            index = (uint64_t)(int64_t)(int32_t)index;
        if (bits >> i & 1)
            t[n++] = (struct touch){
                .at = address_of(d, r, o, index),
                .size = bytes,
                .load = o->actions & ZYDIS_OPERAND_ACTION_MASK_READ,
                .store = o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE,
                .lanes = TOUCH_ALL,
            };
    }
    return n;
}

/* --- all of it -------------------------------------------------------------------------------- */

/* Returns true for a repeated string instruction whose count is 0. */
static bool is_done(const struct decoded *d, const struct registers *r)
{
    const ZydisInstructionAttributes repeated =
        ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE;
    uint64_t left = r->general[RCX];

    if (d->instruction.meta.category != ZYDIS_CATEGORY_STRINGOP ||
        !(d->instruction.attributes & repeated))
        return false;
    return d->instruction.address_width == 32 ? (uint32_t)left == 0 : left == 0;
}

static bool one_touch(const struct decoded *d, const struct registers *r,
                      const ZydisDecodedOperand *o, struct touch *t)
{
    uint64_t index = o->mem.index == ZYDIS_REGISTER_NONE ? 0 : general(d, r, o->mem.index);

    *t = (struct touch){
        .at = address_of(d, r, o, index),
        .size = o->size / 8,
        .load = o->actions & ZYDIS_OPERAND_ACTION_MASK_READ,
        .store = o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE,
        .lanes = TOUCH_ALL,
    };
    ZydisRegister by = vector_mask(d);
    if (has_mask_register(&d->instruction)) {
        t->lanes = masked_lanes(d, r, o, t->store);
    } else if (IS_ANY(d->instruction.mnemonic, M(MASKMOVDQU), M(VMASKMOVDQU))) {
        t->lanes = signs(vector_of(r, by), t->size, 1);
    } else if (by != ZYDIS_REGISTER_NONE) {
        t->lanes = lanes_of(signs(vector_of(r, by), o->element_count, o->element_size / 8),
                            o->element_count, o->element_size / 8);
    }
    return t->size > 0 && (t->lanes & low(t->size)) != 0;
}

unsigned operands_touches(const struct decoded *d, const struct registers *r, struct touch *t)
{
    const ZydisDecodedInstruction *in = &d->instruction;
    unsigned n = 0;

    if (is_hint(in) || is_done(d, r))
        return 0;
    if (in->mnemonic == ZYDIS_MNEMONIC_CLZERO) { /* its encoding has no memory operand */
        uint64_t at = in->address_width == 32 ? (uint32_t)r->general[RAX] : r->general[RAX];
        t[n++] = (struct touch){at & -(uint64_t)CLZERO_BYTES, CLZERO_BYTES, false, true, TOUCH_ALL};
        return n;
    }
    for (unsigned i = 0; i < in->operand_count; i++) {
        const ZydisDecodedOperand *o = &d->operand[i];
        if (o->type != ZYDIS_OPERAND_TYPE_MEMORY || o->mem.type == ZYDIS_MEMOP_TYPE_AGEN ||
            !o->actions)
            continue;
        if (o->mem.type == ZYDIS_MEMOP_TYPE_VSIB)
            n += elements_apart(d, r, o, t + n);
        else
            n += one_touch(d, r, o, t + n);
    }
    return n;
}
