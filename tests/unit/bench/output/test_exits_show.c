/* What one report of suite `exits` says of exits, by simulated figures. */
#include "tests/unit/text.h"
#include "bench/output/across.h"
#include "bench/api/registry.h"
#include "lib/stats/mathx.h"

#define ROW(name_, suite_, row_)                                                                   \
    static const struct bench name_ = {                                                            \
        .suite = suite_, .name = row_, .window.form = FORM_STRAIGHT, .needs.platform = NEED_RING0}
ROW(cpuid, "exits", "cpuid");
ROW(port, "exits", "in_ed");
ROW(clts, "privileged", "clts");
ROW(vague, "privileged", "vague");
ROW(lost, "privileged", "lost");

static const struct bench *const rows[] = {&cpuid, &port, &clts, &vague, &lost};
#define ROWS (sizeof rows / sizeof *rows)

static bool selected;

const struct bench *const *registry(size_t *n)
{
    *n = ROWS;
    return rows;
}

bool registry_selects(const struct options *o, const struct bench *b)
{
    return selected;
}

static struct cpu cpu;
static struct run_facts run;
static struct core_figure figures[ROWS];

static void start(void)
{
    selected = true;
    cpu = (struct cpu){.hypervisor = true, .hypervisor_id = "KVMKVMKVM"};
    run = (struct run_facts){.cpu = &cpu, .execution = EXEC_SILICON, .tsc_hz = 2e9};
    figures[0] = (struct core_figure){.ticks = 1000, .cycles = 2000, .lo = 1990, .hi = 2010};
    figures[1] = (struct core_figure){.ticks = 9000, .cycles = 18000, .lo = 17000, .hi = 19000};
    figures[2] = (struct core_figure){.ticks = 50, .cycles = 100, .lo = 99, .hi = 101};
    figures[3] = (struct core_figure){.ticks = 400, .cycles = 800, .lo = 500, .hi = 1100};
    figures[4] = (struct core_figure){.ticks = UNKNOWN, .cycles = UNKNOWN};
}

BEFORE_EACH(start);

static const char *written(void)
{
    struct report r;

    report_init(&r, text_sink(), FORMAT_JSONL);
    exits_show(&r, &run, figures);
    return text;
}

TEST(nothing_exits_without_a_hypervisor)
{
    cpu.hypervisor = false;
    assert_non_null(strstr(written(), "nothing exits"));
    assert_null(strstr(written(), "\"stays\""));
}

TEST(an_emulator_is_not_judged)
{
    run.execution = EXEC_INSTRUCTIONS;
    cpu.hypervisor = false;
    assert_non_null(strstr(written(), "not judged"));
    assert_null(strstr(written(), "nothing exits"));
}

TEST(rows_below_half_of_cpuid_do_not_exit_and_the_others_may)
{
    const char *text = written();

    assert_non_null(strstr(text, "KVMKVMKVM: CPUID takes 500.0 ns"));
    assert_non_null(strstr(text, "\"stays\":[\"privileged/clts\"]"));
    assert_non_null(
        strstr(text, "\"may_exit\":[\"exits/cpuid\",\"exits/in_ed\",\"privileged/vague\"]"));
}

TEST(a_row_that_failed_is_in_no_list)
{
    figures[2].wrong = true;
    assert_null(strstr(written(), "privileged/clts"));
}

TEST(without_the_scale_nothing_is_known)
{
    figures[0].ticks = UNKNOWN;
    assert_non_null(strstr(written(), "not known: row exits/cpuid"));
}

TEST(other_suites_say_nothing)
{
    selected = false;
    assert_string_equal(written(), "");
}
