#include "lib/insn/fillers.h"
#include "lib/insn/program.h"
#include "lib/insn/form.h"
#include "lib/text/mem.h"
#include "lib/text/str.h"

enum { SHUFFLE_NONE = 0xe4, ROTATED = 3 };

enum { PIECES = 10 }; /* most different copies of a mix that are kept */
enum { FILLER_BYTES = 5, ZERO_BYTES = 3, SEGMENT = 0x3e /* DS: it means nothing for registers */ };

static void put_bytes(struct insn_code *to, const uint8_t *bytes, size_t n)
{
    to->full |= n > to->size - to->used;
    if (to->refused || to->full)
        return;
    memcpy(to->at + to->used, bytes, n);
    to->used += n;
}

/* NOPs of 3 to 7 bytes: AMD APM vol. 3 (NOP), Intel SDM vol. 2B table 4-12. */
static void put_nop(struct insn_code *to, size_t length)
{
    static const uint8_t nops[][7] = {{0x0f, 0x1f, 0x00},
                                      {0x0f, 0x1f, 0x40, 0x00},
                                      {0x0f, 0x1f, 0x44, 0x00, 0x00},
                                      {0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00},
                                      {0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00}};

    put_bytes(to, nops[length - 3], length);
}

/* Writes a filler of 3 to 7 bytes. */
static void put_filler(struct insn_code *to, const struct insn_place *place, size_t length)
{
    static const uint8_t prefix = SEGMENT;

    if (place->filler == FILLER_NOP) {
        put_nop(to, length);
        return;
    }
    for (; length > ZERO_BYTES; length--)
        put_bytes(to, &prefix, 1);
    insn_put_link(to, place, LINK_XOR, PLAN_TEMPORARY, PLAN_TEMPORARY, 0);
}

/* One instruction, or a copy with its resets, that is written many times: it is encoded once. */
struct piece {
    uint8_t bytes[4 * INSN_BYTES_MOST];
    size_t used;
};

static struct piece filler_of(const struct insn_place *place, size_t length)
{
    struct piece p;
    struct insn_code code = {.at = p.bytes, .size = sizeof p.bytes};

    put_filler(&code, place, length);
    p.used = code.used;
    return p;
}

static void put_pieces(struct insn_code *to, const struct piece *p, unsigned n)
{
    for (; n > 0; n--)
        put_bytes(to, p->bytes, p->used);
}

void insn_filled(struct insn_code *to, const struct insn_place *place, const struct insn_test *t,
                 struct insn_filling filling, bool copies)
{
    struct piece filler = filler_of(place, FILLER_BYTES);

    insn_put_start(to, place, &t->view);
    size_t head = to->used;
    insn_put_pointers(to, place, &t->view);
    for (unsigned k = 0; k < filling.copies; k++) {
        insn_put_resets(to, place, t, k);
        if (copies)
            insn_put_copy(to, place, t, k);
        put_pieces(to, &filler, filling.fillers + !copies);
    }
    insn_put_iteration(to, place, head);
    insn_put_end(to, place, &t->view);
}

enum insn_link insn_blocker_link(enum insn_blocker b)
{
    static const uint8_t links[] = {
#define BLOCKER_LINK(id, link) link,
        INSN_BLOCKER(BLOCKER_LINK)};

    return (enum insn_link)links[b];
}

bool insn_can_mix(const struct insn_view *v)
{
    return v->operands > 0 && insn_can_turn(v) && !str_eq(insn_mnemonic(v->form), "nop") &&
           !(v->form->properties & (INSN_SERIAL | INSN_CLEARS_MASK));
}

/* All of them read registers that hold 0 or a constant, and no form writes. */
static void put_blocker(struct insn_code *to, const struct insn_place *place, enum insn_blocker b)
{
    enum insn_link link = insn_blocker_link(b);

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
    unsigned n = insn_repeats_after(t);

    for (unsigned k = 0; k < n && n <= PIECES; k++) {
        struct insn_code code = {.at = copy[k].bytes, .size = sizeof copy[k].bytes};
        insn_put_resets(&code, place, t, k);
        insn_put_copy(&code, place, t, k);
        if (code.full || code.refused)
            return 0;
        copy[k].used = code.used;
    }
    return n <= PIECES ? n : 0;
}

void insn_mixed(struct insn_code *to, const struct insn_place *place, const struct insn_test *t,
                enum insn_blocker b, struct insn_ratio ratio, bool fill)
{
    struct piece blocker = blocker_of(place, b, fill), copy[PIECES];
    unsigned put = 0, pieces = pieces_of(place, t, copy);

    insn_put_start(to, place, &t->view);
    insn_put_lead(to, place, &t->view);
    size_t head = to->used;
    insn_put_pointers(to, place, &t->view);
    for (unsigned i = 0; i < ratio.copies; i++) {
        if (pieces) {
            put_pieces(to, &copy[i % pieces], 1);
        } else {
            insn_put_resets(to, place, t, i);
            insn_put_copy(to, place, t, i);
        }
        unsigned due = (i + 1) * ratio.blockers / ratio.copies;
        put_pieces(to, &blocker, due - put);
        put = due;
    }
    insn_put_iteration(to, place, head);
    insn_put_end(to, place, &t->view);
}
