/*
 * insn_table: prints lib/insn/table.def, every form that Zydis' decoder knows (`make insn-table`).
 * The counts go to standard error. Exit status: 0; 1 if a form cannot be described, or not all
 * could be written.
 */
#include "hosted/tools/insn_table.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- checks ----------------------------------------------------------------------------------- */

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

/* Checks that the combinations of each form's decorations are exactly those that were found, and
 * that its template is the form. Prints the differences. */
static bool check_forms(const struct collected *all)
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

/* --- the table -------------------------------------------------------------------------------- */

/* Tables of distinct entries, in the order of their first use. */
enum { NAMES_MOST = 4096, OPERANDS_MOST = 4096, LISTS_MOST = 1 << 16, FLAGS_MOST = 256 };

struct tables {
    const char *name[NAMES_MOST];
    unsigned name_at[NAMES_MOST], names, names_bytes;
    struct insn_operand operand[OPERANDS_MOST];
    unsigned operands;
    uint16_t list[LISTS_MOST]; /* a number, followed by that many indices in `operand` */
    unsigned lists;
    struct insn_flags flags[FLAGS_MOST];
    unsigned flag_sets;
};

static unsigned room_for(unsigned used, unsigned more, unsigned most, const char *what)
{
    if (used + more <= most)
        return used;
    fprintf(stderr, "insn_table: more than %u %s\n", most, what);
    exit(1);
}

static uint16_t name_of(struct tables *t, const char *name)
{
    for (unsigned i = 0; i < t->names; i++)
        if (strcmp(t->name[i], name) == 0)
            return (uint16_t)t->name_at[i];
    unsigned at = room_for(t->names, 1, NAMES_MOST, "mnemonics");
    t->name[at] = name;
    t->name_at[at] = t->names_bytes;
    t->names_bytes += (unsigned)strlen(name) + 1;
    t->names++;
    return (uint16_t)t->name_at[at];
}

static uint16_t operand_of(struct tables *t, const struct insn_operand *o)
{
    for (unsigned i = 0; i < t->operands; i++)
        if (memcmp(&t->operand[i], o, sizeof *o) == 0)
            return (uint16_t)i;
    t->operand[room_for(t->operands, 1, OPERANDS_MOST, "operands")] = *o;
    return (uint16_t)t->operands++;
}

static uint16_t list_of(struct tables *t, const struct described *d)
{
    uint16_t wanted[INSN_OPERANDS_MOST + 1] = {(uint16_t)d->operands};
    unsigned n = d->operands + 1;

    for (unsigned i = 0; i < d->operands; i++)
        wanted[i + 1] = operand_of(t, &d->operand[i]);
    for (unsigned at = 0; at < t->lists; at += t->list[at] + 1u)
        if (memcmp(&t->list[at], wanted, n * sizeof wanted[0]) == 0)
            return (uint16_t)at;
    unsigned at = room_for(t->lists, n, LISTS_MOST, "words of lists of operands");
    memcpy(&t->list[at], wanted, n * sizeof wanted[0]);
    t->lists += n;
    return (uint16_t)at;
}

static uint8_t flags_of(struct tables *t, const struct insn_flags *f)
{
    for (unsigned i = 0; i < t->flag_sets; i++)
        if (memcmp(&t->flags[i], f, sizeof *f) == 0)
            return (uint8_t)i;
    t->flags[room_for(t->flag_sets, 1, FLAGS_MOST, "sets of flags")] = *f;
    return (uint8_t)t->flag_sets++;
}

static void print_form(const struct insn_form *f, const char *mnemonic)
{
    printf("FORM({");
    for (unsigned i = 0; i < f->length; i++)
        printf("%s0x%02x", i ? "," : "", f->bytes[i]);
    printf("}, %u,%u,%u,%u,%u,0x%x,%u,%u,%u,0x%x,%u) /* %s */\n", f->length, f->prefixes,
           f->encoding, f->name, f->operands, f->properties, f->flags, f->feature, f->why,
           f->decorations, f->tail, mnemonic);
}

static void print_numbers(const struct tables *t)
{
    for (unsigned i = 0; i < t->names; i++)
        printf("NAME(\"%s\")\n", t->name[i]);
    for (unsigned i = 0; i < t->flag_sets; i++)
        printf("FLAGS(0x%04x, 0x%04x)\n", t->flags[i].read, t->flags[i].written);
    for (unsigned i = 0; i < t->operands; i++) {
        const struct insn_operand *o = &t->operand[i];
        printf("OPERAND(%u, %u, %u, %u, %u, %u, %u)\n", o->kind, o->field, o->class, o->number,
               o->access, o->element, o->bits);
    }
    for (unsigned at = 0; at < t->lists; at += t->list[at] + 1u) {
        printf("LIST(%u", t->list[at]);
        for (unsigned i = 1; i <= t->list[at]; i++)
            printf(", %u", t->list[at + i]);
        printf(")\n");
    }
}

/* Forms with one mnemonic are together, those of EVEX last: reports then name it once. */
static void print_forms(const struct tables *t, const struct collected *all)
{
    for (unsigned i = 0; i < 2 * t->names; i++)
        for (unsigned k = 0; k < all->forms; k++) {
            const struct insn_form *f = &all->form[k].d.form;
            if (f->name == t->name_at[i / 2] && (f->encoding == INSN_EVEX) == i % 2)
                print_form(f, t->name[i / 2]);
        }
}

static void print_head(void)
{
    ZyanU64 version = ZydisGetVersion();

    printf("/* Written by `make insn-table` from the decoder of Zydis %u.%u; do not edit.\n",
           (unsigned)ZYDIS_VERSION_MAJOR(version), (unsigned)ZYDIS_VERSION_MINOR(version));
    printf(
        " * lib/insn/form.h has the meaning of the columns: they are members of its structs, in\n"
        " * their order. */\n");
}

/* Returns the number of forms, counting each combination of decorations. */
static unsigned decorated_forms(const struct collected *all)
{
    unsigned n = 0;

    for (unsigned i = 0; i < all->forms; i++)
        n += (unsigned)__builtin_popcount(all->form[i].seen);
    return n;
}

/* Also sets the forms' `name`, `operands` and `flags`. */
static void print_table(struct collected *all)
{
    static struct tables t;
    unsigned runs = 0;

    for (unsigned i = 0; i < all->forms; i++) {
        struct described *d = &all->form[i].d;
        d->form.name = name_of(&t, d->mnemonic);
        d->form.operands = list_of(&t, d);
        d->form.flags = flags_of(&t, &d->flags);
        runs += d->form.why == INSN_RUNS;
    }
    print_head();
    print_numbers(&t);
    print_forms(&t, all);
    fprintf(stderr,
            "insn_table: %u forms, %u with masks, broadcast and rounding; %u forms run; "
            "%u mnemonics of %u bytes, %u operands, %u words of lists, %u sets of flags\n",
            all->forms, decorated_forms(all), runs, t.names, t.names_bytes, t.operands, t.lists,
            t.flag_sets);
}

int main(void)
{
    struct collected all = {0};

    collect(&all);
    if (!check_forms(&all))
        return 1;
    print_table(&all);
    free(all.form);
    free(all.hashed);
    if (fflush(stdout) == 0 && !ferror(stdout))
        return 0;
    perror("insn_table: standard output");
    return 1;
}
