#include "lib/insn/values.h"
#include "lib/text/str.h"

/* At every width positive, and more than twice as large as the part of RDX, or AH, at that width:
 * quotients fit, signed or not. */
#define SLOW_DIVISOR 0x7fedcba97fed7f7f

const struct insn_values_facts insn_values_of[] = {
#define VALUES_OF(id, ...) {__VA_ARGS__},
    INSN_VALUES(VALUES_OF)};

unsigned insn_element(const struct insn_view *v)
{
    for (unsigned i = 0; i < v->operands; i++) {
        const struct insn_operand *o = &v->operand[i];
        bool wide = o->kind == INSN_MEMORY || (o->kind == INSN_REGISTER && o->class >= INSN_ST);
        if (wide && o->access & INSN_READ && o->class != INSN_K)
            return o->element;
    }
    return INSN_INT;
}

static bool has_memory(const struct insn_view *v)
{
    return INSN_FIND(v, .kinds = 1 << INSN_MEMORY);
}

static bool is_arithmetic(const char *mnemonic)
{
    static const char *const starts[] = {"vadd", "vsub", "vmul", "vdiv", "vsqrt", "vfm", "vfn"};

    for (unsigned i = 0; i < sizeof starts / sizeof starts[0]; i++)
        if (str_starts(mnemonic, starts[i]))
            return true;
    return false;
}

/* Only forms that do not overwrite what they read, so that it stays denormal. */
static bool has_denormals(const struct insn_view *v)
{
    unsigned element = insn_element(v);

    return (element == INSN_F32 || element == INSN_F64) && v->form->encoding != INSN_LEGACY &&
           v->decoration == INSN_PLAIN && !has_memory(v) && is_arithmetic(insn_mnemonic(v->form));
}

static bool divides_integers(const struct insn_view *v)
{
    const char *mnemonic = insn_mnemonic(v->form);

    return str_eq(mnemonic, "div") || str_eq(mnemonic, "idiv");
}

/* --- immediates ------------------------------------------------------------------------------- */

/*
 * Immediates that change the work, by the beginning of the mnemonic. Shifts by 0 leave the flags as
 * they are, and those by 1 define OF. Rotations through the carry can take as long as their count
 * is. Cores that fold small immediates of ADD and SUB into the reader of the result do not fold
 * 4096. Bit 0 of a lane's number is the upper half. 0 and 255 make VPTERNLOG a constant.
 */
static const struct {
    const char *starts;
    uint8_t bits;
    uint8_t values[3]; /* INSN_USUAL: no further one */
} immediates[] = {
    {"rol", 8, {INSN_IMM_0, INSN_IMM_1}},
    {"ror", 8, {INSN_IMM_0, INSN_IMM_1}},
    {"rcl", 8, {INSN_IMM_0, INSN_IMM_1, INSN_IMM_31}},
    {"rcr", 8, {INSN_IMM_0, INSN_IMM_1, INSN_IMM_31}},
    {"shl", 8, {INSN_IMM_0, INSN_IMM_1}},
    {"shr", 8, {INSN_IMM_0, INSN_IMM_1}},
    {"sar", 8, {INSN_IMM_0, INSN_IMM_1}},
    {"add", 32, {INSN_IMM_4096}},
    {"sub", 32, {INSN_IMM_4096}},
    {"vextractf", 8, {INSN_IMM_1}},
    {"vextracti", 8, {INSN_IMM_1}},
    {"vinsertf", 8, {INSN_IMM_1}},
    {"vinserti", 8, {INSN_IMM_1}},
    {"vperm2", 8, {INSN_IMM_1}},
    {"vshuff", 8, {INSN_IMM_1}},
    {"vshufi", 8, {INSN_IMM_1}},
    {"vpternlog", 8, {INSN_IMM_0, INSN_IMM_255}},
};

/* Returns the bits of an immediate that may have any value; 0: it has no immediate. */
static unsigned immediate_bits(const struct insn_view *v)
{
    const struct insn_operand *o =
        INSN_FIND(v, .kinds = 1 << INSN_IMMEDIATE, .fields = 1 << INSN_TAIL);

    return o ? o->bits : 0;
}

/* Adds the immediates that the form has a row for, if it has vectors, or general registers of 32 or
 * 64 bits: other widths do the same work. Returns the number of all values. */
static unsigned add_immediates(const struct insn_view *v, uint8_t to[INSN_VALUES_COUNT], unsigned n)
{
    unsigned bits = immediate_bits(v), class = v->operand[0].class;
    bool general = v->form->encoding == INSN_LEGACY && (class == INSN_R32 || class == INSN_R64);

    if ((!general && (class < INSN_XMM || class > INSN_ZMM)) || has_memory(v) || v->decoration)
        return n;
    for (size_t i = 0; i < sizeof immediates / sizeof immediates[0]; i++)
        for (size_t k = 0; k < sizeof immediates[i].values; k++)
            if (immediates[i].values[k] != INSN_USUAL && bits == immediates[i].bits &&
                str_starts(insn_mnemonic(v->form), immediates[i].starts))
                to[n++] = immediates[i].values[k];
    return n;
}

unsigned insn_values(const struct insn_view *v, uint8_t to[INSN_VALUES_COUNT])
{
    unsigned n = 0, element = insn_element(v);

    to[n++] = INSN_USUAL;
    if (v->form->properties & INSN_REP)
        for (unsigned i = INSN_TIMES_0; i < INSN_VALUES_COUNT; i++)
            to[n++] = (uint8_t)i;
    else if (v->form->properties & INSN_VALUE && v->decoration == INSN_PLAIN &&
             (divides_integers(v) || element == INSN_F32 || element == INSN_F64))
        to[n++] = INSN_SLOW;
    if (has_denormals(v))
        to[n++] = INSN_DENORMAL;
    return add_immediates(v, to, n);
}

bool insn_values_break(const struct insn_view *v, unsigned values)
{
    return values == INSN_SLOW && divides_integers(v);
}

uint64_t insn_values_word(unsigned values, unsigned element, bool other)
{
    static const uint64_t one[] = {[INSN_INT] = 1,
                                   [INSN_F16] = 0x3c003c003c003c00,
                                   [INSN_F32] = 0x3f8000003f800000,
                                   [INSN_F64] = 0x3ff0000000000000,
                                   [INSN_F80] = 0x3ff0000000000000};

    /* The square roots of 2 and 3, and a number of half the smallest normal one. */
    if (values == INSN_SLOW && element == INSN_F32)
        return other ? 0x3fddb3d73fddb3d7 : 0x3fb504f33fb504f3;
    if (values == INSN_SLOW && element == INSN_F64)
        return other ? 0x3ffbb67ae8584caa : 0x3ff6a09e667f3bcd;
    if (values == INSN_SLOW && element == INSN_INT)
        return SLOW_DIVISOR;
    if (values == INSN_DENORMAL)
        return element == INSN_F32 ? 0x0040000100400001 : 0x0008000000000001;
    return one[element];
}
