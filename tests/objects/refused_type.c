/* What BARETICK_KEEP, BARETICK_HIDE, BENCH_KEEP and BENCH_HIDE refuse, one at a time: OF is the
 * macro, IT the operand; C and C++. tests/hosted/code/test_any_type.py compiles it. */
#include "bench/api/baretick.h"
#ifndef __cplusplus
#include "bench/api/keep.h"
#endif

struct bits {
    unsigned low : 3;
};

struct three {
    long a, b, c;
};

void refused(long first);
void refused(long first)
{
    const long constant = first;
    const double real_constant = (double)first;
    const struct three constants = {first, 2, 3};
    volatile long changing = first;
    struct bits bits = {1};
    struct three several = {first, 2, 3};
    double real = (double)first;
    char array[8] = {1, 2, 3};
    __int128 wide = first;

    (void)constant, (void)real_constant, (void)constants, (void)changing, (void)bits, (void)several;
    (void)real, (void)array, (void)wide;
    OF(IT);
}
