/*
 * Rows with an argument, of each growth that the report fits. The compiler adds instructions to an
 * operation, but as many for each argument.
 */
#include "baretick.h"

#define GROWS(name_, what_, turns_)                                                                \
    static int name_##_body(uint64_t n, struct baretick_object *o)                                 \
    {                                                                                              \
        const uint64_t a = o->arg;                                                                 \
        for (; n; n--) {                                                                           \
            uint64_t iterations = (turns_);                                                        \
            o->counter += a;                                                                       \
            for (; iterations; iterations--)                                                       \
                BARETICK_HIDE(iterations);                                                         \
        }                                                                                          \
        return 0;                                                                                  \
    }                                                                                              \
    BARETICK_ROW(grows, name_, what_, .body = name_##_body, .ops = 2, .check = check,              \
                 .args = {.from = 4, .to = 64, .multiply = 4})

static uint64_t log_of(uint64_t a)
{
    return 63 - (uint64_t)__builtin_clzll(a);
}

static const char *check(const struct baretick_object *o, uint64_t operations)
{
    return o->counter == operations * o->arg ? NULL : "the sum of arguments is wrong";
}

GROWS(constant, "20 iterations", 20);
GROWS(log, "log n iterations, ten of each", 10 * log_of(a));
GROWS(linear, "n iterations", a);
GROWS(n_log_n, "n log n iterations", a *log_of(a));
GROWS(square, "n^2 iterations", a *a);

static const char *not_16(const struct baretick_object *o, uint64_t operations)
{
    (void)operations;
    return o->arg == 16 ? "it is 16" : NULL;
}

BARETICK_ROW(grows_wrong, fails, "a check that one argument fails", .body = linear_body, .ops = 2,
             .check = not_16, .args = {.list = {4, 16, 64}});
