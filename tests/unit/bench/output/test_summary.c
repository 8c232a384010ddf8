/* The summary of a run, from made-up results: its content, and that it keeps to its lines and
 * columns whatever they are. */
#include "tests/unit/text.h"
#include "bench/output/summary.h"
#include "lib/stats/mathx.h"
#include "bench/api/summary_parts.h"

/* Parts as the suites declare them, in another order than they are shown. */
SUMMARY_PART(cores, pairs, .rank = 4, .label = "cores", .kind = SUMMARY_TIMES,
             .row = {"pingpong", "tsc_skew", "wake", "ipi"});

SUMMARY_PART(baseline, window, .rank = 0, .label = "window", .row = {"empty_*", "do_nothing"},
             .unit = "a call");

#define MADE_WAY(name_) name_, name_ "_inc", name_ "_straight", name_ "_c"
SUMMARY_PART(calls, ways, .rank = 1, .label = "calls", .kind = SUMMARY_TABLE,
             .headings = {"empty", "++*x", "straight", "compiled"},
             .row = {MADE_WAY("direct"), MADE_WAY("plt"), MADE_WAY("got"), MADE_WAY("register"),
                     MADE_WAY("virtual")});

SUMMARY_PART(calls, targets, .rank = 2, .label = "targets", .kind = SUMMARY_PAIR,
             .difference = "mispredicted", .row = {"random_16", "turn_16"});

SUMMARY_PART(sum, both, .rank = 3, .label = "sum", .kind = SUMMARY_PAIR, .row = {"cold", "warm"});

enum { CELL = 17 }; /* columns of a figure of the table */

/* Returns the k-th figure of all parts, with the row's name; NULL: there are fewer. */
static struct summary_figure *nth(struct summary *s, unsigned k)
{
    const struct summary_part *part;

    for (unsigned p = 0; (part = summary_part(p)); p++)
        for (unsigned i = 0; i < SUMMARY_ROWS && part->row[i]; i++)
            if (k-- == 0) {
                bool is_recipe = strcmp(part->row[i], "empty_*") == 0;
                s->figure[p][i].name = is_recipe ? "empty_lfence" : part->row[i];
                return &s->figure[p][i];
            }
    return NULL;
}

/* Returns the figure of the row with this name. */
static struct summary_figure *at(struct summary *s, const char *name)
{
    struct summary_figure *f;

    for (unsigned k = 0; (f = nth(s, k)); k++)
        if (strcmp(f->name, name) == 0)
            return f;
    fail_msg("no row is called %s", name);
    return NULL;
}

/* The copy on the stick has this space for it: REPORT_LOG_END, without the last two records. */
#define LOG_ROOM 3500

static void show_as(const struct summary *s, uint64_t failures, enum format format)
{
    struct report r;

    report_init(&r, text_sink(), format);
    for (uint64_t i = 0; i < failures; i++) {
        char name[32];
        snprintf(name, sizeof name, "a_row_of_some_length_%u", (unsigned)i);
        report_failed(&r, "calls", name);
    }
    summary_show(s, &r);
}

static void show(const struct summary *s, uint64_t failures)
{
    show_as(s, failures, FORMAT_TABLE);
}

/* Lines, without the blank one before them; each must keep to the columns. */
static unsigned lines(void)
{
    unsigned n = 0;

    assert_int_equal(strncmp(text, "\r\n", 2), 0);
    for (const char *at = text + 2; *at; n++) {
        const char *end = strstr(at, "\r\n");
        assert_non_null(end);
        assert_in_range(end - at, 1, LINES_COLUMNS);
        at = end + 2;
    }
    return n;
}

static bool says(const char *line)
{
    char whole[128];

    snprintf(whole, sizeof whole, "\r\n%s\r\n", line);
    return strstr(text, whole) != NULL;
}

#define expect(line) assert_true(says(line))

static struct summary empty(enum execution execution)
{
    struct summary s = {.execution = execution,
                        .unit = "cycles/op by ruler",
                        .machine = "A CPU, 1 core",
                        .clock = "TSC 2600.000 MHz",
                        .gross = "ticks",
                        .cores = 1};

    for (unsigned k = 0; nth(&s, k); k++)
        nth(&s, k)->ns = UNKNOWN;
    return s;
}

static void put_figure(struct summary_figure *f, double value, double half)
{
    *f = (struct summary_figure){.state = SUMMARY_FIGURE,
                                 .name = f->name,
                                 .value = value,
                                 .half = half,
                                 .percent = 98,
                                 .ns = UNKNOWN};
}

static struct summary all_present(void)
{
    struct summary s = empty(EXEC_SILICON);

    for (unsigned k = 0; nth(&s, k); k++)
        put_figure(nth(&s, k), 3 + k / 8.0, 0.25);
    put_figure(at(&s, "empty_lfence"), 52, UNKNOWN);
    at(&s, "empty_lfence")->gross = true;
    at(&s, "pingpong")->ns = 52.125;
    s.rows = 154;
    s.spoils = (struct summary_spoils){
        .witness_runs = true, .shared = 3, .smis_known = true, .smis = 1, .throttling_known = true};
    return s;
}

TEST(a_full_summary_has_every_line)
{
    struct summary s = all_present();

    show(&s, 0);
    assert_int_equal(lines(), 15);
    expect("summary   cycles/op by ruler, +-98%");
    expect("machine   A CPU, 1 core");
    expect("clock     TSC 2600.000 MHz");
    expect("spoiled   3 of 154 rows shared, 1 SMI, 0 rows throttled");
    expect("window    empty_lfence 52 ticks, do_nothing 3.125 +-0.250 a call");
    expect("calls                 empty             ++*x         straight         compiled");
    expect("direct        3.250 +-0.250    3.375 +-0.250    3.500 +-0.250    3.625 +-0.250");
    expect("virtual       5.250 +-0.250    5.375 +-0.250    5.500 +-0.250    5.625 +-0.250");
    expect("targets   random_16 5.750, turn_16 5.875, mispredicted -0.125 +-0.354");
    expect("sum       cold 6.000 +-0.250, warm 6.125 +-0.250");
    expect("cores     pingpong 52.125 +-0.250 ns, tsc_skew 6.375 +-0.250 ticks,\r\n"
           "          wake 6.500 +-0.250 ticks, ipi 6.625 +-0.250 ticks");
}

TEST(an_empty_summary_has_only_the_machine)
{
    struct summary s = empty(EXEC_SILICON);

    show(&s, 0);
    assert_string_equal(text, "\r\nmachine   A CPU, 1 core\r\nclock     TSC 2600.000 MHz\r\n"
                              "spoiled   not known whether a core is shared, SMIs not counted,\r\n"
                              "          throttling not known\r\n");
}

/* Writes it as a record. */
static void record(const struct summary *s, uint64_t failures)
{
    show_as(s, failures, FORMAT_JSONL);
    assert_int_equal(strncmp(text, "{\"baretick\":1,", 14), 0);
    assert_ptr_equal(strstr(text, "\n"), text + strlen(text) - 1);
}

static bool has(const char *json)
{
    return strstr(text, json) != NULL;
}

TEST(the_record_has_the_lines_of_the_table)
{
    struct summary s = all_present();

    record(&s, 0);
    assert_true(
        has("\"rows\":[\"baseline/empty_lfence\",\"baseline/do_nothing\",\"calls/direct\","));
    assert_true(has("{\"label\":\"clock\",\"parts\":[\"TSC 2600.000 MHz\"]}"));
    assert_true(
        has("{\"label\":\"calls\",\"cells\":[\"empty\",\"++*x\",\"straight\",\"compiled\"]}"));
    assert_true(has("{\"label\":\"direct\",\"cells\":[\"3.250 +-0.250\",\"3.375 +-0.250\","));
    assert_true(
        has("{\"label\":\"sum\",\"parts\":[\"cold 6.000 +-0.250\",\"warm 6.125 +-0.250\"]}"));
    assert_false(has("\"label\":\"failed\"") || has("\"label\":\"stopped\""));
}

TEST(the_record_has_only_what_was_run)
{
    struct summary s = empty(EXEC_SILICON);

    put_figure(at(&s, "warm"), 0.273, 0.121);
    record(&s, 3);
    assert_true(has("\"rows\":[\"sum/warm\"],\"lines\":["));
    assert_true(has("\"parts\":[\"cold -\",\"warm 0.273 +-0.121\"]"));
    assert_true(has("{\"label\":\"failed\",\"parts\":[\"calls/a_row_of_some_length_0\","));
    assert_false(has("\"cells\""));
}

/* In the table it is cut. */
TEST(the_record_has_a_long_line_in_full)
{
    struct summary s = all_present();

    memset(s.machine, 'x', sizeof s.machine - 1);
    record(&s, 0);
    assert_true(has(s.machine));
}

TEST(lines_for_tools_have_no_summary)
{
    struct summary s = all_present();

    show_as(&s, 0, FORMAT_LINES);
    assert_string_equal(text, "");
}

/* Ways of calling without a row have no line, rows without a figure have a dash. */
TEST(missing_figures_have_a_dash_and_missing_rows_no_line)
{
    struct summary s = empty(EXEC_SILICON);

    put_figure(at(&s, "plt_c"), 4, 0.5);
    put_figure(at(&s, "warm"), 0.273, 0.121);
    put_figure(at(&s, "turn_16"), 6.011, 0.052);
    show(&s, 0);
    assert_int_equal(lines(), 9);
    expect("plt                       -                -                -    4.000 +-0.500");
    expect("targets   random_16 -, turn_16 6.011 +-0.052");
    expect("sum       cold -, warm 0.273 +-0.121");
    assert_null(strstr(text, "direct"));
    assert_null(strstr(text, "window"));
    assert_null(strstr(text, "cores"));
}

TEST(failed_shared_and_doubtful_figures_are_marked)
{
    struct summary s = all_present();

    at(&s, "direct")->state = SUMMARY_FAILED;
    at(&s, "direct_inc")->shared = true;
    at(&s, "direct_straight")->doubt = true;
    at(&s, "direct_c")->value = UNKNOWN;
    at(&s, "random_16")->shared = true;
    at(&s, "cold")->state = SUMMARY_FAILED;
    at(&s, "tsc_skew")->state = SUMMARY_FAILED;
    show(&s, 0);
    expect("direct                 FAIL     3.375 shared    3.500 doubted                ?");
    expect("targets   random_16 5.750 shared, turn_16 5.875, mispredicted -0.125 shared");
    expect("sum       cold FAIL, warm 6.125 +-0.250");
    assert_non_null(strstr(text, "tsc_skew FAIL,"));
}

TEST(failures_are_named)
{
    struct summary s = all_present();

    show(&s, 1);
    expect("failed    calls/a_row_of_some_length_0");
    show(&s, 3);
    expect("failed    calls/a_row_of_some_length_0, calls/a_row_of_some_length_1,\r\n"
           "          calls/a_row_of_some_length_2");
    show(&s, 163);
    expect("failed    calls/a_row_of_some_length_0, calls/a_row_of_some_length_1,\r\n"
           "          calls/a_row_of_some_length_2 and 160 more");
    strcpy(s.stopped, "after 3 of 163 rows");
    show(&s, 163);
    expect("failed    calls/a_row_of_some_length_0 and 162 more");
    expect("stopped   after 3 of 163 rows");
}

TEST(counted_instructions_have_no_ns)
{
    struct summary s = all_present();

    s.execution = EXEC_INSTRUCTIONS;
    strcpy(s.unit, "instructions/op: INSTRUCTIONS, not time");
    s.gross = "instructions";
    for (unsigned k = 0; nth(&s, k); k++)
        nth(&s, k)->half = nth(&s, k)->ns = UNKNOWN;
    show(&s, 0);
    expect("summary   instructions/op: INSTRUCTIONS, not time");
    expect("window    empty_lfence 52 instructions, do_nothing 3.125 a call");
    expect("direct                3.250            3.375            3.500            3.625");
    expect("targets   random_16 5.750, turn_16 5.875, apart -0.125");
    expect("cores     pingpong 6.250 ticks, tsc_skew 6.375 ticks, wake 6.500 ticks,\r\n"
           "          ipi 6.625 ticks, not judged");
    assert_null(strstr(text, "spoiled"));
    s.execution = EXEC_EMULATED;
    show(&s, 0);
    assert_non_null(strstr(text, "summary   NOISE: an emulator executes this code, "));
}

TEST(the_level_is_that_of_the_intervals_shown)
{
    struct summary s = all_present();

    at(&s, "ipi")->percent = 99;
    show(&s, 0);
    expect("summary   cycles/op by ruler, +-98 or 99%");
    for (unsigned k = 0; nth(&s, k); k++)
        nth(&s, k)->percent = 99;
    show(&s, 0);
    expect("summary   cycles/op by ruler, +-99%");
    for (unsigned k = 0; nth(&s, k); k++)
        nth(&s, k)->percent = 0; /* another method's own error */
    show(&s, 0);
    expect("summary   cycles/op by ruler");
}

TEST(an_summary_of_several_cores_names_its_core)
{
    struct summary s = all_present();

    s.core = 2;
    s.cores = 4;
    show(&s, 0);
    expect("summary   cycles/op by ruler, +-98%, core 2 of 4");
    s.together = true;
    show(&s, 0);
    expect("summary   cycles/op by ruler, +-98%, core 2 of 4 at once");
}

/* At a blank, with a mark. */
TEST(long_names_are_cut)
{
    struct summary s = all_present();

    strcpy(s.machine, "Intel(R) Xeon(R) Platinum 8380H CPU @ 2.90GHz, 112 cores, Some Maker of "
                      "Machines, Inc. A Product With A Name");
    show(&s, 0);
    expect("machine   Intel(R) Xeon(R) Platinum 8380H CPU @ 2.90GHz, 112 cores, Some ...");
    memset(s.machine, 'x', sizeof s.machine - 1);
    show(&s, 0);
    expect("machine   ...");
    assert_in_range(lines(), 1, SUMMARY_LINES);
}

/* Everything at its longest. */
TEST(every_summary_fits_its_lines)
{
    static const double sizes[] = {-0.0004, 99.9996, -99999.9, -999999, 1e9, -1e17, 1e30};
    struct summary s = all_present();

    strcpy(s.stopped, "after 1023 of 1024 rows of round 100 of 100");
    strcpy(s.spoils.process, "4294967295 times another program ran");
    s.cores = s.rows = 1024;
    s.core = 1023;
    s.together = true;
    s.spoils.shared = s.spoils.throttled = 1024;
    s.spoils.smis = s.spoils.nmis = UINT64_MAX;
    s.spoils.disturbed = s.spoils.windows = UINT64_MAX;
    EACH_CASE (c, sizes) {
        for (unsigned k = 0; nth(&s, k); k++)
            put_figure(nth(&s, k), *c, *c < 0 ? -*c : 1e30);
        show(&s, UINT8_MAX);
        assert_in_range(lines(), SUMMARY_LINES - 1, SUMMARY_LINES);
        const char *direct = strstr(text, "\r\ndirect ");
        assert_non_null(direct);
        for (unsigned k = 0; k < SUMMARY_COLUMNS; k++)
            assert_int_equal(direct[2 + LINES_LABEL + k * CELL], ' ');
        record(&s, UINT8_MAX);
        assert_in_range(strlen(text), 1, LOG_ROOM);
    }
}

static void put_sheet(struct summary *s)
{
    s->sheet.columns = 1;
    for (unsigned i = 0; i < SHEET_FIGURES; i++)
        s->sheet.column[0].figure[i] =
            (struct sheet_figure){.known = true, .value = 1e9, .half = 1e9, .unit = "cycles"};
}

/* And it fits its lines with all that may stand around them. */
TEST(figures_of_a_datasheet_replace_those_of_rows)
{
    struct summary s = all_present();

    put_sheet(&s);
    strcpy(s.stopped, "after 1023 of 1024 rows of round 100 of 100");
    strcpy(s.spoils.process, "4294967295 times another program ran");
    show(&s, UINT8_MAX);
    assert_in_range(lines(), SHEET_FIGURES + 1, SUMMARY_LINES);
    assert_non_null(strstr(text, "\r\ndatasheet "));
    assert_non_null(strstr(text, "\r\nL1 load "));
    assert_null(strstr(text, "\r\ncalls "));
    assert_null(strstr(text, "\r\nwindow "));
    record(&s, UINT8_MAX);
    assert_true(has("{\"label\":\"datasheet\",\"cells\":[\"core 0\"]}"));
    assert_in_range(strlen(text), 1, LOG_ROOM);
}

TEST(parts_are_shown_by_rank)
{
    for (unsigned i = 1; summary_part(i); i++)
        assert_true(summary_part(i - 1)->rank < summary_part(i)->rank);
}
