#include "lib/insn/put.h"
#include "lib/text/mem.h"

enum { REX = 0x40, REX_W = 8, MODRM_DISP32 = 0x80, RM_SIB = 4, SIB_NO_INDEX = 4 };
enum { EVEX_Z = 0x80, EVEX_B = 0x10, EVEX_V4 = 0x08 };

/* Numbers of registers by enum insn_field, and a bit of `has` for each that is given. */
struct fields {
    unsigned number[INSN_FIELDS], has;
    bool has_memory, vector_index, needs_rex;
};

static bool take_register(struct fields *to, const struct insn_form *f,
                          const struct insn_operand *o, unsigned number)
{
    bool more = f->encoding == INSN_EVEX && insn_file_of(o->class) == FILE_VECTOR;

    if (o->field == INSN_FIXED)
        return true;
    if (number > (more ? 31u : insn_classes[o->class].last))
        return false;
    to->needs_rex |= o->class == INSN_R8 && number >= 4; /* without REX, 4 to 7 are AH to BH */
    to->number[o->field] = number;
    to->has |= 1u << o->field;
    return o->field != INSN_MASK || number != 0;
}

static bool take_operands(struct fields *to, const struct insn_form *f, const struct insn_choice *c,
                          const struct insn_operand o[], unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        if (o[i].kind == INSN_REGISTER && !take_register(to, f, &o[i], c->reg[i]))
            return false;
        if ((o[i].kind == INSN_MEMORY || o[i].kind == INSN_ADDRESS) && o[i].field == INSN_RM) {
            to->has_memory = true;
            to->vector_index = o[i].class != INSN_R64;
        }
    }
    if (!to->has_memory)
        return true;
    /* General register 4 as index means no index; a vector index is mandatory. */
    if (c->base > 15 || (to->vector_index && c->index == INSN_NO_INDEX))
        return false;
    return c->index == INSN_NO_INDEX || to->vector_index ? true : c->index <= 15 && c->index != 4;
}

/* Bit 3 or 4 of the register in each place of the prefix. */
struct high {
    unsigned r, x, b, r4, v4;
};

static struct high high_of(const struct fields *in, const struct insn_choice *c)
{
    struct high h = {.r = in->number[INSN_REG] >> 3 & 1,
                     .r4 = in->number[INSN_REG] >> 4,
                     .v4 = in->number[INSN_VVVV] >> 4};

    if (in->has_memory) {
        bool indexed = c->index != INSN_NO_INDEX;
        h.b = c->base >> 3;
        h.x = indexed ? c->index >> 3 & 1u : 0;
        h.v4 |= indexed && in->vector_index ? c->index >> 4u : 0;
    } else {
        unsigned low = in->number[in->has >> INSN_OPCODE & 1 ? INSN_OPCODE : INSN_RM];
        h.b = low >> 3 & 1;
        h.x = low >> 4;
    }
    return h;
}

static void clear_if(uint8_t *byte, unsigned mask, unsigned condition)
{
    if (condition)
        *byte &= (uint8_t)~mask;
}

/* In VEX, XOP and EVEX the bits are inverted: they are 1 in the template. */
static void patch_prefix(uint8_t *b, const struct insn_form *f, const struct fields *in,
                         const struct high *h, unsigned decoration)
{
    clear_if(&b[1], 0x80, h->r);
    clear_if(&b[1], 0x40, h->x);
    clear_if(&b[1], 0x20, h->b);
    if (in->has >> INSN_VVVV & 1)
        b[2] = (uint8_t)((b[2] & ~0x78u) | (~in->number[INSN_VVVV] & 15) << 3);
    if (f->encoding != INSN_EVEX)
        return;
    clear_if(&b[1], 0x10, h->r4);
    clear_if(&b[3], EVEX_V4, h->v4);
    b[3] |= (uint8_t)in->number[INSN_MASK];
    if (decoration & INSN_ZERO)
        b[3] |= EVEX_Z;
    if (decoration & INSN_ROUND) /* the length's bits are the rounding mode: to nearest */
        b[3] &= (uint8_t)~0x60;
    if (decoration & (INSN_BROADCAST | INSN_ROUND | INSN_SAE))
        b[3] |= EVEX_B;
}

static unsigned put(uint8_t *at, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> 8 * (i < 8 ? i : 7));
    return bytes;
}

/* Writes SIB, if necessary, and the displacement. */
static unsigned put_address(uint8_t *modrm, const struct insn_form *f, const struct insn_choice *c)
{
    unsigned n = 1, base = c->base & 7u;
    bool indexed = c->index != INSN_NO_INDEX;

    *modrm |= MODRM_DISP32;
    if (indexed || base == RM_SIB || f->properties & INSN_NEEDS_SIB) {
        *modrm |= RM_SIB;
        modrm[n++] = (uint8_t)((indexed ? c->index & 7u : SIB_NO_INDEX) << 3 | base);
    } else {
        *modrm |= (uint8_t)base;
    }
    return n - 1 + put(modrm + n, (uint32_t)c->displacement, 4);
}

/* Writes the template's bytes, with a REX if it is legacy and needs one. */
static unsigned put_template(uint8_t *bytes, const struct insn_form *f, const struct fields *in,
                             const struct high *h, unsigned decoration)
{
    unsigned n = 0, rex = h->r << 2 | h->x << 1 | h->b;

    rex |= f->properties & INSN_REX_W ? REX_W : 0;
    for (unsigned i = 0; i < f->length; i++) {
        if (i == f->prefixes && f->encoding == INSN_LEGACY && (rex || in->needs_rex))
            bytes[n++] = (uint8_t)(REX | rex);
        bytes[n++] = f->bytes[i];
    }
    if (f->encoding != INSN_LEGACY)
        patch_prefix(bytes, f, in, h, decoration);
    return n;
}

/* Writes immediates, displacements and addresses in sequence; the last byte may hold both a
 * register and an immediate. */
static unsigned put_tail(uint8_t *at, const struct insn_form *f, const struct insn_choice *c,
                         const struct fields *in, const struct insn_operand o[], unsigned operands)
{
    unsigned n = 0;

    memset(at, 0, f->tail);
    for (unsigned i = 0; i < operands && n < f->tail; i++) {
        if (o[i].field == INSN_MOFFS)
            n += put(at + n, c->address, f->tail);
        else if (o[i].field == INSN_TAIL)
            n += put(at + n, o[i].kind == INSN_RELATIVE ? 0 : c->immediate, o[i].bits / 8u);
        else if (o[i].kind == INSN_IMMEDIATE && o[i].field == INSN_IS4)
            at[f->tail - 1] = c->immediate & 15;
    }
    if (in->has >> INSN_IS4 & 1)
        at[f->tail - 1] |= (uint8_t)(in->number[INSN_IS4] << 4);
    return f->tail;
}

unsigned insn_copy(const struct insn_form *f, const struct insn_choice *c,
                   uint8_t bytes[INSN_BYTES_MOST])
{
    uint8_t room[2 * INSN_BYTES_MOST];
    struct insn_operand o[INSN_OPERANDS_MOST];
    struct fields in = {0};

    if (c->decoration & ~f->decorations)
        return 0;
    unsigned operands = insn_operands(f, c->decoration, o);
    if (!take_operands(&in, f, c, o, operands))
        return 0;
    struct high h = high_of(&in, c);
    unsigned n = put_template(room, f, &in, &h, c->decoration);
    room[n - 1] |= in.number[INSN_OPCODE] & 7;
    if (f->properties & INSN_MODRM) {
        room[n - 1] |= (uint8_t)((in.number[INSN_REG] & 7) << 3 | (in.number[INSN_RM] & 7));
        if (in.has_memory)
            n += put_address(&room[n - 1], f, c);
    }
    n += put_tail(&room[n], f, c, &in, o, operands);
    if (n > INSN_BYTES_MOST)
        return 0;
    memcpy(bytes, room, n);
    return n;
}

void insn_put_bytes(struct insn_code *to, const void *bytes, size_t n)
{
    to->full |= n > to->size - to->used;
    if (to->refused || to->full)
        return;
    memcpy(to->at + to->used, bytes, n);
    to->used += n;
}

void insn_put(struct insn_code *to, const struct insn_form *f, const struct insn_choice *c)
{
    uint8_t bytes[INSN_BYTES_MOST];
    unsigned n = insn_copy(f, c, bytes);

    to->full |= to->size - to->used < INSN_BYTES_MOST;
    to->refused |= n == 0 && !to->full;
    insn_put_bytes(to, bytes, n);
}

void insn_put_link(struct insn_code *code, const struct insn_place *place, enum insn_link link,
                   unsigned to, unsigned from, uint64_t immediate)
{
    struct insn_choice c = {.reg = {(uint8_t)to, (uint8_t)from, (uint8_t)from},
                            .base = PLAN_BASE,
                            .index = INSN_NO_INDEX,
                            .immediate = immediate};

    insn_put(code, place->links->form[link], &c);
}

void insn_put_access(struct insn_code *code, const struct insn_place *place, enum insn_link link,
                     unsigned number, int32_t offset)
{
    struct insn_choice c = {.reg = {(uint8_t)number, (uint8_t)number},
                            .base = PLAN_BASE,
                            .index = INSN_NO_INDEX,
                            .displacement = offset - AREA_BASE};

    insn_put(code, place->links->form[link], &c);
}
