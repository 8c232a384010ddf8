/* Runs the tests of a program. */
#include "tests/unit/cmocka_unit.h"

extern const struct unit_test *const __start_unit_tests[];
extern const struct unit_test *const __stop_unit_tests[];

__attribute__((weak)) void before_all(void)
{
}

__attribute__((weak)) void after_all(void)
{
}

__attribute__((weak)) void before_each(void)
{
}

__attribute__((weak)) void after_each(void)
{
}

/* The loops over tables that have begun and not ended. */
static struct {
    const char *table;
    size_t index;
} looped[4];
static size_t loops;

bool unit_case(const char *table, size_t index, size_t count)
{
    loops += index == 0;
    if (loops == 0 || loops > COUNT_OF(looped))
        fail_msg("%s: more than %zu loops in each other", table, COUNT_OF(looped));
    looped[loops - 1].table = table;
    looped[loops - 1].index = index;
    loops -= index == count;
    return index < count;
}

static int begin_all(void **state)
{
    before_all();
    return 0;
}

static int end_all(void **state)
{
    after_all();
    return 0;
}

static int begin(void **state)
{
    loops = 0;
    before_each();
    return 0;
}

static int end(void **state)
{
    for (size_t i = 0; i < loops; i++)
        print_error("in case %zu of %s\n", looped[i].index, looped[i].table);
    after_each();
    return 0;
}

static void run(void **state)
{
    const struct unit_test *test = *state;

    test->run();
}

int main(void)
{
    size_t n = (size_t)(__stop_unit_tests - __start_unit_tests);
    struct CMUnitTest *tests = calloc(n, sizeof tests[0]);
    int failed;

    if (!tests)
        return EXIT_FAILURE;
    for (size_t i = 0; i < n; i++)
        tests[i] = (struct CMUnitTest){.name = __start_unit_tests[i]->name,
                                       .test_func = run,
                                       .setup_func = begin,
                                       .teardown_func = end,
                                       .initial_state = (void *)(uintptr_t)__start_unit_tests[i]};
    failed = _cmocka_run_group_tests("tests", tests, n, begin_all, end_all);
    free(tests);
    return failed;
}
