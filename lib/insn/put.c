#include "lib/insn/put.h"
#include "lib/text/str.h"

enum { X87_REGISTERS = 8, VECTORS = 16, MASKS = 8 };

/* The strings and RAX. Elements of any size are equal, so REPE does not end early; REPNE has
 * another string at RDI. The value is one that MOVSXD, which carries it in chains, does not
 * change. */
#define STRING       UINT64_MAX
#define OTHER_STRING 0x0101010101010101

/* --- values ---------------------------------------------------------------------------------- */

/* At every width positive, and more than twice as large as the part of RDX, or AH, at that width:
 * quotients fit, signed or not. */
#define SLOW_DIVISOR 0x7fedcba97fed7f7f

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

typedef uint64_t __attribute__((may_alias)) word;

static void fill(uint8_t *area, size_t bytes, uint64_t value)
{
    word *at = (word *)(void *)area;

    for (size_t i = 0; i < bytes / sizeof *at; i++)
        at[i] = value;
}

/* Returns the bytes of the area that the form can reach: strings and the stack are at its end. */
static size_t reached_by(const struct insn_view *v)
{
    return INSN_FIND(v, .kinds = 1 << INSN_MEMORY, .fields = 1 << INSN_FIXED) ? INSN_AREA_SIZE
                                                                              : AREA_RSI;
}

void insn_fill(uint8_t *area, const struct insn_view *v, unsigned values)
{
    unsigned element = insn_element(v);
    bool is_string = v->form->properties & INSN_STRING;

    fill(area, reached_by(v), is_string ? STRING : insn_values_word(values, element, false));
    if (is_string && str_starts(insn_mnemonic(v->form), "repne "))
        fill(area + AREA_RDI, AREA_STACK - AREA_RDI, OTHER_STRING);
    fill(area + AREA_OTHER, AREA_VECTOR, insn_values_word(values, element, true));
    fill(area + AREA_ZERO, AREA_VECTOR, 0);
}

static bool has_selector(const struct insn_view *v)
{
    for (unsigned i = 0; i < v->operands; i++)
        if (insn_is_selector(&v->operand[i]))
            return true;
    return false;
}

/* Returns whether the form has this general register fixed, as an operand or as a base. */
static bool is_fixed(const struct insn_view *v, unsigned number)
{
    return insn_is_listed(v, number) || insn_is_pointer(v, number);
}

/* Returns the initial value of a general register. */
static uint64_t value_of(const struct insn_place *place, const struct insn_view *v, unsigned number)
{
    bool repeats = v->form->properties & (INSN_REP | INSN_BRANCH);
    bool slow = insn_values_break(v, place->values);
    uint64_t other = slow ? insn_values_word(place->values, INSN_INT, false)
                     : v->form->properties & INSN_STRING ? STRING
                                                         : 1;

    switch (number) {
    case PLAN_RAX:
        return slow ? INSN_SLOW_RAX : insn_is_pointer(v, number) ? place->area + AREA_BASE : other;
    case PLAN_BASE:
        return place->area + AREA_BASE;
    case PLAN_INDEX:
        return 0;
    case PLAN_RDX: /* the high half of a dividend must be 0, a divisor must not */
        return !is_fixed(v, number) ? other : slow ? INSN_SLOW_RDX : 0;
    case PLAN_RCX:
        return repeats ? place->repeats : has_selector(v) ? 0 : 1;
    case PLAN_RSI:
        return insn_is_pointer(v, number) ? place->area + AREA_RSI : 1;
    case PLAN_RDI:
        return insn_is_pointer(v, number) ? place->area + AREA_RDI : 1;
    default:
        return insn_is_pointer(v, number) ? place->area + AREA_BASE : other;
    }
}

/* --- code ------------------------------------------------------------------------------------ */

void insn_put_value(struct insn_code *code, const struct insn_place *place,
                    const struct insn_view *v, unsigned number)
{
    uint64_t value = value_of(place, v, number);

    insn_put_link(code, place, value >> 32 ? LINK_MOV64 : LINK_MOV32, number, 0, value);
}

/* The same with the history of this place. */
static void put_first_value(struct insn_code *code, const struct insn_place *place,
                            const struct insn_view *v, unsigned number)
{
    if (place->history == HISTORY_USUAL) {
        insn_put_value(code, place, v, number);
        return;
    }
    insn_put_link(code, place, LINK_MOV64, number, 0, value_of(place, v, number) - 1);
    insn_put_link(code, place, LINK_ADD_1, number, 0, 1);
}

static bool uses(const struct insn_view *v, uint16_t classes)
{
    return INSN_FIND(v, .kinds = 1 << INSN_REGISTER | INSN_POINTERS, .classes = classes);
}

/* --- setup ----------------------------------------------------------------------------------- */

/* Only as wide as the form's encoding: used upper halves slow down legacy SSE. */
static void set_vectors(struct insn_code *to, const struct insn_place *place,
                        const struct insn_view *v)
{
    enum insn_link load = LINK_LOAD128;

    if (v->form->encoding != INSN_LEGACY)
        load = v->form->encoding == INSN_EVEX ? LINK_VLOAD512 : LINK_VLOAD256;
    else if (place->vectors >= 256)
        insn_put_link(to, place, LINK_VZEROUPPER, 0, 0, 0);
    for (unsigned i = 0; i < VECTORS; i++)
        insn_put_access(to, place, load, i,
                        i >= PLAN_VECTOR_ZERO ? AREA_ZERO
                        : i % 2               ? AREA_OTHER
                                              : AREA_PATTERN);
}

/* Returns a shuffle in the other domain than the form's. */
static enum insn_link other_domain(const struct insn_place *place, const struct insn_view *v)
{
    bool integers = insn_element(v) == INSN_INT;

    switch (v->form->encoding) {
    case INSN_LEGACY:
        return integers ? LINK_SHUFPS : LINK_PSHUFD;
    case INSN_EVEX:
        return integers ? LINK_VSHUFPS_Z : LINK_VPSHUFD_Z;
    default:
        return integers || !place->avx2 ? LINK_VSHUFPS : LINK_VPSHUFD_Y;
    }
}

/* Writes all vectors, or MMX registers, once more: each lane keeps its value. */
static void shuffle(struct insn_code *to, const struct insn_place *place, enum insn_link link,
                    unsigned registers)
{
    for (unsigned i = 0; i < registers; i++)
        insn_put_link(to, place, link, i, i, SHUFFLE_NONE);
}

void insn_setup(struct insn_code *to, const struct insn_place *place, const struct insn_test *t)
{
    const struct insn_view *v = &t->view;

    insn_put_value(to, place, v, PLAN_BASE);
    if (uses(v, 1 << INSN_ST)) {
        insn_put_link(to, place, LINK_FNINIT, 0, 0, 0);
        for (unsigned i = 0; i < X87_REGISTERS; i++)
            insn_put_link(to, place, LINK_FLD1, 0, 0, 0);
    }
    for (unsigned i = 0; i < X87_REGISTERS && uses(v, 1 << INSN_MM); i++)
        insn_put_access(to, place, LINK_MOVQ_MM_M, i, AREA_PATTERN);
    if (uses(v, INSN_VECTORS))
        set_vectors(to, place, v);
    if (place->history == HISTORY_OTHER && uses(v, 1 << INSN_MM))
        shuffle(to, place, LINK_PSHUFW, X87_REGISTERS);
    if (place->history == HISTORY_OTHER && uses(v, INSN_VECTORS))
        shuffle(to, place, other_domain(place, v), VECTORS);
    for (unsigned i = 1; i < MASKS && uses(v, 1 << INSN_K); i++)
        insn_put_link(to, place, LINK_KXNOR, i, i, 0);
    for (unsigned i = 0; i < 16; i++)
        if (i != PLAN_RSP && i != PLAN_RBP && i != PLAN_BASE)
            put_first_value(to, place, v, i);
}

/* --- start and end ---------------------------------------------------------------------------- */

void insn_put_pointers(struct insn_code *to, const struct insn_place *place,
                       const struct insn_view *v)
{
    if (v->form->properties & INSN_STACK)
        insn_put_link(to, place, LINK_MOV64, PLAN_RSP, 0, place->area + AREA_STACK);
    if (v->form->properties & INSN_STRING) {
        insn_put_value(to, place, v, PLAN_RSI);
        insn_put_value(to, place, v, PLAN_RDI);
    }
}

static void put_lead(struct insn_code *to, const struct insn_place *place,
                     const struct insn_view *v)
{
    enum insn_link link = v->form->encoding == INSN_LEGACY ? LINK_PSHUFD : LINK_VPSHUFD;

    for (unsigned i = 0; i < place->lead && uses(v, INSN_VECTORS); i++) {
        insn_put_link(to, place, link, PLAN_VECTOR_ZERO, PLAN_VECTOR_INDEX, SHUFFLE_NONE);
        insn_put_link(to, place, link, PLAN_VECTOR_ZERO, PLAN_VECTOR_ZERO, SHUFFLE_NONE);
    }
}

void insn_put_start(struct insn_code *to, const struct insn_place *place, const struct insn_view *v,
                    bool lead)
{
    for (unsigned i = PLAN_RAX; i <= PLAN_RBX; i++)
        put_first_value(to, place, v, i);
    put_first_value(to, place, v, PLAN_RBP);
    if (v->form->properties & INSN_STACK) {
        insn_put_access(to, place, LINK_STORE64, PLAN_RSP, AREA_SAVED_RSP);
        insn_put_link(to, place, LINK_MOV64, PLAN_RSP, 0, place->area + AREA_STACK);
    }
    if (lead)
        put_lead(to, place, v);
}

/* Of each pair, the second instruction waits for the first. No copy reads their register, which
 * keeps its value, 0. */
void insn_put_end(struct insn_code *to, const struct insn_place *place, const struct insn_view *v)
{
    if (v->form->properties & INSN_STACK)
        insn_put_access(to, place, LINK_LOAD64, PLAN_RSP, AREA_SAVED_RSP);
    if (uses(v, 1 << INSN_MM))
        insn_put_link(to, place, LINK_EMMS, 0, 0, 0);
    if (uses(v, 1 << INSN_ST))
        insn_put_link(to, place, LINK_FNINIT, 0, 0, 0);
    if (uses(v, INSN_VECTORS) && v->form->encoding != INSN_LEGACY)
        insn_put_link(to, place, LINK_VZEROUPPER, 0, 0, 0);
}
