/* What one report of suite `exits` says of exits, by simulated figures. */
#include "tests/unit/unit.h"
#include <string.h>
#include "bench/output/across.h"
#include "bench/api/registry.h"
#include "lib/stats/known.h"

#define ROW(name_, suite_, row_)                                                                   \
    static const struct bench name_ = {                                                            \
        .suite = suite_, .name = row_, .form = FORM_STRAIGHT, .needs = NEED_RING0}
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
    (void)o, (void)b;
    return selected;
}

static struct cpu cpu;
static struct run_facts run;
static struct core_figure figures[ROWS];

static int start(void **state)
{
    (void)state;
    selected = true;
    cpu = (struct cpu){.hypervisor = true, .hypervisor_id = "KVMKVMKVM"};
    run = (struct run_facts){.cpu = &cpu, .execution = EXEC_SILICON, .tsc_hz = 2e9};
    figures[0] = (struct core_figure){.ticks = 1000, .cycles = 2000, .lo = 1990, .hi = 2010};
    figures[1] = (struct core_figure){.ticks = 9000, .cycles = 18000, .lo = 17000, .hi = 19000};
    figures[2] = (struct core_figure){.ticks = 50, .cycles = 100, .lo = 99, .hi = 101};
    figures[3] = (struct core_figure){.ticks = 400, .cycles = 800, .lo = 500, .hi = 1100};
    figures[4] = (struct core_figure){.ticks = UNKNOWN, .cycles = UNKNOWN};
    return 0;
}

static const char *written(void)
{
    static char text[4096];
    struct sink_buf b;
    struct report r;

    sink_buf_init(&b, text, sizeof text);
    report_init(&r, &b.sink, FORMAT_JSONL);
    exits_show(&r, &run, figures);
    assert_false(b.cut);
    return text;
}

static void nothing_exits_without_a_hypervisor(void **state)
{
    (void)state;
    cpu.hypervisor = false;
    assert_non_null(strstr(written(), "nothing exits"));
    assert_null(strstr(written(), "\"stays\""));
}

static void an_emulator_is_not_judged(void **state)
{
    (void)state;
    run.execution = EXEC_INSTRUCTIONS;
    cpu.hypervisor = false;
    assert_non_null(strstr(written(), "not judged"));
    assert_null(strstr(written(), "nothing exits"));
}

static void rows_below_half_of_cpuid_do_not_exit_and_the_others_may(void **state)
{
    (void)state;
    const char *text = written();
    assert_non_null(strstr(text, "KVMKVMKVM: CPUID takes 500.0 ns"));
    assert_non_null(strstr(text, "\"stays\":[\"privileged/clts\"]"));
    assert_non_null(
        strstr(text, "\"may_exit\":[\"exits/cpuid\",\"exits/in_ed\",\"privileged/vague\"]"));
}

static void a_row_that_failed_is_in_no_list(void **state)
{
    (void)state;
    figures[2].wrong = true;
    assert_null(strstr(written(), "privileged/clts"));
}

static void without_the_scale_nothing_is_known(void **state)
{
    (void)state;
    figures[0].ticks = UNKNOWN;
    assert_non_null(strstr(written(), "not known: row exits/cpuid"));
}

static void other_suites_say_nothing(void **state)
{
    (void)state;
    selected = false;
    assert_string_equal(written(), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(nothing_exits_without_a_hypervisor, start),
        cmocka_unit_test_setup(an_emulator_is_not_judged, start),
        cmocka_unit_test_setup(rows_below_half_of_cpuid_do_not_exit_and_the_others_may, start),
        cmocka_unit_test_setup(a_row_that_failed_is_in_no_list, start),
        cmocka_unit_test_setup(without_the_scale_nothing_is_known, start),
        cmocka_unit_test_setup(other_suites_say_nothing, start),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
