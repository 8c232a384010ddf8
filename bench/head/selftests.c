#include "bench/head/selftests.h"
#include "bench/model/cycles.h"
#include "lib/stats/known.h"
#include "lib/config/recipe.h"
#include "lib/decimal/num.h"
#include "lib/text/fmt.h"

static void show_linearity(const struct run_facts *run, const struct probe_check *c,
                           struct report *r)
{
    char detail[128], name[32] = "linearity";
    struct sink_buf text;

    sink_buf_init(&text, detail, sizeof detail);
    if (run->core > 0)
        fmt_buf(name, sizeof name, "linearity_core%u", run->core);
    if (c->result == SELFTEST_NOT_JUDGED) {
        report_selftest(r, name, c->result, c->why_not);
        return;
    }
    if (run->execution == EXEC_INSTRUCTIONS) {
        fmt(&text.sink, "%s: worst error of a chain of 2 to 1000 adds ", recipe_names[run->probed]);
        num_f64(&text.sink, c->worst, 2, 0);
        fmt(&text.sink, " instructions");
    } else {
        fmt(&text.sink, "%s: chains of 5 to 1000 adds lie within ", recipe_names[run->probed]);
        num_f64(&text.sink, c->worst, 2, 0);
        fmt(&text.sink, " core cycles of a line; it hides ");
        num_f64(&text.sink, c->shadow, 2, 0);
    }
    report_selftest(r, name, c->result, detail);
}

static void show_counter(const struct run_facts *run, const struct cycle_check *c, struct report *r)
{
    char detail[120], name[32] = "core_counter";
    struct sink_buf text;

    sink_buf_init(&text, detail, sizeof detail);
    if (run->core > 0)
        fmt_buf(name, sizeof name, "core_counter_core%u", run->core);
    if (c->result == SELFTEST_NOT_JUDGED) {
        report_selftest(r, name, c->result, c->why_not);
        return;
    }
    fmt(&text.sink, "core cycles an addition of the ruler:");
    for (unsigned i = 0; i < c->n; i++) {
        double v = c->counter[i].cycles_per_add;
        fmt(&text.sink, "%s %s ", i ? "," : "", c->counter[i].name);
        if (is_known(v))
            num_f64(&text.sink, v, 4, 0);
        else
            fmt(&text.sink, "(its readings fail)");
    }
    report_selftest(r, name, c->result, detail);
}

void selftests_core(const struct run_facts *run, const struct probe_check *linearity,
                    const struct cycle_check *counter, struct report *r)
{
    show_linearity(run, linearity, r);
    show_counter(run, counter, r);
}

void selftests_steps(const struct run_facts *run, struct report *r)
{
    const struct stepping *s = &run->stepping;
    enum selftest result = SELFTEST_PASS;
    char detail[400], name[32] = "instructions";
    struct sink_buf text;

    sink_buf_init(&text, detail, sizeof detail);
    if (!s->tried)
        return;
    if (run->core > 0)
        fmt_buf(name, sizeof name, "instructions_core%u", run->core);
    if (s->why_not[0]) {
        result = SELFTEST_NOT_JUDGED;
        fmt(&text.sink, "single-stepping does not work: %s", s->why_not);
    } else if (s->unlike) {
        result = SELFTEST_FAIL;
        fmt(&text.sink, "of %u rows %u count otherwise stepped than unstepped; %s", s->compared,
            s->unlike, s->first);
    } else if (s->compared) {
        fmt(&text.sink, "the windows of %u rows count the same stepped and unstepped", s->compared);
    } else {
        fmt(&text.sink, "stepping counted %u of %u known instructions", STEP_KNOWN, STEP_KNOWN);
    }
    report_selftest(r, name, result, detail);
}
