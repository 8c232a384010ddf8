#include "lib/insn/program.h"
#include "lib/insn/copy.h"
#include "lib/insn/form.h"
#include "lib/text/mem.h"
#include "lib/text/str.h"

enum { SHUFFLE_NONE = 0xe4, JNZ_BYTES = 6 };

/* --- copies ---------------------------------------------------------------------------------- */

static bool is_register_of(const struct insn_test *t, const struct insn_end *e, unsigned number)
{
    const struct insn_operand *o = &t->view.operand[e->operand];

    return t->shape == INSN_CHAIN && e->part != INSN_FLAGS_PART && o->field == INSN_FIXED &&
           o->number == number;
}

/* Returns whether each copy reads and writes a fixed register that is not part of a chain. Pointers
 * to strings must move. */
static bool is_to_break(const struct insn_test *t, const struct insn_operand *o)
{
    unsigned both = INSN_READ | INSN_WRITE;

    return t->breaks && o->kind == INSN_REGISTER && o->field == INSN_FIXED &&
           o->class <= INSN_R64 && o->number != PLAN_RSP && (o->access & both) == both &&
           !(t->view.form->properties & INSN_STRING) && !is_register_of(t, &t->in, o->number) &&
           !is_register_of(t, &t->out, o->number);
}

static bool is_flags_chain(const struct insn_test *t)
{
    return t->shape == INSN_CHAIN &&
           (t->in.part == INSN_FLAGS_PART || t->out.part == INSN_FLAGS_PART);
}

/* Returns whether a fixed register may hold 0 before a copy: its value changes neither time nor
 * result. */
static bool may_be_zero(const struct insn_view *v)
{
    for (unsigned i = 0; i < v->operands; i++)
        if (v->operand[i].kind == INSN_MEMORY)
            return false;
    return !(v->form->properties & INSN_VALUE) && !str_starts(insn_mnemonic(v->form), "cmpxchg");
}

/* A zeroing idiom takes a slot, but no unit as MOV and TEST do. */
static void put_zero(struct insn_code *to, const struct insn_place *place, unsigned number)
{
    insn_put_link(to, place, LINK_XOR, number, number, 0);
}

static void break_flags(struct insn_code *to, const struct insn_place *place,
                        const struct insn_test *t)
{
    if (t->shape == INSN_MIXED)
        put_zero(to, place, PLAN_TEMPORARY);
    else
        insn_put_link(to, place, LINK_TEST, PLAN_BASE, PLAN_BASE, 0);
}

/* Returns whether a repeated comparison moves this address, which must then begin again for each
 * copy: the table does not list the registers of SCAS and CMPS as written. */
static bool is_moved(const struct insn_test *t, unsigned i)
{
    const struct insn_operand *o = &t->view.operand[i];
    unsigned both = INSN_REP | INSN_STRING;
    bool chained = t->shape == INSN_CHAIN && t->in.part == INSN_BASE_PART && t->in.operand == i;

    return (t->view.form->properties & both) == both && o->kind == INSN_MEMORY &&
           !insn_lists_base(&t->view, o) && !chained;
}

void insn_put_resets(struct insn_code *to, const struct insn_place *place,
                     const struct insn_test *t, unsigned k)
{
    const struct insn_view *v = &t->view;
    bool clears = v->form->properties & INSN_CLEARS_MASK;

    for (unsigned i = 0; i < v->operands; i++) {
        const struct insn_operand *o = &v->operand[i];
        unsigned number = insn_register(t, i, k);
        bool resets = insn_must_reset(v, o) || is_moved(t, i), breaks = is_to_break(t, o);
        if (!resets && breaks && t->shape == INSN_MIXED && may_be_zero(v))
            put_zero(to, place, o->number);
        else if (resets || breaks)
            insn_put_value(to, place, v, o->number);
        else if (clears && o->field == INSN_MASK)
            insn_put_link(to, place, LINK_KXNOR, number, number, 0);
        else if (clears && o->field == INSN_VVVV && o->kind == INSN_REGISTER)
            insn_put_link(to, place, o->class == INSN_YMM ? LINK_PCMPEQ_Y : LINK_PCMPEQ, number,
                          number, 0);
    }
    bool both = v->flags.read & INSN_STATUS && v->flags.written & INSN_STATUS;
    if (t->breaks && both && !is_flags_chain(t))
        break_flags(to, place, t);
}

/* Consecutive copies use consecutive addresses at multiples of the operand's size, which are in
 * different banks of caches: some cores write two results per cycle only to one line. They begin
 * again after SPAN bytes, so that none has the low 12 bits of another, or of what loops use. */
#define SPAN       2560
#define STEP_LEAST 8
_Static_assert(SPAN <= AREA_BLOCKERS, "operands are apart from what loops use");

static bool is_memory(const struct insn_test *t, const struct insn_end *e)
{
    return e->part == INSN_DATA && t->view.operand[e->operand].kind == INSN_MEMORY;
}

static bool writes_memory(const struct insn_view *v)
{
    for (unsigned i = 0; i < v->operands; i++)
        if (v->operand[i].kind == INSN_MEMORY && v->operand[i].access & INSN_WRITE)
            return true;
    return false;
}

/* A chain through memory has one address, and one whose copies only read memory may have it. */
static int32_t offset_of(const struct insn_test *t, unsigned k)
{
    unsigned bits = 0;

    if (t->shape == INSN_ONE_LINE)
        return AREA_BASE;
    if (t->shape == INSN_CHAIN &&
        (is_memory(t, &t->in) || is_memory(t, &t->out) || !writes_memory(&t->view)))
        return AREA_BASE;
    for (unsigned i = 0; i < t->view.operands; i++)
        if (t->view.operand[i].kind == INSN_MEMORY && t->view.operand[i].bits > bits)
            bits = t->view.operand[i].bits;
    if (bits > 512)
        return AREA_BASE + (int32_t)(k % 8 * 576);
    unsigned step = STEP_LEAST;
    while (8 * step < bits)
        step *= 2;
    return AREA_BASE + (int32_t)(k % INSN_LOOP_COPIES * step % SPAN);
}

void insn_put_copy(struct insn_code *to, const struct insn_place *place, const struct insn_test *t,
                   unsigned k)
{
    const struct insn_view *v = &t->view;
    int32_t offset = offset_of(t, k);
    bool indexed = t->shape == INSN_CHAIN && t->in.part == INSN_INDEX_PART;
    struct insn_choice c = {.decoration = v->decoration,
                            .base = PLAN_BASE,
                            .index = indexed ? PLAN_INDEX : INSN_NO_INDEX,
                            .displacement = offset - AREA_BASE,
                            .address = place->area + (uint32_t)offset,
                            .immediate = insn_values_immediate(place->values)};

    for (unsigned i = 0; i < v->operands; i++) {
        const struct insn_operand *o = &v->operand[i];
        if (o->kind == INSN_REGISTER)
            c.reg[i] = (uint8_t)insn_register(t, i, k);
        else if (o->kind == INSN_MEMORY && o->class != INSN_R64)
            c.index = PLAN_VECTOR_INDEX;
    }
    insn_put(to, v->form, &c);
}

static bool is_store(enum insn_link link)
{
    switch (link) {
    case LINK_STORE8:
    case LINK_STORE16:
    case LINK_STORE32:
    case LINK_STORE64:
    case LINK_STORE128:
    case LINK_VSTORE128:
    case LINK_VSTORE256:
    case LINK_VSTORE512:
        return true;
    default:
        return false;
    }
}

/* A vector that nothing writes, with the value that the register had at first: odd ones have
 * others. */
#define SAME_VALUE(number) (PLAN_VECTOR_SOURCE + (number) % 2)

static void put_step(struct insn_code *to, const struct insn_place *place,
                     const struct insn_view *v, const struct insn_step *s)
{
    if (is_store((enum insn_link)s->link)) {
        insn_put_access(to, place, (enum insn_link)s->link, s->from, AREA_BASE);
        return;
    }
    switch (s->link) {
    case LINK_VPAND:
    case LINK_VANDPS_Y:
    case LINK_VPAND_Z: {
        struct insn_choice c = {.reg = {s->to, s->from, PLAN_VECTOR_ZERO}};
        insn_put(to, place->links->form[s->link], &c);
        return;
    }
    case LINK_VPOR:
    case LINK_VORPS_Y:
    case LINK_VPOR_Z: {
        struct insn_choice c = {.reg = {s->to, s->from, (uint8_t)SAME_VALUE(s->to)}};
        insn_put(to, place->links->form[s->link], &c);
        return;
    }
    case LINK_MOV64:
        insn_put_value(to, place, v, s->to);
        return;
    case LINK_PSHUFD:
    case LINK_VPSHUFD:
        insn_put_link(to, place, (enum insn_link)s->link, s->to, s->from, SHUFFLE_NONE);
        return;
    case LINK_OR:
        insn_put_link(to, place, LINK_OR, s->to, s->from, 1);
        return;
    default: /* loads have their register first; for AND, 0 is the immediate */
        insn_put_link(to, place, (enum insn_link)s->link, s->to, s->from, 0);
    }
}

static void put_some(struct insn_code *to, const struct insn_place *place,
                     const struct insn_test *t, unsigned copies)
{
    for (unsigned k = 0; k < copies; k++) {
        insn_put_resets(to, place, t, k);
        insn_put_copy(to, place, t, k);
        for (unsigned i = 0; i < t->steps; i++)
            put_step(to, place, &t->view, &t->step[i]);
    }
}

/* Repeats the code from `from` on once. */
static void put_again(struct insn_code *to, size_t from, size_t bytes)
{
    to->full |= bytes > to->size - to->used;
    if (to->refused || to->full)
        return;
    memcpy(to->at + to->used, to->at + from, bytes);
    to->used += bytes;
}

unsigned insn_repeats_after(const struct insn_test *t)
{
    unsigned period = insn_period(t);

    return offset_of(t, 0) == offset_of(t, 1) && period < INSN_LOOP_COPIES ? period
                                                                           : INSN_LOOP_COPIES;
}

/* Generates code once as far as it does not repeat. */
static void put_copies(struct insn_code *to, const struct insn_place *place,
                       const struct insn_test *t, unsigned copies)
{
    size_t from = to->used;
    unsigned n = copies < INSN_COPIES_MOST ? copies : INSN_COPIES_MOST;
    unsigned period = insn_repeats_after(t);

    put_some(to, place, t, n < period ? n : period);
    size_t bytes = to->used - from;
    for (unsigned k = 2; k <= n / period; k++)
        put_again(to, from, bytes);
    if (n > period)
        put_some(to, place, t, n % period);
}

void insn_body(struct insn_code *to, const struct insn_place *place, const struct insn_test *t,
               unsigned copies)
{
    insn_put_start(to, place, &t->view);
    if (t->shape != INSN_CHAIN && !insn_values_can_loop(place->values))
        insn_put_lead(to, place, &t->view);
    put_copies(to, place, t, copies);
    insn_put_end(to, place, &t->view);
}

/* JNZ to an earlier offset: 0f 85 and the distance from the next instruction (AMD APM vol. 3, Jcc).
 */
static void put_jump_back(struct insn_code *to, size_t head)
{
    int32_t distance = (int32_t)(head - to->used - JNZ_BYTES);

    to->full |= JNZ_BYTES > to->size - to->used;
    if (to->refused || to->full)
        return;
    to->at[to->used] = 0x0f;
    to->at[to->used + 1] = 0x85;
    memcpy(to->at + to->used + 2, &distance, sizeof distance);
    to->used += JNZ_BYTES;
}

void insn_put_iteration(struct insn_code *to, const struct insn_place *place, size_t head)
{
    insn_put_access(to, place, LINK_DEC, 0, AREA_ITERATIONS);
    put_jump_back(to, head);
}

void insn_loop(struct insn_code *to, const struct insn_place *place, const struct insn_test *t)
{
    insn_put_start(to, place, &t->view);
    if (t->shape != INSN_CHAIN)
        insn_put_lead(to, place, &t->view);
    size_t head = to->used;
    put_copies(to, place, t, INSN_LOOP_COPIES);
    insn_put_iteration(to, place, head);
    insn_put_end(to, place, &t->view);
}

bool insn_can_turn(const struct insn_view *v)
{
    return !(v->form->properties & (INSN_BRANCH | INSN_REP));
}

bool insn_can_loop(const struct insn_view *v)
{
    return !(v->flags.read & INSN_STATUS) && !(v->form->properties & (INSN_STRING | INSN_STACK)) &&
           insn_can_turn(v);
}

bool insn_has_breaks(const struct insn_view *v)
{
    const struct insn_test t = {.view = *v, .shape = INSN_DISTINCT, .breaks = true};

    for (unsigned i = 0; i < v->operands; i++)
        if (is_to_break(&t, &v->operand[i]) && !insn_must_reset(v, &v->operand[i]))
            return true;
    return v->flags.read & INSN_STATUS && v->flags.written & INSN_STATUS;
}

bool insn_writes_memory(const struct insn_test *t)
{
    if (writes_memory(&t->view))
        return true;
    for (unsigned i = 0; i < t->steps; i++)
        if (is_store((enum insn_link)t->step[i].link))
            return true;
    return false;
}
