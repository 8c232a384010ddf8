/* Compared rows: what one code at two places says about a CPU, by recorded and made-up figures; and
 * where a series of rows begins. */
#include "tests/unit/text.h"
#include "bench/output/compare.h"
#include "bench/api/registry.h"
#include "bench/result/cycles.h"
#include "bench/output/per_op.h"
#include "lib/stats/shift.h"

static const struct bench absent = {.suite = "compiler", .name = "unused_absent"},
                          trap = {.suite = "compiler",
                                  .name = "unused_trap",
                                  .shown.compared_with = "unused_absent",
                                  .shown.moved_bytes = 32},
                          other = {.suite = "compiler",
                                   .name = "other",
                                   .shown.compared_with = "unused_absent"};
static const struct bench *const rows[] = {&absent, &trap, &other};

const struct bench *const *registry(size_t *n)
{
    *n = sizeof rows / sizeof *rows;
    return rows;
}

static bool both_in_columns;

bool grouped_both(const struct grouped *g, const struct bench *a, const struct bench *b)
{
    return both_in_columns;
}

static struct options o;
static struct run_facts run;
static struct core_figure figures[3];

/* A figure whose placements are spread evenly over +- half of it. */
static struct core_figure figure(double cycles, double half)
{
    struct core_figure f = {.ticks = cycles / 1.5,
                            .cycles = cycles,
                            .lo = cycles - half,
                            .hi = cycles + half,
                            .placements = CORE_FIGURE_PLACEMENTS,
                            .rounds = 1};

    for (unsigned i = 0; i < CORE_FIGURE_PLACEMENTS; i++)
        f.theta[i] = cycles + half * ((double)i / (CORE_FIGURE_PLACEMENTS - 1) * 2 - 1);
    return f;
}

static void set_up(void)
{
    options_default(&o);
    both_in_columns = false;
    run = (struct run_facts){
        .o = &o, .cycle.by = CYCLES_RULER, .execution = EXEC_SILICON, .cores = 1};
    for (unsigned i = 0; i < 3; i++)
        figures[i] = figure(1.19, 0.004);
}

BEFORE_EACH(set_up);

static const char *told(enum format format)
{
    struct report r;

    report_init(&r, text_sink(), format);
    compare_rows(&r, &run, figures, NULL);
    return text;
}

static void says(const char *words)
{
    if (!strstr(told(FORMAT_BOTH), words))
        fail_msg("\"%s\" is not in: %s", words, text);
}

static void says_not(const char *words)
{
    if (strstr(told(FORMAT_BOTH), words))
        fail_msg("\"%s\" is in: %s", words, text);
}

/* Zen 5, gcc 12: docs/compiler.md. */
TEST(rows_that_differ_show_a_sensitive_cpu)
{
    figures[1] = figure(2.00, 0.004);
    says("0.810 +- ");
    says("code moved by 32 bytes: this CPU is sensitive to that");
    says("\"moved_bytes\":32,\"sensitive\":true");
    figures[1] = figure(0.90, 0.004); /* the other way, too */
    says("this CPU is sensitive to that");
}

/* A CPU whose rows were 1.32 and 1.32. */
TEST(rows_that_agree_show_an_insensitive_cpu)
{
    figures[0] = figures[1] = figure(1.32, 0.02);
    says("this CPU is not sensitive to that beyond the interval, -0.");
    says("\"moved_bytes\":32,\"sensitive\":false");
    struct comparison s = compare_figures(&run, &figures[1], &figures[0]);
    assert_string_equal(s.by, "placements");
    assert_true(s.lo < 0 && s.hi > 0 && s.hi - s.lo < 0.04);
    /* Without placements, by the intervals of the figures. */
    figures[0].placements = figures[1].placements = 0;
    says("\"by\":\"intervals\",\"moved_bytes\":32,\"sensitive\":false");
}

/* Placements that were faster in two rounds of four say little about the next round. */
TEST(rounds_that_differ_are_not_a_difference_of_rows)
{
    figures[0] = figure(1.32, 0.001);
    figures[1] = figure(1.37, 0.001);
    says("\"by\":\"placements\",\"moved_bytes\":32,\"sensitive\":true");
    figures[0].rounds = figures[1].rounds = 4;
    for (unsigned i = 0; i < CORE_FIGURE_PLACEMENTS; i++)
        figures[1].theta[i] += i < CORE_FIGURE_PLACEMENTS / 2 ? 0.1 : 0;
    says("\"by\":\"rounds\",\"moved_bytes\":32,\"sensitive\":false");
}

/* Comparisons that are not fair, or not of a CPU, are not judged. */
TEST(unfair_comparisons_are_not_judged)
{
    figures[1] = figure(2.00, 0.004);
    figures[1].shared = true;
    says("not judged: the core was shared");
    says_not("sensitive");
    figures[1].shared = false;
    o.layout = LAYOUT_SWEEP; /* both rows are at all offsets */
    says_not("sensitive");
    o.layout = LAYOUT_SHUFFLE;
    run.execution = EXEC_INSTRUCTIONS;
    run.ticks_per_instruction = 128;
    says("\"moved_bytes\":32");
    says_not("sensitive");
    run.execution = EXEC_SILICON;
    says("sensitive");
}

TEST(other_pairs_are_other_code)
{
    figures[2] = figure(5, 0.1);
    const char *line = strstr(told(FORMAT_JSONL), "compiler/other ");
    assert_non_null(line);
    char *end = strchr(line, '\n');
    assert_non_null(end);
    *end = '\0';
    assert_null(strstr(line, "moved"));
    assert_null(strstr(line, "sensitive"));
}

/* They have a line, where other pairs are in columns. */
TEST(sensitive_pairs_have_a_line_where_others_are_columns)
{
    figures[1] = figure(2.00, 0.004);
    both_in_columns = true;
    const char *line = strstr(told(FORMAT_TABLE), "compared: compiler/unused_trap");
    assert_true(line && strstr(line, "this CPU is sensitive"));
    assert_null(strstr(text, "compared: compiler/other"));
    assert_non_null(strstr(text, "1 more pairs"));
}

static bool of_one_letter(const struct bench *a, const struct bench *b)
{
    return a->name[0] == 'u' && b->name[0] == 'u';
}

TEST(a_series_begins_with_its_first_row)
{
    const struct bench *const mixed[] = {&other, &absent, &other, &trap};
    const bool begins[] = {false, true, false, false};

    for (size_t i = 0; i < 4; i++)
        assert_int_equal(compare_begins_series(mixed, i, of_one_letter), begins[i]);
}
