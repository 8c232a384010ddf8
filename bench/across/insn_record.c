#include "bench/across/insn_record.h"
#include "bench/across/insn_names.h"
#include "lib/decimal/concise.h"
#include "lib/decimal/num.h"
#include "lib/insn/table.h"
#include "lib/stats/known.h"
#include "lib/text/fmt.h"
#include "lib/text/json.h"
#include "lib/text/mem.h"
#include "lib/text/str.h"

#define FORMS_A_RECORD 32
#define PAIRS_BYTES    (INSN_TESTS_MOST * 8) /* of a list of pairs */
#define FIGURES_BYTES  (INSN_TESTS_MOST * 16)
#define SLOTS_ERROR    0.25 /* a figure with a larger one does not tell a number of slots */

/* The forms of a record. Few have lists of pairs of their own. */
struct page {
    const struct run_facts *run;
    const struct insn_table *table;
    const struct insn_row *row[FORMS_A_RECORD];
    unsigned rows;
    char pairs[FORMS_A_RECORD][PAIRS_BYTES]; /* different lists, ... */
    unsigned lists;
    uint8_t list[FORMS_A_RECORD]; /* ... and the one of each form */
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

static void put_pairs(const struct insn_table *t, const struct insn_row *row, struct sink *out)
{
    const char *between = "";

    for (unsigned i = 0; i < row->cells; i++) {
        const struct insn_cell *c = insn_cells_of(t, row) + i;
        if (c->id.kind != INSN_TEST_LATENCY)
            continue;
        fmt(out, "%s", between);
        insn_pair_name(c, out);
        between = " ";
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

/* A variant of the throughput; UNKNOWN if it does not differ. */
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

    for (unsigned i = 0; i < page->rows; i++) {
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
    struct agreed a = variant_of(page->table, page->row[i], kind);

    if (is_known(a.value))
        put_figure(out, a, false, page->table->exact);
}

static void put_fault(const struct page *page, unsigned i, unsigned what, struct sink *out)
{
    (void)what;
    if (page->row[i]->fault)
        fmt(out, "%s", page->table->fault[page->row[i]->fault]);
}

/* Writes `name figure` of each figure that is another with the other history of registers. */
static void put_history(const struct page *page, unsigned i, unsigned what, struct sink *out)
{
    const struct insn_table *t = page->table;
    const struct insn_row *row = page->row[i];
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

/* Writes the positions of the forms of which `is` says so. */
static void record_flag(struct json *j, const char *name, const struct page *page,
                        bool (*is)(const struct insn_table *t, const struct insn_row *row))
{
    bool any = false;

    for (unsigned i = 0; i < page->rows; i++) {
        if (!is(page->table, page->row[i]))
            continue;
        if (!any)
            json_array(j, name);
        any = true;
        json_u64(j, NULL, i);
    }
    if (any)
        json_close(j);
}

static void record_names(struct json *j, const struct page *page)
{
    struct insn_names names;

    json_array(j, "forms");
    insn_names_begin(&names);
    for (unsigned i = 0; i < page->rows; i++)
        insn_names_add(&names, page->row[i], j);
    insn_names_end(&names, j);
    json_close(j);
}

static void record_slots(struct json *j, const struct page *page)
{
    char text[FORMS_A_RECORD * 16];
    struct sink_buf b;

    sink_buf_init(&b, text, sizeof text);
    for (unsigned i = 0; i < page->rows; i++) {
        double slots = slots_of(page->table, page->row[i]);
        fmt(&b.sink, "%s", i ? " " : "");
        if (is_known(slots))
            num_short(&b.sink, slots, 1);
        else
            fmt(&b.sink, "-");
    }
    json_str(j, "slots", text);
}

/* Writes the blockers as digits. */
static void put_shares(const struct insn_table *t, const struct insn_row *row, struct sink *out)
{
    unsigned measured, shares = insn_shares(t, row, &measured);

    for (unsigned b = 0; b < BLOCKERS; b++)
        if (shares >> b & 1)
            fmt(out, "%u", b);
    if (shares == 0)
        fmt(out, "%s", measured ? "." : "-");
}

static void record_shares(struct json *j, const struct page *page)
{
    char text[FORMS_A_RECORD * (BLOCKERS + 1) + 1];
    struct sink_buf b;

    sink_buf_init(&b, text, sizeof text);
    for (unsigned i = 0; i < page->rows; i++) {
        fmt(&b.sink, "%s", i ? " " : "");
        put_shares(page->table, page->row[i], &b.sink);
    }
    json_str(j, "shares", text);
}
_Static_assert(BLOCKERS <= 10, "a blocker is a digit");

static void record_columns(struct json *j, const struct page *page)
{
    char text[FIGURES_BYTES];

    json_array(j, "pairs");
    for (unsigned i = 0; i < page->lists; i++)
        json_str(j, NULL, page->pairs[i]);
    json_close(j);
    json_array(j, "pairs_of");
    for (unsigned i = 0; i < page->rows; i++)
        json_u64(j, NULL, page->list[i]);
    json_close(j);
    json_array(j, "cycles");
    for (unsigned i = 0; i < page->rows; i++) {
        struct sink_buf b;
        sink_buf_init(&b, text, sizeof text);
        put_figures(page->table, page->row[i], &b.sink);
        json_str(j, NULL, text);
    }
    json_close(j);
    if (page->table->exact)
        return;
    record_slots(j, page);
    record_shares(j, page);
}

static void record_page(const struct page *page, struct report *r)
{
    struct json j;

    if (page->rows == 0 || !report_record(r, &j, "insn"))
        return;
    json_u64(&j, "core", page->run->core);
    record_names(&j, page);
    record_columns(&j, page);
    for (unsigned i = 0; i < VARIANTS; i++)
        record_entries(&j, variants[i].name, page, put_variant, variants[i].kind);
    record_entries(&j, "history", page, put_history, 0);
    record_flag(&j, "lcp", page, has_lcp);
    record_flag(&j, "complex", page, insn_is_complex);
    record_entries(&j, "faults", page, put_fault, 0);
    json_end(&j);
}

static void add(struct page *page, const struct insn_row *row)
{
    struct sink_buf text;
    char *list = page->pairs[page->lists];
    unsigned i = 0;

    sink_buf_init(&text, list, PAIRS_BYTES);
    put_pairs(page->table, row, &text.sink);
    while (i < page->lists && !str_eq(page->pairs[i], list))
        i++;
    page->lists += i == page->lists;
    page->list[page->rows] = (uint8_t)i;
    page->row[page->rows++] = row;
}

static void clear(struct page *page)
{
    page->rows = page->lists = 0;
}

void insn_record_forms(const struct run_facts *run, const struct insn_table *t, struct report *r)
{
    static struct page page;

    page.run = run;
    page.table = t;
    clear(&page);
    for (unsigned i = t->links; i < t->rows; i++) {
        if (insn_was_run(&t->row[i]))
            add(&page, &t->row[i]);
        if (page.rows == FORMS_A_RECORD) {
            record_page(&page, r);
            clear(&page);
        }
    }
    record_page(&page, r);
}

/* --- the estimate ----------------------------------------------------------------------------- */

/* From reports of a Zen 3 and a Zen 4: what a form has besides its name and its pairs, a pair, and
 * a record without its forms. */
enum { FORM_BYTES = 22, PAIR_BYTES = 6, FRAME_BYTES = 240 };

uint64_t insn_record_bytes(const struct insn_table *t)
{
    uint64_t bytes = 0;
    struct insn_names names;

    insn_names_begin(&names);
    for (unsigned i = t->links; i < t->rows; i++) {
        const struct insn_row *row = &t->row[i];
        insn_names_add(&names, row, NULL);
        if (row->why != INSN_RUNS)
            continue;
        bytes += FORM_BYTES + FRAME_BYTES / FORMS_A_RECORD;
        for (unsigned k = 0; k < row->cells; k++)
            if (insn_cells_of(t, row)[k].id.kind == INSN_TEST_LATENCY)
                bytes += PAIR_BYTES;
    }
    return bytes + names.bytes;
}
