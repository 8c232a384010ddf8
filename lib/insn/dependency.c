#include "lib/insn/dependency.h"
#include "lib/text/str.h"

enum { RSP = 4 };

static bool is_address(const struct insn_operand *o)
{
    return o->kind == INSN_MEMORY || o->kind == INSN_ADDRESS;
}

static bool is_rsp(const struct insn_operand *o)
{
    return o->field == INSN_FIXED && o->class <= INSN_R64 && o->number == RSP;
}

/* Returns whether a chain can go through the operand. */
static bool is_data(const struct insn_operand *o)
{
    if (is_rsp(o))
        return false;
    return o->kind == INSN_MEMORY || (o->kind == INSN_REGISTER && o->class <= INSN_K);
}

static unsigned add(struct insn_end *to, unsigned n, unsigned part, unsigned operand)
{
    to[n].part = (uint8_t)part;
    to[n].operand = (uint8_t)operand;
    return n + 1;
}

static unsigned add_address(const struct insn_view *v, struct insn_end *to, unsigned n, unsigned i)
{
    const struct insn_operand *o = &v->operand[i];

    if (o->field == INSN_RM) {
        n = add(to, n, INSN_BASE_PART, i);
        n = add(to, n, INSN_INDEX_PART, i);
    } else if (o->field == INSN_REG_BASE ||
               (o->field == INSN_FIXED && !is_rsp(o) && !insn_is_listed(v, o->number))) {
        n = add(to, n, INSN_BASE_PART, i);
    }
    return n;
}

unsigned insn_inputs(const struct insn_view *v, struct insn_end to[INSN_ENDS_MOST])
{
    unsigned n = 0;

    for (unsigned i = 0; i < v->operands; i++) {
        const struct insn_operand *o = &v->operand[i];
        if (o->access & INSN_READ && is_data(o) && !insn_is_base(v, o))
            n = add(to, n, INSN_DATA, i);
        if (is_address(o))
            n = add_address(v, to, n, i);
    }
    return v->flags.read & INSN_STATUS ? add(to, n, INSN_FLAGS_PART, 0) : n;
}

unsigned insn_outputs(const struct insn_view *v, struct insn_end to[INSN_ENDS_MOST])
{
    unsigned n = 0;

    for (unsigned i = 0; i < v->operands; i++)
        if (v->operand[i].access & INSN_WRITE && is_data(&v->operand[i]))
            n = add(to, n, INSN_DATA, i);
    return v->flags.written & INSN_STATUS ? add(to, n, INSN_FLAGS_PART, 0) : n;
}

static const char *const names[] = {
#define LINK_NAME(id, name) name,
    INSN_LINK(LINK_NAME)};

/* A fast check of the mnemonic. */
static bool may_be(const struct insn_form *f, const char *name)
{
    static const char evex[] = "{evex} ";

    if (f->encoding == INSN_EVEX) {
        if (!str_starts(name, evex))
            return false;
        name += sizeof evex - 1;
    }
    return str_starts(name, insn_mnemonic(f));
}

static bool is_named(const struct insn_form *f, const char *name)
{
    char text[96];
    struct sink_buf to;

    if (!may_be(f, name))
        return false;
    sink_buf_init(&to, text, sizeof text);
    insn_name(f, INSN_PLAIN, &to.sink);
    return str_eq(text, name);
}

const char *insn_links_find(struct insn_links *l)
{
    for (unsigned i = 0; i < LINKS; i++) {
        unsigned at = 0;
        while (at < insn_count() && !is_named(insn_form(at), names[i]))
            at++;
        if (at == insn_count())
            return names[i];
        l->form[i] = insn_form(at);
    }
    return NULL;
}

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
