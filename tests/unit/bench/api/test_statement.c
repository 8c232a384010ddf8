/*
 * The macros of bench/api/statement.h: bodies that do their work n times, and rows that the linker
 * collects.
 */
#include "bench/api/statement.h"
#include "bench/api/counted.h"
#include "tests/unit/cmocka_unit.h"

extern const struct bench *__start_baretick_rows[], *__stop_baretick_rows[];

static uint64_t product(uint64_t a, uint64_t b)
{
    return a * b;
}

/* Commas between declarators, between arguments, in an array and as an operator. */
BENCH_STATEMENT(unit, commas, "a sum of three", .check = check_counted,
                .proof.least_instructions = 0.5)
{
    uint64_t a = 1, b = 2, c[] = {3, 4};

    o->counter += a + b, o->counter += c[0] + c[1];
    o->counter -= product(3, 3);
}

BENCH_STATEMENT(unit, nothing, "a statement that does not use the object")
{
}

int count_up(uint64_t n, struct object *o);
BENCH_LOOP(count_up, uint64_t one = 1, two = 2; o->counter += two, o->counter -= one)

/* Every fourth operation ends early. */
BENCH_BREAKABLE(unit, breaks, "an increment, or a break", (.check = check_counted), o->counter += 2,
                {
                    uint64_t each[] = {4, 1};
                    if (n % each[0] == 0)
                        break;
                    if (n % each[0] == each[1])
                        continue;
                    o->counter++;
                });

BENCH_BREAKABLE(unit, breaks_alone, "what is left out is left out", (), , if (n % 2) break;
                o->counter++);

int half(uint64_t n, struct object *o);
BENCH_LOOP(half, if (n % 2) break; o->counter++)

static void count(uint64_t n, void *counter)
{
    *(uint64_t *)counter += n;
}

BENCH_FUNCTION(unit, function, "an addition", 7, count, &o->counter, .check = check_counted);

static const struct bench *row(const char *name)
{
    for (const struct bench **r = __start_baretick_rows; r < __stop_baretick_rows; r++)
        if (strcmp((*r)->name, name) == 0)
            return *r;
    fail_msg("no row is called %s", name);
    return NULL;
}

/* The body did n operations, as the row's check confirms; the empty one did none. */
static void works(const char *name, uint64_t n)
{
    const struct bench *b = row(name);
    struct object object = {0}, untouched = {0};

    assert_string_equal(b->suite, "unit");
    assert_int_equal(b->window.form, FORM_FUNCTION);
    assert_true(b->proof.errors_are_wrong);
    assert_int_equal(b->function(n, &object), 0);
    assert_int_equal(b->empty_function(n, &untouched), 0);
    assert_int_equal(untouched.counter, 0);
    assert_null(b->check(&object, n));
    assert_non_null(b->check(&object, n + 1));
}

TEST(a_statement_may_have_commas)
{
    works("commas", 1);
    works("commas", 1000);
    assert_true(row("commas")->proof.least_instructions == 0.5);
    assert_int_equal(row("commas")->ops, BENCH_STATEMENT_OPS);
}

TEST(further_fields_may_be_missing)
{
    struct object object = {0};

    assert_string_equal(row("nothing")->what, "a statement that does not use the object");
    assert_true(row("nothing")->check == NULL);
    assert_int_equal(row("nothing")->function(10, &object), 0);
}

TEST(a_loop_is_a_body)
{
    struct object object = {0};

    assert_int_equal(count_up(12, &object), 0);
    assert_int_equal(object.counter, 12);
}

/* A break ends only its operation; onbreak runs for it, and not for a continue. */
TEST(a_break_ends_its_operation)
{
    struct object object = {0};

    works("breaks", 4); /* of the break 2, of the continue 0, of the others 1 */
    works("breaks", 1000);
    assert_int_equal(row("breaks_alone")->function(10, &object), 0);
    assert_int_equal(object.counter, 5);
    assert_null(row("breaks_alone")->check);
    assert_int_equal(half(10, &object), 0);
    assert_int_equal(object.counter, 10);
}

TEST(a_function_is_called_with_its_context)
{
    works("function", 7);
    assert_int_equal(row("function")->ops, 7);
}
