#include "hosted/insn/collect.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "hosted/insn/walk.h"

enum { HASHES = 1 << 16 };

const uint8_t collected_decorations[] = {
    INSN_PLAIN,
    INSN_MERGE,
    INSN_ZERO,
    INSN_BROADCAST,
    INSN_BROADCAST | INSN_MERGE,
    INSN_BROADCAST | INSN_ZERO,
    INSN_ROUND,
    INSN_ROUND | INSN_MERGE,
    INSN_ROUND | INSN_ZERO,
    INSN_SAE,
    INSN_SAE | INSN_MERGE,
    INSN_SAE | INSN_ZERO,
};
enum { COMBINATIONS = sizeof collected_decorations, ALL_DECORATIONS = 0x1f };

static void *room(size_t n, size_t size)
{
    void *p = calloc(n, size);

    if (!p) {
        perror("insn_table");
        exit(1);
    }
    return p;
}

static unsigned hash_of(const struct described *d)
{
    uint64_t h = 14695981039346656037u;

    for (const char *c = d->mnemonic; *c; c++)
        h = (h ^ (uint8_t)*c) * 1099511628211u;
    for (unsigned i = 0; i < d->operands && !(d->operand[i].access & INSN_HIDDEN); i++)
        h = (h ^ (d->operand[i].kind << 8 | d->operand[i].class)) * 1099511628211u;
    return (unsigned)(h % HASHES);
}

/* Returns its form; adds a new one if no other is the same. */
static struct collected_form *form_of(struct collected *all, const struct described *d)
{
    unsigned at = hash_of(d);

    for (; all->hashed[at]; at = (at + 1) % HASHES) {
        struct collected_form *f = &all->form[all->hashed[at] - 1];
        if (described_same(&f->d, d))
            return f;
    }
    if (all->forms == COLLECTED_MOST) {
        fprintf(stderr, "insn_table: more than %d forms\n", COLLECTED_MOST);
        exit(1);
    }
    all->form[all->forms].d = *d;
    all->hashed[at] = ++all->forms;
    return &all->form[all->forms - 1];
}

void collect(void *ctx, const uint8_t *bytes)
{
    struct collected *all = ctx;
    struct described d;

    if (!all->form) {
        all->form = room(COLLECTED_MOST, sizeof *all->form);
        all->hashed = room(HASHES, sizeof *all->hashed);
    }
    if (!describe(&d, bytes))
        return;
    all->instructions++;
    struct collected_form *f = form_of(all, &d);
    f->d.form.decorations |= d.decoration;
    for (unsigned i = 0; i < COMBINATIONS; i++)
        if ((d.decoration & ALL_DECORATIONS) == collected_decorations[i])
            f->seen |= 1u << i;
}

/* Returns the combinations: no mask or one of the allowed masks, with nothing else or one of the
 * others. */
static uint32_t combinations(unsigned decorations)
{
    uint32_t are = 0;

    for (unsigned i = 0; i < COMBINATIONS; i++)
        if (!(collected_decorations[i] & ~(decorations & ALL_DECORATIONS)))
            are |= 1u << i;
    return are;
}

static bool has_vector_index(const struct described *d)
{
    for (unsigned i = 0; i < d->operands; i++)
        if (d->operand[i].kind == INSN_MEMORY && d->operand[i].field == INSN_RM &&
            d->operand[i].class != INSN_R64)
            return true;
    return false;
}

/* Fills the template with a different register in each field: some forms refuse equal ones. */
static void fill_in(const struct collected_form *f, uint8_t bytes[WALK_BYTES])
{
    enum { REGISTERS = 0xc0, SIB = 4, RAX_INDEX_3 = 0x18, RAX_ALONE = 0x20 };
    const struct insn_form *form = &f->d.form;
    unsigned n = 0;

    memset(bytes, 2, WALK_BYTES);
    for (unsigned i = 0; i < form->length; i++) {
        if (i == form->prefixes && form->properties & INSN_REX_W)
            bytes[n++] = 0x48;
        bytes[n++] = form->bytes[i];
    }
    if (form->properties & INSN_NEEDS_MASK)
        bytes[3] |= 1;
    for (unsigned i = 0; i < f->d.operands; i++) {
        if (f->d.operand[i].field == INSN_VVVV)
            bytes[2] ^= 2 << 3;
        if (f->d.operand[i].field == INSN_OPCODE ||
            (f->d.operand[i].field == INSN_RM && bytes[n - 1] >= REGISTERS))
            bytes[n - 1] |= 1;
    }
    if (has_vector_index(&f->d) || form->properties & INSN_NEEDS_SIB) {
        bytes[n - 1] |= SIB;
        bytes[n] = has_vector_index(&f->d) ? RAX_INDEX_3 : RAX_ALONE;
    }
}

static bool is_own_template(const struct collected_form *f)
{
    uint8_t bytes[WALK_BYTES];
    struct described again;

    fill_in(f, bytes);
    return describe(&again, bytes) && described_same(&again, &f->d) &&
           again.form.length == f->d.form.length && again.form.tail == f->d.form.tail &&
           memcmp(again.form.bytes, f->d.form.bytes, sizeof f->d.form.bytes) == 0;
}

bool collected_check(const struct collected *all)
{
    bool good = true;

    for (unsigned i = 0; i < all->forms; i++) {
        const struct collected_form *f = &all->form[i];
        if (f->seen != combinations(f->d.form.decorations)) {
            fprintf(stderr, "insn_table: %s, form %u: found 0x%x of the combinations 0x%x\n",
                    f->d.mnemonic, i, f->seen, combinations(f->d.form.decorations));
            good = false;
        }
        if (!is_own_template(f)) {
            fprintf(stderr, "insn_table: %s, form %u: its template is another form\n",
                    f->d.mnemonic, i);
            good = false;
        }
    }
    return good;
}

unsigned collected_decorated(const struct collected *all)
{
    unsigned n = 0;

    for (unsigned i = 0; i < all->forms; i++)
        n += (unsigned)__builtin_popcount(all->form[i].seen);
    return n;
}

void collected_free(struct collected *all)
{
    free(all->form);
    free(all->hashed);
}
