/* Rows that do not come back by themselves, and two that do. */
#include "baretick.h"

#define BODY(name_) static int name_(uint64_t n, struct baretick_object *o)

BODY(undefined)
{
    (void)n, (void)o;
    __asm__ volatile("ud2");
    return 0;
}
BARETICK_ROW(faults, ud2, "an undefined instruction", .body = undefined, .ops = 10);

BODY(divides)
{
    int zero = 0, by = (int)n;

    (void)o;
    BARETICK_HIDE(zero);
    __asm__ volatile("cltd\n\tidivl %1" : "+a"(by) : "r"(zero) : "edx", "cc");
    return by & 0;
}
BARETICK_ROW(faults, divide, "a division by zero", .body = divides, .ops = 10);

BODY(stores)
{
    (void)n, (void)o;
    *(volatile int *)0x200000000000 = 1;
    return 0;
}
BARETICK_ROW(faults, store, "a store to an address that is nobody's", .body = stores, .ops = 10);

BODY(never_ends)
{
    (void)n, (void)o;
    for (;;)
        BARETICK_CLOBBER();
    return 0;
}
BARETICK_ROW(faults, endless, "a loop without an end", .body = never_ends, .ops = 10);

BODY(fails)
{
    (void)o;
    return n > 0;
}
BARETICK_ROW(faults, fails, "an operation that says that it failed", .body = fails, .ops = 10);

static const char *complains(const struct baretick_object *o, uint64_t operations)
{
    (void)o, (void)operations;
    return "the check does not like it";
}
BODY(returns)
{
    (void)n, (void)o;
    return 0;
}
BARETICK_ROW(faults, wrong, "work that is wrong", .body = returns, .ops = 10, .check = complains);

BARETICK_STATEMENT(faults, a_good_one, "++*x", 1000, .check = baretick_counted)
{
    o->counter++;
}
BARETICK_STATEMENT(faults, z_good_one, "++*x", 1000, .check = baretick_counted)
{
    o->counter++;
}
