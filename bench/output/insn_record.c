#include "bench/output/insn_groups.h"
#include "bench/api/declare.h"
#include "lib/text/decimal.h"
#include "lib/insn/form.h"
#include "lib/stats/mathx.h"
#include "lib/text/fmt.h"
#include "lib/text/str.h"

#define SLOTS_ERROR 0.25 /* a figure with a larger error tells no number of slots */

/* The forms of a record. */
struct page {
    const struct run_facts *run;
    const struct insn_table *table;
    struct insn_groups forms;
    const struct insn_row *list[INSN_GROUPED_MOST]; /* forms whose lists of pairs differ, ... */
    unsigned lists;
    uint8_t list_of[INSN_GROUPED_MOST]; /* ... and the one of each form */
};

/* --- figures ---------------------------------------------------------------------------------- */

static void put_figure(struct sink *out, struct agreed a, bool at_most, bool exact)
{
    if (!is_known(a.value)) {
        fmt(out, "-");
        return;
    }
    fmt(out, "%s", at_most ? "<" : "");
    concise(out, a.value, agree_error(a));
    fmt(out, "%s", a.settled || exact ? "" : "?");
}

/* Writes the throughput, and the latencies in the order of the form's pairs. */
static void put_figures(const struct insn_table *t, const struct insn_row *row, struct sink *out)
{
    put_figure(out, insn_throughput_of(t, row), false, t->exact);
    for (unsigned i = 0; i < row->cells; i++) {
        const struct insn_cell *c = insn_cells_of(t, row) + i;
        bool at_most;
        if (c->id.kind != INSN_TEST_LATENCY)
            continue;
        struct agreed a = insn_figure(t, row, c, &at_most);
        fmt(out, " ");
        put_figure(out, a, at_most, t->exact);
    }
}

/* Returns the issue slots, UNKNOWN if the figure cannot tell them. */
static double slots_of(const struct insn_table *t, const struct insn_row *row)
{
    struct agreed a = insn_slots(t, row);

    return agree_error(a) <= SLOTS_ERROR ? a.value : UNKNOWN;
}

/* --- variants of the throughput --------------------------------------------------------------- */

static const struct insn_cell *cell_of_kind(const struct insn_table *t, const struct insn_row *row,
                                            unsigned kind)
{
    for (unsigned i = 0; i < row->cells; i++)
        if (insn_cells_of(t, row)[i].id.kind == kind)
            return insn_cells_of(t, row) + i;
    return NULL;
}

/* Returns a variant of the throughput; UNKNOWN if it does not differ from the throughput. */
static struct agreed variant_of(const struct insn_table *t, const struct insn_row *row,
                                unsigned kind)
{
    const struct insn_cell *c = cell_of_kind(t, row, kind);
    struct agreed tp = insn_throughput_of(t, row);
    bool at_most;

    if (!c)
        return agree(NULL, 0);
    struct agreed a = insn_figure(t, row, c, &at_most);
    return agree_differ(a, tp) ? a : agree(NULL, 0);
}

/* --- columns of a record ---------------------------------------------------------------------- */

static bool has_variant(const struct page *page, unsigned i, unsigned kind)
{
    return is_known(variant_of(page->table, page->forms.row[i], kind).value);
}

static bool has_same(const struct page *page, unsigned i)
{
    return has_variant(page, i, INSN_TEST_SAME);
}

static bool has_line(const struct page *page, unsigned i)
{
    return has_variant(page, i, INSN_TEST_ONE_LINE);
}

static bool has_straight(const struct page *page, unsigned i)
{
    return has_variant(page, i, INSN_TEST_STRAIGHT);
}

/* Writes "position figure". */
static void put_variant(const struct page *page, unsigned i, unsigned kind, struct sink *out)
{
    fmt(out, "%u ", i);
    put_figure(out, variant_of(page->table, page->forms.row[i], kind), false, page->table->exact);
}

static bool has_fault(const struct page *page, unsigned i)
{
    return page->forms.row[i]->fault;
}

/* Returns the figure of a cell with the other history of registers; UNKNOWN: it does not differ. */
static struct agreed history_of(const struct page *page, unsigned i, unsigned cell)
{
    const struct insn_row *row = page->forms.row[i];
    const struct insn_cell *c = insn_cells_of(page->table, row) + cell;

    return c->id.kind == INSN_TEST_BREAKS ? agree(NULL, 0) : insn_after(page->table, row, c);
}

static bool has_history(const struct page *page, unsigned i)
{
    for (unsigned k = 0; k < page->forms.row[i]->cells; k++)
        if (is_known(history_of(page, i, k).value))
            return true;
    return false;
}

/* Writes "position name figure ..." of the figures that differ. */
static void put_history(const struct page *page, unsigned i, struct sink *out)
{
    const struct insn_row *row = page->forms.row[i];

    fmt(out, "%u", i);
    for (unsigned k = 0; k < row->cells; k++) {
        const struct insn_cell *c = insn_cells_of(page->table, row) + k;
        struct agreed a = history_of(page, i, k);
        if (!is_known(a.value))
            continue;
        fmt(out, " ");
        if (c->id.kind == INSN_TEST_LATENCY)
            insn_pair_name(c, out);
        else
            fmt(out, "tp");
        fmt(out, " ");
        put_figure(out, a, false, page->table->exact);
    }
}

static bool has_lcp(const struct page *page, unsigned i)
{
    return insn_form(page->forms.row[i]->form)->properties & INSN_LCP;
}

static bool is_complex(const struct page *page, unsigned i)
{
    return insn_is_complex(page->table, page->forms.row[i]);
}

static bool is_spelled(const struct page *page, unsigned i)
{
    return insn_groups_spelled(&page->forms, i);
}

static void put_slots(const struct page *page, struct sink *out)
{
    for (unsigned i = 0; i < page->forms.rows; i++) {
        double slots = slots_of(page->table, page->forms.row[i]);
        fmt(out, "%s", i ? " " : "");
        if (is_known(slots))
            num_short(out, slots, 1);
        else
            fmt(out, "-");
    }
}

static void put_blockers(uint32_t set, struct sink *out)
{
    for (unsigned b = 0; b < BLOCKERS; b++)
        if (set >> b & 1)
            fmt(out, "%u", b);
}
_Static_assert(BLOCKERS <= 10, "a blocker is a digit");

/* Writes the blockers of each form as digits, the unsettled ones last. */
static void put_shares(const struct page *page, struct sink *out)
{
    for (unsigned i = 0; i < page->forms.rows; i++) {
        struct insn_sharing s = insn_sharing_of(page->table, page->forms.row[i]);
        fmt(out, "%s", i ? " " : "");
        if (!(s.shares | s.unsettled))
            fmt(out, "%s", s.free ? "." : "-");
        put_blockers(s.shares & ~s.unsettled, out);
        fmt(out, "%s", s.unsettled ? "/" : "");
        put_blockers(s.unsettled, out);
    }
}

static void put_group(const struct page *page, const struct insn_group *group, struct sink *out)
{
    for (unsigned k = 0; k < group->rows; k++) {
        fmt(out, "%s", k ? " " : "");
        put_figures(page->table, page->forms.row[group->first + k], out);
    }
}

/* --- records ---------------------------------------------------------------------------------- */

/* Returns whether two forms have the same pairs. */
static bool have_one_list(const struct insn_table *t, const struct insn_row *a,
                          const struct insn_row *b)
{
    char of_a[INSN_PAIRS_MOST], of_b[INSN_PAIRS_MOST];
    struct sink_buf text;

    sink_buf_init(&text, of_a, sizeof of_a);
    insn_pairs_name(t, a, &text.sink);
    sink_buf_init(&text, of_b, sizeof of_b);
    insn_pairs_name(t, b, &text.sink);
    return str_eq(of_a, of_b);
}

static void find_lists(struct page *page)
{
    page->lists = 0;
    for (unsigned i = 0; i < page->forms.rows; i++) {
        const struct insn_row *row = page->forms.row[i];
        unsigned k = 0;
        if (!insn_groups_spelled(&page->forms, i))
            continue;
        while (k < page->lists && !have_one_list(page->table, page->list[k], row))
            k++;
        if (k == page->lists)
            page->list[page->lists++] = row;
        page->list_of[i] = (uint8_t)k;
    }
}

/* Returns the first form from `from` on for which `has` holds; forms.rows: none. */
static unsigned next_form(const struct page *page, unsigned from,
                          bool (*has)(const struct page *page, unsigned i))
{
    while (from < page->forms.rows && !has(page, from))
        from++;
    return from;
}
#define EACH_FORM(has)                                                                             \
    unsigned i = next_form(page, 0, has);                                                          \
    i < page->forms.rows;                                                                          \
    i = next_form(page, i + 1, has)

static void record_page(struct page *page, struct insn_written *written, struct report *r)
{
    const struct insn_table *t = page->table;
    struct insn_groups *g = &page->forms;
    uint64_t seq = r->seq;
    struct json line, *j = &line;

    if (g->rows == 0 || !report_record(r, j, "insn"))
        return;
    insn_groups_match(g);
    find_lists(page);
    const uint64_t *as = insn_groups_written(g, written, seq);
#include "bench/api/fields/insn.def"
    json_end(j);
}

void insn_record_forms(const struct run_facts *run, const struct insn_table *t,
                       struct insn_written *written, struct report *r)
{
    static struct page page;

    page.run = run;
    page.table = t;
    insn_groups_clear(&page.forms, t, true);
    for (unsigned i = t->links; i < t->rows; i++) {
        if (insn_was_run(&t->row[i]))
            insn_groups_add(&page.forms, &t->row[i]);
        if (page.forms.rows == INSN_GROUPED_MOST) {
            record_page(&page, written, r);
            insn_groups_clear(&page.forms, t, true);
        }
    }
    record_page(&page, written, r);
}

static bool has_reason_of(const struct insn_row *a, const struct insn_row *b)
{
    return a->why == b->why && a->lacks == b->lacks;
}

static void record_names(const struct run_facts *run, struct insn_groups *g,
                         struct insn_written *written, struct report *r)
{
    uint64_t seq = r->seq;
    struct json line, *j = &line;

    if (g->rows == 0 || !report_record(r, j, "insn_left"))
        return;
    insn_groups_match(g);
    const uint64_t *as = insn_groups_written(g, written, seq);
#include "bench/api/fields/insn_left.def"
    json_end(j);
}

/* Writes the forms from row `first` on that share its reason. */
static void record_reason(const struct run_facts *run, const struct insn_table *t, unsigned first,
                          struct insn_written *written, struct report *r)
{
    static struct insn_groups g;

    insn_groups_clear(&g, t, false);
    for (unsigned i = first; i < t->rows; i++) {
        if (insn_was_run(&t->row[i]) || !has_reason_of(&t->row[i], &t->row[first]))
            continue;
        insn_groups_add(&g, &t->row[i]);
        if (g.rows == INSN_GROUPED_MOST) {
            record_names(run, &g, written, r);
            insn_groups_clear(&g, t, false);
        }
    }
    record_names(run, &g, written, r);
}

void insn_record_left(const struct run_facts *run, const struct insn_table *t,
                      struct insn_written *written, struct report *r)
{
    for (unsigned i = t->links; i < t->rows; i++) {
        bool is_first = !insn_was_run(&t->row[i]);
        for (unsigned k = t->links; k < i && is_first; k++)
            is_first = insn_was_run(&t->row[k]) || !has_reason_of(&t->row[k], &t->row[i]);
        if (is_first)
            record_reason(run, t, i, written, r);
    }
}
