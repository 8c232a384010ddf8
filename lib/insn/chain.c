#include "lib/insn/tests.h"
#include "lib/text/str.h"

/* An end as a place: a register, the flags, the data of memory, or an address. */
enum place_kind {
    PLACE_REGISTER,
    PLACE_FLAGS,
    PLACE_MEMORY,
    PLACE_BASE,
    PLACE_INDEX,
    PLACE_VECTOR_INDEX,
};
struct place {
    enum place_kind kind;
    enum insn_file file;
    unsigned number; /* of the register */
    unsigned bits;
    bool fixed;
};

static struct place place_of(const struct insn_test *t, const struct insn_end *e)
{
    const struct insn_operand *o = &t->view.operand[e->operand];
    struct place p = {.file = FILE_NONE, .bits = o->bits, .fixed = o->field == INSN_FIXED};

    switch (e->part) {
    case INSN_FLAGS_PART:
        p.kind = PLACE_FLAGS;
        break;
    case INSN_BASE_PART:
        p.kind = PLACE_BASE;
        p.number = p.fixed ? o->number : PLAN_BASE;
        break;
    case INSN_INDEX_PART:
        p.kind = o->class == INSN_R64 ? PLACE_INDEX : PLACE_VECTOR_INDEX;
        p.number = o->class == INSN_R64 ? PLAN_INDEX : PLAN_VECTOR_INDEX;
        break;
    default:
        p.kind = o->kind == INSN_MEMORY ? PLACE_MEMORY : PLACE_REGISTER;
        p.file = p.kind == PLACE_MEMORY ? FILE_NONE : insn_file_of(o->class);
        p.number = p.kind == PLACE_MEMORY ? 0 : insn_register(t, e->operand, 0);
    }
    return p;
}

/* Adds a step. False: there is no such link. */
static bool step(struct insn_test *t, unsigned link, unsigned to, unsigned from)
{
    if (link != LINKS)
        t->step[t->steps++] = (struct insn_step){(uint8_t)link, (uint8_t)to, (uint8_t)from};
    return link != LINKS;
}

static bool is_legacy(const struct insn_test *t)
{
    return t->view.form->encoding == INSN_LEGACY;
}

static enum insn_link of_encoding(const struct insn_test *t, enum insn_link legacy,
                                  enum insn_link vex)
{
    return is_legacy(t) ? legacy : vex;
}

/* The links between a general register and one of each file; of vectors those of VEX. */
static const struct {
    uint8_t to_general, from_general;
} by_file[] = {[FILE_GENERAL] = {LINK_MOVSXD, LINK_MOVSXD},
               [FILE_VECTOR] = {LINK_VMOVQ_R_X, LINK_VMOVQ_X_R},
               [FILE_MASK] = {LINK_KMOV_R_K, LINK_KMOV_K_R},
               [FILE_MMX] = {LINK_MOVQ_R_MM, LINK_MOVQ_MM_R},
               [FILE_X87] = {LINKS, LINKS},
               [FILE_NONE] = {LINKS, LINKS}};

/* Moves a register of any file into a general one. */
static bool to_general(struct insn_test *t, const struct place *from, unsigned to)
{
    bool general = from->file == FILE_GENERAL, legacy = from->file == FILE_VECTOR && is_legacy(t);

    t->at_most |= !general;
    return (general && from->number == to) ||
           step(t, legacy ? LINK_MOVQ_R_X : by_file[from->file].to_general, to, from->number);
}

static bool from_general(struct insn_test *t, unsigned from, const struct place *to)
{
    bool general = to->file == FILE_GENERAL, legacy = to->file == FILE_VECTOR && is_legacy(t);

    t->at_most |= !general;
    return (general && to->number == from) ||
           step(t, legacy ? LINK_MOVQ_X_R : by_file[to->file].from_general, to->number, from);
}

/* The flags that the form writes decide which CMOV depends on them. */
static bool flags_to_general(struct insn_test *t, unsigned to)
{
    static const struct {
        uint16_t flag;
        enum insn_link link;
    } by_flag[] = {{INSN_CF, LINK_CMOVB},
                   {INSN_ZF, LINK_CMOVZ},
                   {INSN_SF, LINK_CMOVS},
                   {INSN_OF, LINK_CMOVO},
                   {INSN_PF, LINK_CMOVP}};

    for (unsigned i = 0; i < sizeof by_flag / sizeof by_flag[0]; i++)
        if (t->view.flags.written & by_flag[i].flag)
            return step(t, by_flag[i].link, to, to);
    return false;
}

/* Returns a load of what the form stores, or a store of what it loads; LINKS: no such link. */
static enum insn_link access(const struct insn_test *t, unsigned bits, bool loads)
{
    static const uint8_t links[][2] = {
        {LINK_STORE8, LINK_LOAD8},       {LINK_STORE16, LINK_LOAD16},
        {LINK_STORE32, LINK_LOAD32},     {LINK_STORE64, LINK_LOAD64},
        {LINK_VSTORE128, LINK_VLOAD128}, {LINK_VSTORE256, LINK_VLOAD256},
        {LINK_VSTORE512, LINK_VLOAD512}};
    unsigned i = 0, most = t->view.form->encoding == INSN_EVEX ? 512 : 256;

    while (8u << i < bits)
        i++;
    if (8u << i != bits || bits > most)
        return LINKS;
    if (bits == 128 && is_legacy(t))
        return loads ? LINK_LOAD128 : LINK_STORE128;
    return (enum insn_link)links[i][loads];
}

/* Loads into a register from which the chain continues. */
static bool from_memory(struct insn_test *t, struct place *from)
{
    enum insn_link load = access(t, from->bits, true);
    bool is_vector = from->bits > 64;

    from->kind = PLACE_REGISTER;
    from->file = is_vector ? FILE_VECTOR : FILE_GENERAL;
    from->number = is_vector ? PLAN_VECTOR_TEMPORARY : PLAN_TEMPORARY;
    t->at_most = true;
    return step(t, load, from->number, 0);
}

static bool to_memory(struct insn_test *t, const struct place *from, const struct place *to)
{
    enum insn_link store = access(t, to->bits, false);
    struct place vector = {.file = FILE_VECTOR, .number = PLAN_VECTOR_TEMPORARY};

    if (store == LINKS)
        return false;
    t->at_most = true;
    if (to->bits > 64 && from->file != FILE_VECTOR) {
        if (!to_general(t, from, PLAN_TEMPORARY) || !from_general(t, PLAN_TEMPORARY, &vector))
            return false;
        from = &vector;
    } else if (to->bits <= 64 && from->file != FILE_GENERAL) {
        static const struct place general = {.file = FILE_GENERAL, .number = PLAN_TEMPORARY};
        if (!to_general(t, from, PLAN_TEMPORARY))
            return false;
        from = &general;
    }
    step(t, store, 0, from->number);
    return true;
}

/* Makes a dependent 0 and adds it to an address, which therefore does not change. */
static bool to_address(struct insn_test *t, const struct place *from, const struct place *to)
{
    if (to->kind == PLACE_VECTOR_INDEX && from->file == FILE_VECTOR)
        return step(t, LINK_VPAND, to->number, from->number);
    unsigned zero = to->kind == PLACE_INDEX ? to->number : PLAN_TEMPORARY;
    if (!to_general(t, from, zero))
        return false;
    step(t, LINK_AND, zero, 0);
    if (to->kind == PLACE_BASE)
        step(t, LINK_ADD, to->number, zero);
    if (to->kind == PLACE_VECTOR_INDEX) {
        step(t, LINK_VMOVQ_X_R, to->number, zero);
        t->at_most = true;
    }
    return true;
}

static bool to_register(struct insn_test *t, const struct place *from, const struct place *to)
{
    if (from->file == FILE_VECTOR && to->file == FILE_VECTOR)
        return step(t, of_encoding(t, LINK_PSHUFD, LINK_VPSHUFD), to->number, from->number);
    unsigned through = to->file == FILE_GENERAL     ? to->number
                       : from->file == FILE_GENERAL ? from->number
                                                    : PLAN_TEMPORARY;
    return to_general(t, from, through) && from_general(t, through, to);
}

/* Returns whether the output is directly the input of the next copy. */
static bool is_direct(const struct place *from, const struct place *to)
{
    if (from->kind != to->kind || from->kind > PLACE_MEMORY)
        return false;
    if (from->kind != PLACE_REGISTER)
        return true;
    return from->file == to->file && ((!from->fixed && !to->fixed) ||
                                      (from->fixed && to->fixed && from->number == to->number));
}

/* Returns whether the input has a required value: selectors and the high half of a dividend must be
 * 0, a divisor must not. */
static bool wants_zero(const struct insn_test *t)
{
    const struct insn_operand *o = &t->view.operand[t->in.operand];
    bool divides =
        str_eq(insn_mnemonic(t->view.form), "div") || str_eq(insn_mnemonic(t->view.form), "idiv");

    return t->in.part == INSN_DATA &&
           (insn_is_selector(o) || (divides && (o->field != INSN_FIXED || o->number == PLAN_RDX)));
}

static bool to_wanted(struct insn_test *t, struct place *from)
{
    const struct insn_operand *o = &t->view.operand[t->in.operand];

    if (!to_general(t, from, PLAN_TEMPORARY))
        return false;
    step(t, LINK_AND, PLAN_TEMPORARY, 0);
    if (o->field != INSN_FIXED)
        step(t, LINK_OR, PLAN_TEMPORARY, 0);
    *from = (struct place){.file = FILE_GENERAL, .number = PLAN_TEMPORARY};
    return true;
}

static bool lead(struct insn_test *t, struct place from, const struct place *to)
{
    if (is_direct(&from, to))
        return true;
    if (from.kind == PLACE_MEMORY && !from_memory(t, &from))
        return false;
    if (from.kind == PLACE_FLAGS) {
        if (!flags_to_general(t, PLAN_TEMPORARY))
            return false;
        from = (struct place){.file = FILE_GENERAL, .number = PLAN_TEMPORARY};
    }
    if (wants_zero(t) && !to_wanted(t, &from))
        return false;
    switch (to->kind) {
    case PLACE_REGISTER:
        return to_register(t, &from, to);
    case PLACE_FLAGS: {
        unsigned general = from.file == FILE_GENERAL ? from.number : PLAN_TEMPORARY;
        return to_general(t, &from, general) && step(t, LINK_TEST, general, general);
    }
    case PLACE_MEMORY:
        return to_memory(t, &from, to);
    default:
        return to_address(t, &from, to);
    }
}

/* --- tests ----------------------------------------------------------------------------------- */

/* Masks that gathers clear are set again for each copy. */
static bool is_reset(const struct insn_view *v, const struct insn_end *e)
{
    const struct insn_operand *o = &v->operand[e->operand];

    if (e->part == INSN_FLAGS_PART)
        return false;
    return insn_must_reset(v, o) ||
           (v->form->properties & INSN_CLEARS_MASK && e->part == INSN_DATA &&
            (o->field == INSN_MASK || o->field == INSN_VVVV));
}

static bool has_end(const struct insn_end *among, unsigned n, struct insn_end e)
{
    for (unsigned i = 0; i < n; i++)
        if (among[i].part == e.part && among[i].operand == e.operand)
            return true;
    return false;
}

/* Plans a chain without its steps. *from, *to: where these must lead. */
static enum insn_why begin(struct insn_test *t, const struct insn_form *f, unsigned decoration,
                           struct place *from, struct place *to)
{
    struct insn_end all[INSN_ENDS_MOST];

    insn_view(&t->view, f, decoration);
    if (f->why != INSN_RUNS)
        return (enum insn_why)f->why;
    unsigned n = insn_inputs(&t->view, all);
    if (!has_end(all, n, t->in))
        return INSN_NO_SUCH_PAIR;
    n = insn_outputs(&t->view, all);
    if (!has_end(all, n, t->out))
        return INSN_NO_SUCH_PAIR;
    if (is_reset(&t->view, &t->in) || is_reset(&t->view, &t->out))
        return INSN_NO_CHAIN;
    *from = place_of(t, &t->out);
    *to = place_of(t, &t->in);
    if ((from->kind == PLACE_MEMORY && from->fixed) || (to->kind == PLACE_MEMORY && to->fixed))
        return INSN_NO_CHAIN; /* its address moves with RSP, RSI or RDI */
    return INSN_RUNS;
}

/* The links that make a dependent 0 of a vector, add it to another, and load one, by its width:
 * 128, 256 and 512 bits. */
static const struct {
    uint8_t zero, add, load;
} vector_links[] = {{LINK_VPAND, LINK_VPOR, LINK_VLOAD128},
                    {LINK_VANDPS_Y, LINK_VORPS_Y, LINK_VLOAD256},
                    {LINK_VPAND_Z, LINK_VPOR_Z, LINK_VLOAD512}};

/* Returns the vector class of an end: 0 for XMM, 1 for YMM, 2 for ZMM. */
static unsigned width_of(const struct insn_test *t, const struct insn_end *e)
{
    return t->view.operand[e->operand].class - INSN_XMM;
}

/* An output that the next copy reads too, but not as the chain's input, gets its value again. */
static void restore(struct insn_test *t, const struct place *from, const struct place *to,
                    unsigned link)
{
    if (t->view.operand[t->out.operand].access & INSN_READ && from->number != to->number)
        step(t, link, from->number, 0);
}

/* Plans the steps that keep the input's value. */
static enum insn_why keep(struct insn_test *t, const struct place *from, const struct place *to)
{
    if (from->kind != PLACE_REGISTER || to->kind != PLACE_REGISTER || from->file != to->file)
        return INSN_NO_CHAIN;
    if (to->file == FILE_GENERAL) {
        step(t, LINK_MOVSXD, PLAN_TEMPORARY, from->number);
        step(t, LINK_AND, PLAN_TEMPORARY, 0);
        step(t, LINK_MOV64, to->number, 0);
        step(t, LINK_ADD, to->number, PLAN_TEMPORARY);
        restore(t, from, to, LINK_MOV64);
        return INSN_RUNS;
    }
    unsigned width = width_of(t, &t->in);
    if (to->file != FILE_VECTOR || width != width_of(t, &t->out))
        return INSN_NO_CHAIN;
    step(t, vector_links[width].zero, PLAN_VECTOR_TEMPORARY, from->number);
    step(t, vector_links[width].add, to->number, PLAN_VECTOR_TEMPORARY);
    restore(t, from, to, vector_links[width].load);
    return INSN_RUNS;
}

enum insn_why insn_latency(struct insn_test *t, const struct insn_form *f, unsigned decoration,
                           struct insn_end in, struct insn_end out, bool keeps)
{
    struct place from, to;

    *t = (struct insn_test){.shape = INSN_CHAIN, .breaks = true, .in = in, .out = out};
    enum insn_why why = begin(t, f, decoration, &from, &to);
    if (why != INSN_RUNS)
        return why;
    if (keeps)
        return keep(t, &from, &to);
    bool points = in.part == INSN_DATA && to.fixed && to.file == FILE_GENERAL &&
                  insn_is_pointer(&t->view, to.number);
    if (points && !is_direct(&from, &to))
        return INSN_NO_CHAIN;
    return lead(t, from, &to) ? INSN_RUNS : INSN_NO_CHAIN;
}
