/* mem.c has libc's names; it is included to compile it under other names. */
#define memcpy  own_memcpy
#define memmove own_memmove
#define memset  own_memset
#define memcmp  own_memcmp
#define strlen  own_strlen
#include "lib/text/mem.c"
#undef memcpy
#undef memmove
#undef memset
#undef memcmp
#undef strlen

#include "tests/unit/cmocka_unit.h"

static void fill(unsigned char *at, size_t n, unsigned seed)
{
    for (size_t i = 0; i < n; i++)
        at[i] = (unsigned char)(i * 7 + seed);
}

TEST(memcpy_and_memmove_copy_their_range_and_no_other_byte)
{
    unsigned char from[80], to[80], want[80];

    for (size_t n = 0; n <= 64; n++) {
        fill(from, sizeof from, 1);
        memset(to, 0xee, sizeof to);
        memset(want, 0xee, sizeof want);
        memcpy(want + 5, from + 3, n);
        assert_ptr_equal(own_memcpy(to + 5, from + 3, n), to + 5);
        assert_memory_equal(to, want, sizeof want);
    }
}

TEST(memmove_copies_overlapping_bytes_in_both_directions)
{
    unsigned char a[64], b[64];

    for (size_t from = 0; from < 24; from++) {
        for (size_t to = 0; to < 24; to++) {
            for (size_t n = 0; n <= 40; n += 5) {
                fill(a, sizeof a, 9);
                fill(b, sizeof b, 9);
                memmove(a + to, a + from, n);
                assert_ptr_equal(own_memmove(b + to, b + from, n), b + to);
                assert_memory_equal(a, b, sizeof a);
            }
        }
    }
}

TEST(memset_writes_its_range_and_no_other_byte)
{
    unsigned char a[32], b[32];

    for (size_t n = 0; n <= 24; n++) {
        fill(a, sizeof a, 2);
        fill(b, sizeof b, 2);
        memset(a + 3, 0x1a5, n); /* the low byte counts */
        assert_ptr_equal(own_memset(b + 3, 0x1a5, n), b + 3);
        assert_memory_equal(a, b, sizeof a);
    }
}

TEST(memcmp_compares_unsigned_bytes)
{
    assert_int_equal(own_memcmp("abc", "abd", 2), 0);
    assert_int_equal(own_memcmp("x", "y", 0), 0);
    assert_true(own_memcmp("abc", "abd", 3) < 0);
    assert_true(own_memcmp("abd", "abc", 3) > 0);
    assert_true(own_memcmp("\xff", "\x01", 1) > 0); /* as unsigned bytes */
}

TEST(strlen_counts_the_bytes_before_the_nul)
{
    assert_int_equal(own_strlen(""), 0);
    assert_int_equal(own_strlen("four"), 4);
    assert_int_equal(own_strlen("four\0more"), 4);
}
