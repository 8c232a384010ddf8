#include "bench/output/head.h"
#include "bench/result/cycles.h"
#include "lib/stats/mathx.h"
#include "lib/config/choices.h"
#include "lib/text/decimal.h"
#include "lib/text/fmt.h"

#define NAME 32

/* Writes the name of a self-test on this core; that of the boot core has no number. */
static void name_test(char name[NAME], const struct run_facts *run, const char *test)
{
    if (run->core > 0)
        fmt_buf(name, NAME, "%s_core%u", test, run->core);
    else
        fmt_buf(name, NAME, "%s", test);
}

static void show_linearity(const struct run_facts *run, const struct probe_check *c,
                           struct report *r)
{
    char detail[128], name[NAME];
    struct sink_buf text;

    sink_buf_init(&text, detail, sizeof detail);
    name_test(name, run, "linearity");
    if (run->execution == EXEC_INSTRUCTIONS) {
        num_fmt(&text.sink, "%s: worst error of a chain of 2 to 1000 adds %.2f instructions",
                recipe_names[run->probed], c->worst);
    } else {
        num_fmt(&text.sink,
                "%s: chains of 5 to 1000 adds lie within %.2f core cycles of a line; it hides %.2f",
                recipe_names[run->probed], c->worst, c->shadow);
    }
    report_selftest(r, name, c->result, c->why_not ? c->why_not : detail);
}

static void show_counter(const struct run_facts *run, const struct cycle_check *c, struct report *r)
{
    char detail[120], name[NAME];
    struct sink_buf text;

    sink_buf_init(&text, detail, sizeof detail);
    name_test(name, run, "core_counter");
    fmt(&text.sink, "core cycles an addition of the ruler:");
    for (unsigned i = 0; i < c->n; i++) {
        double v = c->counter[i].cycles_per_add;
        fmt(&text.sink, "%s %s ", i ? "," : "", c->counter[i].name);
        if (is_known(v))
            num_f64(&text.sink, v, 4, 0);
        else
            fmt(&text.sink, "(its readings fail)");
    }
    report_selftest(r, name, c->result, c->why_not ? c->why_not : detail);
}

void selftests_core(const struct run_facts *run, const struct probe_check *linearity,
                    const struct cycle_check *counter, struct report *r)
{
    show_linearity(run, linearity, r);
    show_counter(run, counter, r);
}

void selftests_steps(const struct run_facts *run, struct report *r)
{
    const struct stepping_state *s = &run->stepping;
    enum selftest result = SELFTEST_PASS;
    char detail[400], name[NAME];
    struct sink_buf text;

    sink_buf_init(&text, detail, sizeof detail);
    if (!s->tried)
        return;
    name_test(name, run, "instructions");
    if (s->why_not[0]) {
        result = SELFTEST_NOT_JUDGED;
        fmt(&text.sink, "single-stepping does not work: %s", s->why_not);
    } else if (s->unlike) {
        result = SELFTEST_FAIL;
        fmt(&text.sink, "%u of %u rows have other counts stepped than unstepped; %s", s->unlike,
            s->compared, s->first);
    } else if (s->compared) {
        fmt(&text.sink, "the windows of %u rows count the same stepped and unstepped", s->compared);
    } else {
        fmt(&text.sink, "stepping counted %u of %u known instructions", STEP_KNOWN, STEP_KNOWN);
    }
    report_selftest(r, name, result, detail);
}
