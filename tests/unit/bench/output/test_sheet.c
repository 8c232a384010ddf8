/* The ten figures of a datasheet, from made-up curves and forms: where each is from, and how they
 * are shown. */
#include "tests/unit/text.h"
#include "bench/output/datasheet.h"
#include "bench/kinds/forms.h"
#include "bench/kinds/kinds.h"
#include "lib/text/json.h"
#include "tests/unit/close.h"

#define KIB 1024u
#define HZ  2e9

static struct sheet sheet;
static struct options options;
static struct run_facts run;
static struct series curve;
static struct bench bench;

static void start(void)
{
    memset(&sheet, 0, sizeof sheet);
    options_default(&options);
    run = (struct run_facts){
        .o = &options, .execution = EXEC_SILICON, .tsc_hz = HZ, .cycle = {.by = CYCLES_COUNTER}};
}

BEFORE_EACH(start);

/* Half as many ticks as cycles, an interval from 0.1 below to 0.2 above. */
static struct point point(uint64_t bytes, double cycles)
{
    return (struct point){.x = (int64_t)bytes,
                          .ticks = cycles / 2,
                          .cycles = cycles,
                          .lo = cycles - 0.1,
                          .hi = cycles + 0.2};
}

/* A curve of powers of two from 4 KiB to 32 MiB, on a CPU with caches of 32 KiB and 1 MiB, of each
 * of which it has a level: a load takes as many cycles as its size has KiB. */
static const struct series *chase(const char *name, enum bench_load load)
{
    static struct bench_curve shape;

    shape = (struct bench_curve){.load = load};
    bench = (struct bench){.suite = "memory", .name = name, .kind = &kind_curve, .of = &shape};
    curve = (struct series){.out = {.bench = &bench, .status = ROW_OK},
                            .caches = 3,
                            .cache = {{.level = 1, .type = CACHE_INSTRUCTION, .size = 64 * KIB},
                                      {.level = 1, .type = CACHE_DATA, .size = 32 * KIB},
                                      {.level = 2, .type = CACHE_UNIFIED, .size = KIB * KIB}}};
    for (uint64_t kib = 4; kib <= 32 * KIB; kib *= 2)
        curve.point[curve.n++] = point(kib * KIB, (double)kib);
    curve.levels = 2;
    curve.level[0] =
        (struct level){.from = 4 * KIB, .to = 32 * KIB, .half_way = 64 * KIB, .cache = 1};
    curve.level[1] = (struct level){.from = 64 * KIB, .to = KIB * KIB, .cache = 2};
    return &curve;
}

static const struct sheet_figure *figure(unsigned column, const char *label)
{
    for (unsigned i = 0; sheet_source(i); i++)
        if (strcmp(sheet_source(i)->label, label) == 0)
            return &sheet.column[column].figure[i];
    fail_msg("no figure is called %s", label);
    return NULL;
}

TEST(a_cache_has_the_figure_of_a_size_between_it_and_the_one_above)
{
    sheet_series(&sheet, &run, chase("latency_4k", BENCH_CHASE), NULL);
    assert_close(figure(0, "L1 load")->value, 16, 1e-9);
    assert_close(figure(0, "L1 load")->half, 0.2, 1e-9);
    assert_string_equal(figure(0, "L1 load")->unit, "cycles");
    assert_close(figure(0, "L2 load")->value, 128, 1e-9);
    assert_false(figure(0, "L3 load")->known);
}

TEST(memory_has_the_figure_of_the_largest_size)
{
    sheet_series(&sheet, &run, chase("latency_4k", BENCH_CHASE), NULL);
    const struct sheet_figure *f = figure(0, "memory load");
    assert_close(f->value, 32 * KIB / 2 / HZ * 1e9, 1e-6);
    assert_close(f->half, 0.2 / 2 / HZ * 1e9, 1e-6);
    assert_string_equal(f->unit, "ns");
}

TEST(a_bandwidth_falls_if_the_time_rises)
{
    sheet_series(&sheet, &run, chase("read_16", BENCH_READ_16), NULL);
    curve.point[curve.n - 1] = point(32 << 20, 64); /* 32 ticks, 16 ns: 4 GB/s */
    sheet = (struct sheet){0};
    sheet_series(&sheet, &run, &curve, NULL);
    const struct sheet_figure *f = figure(0, "memory read");
    assert_close(f->value, 4, 1e-9);
    assert_string_equal(f->unit, "GB/s");
    assert_close(f->half, 4 - 4 * 64 / 64.2, 1e-9);
}

TEST(a_figure_without_a_narrow_interval_is_not_judged)
{
    chase("read_16", BENCH_READ_16);
    struct point *last = &curve.point[curve.n - 1];
    last->lo = last->cycles / 1.2;
    sheet_series(&sheet, &run, &curve, NULL);
    assert_false(figure(0, "memory read")->unjudged);
    sheet = (struct sheet){0};
    last->lo = last->cycles / 1.3;
    sheet_series(&sheet, &run, &curve, NULL);
    assert_true(figure(0, "memory read")->unjudged);
    sheet = (struct sheet){0};
    last->lo = last->hi = UNKNOWN;
    sheet_series(&sheet, &run, &curve, NULL);
    assert_true(figure(0, "memory read")->unjudged);
}

TEST(counted_instructions_need_no_interval)
{
    run.execution = EXEC_INSTRUCTIONS;
    chase("latency_4k", BENCH_CHASE);
    for (size_t i = 0; i < curve.n; i++)
        curve.point[i].lo = curve.point[i].hi = UNKNOWN;
    sheet_series(&sheet, &run, &curve, NULL);
    assert_true(figure(0, "L1 load")->known);
    assert_false(figure(0, "L1 load")->unjudged);
}

TEST(a_better_row_takes_the_figure_whichever_came_first)
{
    sheet_series(&sheet, &run, chase("latency_2m", BENCH_CHASE), NULL);
    chase("latency_4k", BENCH_CHASE);
    curve.point[2] = point(16 * KIB, 99);
    sheet_series(&sheet, &run, &curve, NULL);
    assert_close(figure(0, "L1 load")->value, 16, 1e-9);
    sheet = (struct sheet){0};
    sheet_series(&sheet, &run, &curve, NULL);
    assert_close(figure(0, "L1 load")->value, 99, 1e-9);
    sheet_series(&sheet, &run, chase("latency_2m", BENCH_CHASE), NULL);
    assert_close(figure(0, "L1 load")->value, 16, 1e-9);
}

TEST(a_cache_without_a_level_is_not_judged)
{
    chase("latency_4k", BENCH_CHASE);
    curve.levels = 1;
    sheet_series(&sheet, &run, &curve, NULL);
    assert_false(figure(0, "L1 load")->unjudged);
    assert_true(figure(0, "L2 load")->unjudged);
    assert_false(figure(0, "memory load")->unjudged);
    /* Another row shows the cache. */
    chase("latency_2m", BENCH_CHASE);
    curve.level[0].cache = -1;
    sheet_series(&sheet, &run, &curve, NULL);
    assert_false(figure(0, "L1 load")->unjudged);
    assert_false(figure(0, "L2 load")->unjudged);
}

TEST(the_size_of_a_cache_is_one_of_its_level)
{
    chase("latency_4k", BENCH_CHASE);
    curve.level[0].to = 8 * KIB;
    curve.level[1].from = 256 * KIB;
    sheet_series(&sheet, &run, &curve, NULL);
    assert_close(figure(0, "L1 load")->value, 8, 1e-9);
    assert_close(figure(0, "L2 load")->value, 256, 1e-9);
}

TEST(a_curve_that_falls_is_judged_before_that)
{
    chase("latency_4k", BENCH_CHASE);
    curve.spoiled = SERIES_FALLS;
    curve.falls_at = 128 * KIB;
    curve.level[1].half_way = 2 * KIB * KIB;
    sheet_series(&sheet, &run, &curve, NULL);
    assert_false(figure(0, "L1 load")->unjudged);
    assert_true(figure(0, "L2 load")->unjudged);
}

TEST(other_rows_and_rows_without_a_curve_have_no_figure)
{
    sheet_series(&sheet, &run, chase("stride_64", BENCH_CHASE), NULL);
    chase("latency_4k", BENCH_CHASE);
    curve.out.status = ROW_UNSUPPORTED;
    sheet_series(&sheet, &run, &curve, NULL);
    assert_false(sheet_has(&sheet));
}

TEST(each_type_of_core_has_a_column)
{
    static const char fast[] = "performance", slow[] = "efficiency"; /* distinguished by address */
    static const unsigned core[] = {0, 1, 4, 5};
    static const char *const type[] = {fast, fast, slow, slow};

    for (unsigned i = 0; i < 4; i++) {
        run.core = core[i];
        chase("latency_4k", BENCH_CHASE);
        curve.point[2] = point(16 * KIB, 10 + core[i]);
        sheet_series(&sheet, &run, &curve, type[i]);
    }
    assert_int_equal(sheet.columns, 2);
    assert_close(figure(0, "L1 load")->value, 10, 1e-9);
    assert_close(figure(1, "L1 load")->value, 14, 1e-9);
}

TEST(forwarding_is_that_of_eight_bytes_at_their_own_place)
{
    static struct forward_map map;

    bench = (struct bench){.suite = "memory", .name = "forward"};
    map = (struct forward_map){.out = {.bench = &bench, .status = ROW_OK}, .sizes = 4};
    for (unsigned i = 0; i < forward_cells(8, 8); i++)
        map.cell[forward_first(4, 3, 3) + i] =
            (struct forward_cell){.cycles = 100 + forward_offset(8, i), .lo = 99.5f, .hi = 100.25f};
    sheet_forward(&sheet, &run, &map, NULL);
    assert_close(figure(0, "forwarding")->value, 100, 1e-9);
    assert_close(figure(0, "forwarding")->half, 0.5, 1e-6);
    map.sizes = 3; /* no size of 8 bytes */
    sheet = (struct sheet){0};
    sheet_forward(&sheet, &run, &map, NULL);
    assert_false(sheet_has(&sheet));
}

TEST(a_limit_is_its_first_step)
{
    static struct series limit;

    bench = (struct bench){.suite = "limits", .name = "rob", .kind = &kind_limit};
    limit = (struct series){.out = {.bench = &bench, .status = ROW_OK}, .steps = 2};
    limit.step[0] = (struct curve_step){.at = 224, .from = 220, .to = 230};
    limit.step[1] = (struct curve_step){.at = 448, .from = 440, .to = 460};
    limit.spoiled = SERIES_SHARED;
    sheet_series(&sheet, &run, &limit, NULL);
    assert_false(sheet_has(&sheet));
    limit.spoiled = SERIES_CLEAN;
    sheet_series(&sheet, &run, &limit, NULL);
    assert_close(figure(0, "ROB")->value, 224, 1e-9);
    assert_close(figure(0, "ROB")->half, 6, 1e-9);
}

TEST(a_form_has_its_longest_latency)
{
    struct insn_links links;
    struct insn_support support = {.avx_on = true, .avx512_on = true};

    for (unsigned i = 0; i < INSN_FEATURES; i++)
        support.has[i] = true;
    snprintf(options.bench, sizeof options.bench, "imul_r64_r64");
    assert_null(insn_links_find(&links));
    void *memory = malloc(insn_table_bytes(&options));
    assert_non_null(memory);
    struct insn_table *t = insn_table_make(memory, &options, &support, &links, false);
    struct insn_row *row = &t->row[t->links];
    for (unsigned k = 0; k < row->cells; k++) {
        struct insn_cell *c = &t->cell[row->first + k];
        bool to_register = c->id.out.part == INSN_DATA && c->id.in.part == INSN_DATA;
        for (unsigned i = 0; i < 4; i++)
            c->cycles[c->taken++] = to_register ? 3 + (float)i / 100 : 1;
    }
    sheet_forms(&sheet, &run, t, NULL);
    assert_false(sheet_has(&sheet)); /* it was not reached */
    row->reached = true;
    sheet_forms(&sheet, &run, t, NULL);
    const struct sheet_figure *f = figure(0, "imul r64");
    assert_true(f->known && f->value >= 3 && f->value < 3.04);
    assert_close(f->half, 0.015, 1e-6);
    assert_false(figure(0, "mulsd")->known);
    free(memory);
}

/* --- showing ---------------------------------------------------------------------------------- */

static void show(void)
{
    sheet_show(&sheet, &(struct lines_to){.table = text_sink()});
}

static void put(unsigned column, unsigned at, double value, double half)
{
    sheet.column[column].figure[at] =
        (struct sheet_figure){.known = true, .value = value, .half = half, .unit = "cycles"};
}

/* A line with this label, and this at its end. */
static void expect(const char *label, const char *cell)
{
    char line[96];

    snprintf(line, sizeof line, "%-12s%22s\r\n", label, cell);
    if (!strstr(text, line))
        fail_msg("\"%s\" is not in %s", line, text);
}

TEST(every_figure_has_a_line)
{
    sheet.columns = 1;
    put(0, 0, 3.98, 0.021);
    put(0, 1, 14, UNKNOWN);
    sheet.column[0].figure[1].unjudged = true;
    put(0, 2, 250.6, 12);
    sheet.column[0].figure[2].shared = true;
    show();
    unsigned lines = 0;
    for (const char *at = text; (at = strstr(at, "\r\n")); at += 2)
        lines++;
    assert_int_equal(lines, SHEET_FIGURES + 1);
    expect("datasheet", "core 0");
    expect("L1 load", "3.98 +-0.02 cycles");
    expect("L2 load", "not judged");
    expect("L3 load", "250.6 shared cycles");
    expect("memory load", "-");
}

TEST(three_types_fit_the_screen)
{
    static const double sizes[] = {0.001, 99.996, 99999.9, 1e30};

    sheet.columns = SHEET_COLUMNS;
    for (unsigned k = 0; k < SHEET_COLUMNS; k++) {
        sheet.column[k] = (struct sheet_column){.core = 1023, .type = "performance"};
        for (unsigned i = 0; i < SHEET_FIGURES; i++)
            put(k, i, sizes[i % 4], sizes[i % 4]);
    }
    show();
    for (const char *at = text, *end; (end = strstr(at, "\r\n")); at = end + 2)
        assert_in_range(end - at, 1, 79);
}

TEST(the_record_has_the_same_cells)
{
    struct json j;

    sheet.columns = 2;
    sheet.column[0].type = "performance";
    sheet.column[1] = (struct sheet_column){.core = 8, .type = "efficiency"};
    put(1, 0, 5, 0.5);
    json_begin(&j, text_sink(), 0, "summary");
    json_array(&j, "lines");
    sheet_show(&sheet, &(struct lines_to){.record = &j});
    json_close(&j);
    assert_non_null(strstr(
        text,
        "{\"label\":\"datasheet\",\"cells\":[\"performance core 0\",\"efficiency core 8\"]}"));
    assert_non_null(
        strstr(text, "{\"label\":\"L1 load\",\"cells\":[\"-\",\"5.00 +-0.50 cycles\"]}"));
}
