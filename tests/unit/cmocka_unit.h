/*
 * cmocka with tests that register themselves, and the headers of the C library that tests use:
 *
 *     BEFORE_EACH(start);
 *
 *     TEST(a_name_that_says_what_holds)
 *     {
 *         assert_true(...);
 *     }
 *
 * unit_main.c runs them in the order of their definition. Functions before and after tests are
 * optional, at most one of each kind.
 */
#ifndef TESTS_UNIT_H
#define TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

struct unit_test {
    const char *name;
    void (*run)(void);
};

/* A pointer, because compilers pad structs in a section. */
#define TEST(name_)                                                                                \
    static void name_(void);                                                                       \
    static const struct unit_test unit_test_##name_ = {#name_, name_};                             \
    static const struct unit_test *const unit_entry_##name_                                        \
        __attribute__((used, section("unit_tests"))) = &unit_test_##name_;                         \
    static void name_(void)

#define COUNT_OF(table) (sizeof(table) / sizeof *(table))

/* A loop over a table of cases, with a pointer to each. If a case fails, its place is printed. */
#define EACH_CASE(case_, table)                                                                    \
    for (__typeof__(&(table)[0]) case_ = (table);                                                  \
         unit_case(#table, (size_t)(case_ - (table)), COUNT_OF(table)); case_++)

/* Returns whether the table has this case; the loop over it ends otherwise. */
bool unit_case(const char *table, size_t index, size_t count);

void before_all(void);
void after_all(void);
void before_each(void);
void after_each(void);

#define UNIT_CALLS(when, fn)                                                                       \
    void when(void)                                                                                \
    {                                                                                              \
        fn();                                                                                      \
    }                                                                                              \
    _Static_assert(1, "a semicolon follows")

#define BEFORE_ALL(fn)  UNIT_CALLS(before_all, fn)
#define AFTER_ALL(fn)   UNIT_CALLS(after_all, fn)
#define BEFORE_EACH(fn) UNIT_CALLS(before_each, fn)
#define AFTER_EACH(fn)  UNIT_CALLS(after_each, fn)

#endif
