#include "hosted/stores/counts.h"

#include "tests/unit/cmocka_unit.h"

static struct calls c;

static void end(void)
{
    assert_false(c.full);
    calls_close(&c);
}

AFTER_EACH(end);

TEST(an_instruction_has_a_site_in_each_stack_of_calls)
{
    assert_int_equal(calls_site(&c, 7), 0);
    calls_enter(&c, 1, 1000);
    assert_int_equal(calls_site(&c, 7), 1);
    calls_enter(&c, 2, 900);
    assert_int_equal(calls_site(&c, 7), 2);
    assert_int_equal(calls_site(&c, 8), 3);
    calls_leave(&c, 908);
    assert_int_equal(calls_site(&c, 7), 1);
    calls_leave(&c, 1008);
    assert_int_equal(calls_site(&c, 7), 0);
    calls_enter(&c, 3, 1000); /* from elsewhere */
    assert_int_equal(calls_site(&c, 7), 4);
    const struct site inner = *calls_at(&c, 2);
    assert_int_equal(inner.who, 7);
    assert_int_equal(inner.deep, 2);
    assert_int_equal(inner.call[0], 2);
    assert_int_equal(inner.call[1], 1);
    assert_int_equal(c.sites.entries, 5);
}

TEST(calls_end_when_the_stack_has_risen_above_them)
{
    for (uint32_t i = 0; i < 4; i++)
        calls_enter(&c, i, 1000 - 8 * i);
    calls_leave(&c, 976); /* an argument is popped: nothing ends */
    assert_int_equal(c.frames, 4);
    calls_leave(&c, 1000); /* three at once, as by longjmp() */
    assert_int_equal(c.frames, 1);
    calls_leave(&c, 1008);
    calls_leave(&c, 2000); /* the function's own return */
    assert_int_equal(c.frames, 0);
}

TEST(stacks_of_up_to_five_calls_are_distinguished)
{
    for (uint32_t i = 0; i < 1000; i++) { /* one function that calls itself */
        calls_enter(&c, 1, 100000 - 16 * i);
        assert_int_equal(calls_site(&c, 9), i < CALLS_DEEP ? i : CALLS_DEEP - 1);
    }
    assert_int_equal(c.sites.entries, CALLS_DEEP);
    assert_int_equal(calls_at(&c, CALLS_DEEP - 1)->deep, CALLS_DEEP);
    calls_enter(&c, 2, 100);
    assert_int_equal(calls_site(&c, 9), CALLS_DEEP);
    assert_int_equal(calls_at(&c, CALLS_DEEP)->call[0], 2);
    assert_int_equal(calls_at(&c, CALLS_DEEP)->call[4], 1);
}

TEST(many_sites_are_found_again)
{
    for (unsigned again = 0; again < 2; again++)
        for (uint32_t i = 0; i < 20000; i++) {
            calls_enter(&c, i % 100, 1000);
            assert_int_equal(calls_site(&c, i / 100), i);
            calls_leave(&c, 1008);
        }
    assert_int_equal(c.sites.entries, 20000);
}
