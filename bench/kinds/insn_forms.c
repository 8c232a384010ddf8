#include "bench/kinds/forms.h"
#include "bench/api/vectors.h"
#include "lib/insn/form.h"
#include "lib/text/str.h"
#include "lib/text/mem.h"

#define ROW_NAME "insn" /* the suite's only row: bench= may name it instead of forms */

/* The chain that measures a link: first and second operands, or the flags. TEST has no chain;
 * a loop of TEST and CMOVZ measures both together (bench/result/insn.c). */
enum { FIRST, SECOND, FLAGS };
static const struct {
    enum insn_link link, form;
    uint8_t in;
} measured[] = {
    {LINK_MOVSXD, LINK_MOVSXD, SECOND},
    {LINK_AND, LINK_AND, FIRST},
    {LINK_OR, LINK_OR, FIRST},
    {LINK_ADD, LINK_ADD, SECOND},
    {LINK_CMOVB, LINK_CMOVB, SECOND},
    {LINK_CMOVZ, LINK_CMOVZ, SECOND},
    {LINK_CMOVS, LINK_CMOVS, SECOND},
    {LINK_CMOVO, LINK_CMOVO, SECOND},
    {LINK_CMOVP, LINK_CMOVP, SECOND},
    {LINK_TEST, LINK_CMOVZ, FLAGS},
    {LINK_PSHUFD, LINK_PSHUFD, SECOND},
    {LINK_VPSHUFD, LINK_VPSHUFD, SECOND},
    {LINK_VPAND, LINK_VPAND, SECOND},
    {LINK_VPOR, LINK_VPOR, SECOND},
    {LINK_VANDPS_Y, LINK_VANDPS_Y, SECOND},
    {LINK_VORPS_Y, LINK_VORPS_Y, SECOND},
    {LINK_VPAND_Z, LINK_VPAND_Z, SECOND},
    {LINK_VPOR_Z, LINK_VPOR_Z, SECOND},
};
#define MEASURED   (sizeof measured / sizeof measured[0])
#define EXTRA_ROWS (MEASURED + BLOCKERS + FILLERS) /* rows in addition to the forms of bench= */

/* --- selection -------------------------------------------------------------------------------- */

/* Returns bench=, or "*" if it names the row instead of forms. */
static const char *patterns_of(const struct options *o)
{
    char pattern[OPTIONS_LIST_MAX];

    for (size_t i = 0; glob_list_at(o->bench, i, pattern, sizeof pattern); i++)
        if (str_eq(pattern, ROW_NAME))
            return "*";
    return o->bench;
}

/* One row: a form with its decorations and the values of its operands. */
struct chosen {
    unsigned form, decoration, values;
};

static void each_values(unsigned form, unsigned decoration,
                        void (*take)(void *ctx, const struct chosen *c), void *ctx)
{
    uint8_t values[INSN_VALUES_COUNT];
    struct insn_view v;

    insn_view(&v, insn_form(form), decoration);
    unsigned n = insn_form(form)->why == INSN_RUNS ? insn_values(&v, values) : 1;
    values[0] = INSN_USUAL;
    for (unsigned i = 0; i < n; i++)
        take(ctx, &(struct chosen){form, decoration, values[i]});
}

/* Calls `take` for each row of the selected forms. */
static void each_selected(const struct options *o, void (*take)(void *ctx, const struct chosen *c),
                          void *ctx)
{
    const char *patterns = patterns_of(o);

    for (unsigned i = 0; i < insn_count(); i++) {
        uint8_t decorations[INSN_DECORATIONS_MOST];
        unsigned n = insn_decorations(insn_form(i), decorations);
        for (unsigned k = 0; k < n; k++)
            if (insn_selected(patterns, insn_form(i), decorations[k]))
                each_values(i, decorations[k], take, ctx);
    }
}

/* --- memory ----------------------------------------------------------------------------------- */

struct counts {
    size_t rows, cells;
};

/* An upper bound, because planning each test to count exactly takes longer. */
static void count(void *ctx, const struct chosen *chosen)
{
    struct insn_end ends[INSN_ENDS_MOST];
    struct counts *c = ctx;
    struct insn_view v;

    c->rows++;
    if (insn_form(chosen->form)->why != INSN_RUNS)
        return;
    insn_view(&v, insn_form(chosen->form), chosen->decoration);
    size_t most = INSN_TEST_LATENCY + BLOCKERS + insn_inputs(&v, ends) * insn_outputs(&v, ends);
    c->cells += insn_values_last(chosen->values) ? 1
                : most < INSN_TESTS_MOST         ? most
                                                 : INSN_TESTS_MOST;
}

static struct counts counts_of(const struct options *o)
{
    struct counts c = {EXTRA_ROWS, EXTRA_ROWS};

    each_selected(o, count, &c);
    return c;
}

size_t insn_table_bytes(const struct options *o)
{
    struct counts c = counts_of(o);

    return sizeof(struct insn_table) + c.rows * sizeof(struct insn_row) +
           c.cells * sizeof(struct insn_cell);
}

/* --- making ----------------------------------------------------------------------------------- */

struct making {
    struct insn_table *table;
    const struct insn_support *support;
    const struct insn_links *links;
    bool exact;
};

static struct insn_row *add_row(struct insn_table *t, const struct chosen *c)
{
    struct insn_row *row = &t->row[t->rows++];

    *row = (struct insn_row){.form = (uint16_t)c->form,
                             .decoration = (uint8_t)c->decoration,
                             .values = (uint8_t)c->values,
                             .why = insn_form(c->form)->why,
                             .first = t->cells};
    return row;
}

static void add_cell(struct insn_table *t, struct insn_row *row, const struct insn_test_id *id)
{
    t->cell[t->cells++] = (struct insn_cell){.id = *id};
    row->cells++;
}

static bool has_blocker(const struct making *m, enum insn_blocker b)
{
    return insn_lacks(m->support, m->links->form[insn_blocker_links[b]]) == INSN_FEATURES;
}

/* Returns whether the CPU has the instructions of a chain with these values. */
static bool has_steps(const struct making *m, const struct chosen *c, const struct insn_test_id *id)
{
    struct insn_test t;

    if (id->kind != INSN_TEST_LATENCY || !insn_values_kept(c->values) ||
        insn_test(&t, insn_form(c->form), c->decoration, id) != INSN_RUNS)
        return true;
    for (unsigned i = 0; i < t.steps; i++)
        if (insn_lacks(m->support, m->links->form[t.step[i].link]) != INSN_FEATURES)
            return false;
    return true;
}

static void add_form(void *ctx, const struct chosen *c)
{
    struct insn_test_id id[INSN_TESTS_MOST];
    struct making *m = ctx;
    enum insn_feature lacks = insn_lacks(m->support, insn_form(c->form));

    if (lacks != INSN_FEATURES && c->values != INSN_USUAL)
        return; /* one such row is enough */
    struct insn_row *row = add_row(m->table, c);
    if (row->why == INSN_RUNS && lacks != INSN_FEATURES) {
        row->why = INSN_CPU_LACKS;
        row->lacks = (uint8_t)lacks;
    }
    if (row->why != INSN_RUNS)
        return;
    unsigned n = insn_tests(insn_form(c->form), c->decoration, c->values, id);
    m->table->run++;
    for (unsigned i = 0; i < n; i++) {
        if (id[i].kind == INSN_TEST_MIXED && !has_blocker(m, id[i].other))
            continue;
        if (!has_steps(m, c, &id[i]))
            continue;
        if (m->exact && i > 0 && id[i].kind != INSN_TEST_LATENCY)
            continue;
        add_cell(m->table, row, &id[i]);
        m->table->pairs += id[i].kind == INSN_TEST_LATENCY;
    }
}

static unsigned index_of(const struct insn_form *f)
{
    return (unsigned)(f - insn_form(0));
}

static void add_blockers(struct making *m)
{
    const struct insn_test_id id = {.kind = INSN_TEST_DISTINCT};
    struct insn_table *t = m->table;

    for (unsigned b = 0; b < BLOCKERS; b++) {
        const struct insn_form *f = m->links->form[insn_blocker_links[b]];
        if (!has_blocker(m, (enum insn_blocker)b))
            continue;
        add_cell(t, add_row(t, &(struct chosen){index_of(f), INSN_PLAIN, INSN_USUAL}), &id);
        t->blocker_row[b] = (uint8_t)t->rows;
    }
}

static void add_fillers(struct making *m)
{
    static const uint8_t links[] = {[FILLER_NOP] = LINK_NOP, [FILLER_ZERO] = LINK_XOR};
    struct insn_table *t = m->table;

    for (unsigned i = 0; i < FILLERS; i++) {
        struct chosen c = {index_of(m->links->form[links[i]]), INSN_PLAIN, INSN_USUAL};
        struct insn_test_id id = {.kind = INSN_TEST_FILLERS, .other = (uint8_t)i};
        add_cell(t, add_row(t, &c), &id);
        t->filler_row[i] = (uint8_t)t->rows;
    }
}

static void add_links(struct making *m)
{
    struct insn_table *t = m->table;

    for (size_t i = 0; i < MEASURED; i++) {
        const struct insn_form *f = m->links->form[measured[i].form];
        struct insn_test_id id = {
            INSN_TEST_LATENCY,
            0,
            {measured[i].in == FLAGS ? INSN_FLAGS_PART : INSN_DATA, measured[i].in == SECOND},
            {INSN_DATA, 0}};
        if (insn_lacks(m->support, f) != INSN_FEATURES)
            continue;
        add_cell(t, add_row(t, &(struct chosen){index_of(f), INSN_PLAIN, INSN_USUAL}), &id);
        t->link_row[measured[i].link] = (uint8_t)t->rows;
    }
}

struct insn_table *insn_table_make(void *memory, const struct options *o,
                                   const struct insn_support *s, const struct insn_links *links,
                                   bool exact)
{
    struct counts c = counts_of(o);
    struct making m = {memory, s, links, exact};

    memset(m.table, 0, sizeof *m.table);
    m.table->exact = exact;
    m.table->cell = (struct insn_cell *)(void *)(m.table + 1);
    m.table->row = (struct insn_row *)(void *)(m.table->cell + c.cells);
    if (!exact) {
        add_links(&m);
        add_blockers(&m);
        add_fillers(&m);
    }
    m.table->links = m.table->rows;
    each_selected(o, add_form, &m);
    return m.table;
}

/* --- the running core ------------------------------------------------------------------------- */

struct insn_support insn_support_here(const struct platform *p)
{
    struct insn_support s;

    insn_support(&s, p->cpuid, NULL, vectors_xcr0(p->cpuid(NULL, 1, 0).ecx));
    return s;
}
