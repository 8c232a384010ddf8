#include "lib/insn/values.h"
#include "lib/insn/plan.h"
#include "lib/insn/table.h"
#include "lib/text/str.h"

/* At every width positive, and more than twice as large as the part of RDX, or AH, at that width:
 * quotients fit, signed or not. */
#define SLOW_DIVISOR 0x7fedcba97fed7f7f

static const struct {
    const char *name;
    uint32_t repeats;
} all[] = {
#define VALUES_OF(id, name, repeats) {name, repeats},
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
    for (unsigned i = 0; i < v->operands; i++)
        if (v->operand[i].kind == INSN_MEMORY)
            return true;
    return false;
}

static bool begins(const char *text, const char *start)
{
    while (*start && *text == *start) {
        text++;
        start++;
    }
    return !*start;
}

static bool is_arithmetic(const char *mnemonic)
{
    static const char *const starts[] = {"vadd", "vsub", "vmul", "vdiv", "vsqrt", "vfm", "vfn"};

    for (unsigned i = 0; i < sizeof starts / sizeof starts[0]; i++)
        if (begins(mnemonic, starts[i]))
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
    return n;
}

bool insn_values_break(const struct insn_view *v, unsigned values)
{
    return values == INSN_SLOW && divides_integers(v);
}

bool insn_values_can_loop(unsigned values)
{
    return values != INSN_SLOW;
}

bool insn_values_last(unsigned values)
{
    return values >= INSN_TIMES_0;
}

const char *insn_values_name(unsigned values)
{
    return all[values].name;
}

uint32_t insn_values_repeats(unsigned values)
{
    return all[values].repeats;
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
