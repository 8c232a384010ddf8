#include "bench/output/insn_record.h"
#include "bench/output/insn_groups.h"
#include "bench/output/insn_names.h"
#include "lib/text/decimal.h"
#include "lib/insn/form.h"
#include "lib/stats/mathx.h"
#include "lib/text/fmt.h"
#include "lib/text/json.h"
#include "lib/text/str.h"

#define FIGURES_BYTES (INSN_TESTS_MOST * 16)
#define SLOTS_ERROR   0.25 /* a figure with a larger error tells no number of slots */

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

static const struct {
    const char *name;
    unsigned kind;
} variants[] = {
    {"same", INSN_TEST_SAME}, {"line", INSN_TEST_ONE_LINE}, {"straight", INSN_TEST_STRAIGHT}};
#define VARIANTS (sizeof variants / sizeof variants[0])

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

/* --- records ---------------------------------------------------------------------------------- */

/* Writes an array of entries, position and text, one for each form of which `put` writes one. */
static void record_entries(struct json *j, const char *name, const struct page *page,
                           void (*put)(const struct page *page, unsigned i, unsigned what,
                                       struct sink *out),
                           unsigned what)
{
    bool any = false;

    for (unsigned i = 0; i < page->forms.rows; i++) {
        char text[FIGURES_BYTES];
        struct sink_buf b;
        sink_buf_init(&b, text, sizeof text);
        fmt(&b.sink, "%u ", i);
        size_t position = b.used;
        put(page, i, what, &b.sink);
        if (b.used == position)
            continue;
        if (!any)
            json_array(j, name);
        any = true;
        json_str(j, NULL, text);
    }
    if (any)
        json_close(j);
}

static void put_variant(const struct page *page, unsigned i, unsigned kind, struct sink *out)
{
    struct agreed a = variant_of(page->table, page->forms.row[i], kind);

    if (is_known(a.value))
        put_figure(out, a, false, page->table->exact);
}

static void put_fault(const struct page *page, unsigned i, unsigned what, struct sink *out)
{
    (void)what;
    if (page->forms.row[i]->fault)
        fmt(out, "%s", page->table->fault[page->forms.row[i]->fault]);
}

/* Writes "name figure" for each figure that differs with the other history of registers. */
static void put_history(const struct page *page, unsigned i, unsigned what, struct sink *out)
{
    const struct insn_table *t = page->table;
    const struct insn_row *row = page->forms.row[i];
    const char *between = "";

    (void)what;
    for (unsigned k = 0; k < row->cells; k++) {
        const struct insn_cell *c = insn_cells_of(t, row) + k;
        struct agreed a = insn_after(t, row, c);
        if (!is_known(a.value) || c->id.kind == INSN_TEST_BREAKS)
            continue;
        fmt(out, "%s", between);
        if (c->id.kind == INSN_TEST_LATENCY)
            insn_pair_name(c, out);
        else
            fmt(out, "tp");
        fmt(out, " ");
        put_figure(out, a, false, t->exact);
        between = " ";
    }
}

static bool has_lcp(const struct insn_table *t, const struct insn_row *row)
{
    (void)t;
    return insn_form(row->form)->properties & INSN_LCP;
}

/* Writes the positions of the forms for which `is` returns true. */
static void record_flag(struct json *j, const char *name, const struct page *page,
                        bool (*is)(const struct insn_table *t, const struct insn_row *row))
{
    bool any = false;

    for (unsigned i = 0; i < page->forms.rows; i++) {
        if (!is(page->table, page->forms.row[i]))
            continue;
        if (!any)
            json_array(j, name);
        any = true;
        json_u64(j, NULL, i);
    }
    if (any)
        json_close(j);
}

static void record_slots(struct json *j, const struct page *page)
{
    struct json_text text;

    json_text_begin(&text, j, "slots");
    for (unsigned i = 0; i < page->forms.rows; i++) {
        double slots = slots_of(page->table, page->forms.row[i]);
        fmt(&text.sink, "%s", i ? " " : "");
        if (is_known(slots))
            num_short(&text.sink, slots, 1);
        else
            fmt(&text.sink, "-");
    }
    json_text_end(&text);
}

static void put_blockers(uint32_t set, struct sink *out)
{
    for (unsigned b = 0; b < BLOCKERS; b++)
        if (set >> b & 1)
            fmt(out, "%u", b);
}

/* Writes the blockers as digits, the unsettled ones last. */
static void put_shares(const struct insn_table *t, const struct insn_row *row, struct sink *out)
{
    struct insn_sharing s = insn_sharing_of(t, row);

    if (!(s.shares | s.unsettled)) {
        fmt(out, "%s", s.free ? "." : "-");
        return;
    }
    put_blockers(s.shares & ~s.unsettled, out);
    fmt(out, "%s", s.unsettled ? "/" : "");
    put_blockers(s.unsettled, out);
}

static void record_shares(struct json *j, const struct page *page)
{
    struct json_text text;

    json_text_begin(&text, j, "shares");
    for (unsigned i = 0; i < page->forms.rows; i++) {
        fmt(&text.sink, "%s", i ? " " : "");
        put_shares(page->table, page->forms.row[i], &text.sink);
    }
    json_text_end(&text);
}
_Static_assert(BLOCKERS <= 10, "a blocker is a digit");

/* Writes the lists of pairs, and the one of each form whose operands the record has. */
static void record_pairs(struct json *j, const struct page *page)
{
    json_array(j, "pairs");
    for (unsigned i = 0; i < page->lists; i++) {
        struct json_text text;
        json_text_begin(&text, j, NULL);
        insn_pairs_name(page->table, page->list[i], &text.sink);
        json_text_end(&text);
    }
    json_close(j);
    json_array(j, "pairs_of");
    for (unsigned i = 0; i < page->forms.rows; i++)
        if (insn_groups_spelled(&page->forms, i))
            json_u64(j, NULL, page->list_of[i]);
    json_close(j);
}

/* Writes the figures of each group. */
static void record_cycles(struct json *j, const struct page *page)
{
    const struct insn_groups *g = &page->forms;

    json_array(j, "cycles");
    for (unsigned i = 0; i < g->groups; i++) {
        struct json_text text;
        json_text_begin(&text, j, NULL);
        for (unsigned k = 0; k < g->group[i].rows; k++) {
            fmt(&text.sink, "%s", k ? " " : "");
            put_figures(page->table, g->row[g->group[i].first + k], &text.sink);
        }
        json_text_end(&text);
    }
    json_close(j);
}

static void record_columns(struct json *j, const struct page *page)
{
    record_cycles(j, page);
    if (page->table->exact)
        return;
    record_slots(j, page);
    record_shares(j, page);
}

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

static void record_page(struct page *page, struct insn_written *written, struct report *r)
{
    uint64_t seq = r->seq;
    struct json j;

    if (page->forms.rows == 0 || !report_record(r, &j, "insn"))
        return;
    insn_groups_match(&page->forms);
    find_lists(page);
    json_u64(&j, "core", page->run->core);
    if (!insn_groups_refer(&page->forms, written, seq, &j)) {
        insn_groups_record(&page->forms, &j);
        record_pairs(&j, page);
    }
    record_columns(&j, page);
    for (unsigned i = 0; i < VARIANTS; i++)
        record_entries(&j, variants[i].name, page, put_variant, variants[i].kind);
    record_entries(&j, "history", page, put_history, 0);
    record_flag(&j, "lcp", page, has_lcp);
    record_flag(&j, "complex", page, insn_is_complex);
    record_entries(&j, "faults", page, put_fault, 0);
    json_end(&j);
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
