#include "lib/insn/program.h"
#include "lib/text/mem.h"
#include "lib/text/str.h"

enum { JNZ_BYTES = 6 };

/* --- copies ---------------------------------------------------------------------------------- */

static bool is_flags_chain(const struct insn_test *t)
{
    return t->shape == INSN_CHAIN &&
           (t->in.part == INSN_FLAGS_PART || t->out.part == INSN_FLAGS_PART);
}

/* Returns whether a fixed register may hold 0 before a copy: its value changes neither time nor
 * result. */
static bool may_be_zero(const struct insn_view *v)
{
    return !INSN_FIND(v, .kinds = 1 << INSN_MEMORY) && !(v->form->properties & INSN_VALUE) &&
           !str_starts(insn_mnemonic(v->form), "cmpxchg");
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
           !insn_is_listed(&t->view, o->number) && !chained;
}

/* Writes what resets registers and flags before copy k of a test. */
static void put_resets(struct insn_code *to, const struct insn_place *place,
                       const struct insn_test *t, unsigned k)
{
    const struct insn_view *v = &t->view;
    bool clears = v->form->properties & INSN_CLEARS_MASK;

    for (unsigned i = 0; i < v->operands; i++) {
        const struct insn_operand *o = &v->operand[i];
        unsigned number = insn_register(t, i, k);
        bool resets = insn_must_reset(v, o) || is_moved(t, i), breaks = insn_is_to_break(t, o);
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
    return INSN_FIND(v, .kinds = 1 << INSN_MEMORY, .access = INSN_WRITE);
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
                            .immediate = insn_values_of[place->values].immediate};

    for (unsigned i = 0; i < v->operands; i++) {
        const struct insn_operand *o = &v->operand[i];
        if (o->kind == INSN_REGISTER)
            c.reg[i] = (uint8_t)insn_register(t, i, k);
        else if (o->kind == INSN_MEMORY && o->class != INSN_R64)
            c.index = PLAN_VECTOR_INDEX;
    }
    insn_put(to, v->form, &c);
}

/* A vector that nothing writes, with the value that the register had at first: odd ones have
 * others. */
#define SAME_VALUE(number) (PLAN_VECTOR_SOURCE + (number) % 2)

static void put_step(struct insn_code *to, const struct insn_place *place,
                     const struct insn_view *v, const struct insn_step *s)
{
    unsigned third;

    if (insn_is_store(s->link)) {
        insn_put_access(to, place, (enum insn_link)s->link, s->from, AREA_BASE);
        return;
    }
    switch (s->link) {
    case LINK_VPAND:
    case LINK_VANDPS_Y:
    case LINK_VPAND_Z:
        third = PLAN_VECTOR_ZERO;
        break;
    case LINK_VPOR:
    case LINK_VORPS_Y:
    case LINK_VPOR_Z:
        third = SAME_VALUE(s->to);
        break;
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
        return;
    }
    struct insn_choice c = {.reg = {s->to, s->from, (uint8_t)third}};
    insn_put(to, place->links->form[s->link], &c);
}

static void put_some(struct insn_code *to, const struct insn_place *place,
                     const struct insn_test *t, unsigned copies)
{
    for (unsigned k = 0; k < copies; k++) {
        put_resets(to, place, t, k);
        insn_put_copy(to, place, t, k);
        for (unsigned i = 0; i < t->steps; i++)
            put_step(to, place, &t->view, &t->step[i]);
    }
}

/* Returns after how many copies their code repeats, at most INSN_LOOP_COPIES. */
static unsigned repeats_after(const struct insn_test *t)
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
    unsigned period = repeats_after(t);

    put_some(to, place, t, n < period ? n : period);
    size_t bytes = to->used - from;
    for (unsigned k = 2; k <= n / period; k++)
        insn_put_bytes(to, to->at + from, bytes);
    if (n > period)
        put_some(to, place, t, n % period);
}

/* Counts the iterations of a loop down and jumps back to the offset `head` until the count is 0.
 * JNZ is 0f 85 and the distance from the next instruction (AMD APM vol. 3, Jcc). */
static void put_iteration(struct insn_code *to, const struct insn_place *place, size_t head)
{
    uint8_t jump[JNZ_BYTES] = {0x0f, 0x85};

    insn_put_access(to, place, LINK_DEC, 0, AREA_ITERATIONS);
    int32_t distance = (int32_t)(head - to->used - JNZ_BYTES);
    memcpy(jump + 2, &distance, sizeof distance);
    insn_put_bytes(to, jump, sizeof jump);
}

bool insn_writes_memory(const struct insn_test *t)
{
    if (writes_memory(&t->view))
        return true;
    for (unsigned i = 0; i < t->steps; i++)
        if (insn_is_store(t->step[i].link))
            return true;
    return false;
}

/* --- fillers and blockers --------------------------------------------------------------------- */

enum { ROTATED = 3 };
enum { PIECES = 10 }; /* most different copies of a mix that are kept */
enum { FILLER_BYTES = 5, ZERO_BYTES = 3, SEGMENT = 0x3e /* DS: it means nothing for registers */ };

/* One instruction, or a copy with its resets, that is written many times: it is encoded once. */
struct piece {
    uint8_t bytes[4 * INSN_BYTES_MOST];
    size_t used;
};

/* Returns a filler of 3 to 7 bytes. NOPs: AMD APM vol. 3 (NOP), Intel SDM vol. 2B table 4-12. */
static struct piece filler_of(const struct insn_place *place, size_t length)
{
    static const uint8_t nops[][7] = {{0x0f, 0x1f, 0x00},
                                      {0x0f, 0x1f, 0x40, 0x00},
                                      {0x0f, 0x1f, 0x44, 0x00, 0x00},
                                      {0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00},
                                      {0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00}};
    struct piece p;
    struct insn_code code = {.at = p.bytes, .size = sizeof p.bytes};

    if (place->filler == FILLER_NOP) {
        insn_put_bytes(&code, nops[length - 3], length);
    } else {
        for (; length > ZERO_BYTES; length--)
            insn_put_bytes(&code, &(uint8_t){SEGMENT}, 1);
        put_zero(&code, place, PLAN_TEMPORARY);
    }
    p.used = code.used;
    return p;
}

static void put_pieces(struct insn_code *to, const struct piece *p, unsigned n)
{
    for (; n > 0; n--)
        insn_put_bytes(to, p->bytes, p->used);
}

/* With BODY_FILLERS, a filler is in place of each copy. */
static void put_filled(struct insn_code *to, const struct insn_place *place,
                       const struct insn_test *t, const struct insn_contents *c)
{
    struct piece filler = filler_of(place, FILLER_BYTES);

    insn_put_pointers(to, place, &t->view);
    for (unsigned k = 0; k < c->copies; k++) {
        put_resets(to, place, t, k);
        if (c->body == BODY_FILLED)
            insn_put_copy(to, place, t, k);
        put_pieces(to, &filler, c->others + (c->body == BODY_FILLERS));
    }
}

/* All of them read registers that hold 0 or a constant, and no form writes. */
static void put_blocker(struct insn_code *to, const struct insn_place *place, enum insn_blocker b)
{
    enum insn_link link = insn_blocker_links[b];

    switch (b) {
    case BLOCK_LOAD:
        insn_put_access(to, place, link, PLAN_TEMPORARY, AREA_BLOCKERS);
        return;
    case BLOCK_STORE:
        insn_put_access(to, place, link, PLAN_BASE, AREA_BLOCKERS + AREA_VECTOR);
        return;
    case BLOCK_MOVE:
    case BLOCK_ROTATE:
    case BLOCK_MULTIPLY:
        insn_put_link(to, place, link, PLAN_TEMPORARY, PLAN_BASE, ROTATED);
        return;
    default:
        insn_put_link(to, place, link, PLAN_VECTOR_TEMPORARY, PLAN_VECTOR_ZERO, SHUFFLE_NONE);
    }
}

/* Returns a blocker; with `fill`, the filler in its place. It has the same number of bytes, 3 to 7,
 * since fetching and caches of micro-operations depend on it. */
static struct piece blocker_of(const struct insn_place *place, enum insn_blocker b, bool fill)
{
    struct piece p;
    struct insn_code code = {.at = p.bytes, .size = sizeof p.bytes};

    put_blocker(&code, place, b);
    p.used = code.used;
    return fill ? filler_of(place, p.used < 3 ? 3 : p.used > 7 ? 7 : p.used) : p;
}

/* Encodes all different copies, if there are few. Returns their number; 0: there are many, or one
 * is too long or cannot be encoded. */
static unsigned pieces_of(const struct insn_place *place, const struct insn_test *t,
                          struct piece copy[PIECES])
{
    unsigned n = repeats_after(t);

    for (unsigned k = 0; k < n && n <= PIECES; k++) {
        struct insn_code code = {.at = copy[k].bytes, .size = sizeof copy[k].bytes};
        put_resets(&code, place, t, k);
        insn_put_copy(&code, place, t, k);
        if (code.full || code.refused)
            return 0;
        copy[k].used = code.used;
    }
    return n <= PIECES ? n : 0;
}

static void put_mixed(struct insn_code *to, const struct insn_place *place,
                      const struct insn_test *t, const struct insn_contents *c)
{
    struct piece blocker = blocker_of(place, c->blocker, c->body == BODY_UNMIXED), copy[PIECES];
    unsigned put = 0, pieces = pieces_of(place, t, copy);

    insn_put_pointers(to, place, &t->view);
    for (unsigned i = 0; i < c->copies; i++) {
        if (pieces) {
            put_pieces(to, &copy[i % pieces], 1);
        } else {
            put_resets(to, place, t, i);
            insn_put_copy(to, place, t, i);
        }
        unsigned due = (i + 1) * c->others / c->copies;
        put_pieces(to, &blocker, due - put);
        put = due;
    }
}

/* --- the whole -------------------------------------------------------------------------------- */

static bool has_lead(const struct insn_place *place, const struct insn_test *t, enum insn_body body)
{
    if (t->shape == INSN_CHAIN || body == BODY_FILLED || body == BODY_FILLERS)
        return false;
    return body != BODY_STRAIGHT || !insn_values_can_loop(place->values);
}

void insn_body(struct insn_code *to, const struct insn_place *place, const struct insn_test *t,
               const struct insn_contents *c)
{
    insn_put_start(to, place, &t->view, has_lead(place, t, c->body));
    size_t head = to->used;
    switch (c->body) {
    case BODY_STRAIGHT:
        put_copies(to, place, t, c->copies);
        break;
    case BODY_LOOP:
        put_copies(to, place, t, INSN_LOOP_COPIES);
        break;
    case BODY_FILLED:
    case BODY_FILLERS:
        put_filled(to, place, t, c);
        break;
    case BODY_MIXED:
    case BODY_UNMIXED:
        put_mixed(to, place, t, c);
        break;
    }
    if (c->body != BODY_STRAIGHT)
        put_iteration(to, place, head);
    insn_put_end(to, place, &t->view);
}
