/* BARETICK_KEEP and BARETICK_HIDE of each type; C and C++. tests/hosted/code/test_any_type.py reads
 * the machine code. */
#include <immintrin.h>
#include "bench/api/baretick.h"

struct three {
    long a, b, c;
};

#define FUNCTION __attribute__((used, noinline))

#ifdef __cplusplus
extern "C" {
#endif

FUNCTION double hide_double(double a, double b)
{
    BARETICK_HIDE(a);
    return a * b;
}

FUNCTION double keep_double(double a, double b)
{
    double c = a * b;

    BARETICK_KEEP(c);
    return a;
}

FUNCTION float hide_float(float a, float b)
{
    BARETICK_HIDE(a);
    return a * b;
}

FUNCTION long hide_long(long a, long b)
{
    BARETICK_HIDE(a);
    BARETICK_KEEP(a + b);
    return a * b;
}

FUNCTION int hide_char(char a)
{
    BARETICK_HIDE(a);
    return a * 3;
}

FUNCTION char *hide_pointer(char *a)
{
    BARETICK_HIDE(a);
    return a + 1;
}

FUNCTION __m128i hide_xmm(__m128i a)
{
    BARETICK_HIDE(a);
    return _mm_add_epi32(a, a);
}

#ifdef __AVX512F__
FUNCTION __m256i hide_ymm(__m256i a)
{
    BARETICK_HIDE(a);
    return _mm256_add_epi32(a, a);
}

FUNCTION __m512i hide_zmm(__m512i a)
{
    BARETICK_HIDE(a);
    BARETICK_KEEP(a);
    return _mm512_add_epi32(a, a);
}
#endif

FUNCTION long hide_struct(long a)
{
    struct three s = {a, a + 1, a + 2};

    BARETICK_HIDE(s);
    BARETICK_KEEP(s);
    return s.a + s.c;
}

FUNCTION void keep_array(int a)
{
    int filled[10];

    for (int i = 0; i < 10; i++)
        filled[i] = a + i;
    BARETICK_KEEP(filled);
}

FUNCTION void keep_array_of_8_bytes(int a)
{
    int filled[2] = {a, a + 1};

    BARETICK_KEEP(filled);
}

FUNCTION int hide_array_of_8_bytes(void)
{
    char known[8] = {1, 2, 3};

    BARETICK_HIDE(known);
    return known[0] + known[1];
}

typedef int vector_of_8_bytes __attribute__((vector_size(8)));

FUNCTION int hide_short_vector(int a)
{
    vector_of_8_bytes v = {a, 1};

    BARETICK_HIDE(v);
    BARETICK_KEEP(v);
    return v[0] + v[1];
}

FUNCTION long double hide_long_double(long double a)
{
    BARETICK_HIDE(a);
    BARETICK_KEEP(a);
    return a;
}

#ifdef __cplusplus
}
#endif
