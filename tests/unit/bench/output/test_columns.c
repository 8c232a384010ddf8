/* The columns of the table, with each method, unit and width: the heads, and the line of a row. */
#include "tests/unit/text.h"
#include "bench/output/per_op.h"
#include "lib/config/options.h"
#include "lib/stats/mathx.h"

static const struct bench bench = {.window.form = FORM_LOOP, .ops = 1000};

/* A row with results of every method: only the columns of its own may show. */
static struct row row_of(enum method method)
{
    struct row row = {.out.bench = &bench, .taken.windows = 64};

    row.gross.ticks =
        (struct statistics){.n = 64, .min = 2048, .max = 8192, .median = 2176, .p99 = 4096};
    row.figure = (struct row_figure){
        .known = true,
        .ticks = 2,
        .cycles = {.theta = 3, .lo = 2.75, .hi = 3.5, .by = ESTIMATE_RANKS, .placements = 16}};
    row.stepped = (struct stepped){.tried = true, .instructions = 4};
    row.method = (struct method_result){.method = method, .operations = 5000000};
    row.method.seconds = (struct method_total){true, 0.0025, 0.0001};
    struct method_side *side = &row.method.body;
    side->all = (struct moments){.n = 4, .mean = 2200, .squares = 3 * 64 * 64};
    side->least = 2048;
    side->greatest = 8192;
    side->kbest = (struct kbest){.taken = 12, .held = 3, .smallest = {2048, 2050, 2052}};
    side->ensemble = (struct ensemble_result){.ensembles = 4,
                                              .least = 2048,
                                              .largest_deviation = 96,
                                              .variance_of_variances = 1.5e12,
                                              .variance_of_minima = 2.5,
                                              .ergodic = true};
    return row;
}

TEST(each_method_has_its_columns)
{
    static const struct {
        enum method method;
        enum execution execution;
        enum cycles_by by;
        bool wide, no_windows, no_figure, ended, no_cycles;
        const char *heads, *line;
    } cases[] = {
        {METHOD_DOUBLED, EXEC_SILICON, CYCLES_RULER,
         .heads = "   ops      min   median      p99 cycles/op  +-98%   ns/op\r\n",
         .line = "  1000     2048     2176     4096     3.000  0.500   1.000"},
        {METHOD_DOUBLED, EXEC_SILICON, CYCLES_RULER, .wide = true,
         .heads = "   ops      min   median      p99 cycles/op  +-98%   ns/op  instr/op    IPC\r\n",
         .line = "  1000     2048     2176     4096     3.000  0.500   1.000     4.000   1.33"},
        {METHOD_DOUBLED, EXEC_SILICON, CYCLES_RULER, .wide = true, .no_cycles = true,
         .heads = "   ops      min   median      p99 cycles/op  +-98%   ns/op  instr/op    IPC\r\n",
         .line = "  1000     2048     2176     4096         ?      ?   1.000     4.000"},
        {METHOD_DOUBLED, EXEC_SILICON, CYCLES_RULER, .no_figure = true,
         .heads = "   ops      min   median      p99 cycles/op  +-98%   ns/op\r\n",
         .line = "  1000     2048     2176     4096"},
        {METHOD_DOUBLED, EXEC_SILICON, CYCLES_RULER, .no_windows = true,
         .heads = "   ops      min   median      p99 cycles/op  +-98%   ns/op\r\n", .line = ""},
        {METHOD_DOUBLED, EXEC_EMULATED, CYCLES_UNKNOWN,
         .heads = "   ops      min   median      p99  ticks/op\r\n",
         .line = "  1000     2048     2176     4096     2.000"},
        {METHOD_DOUBLED, EXEC_INSTRUCTIONS, CYCLES_UNKNOWN, .wide = true,
         .heads = "   ops      min   median      p99      max  instr/op\r\n",
         .line = "  1000       16       17       32       64     0.016"},
        {METHOD_PLAIN, EXEC_SILICON, CYCLES_RULER,
         .heads = "   ops      min     mean      max       sd cycles/op     +-   ns/op\r\n",
         .line = "  1000     2048   2200.0     8192     64.0     3.000  0.500   1.000"},
        {METHOD_PLAIN, EXEC_SILICON, CYCLES_RULER, .no_windows = true,
         .heads = "   ops      min     mean      max       sd cycles/op     +-   ns/op\r\n",
         .line = "  1000"},
        {METHOD_PLAIN, EXEC_SILICON, CYCLES_RULER, .ended = true,
         .heads = "   ops      min     mean      max       sd cycles/op     +-   ns/op\r\n",
         .line = ""},
        {METHOD_KBEST, EXEC_SILICON, CYCLES_RULER,
         .heads = "   ops smallest     K-th  samples    agree cycles/op     +-   ns/op\r\n",
         .line = "  1000     2048     2052       12       NO     3.000  0.500   1.000"},
        {METHOD_ENSEMBLES, EXEC_SILICON, CYCLES_RULER,
         .heads =
             "   ops    least  max-min var(var) var(min)  ergodic cycles/op     +-   ns/op\r\n",
         .line = "  1000     2048       96  1.50e12      2.5      yes     3.000  0.500   1.000"},
        {METHOD_ADAPTIVE, EXEC_SILICON, CYCLES_RULER,
         .heads = "  operations        us        ops/s cycles/op     +-   ns/op\r\n",
         .line = "     5000000    2500.0   2000000000     3.000  0.500   1.000"},
        {METHOD_ADAPTIVE, EXEC_INSTRUCTIONS, CYCLES_UNKNOWN, .heads = "  operations  instr/op\r\n",
         .line = "     5000000     0.016"},
    };

    EACH_CASE (c, cases) {
        struct options o;
        struct report r = {.out = text_sink(),
                           .columns = c->wide ? REPORT_COLUMNS_WIDE : REPORT_COLUMNS};
        struct run_facts run = {.o = &o,
                                .execution = c->execution,
                                .cycle.by = c->by,
                                .tsc_hz = c->execution == EXEC_EMULATED ? 0 : 2e9,
                                .ticks_per_instruction = 128,
                                .placements = 16};
        struct row row = row_of(c->method);

        options_default(&o);
        o.method = c->method;
        row.out.ended = c->ended;
        row.figure.known = !c->no_figure;
        if (c->no_windows)
            row.gross.ticks.n = row.method.body.all.n = 0;
        if (c->no_cycles)
            row.figure.cycles = (struct estimate){.theta = UNKNOWN, .lo = UNKNOWN, .hi = UNKNOWN};
        columns_heading(&r, &run);
        assert_string_equal(text, c->heads);
        r.out = text_sink();
        columns_show(&r, &run, &row);
        assert_string_equal(text, c->line);
    }
}
