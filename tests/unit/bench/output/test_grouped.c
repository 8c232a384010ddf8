/* Made-up rows in columns: the content of cells, and the rows that are shown in full. */
#include "tests/unit/text.h"
#include "bench/output/grouped.h"
#include "bench/output/per_op.h"
#include "lib/stats/mathx.h"
#include "lib/text/fmt.h"

/* A row's figure per operation is its figure as it is, in core cycles. */
struct per_op per_op_of(const struct run_facts *run, const struct row_figure *h)
{
    return (struct per_op){"cycles", h->known ? h->cycles.theta : UNKNOWN,
                           h->known ? estimate_longer_side(&h->cycles) : UNKNOWN,
                           h->known ? estimate_percent(&h->cycles) : 0};
}

static const struct bench_family two = {{"trap", "cure"}},
                                 four = {{"empty", "++*x", "straight", "compiled ++*x"}};

static struct grouped g;
static struct options o;
static struct run_facts run;

static void begin(size_t rows)
{
    options_default(&o);
    run = (struct run_facts){.o = &o, .cores = 1, .placements = 16};
    grouped_begin(&g, &run, rows);
}

static void many(void)
{
    begin(100);
}

BEFORE_EACH(many);

static const char *show(void)
{
    struct report r;

    report_init(&r, text_sink(), FORMAT_TABLE);
    grouped_show(&g, &r);
    return text;
}

static struct bench *bench_of(const struct bench_family *family, const char *line, unsigned column)
{
    static struct bench bench[GROUPED_LINES + 8];
    static size_t used;
    struct bench *b = &bench[used++ % (GROUPED_LINES + 8)];

    *b = (struct bench){.suite = "suite",
                        .name = "row",
                        .shown.family = family,
                        .shown.line = line,
                        .shown.column = column};
    return b;
}

static struct row row_of(const struct bench *b, double cycles, double half)
{
    struct row row = {.out.bench = b};

    row.figure.known = true;
    row.figure.cycles.by = ESTIMATE_RANKS;
    row.figure.cycles.theta = cycles;
    row.figure.cycles.lo = cycles - half;
    row.figure.cycles.hi = cycles + half;
    return row;
}

static bool take(const struct bench_family *family, const char *line, unsigned column, double v,
                 double half)
{
    struct row row = row_of(bench_of(family, line, column), v, half);

    return grouped_take(&g, &run, &row, false);
}

TEST(many_rows_are_grouped)
{
    begin(TABLE_ROWS_AUTO - 1);
    assert_false(g.on || take(&two, "div", 0, 1, 0.1));
    begin(TABLE_ROWS_AUTO);
    assert_true(g.on);
    assert_false(take(NULL, NULL, 0, 1, 0.1));
    o.table = TABLE_ROWS;
    grouped_begin(&g, &run, 100);
    assert_false(g.on);
    o.table = TABLE_GROUPED;
    grouped_begin(&g, &run, 1);
    assert_true(g.on);
    o.layout = LAYOUT_SWEEP;
    grouped_begin(&g, &run, 100);
    assert_false(g.on);
    o.layout = LAYOUT_SHUFFLE;
    o.method = METHOD_KBEST;
    grouped_begin(&g, &run, 100);
    assert_false(g.on);
}

TEST(few_columns_have_their_intervals_next_to_them)
{
    assert_true(take(&two, "div", 1, 6.029, 0.142));
    assert_true(take(&two, "div", 0, 1.412, 0.023));
    assert_true(take(&two, "load", 0, -0.003, 0.038));
    assert_string_equal(show(), "\r\n                         cycles/op\r\n"
                                "suite                       trap    +-98%     cure    +-98%\r\n"
                                "div                        1.412    0.023    6.029    0.142\r\n"
                                "load                      -0.003    0.038        -\r\n");
    assert_string_equal(show(), "");
}

TEST(many_columns_have_their_intervals_below_them)
{
    assert_true(take(&four, "plt", 0, 4.5, 0.25));
    assert_true(take(&four, "plt", 3, 1234.5, 1e4));
    assert_string_equal(show(), "\r\n                         cycles/op, +-98% below\r\n"
                                "suite                      empty     ++*x straight compiled\r\n"
                                "                                                       ++*x\r\n"
                                "plt                        4.500        -        -     1235\r\n"
                                "                           0.250                      10000\r\n");
}

/* Next to a line that has some: no blank line ends the table. */
TEST(a_line_without_intervals_has_no_line_of_them)
{
    struct row row = row_of(bench_of(&four, "got", 0), 4, 1);

    row.taken.shared = true;
    assert_false(grouped_take(&g, &run, &row, true));
    assert_true(take(&four, "plt", 0, 4.5, 0.25));
    show();
    assert_non_null(strstr(text,
                           "\r\ngot                       shared!       -        -        -\r\n"
                           "plt                        4.500        -        -        -\r\n"
                           "                           0.250\r\n"));
}

TEST(counts_have_no_intervals)
{
    assert_true(take(&two, "div", 0, 9, UNKNOWN));
    assert_true(take(&four, "plt", 2, 3, UNKNOWN));
    assert_string_equal(show(), "\r\n                         cycles/op\r\n"
                                "suite                       trap     cure\r\n"
                                "div                        9.000        -\r\n"
                                "\r\n                         cycles/op\r\n"
                                "suite                      empty     ++*x straight compiled\r\n"
                                "                                                       ++*x\r\n"
                                "plt                            -        -    3.000        -\r\n");
}

TEST(a_row_with_another_confidence_is_shown_in_full)
{
    struct row row = row_of(bench_of(&two, "div", 0), 4, 1);

    row.figure.cycles.by = ESTIMATE_ROUNDS;
    assert_true(grouped_take(&g, &run, &row, false));
    row.out.bench = bench_of(&two, "div", 1);
    row.figure.cycles.by = ESTIMATE_PLACEMENTS;
    assert_false(grouped_take(&g, &run, &row, false));
    assert_non_null(strstr(show(), "trap    +-98%     cure    +-98%\r\n"));
    assert_non_null(strstr(text, " 4.000    1.000    4.000!   1.000\r\n"));
}

TEST(few_placements_have_their_level_in_the_heading)
{
    struct row row = row_of(bench_of(&two, "div", 0), 4, 1);

    run.placements = 10;
    grouped_begin(&g, &run, 100);
    row.figure.cycles.by = ESTIMATE_PLACEMENTS;
    assert_true(grouped_take(&g, &run, &row, false));
    row.out.bench = bench_of(&four, "plt", 0);
    assert_true(grouped_take(&g, &run, &row, false));
    assert_non_null(strstr(show(), "trap    +-99%     cure    +-99%\r\n"));
    assert_non_null(strstr(text, "cycles/op, +-99% below\r\n"));
}

TEST(rows_with_a_problem_are_shown_in_full)
{
    struct row row = row_of(bench_of(&four, "got", 0), 4, 1);

    assert_false(grouped_take(&g, &run, &row, true));
    row.out.bench = bench_of(&four, "got", 1);
    row.taken.shared = true;
    assert_false(grouped_take(&g, &run, &row, true));
    row.out.bench = bench_of(&four, "got", 2);
    row.taken.shared = false;
    row.out.status = ROW_WRONG;
    assert_false(grouped_take(&g, &run, &row, false));
    row.out.bench = bench_of(&four, "got", 3);
    row.out.status = ROW_OK;
    row.figure.modes.count = 2;
    assert_true(grouped_take(&g, &run, &row, false));
    row.out.bench = bench_of(&four, "plt", 3);
    row.out.status = ROW_UNSUPPORTED;
    assert_false(grouped_take(&g, &run, &row, false));
    show();
    assert_non_null(strstr(text, "; * modes; ! see above\r\n"));
    assert_non_null(strstr(text, "\r\ngot                        4.000!  shared!    FAIL!   4.000*"
                                 "\r\n                           1.000                      1.000"
                                 "\r\n"));
    assert_null(strstr(text, "plt"));
}

TEST(each_core_has_separate_lines)
{
    struct row row = row_of(bench_of(&two, "div", 0), 6, UNKNOWN);

    run.cores = 2;
    grouped_begin(&g, &run, 100);
    assert_true(grouped_take(&g, &run, &row, false));
    row.out.core = 3;
    assert_true(grouped_take(&g, &run, &row, false));
    show();
    assert_non_null(strstr(text, "\r\ndiv @0 "));
    assert_non_null(strstr(text, "\r\ndiv @3 "));
}

TEST(a_series_is_in_order)
{
    static const uint32_t counts[] = {1, 16, 2, 64, 4};

    EACH_CASE (c, counts) {
        struct bench *b = bench_of(&two, "sum", 0);
        b->shown.at = *c;
        struct row row = row_of(b, *c, UNKNOWN);
        assert_true(grouped_take(&g, &run, &row, false));
    }
    assert_string_equal(show(), "\r\n                         cycles/op\r\n"
                                "suite                       trap     cure\r\n"
                                "sum 1                      1.000        -\r\n"
                                "sum 2                      2.000        -\r\n"
                                "sum 4                      4.000        -\r\n"
                                "sum 16                    16.000        -\r\n"
                                "sum 64                    64.000        -\r\n");
}

TEST(a_row_without_room_is_shown_in_full)
{
    static char names[GROUPED_LINES + 1][8];

    for (size_t i = 0; i <= GROUPED_LINES; i++) {
        fmt_buf(names[i], sizeof names[i], "n%zu", i);
        assert_true(take(&two, names[i], 0, 1, UNKNOWN) == (i < GROUPED_LINES));
    }
    assert_true(take(&two, names[0], 1, 1, UNKNOWN));
}

TEST(only_pairs_of_one_family_are_side_by_side)
{
    const struct bench a = {.shown.family = &two}, b = {.shown.family = &two},
                       c = {.shown.family = &four}, d = {0};

    assert_true(grouped_both(&g, &a, &b));
    assert_false(grouped_both(&g, &a, &c));
    assert_false(grouped_both(&g, &d, &d));
    begin(1);
    assert_false(grouped_both(&g, &a, &b));
}
