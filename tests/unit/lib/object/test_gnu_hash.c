/*
 * .gnu.hash sections: that what is built is what the section's definition says, and that a look-up
 * by that definition finds each name and no other. tests/hosted/code/test_gnu_hash.py holds it to
 * ld's.
 */
#include "lib/object/gnu_hash.h"
#include "tests/unit/cmocka_unit.h"

static uint64_t section[8192];
static uint32_t order[GNU_HASH_SYMBOLS];
static char texts[GNU_HASH_SYMBOLS][16];
static const char *names[GNU_HASH_SYMBOLS];

TEST(hashes_are_the_known_ones)
{
    assert_int_equal(gnu_hash_name(""), 0x1505);
    assert_int_equal(gnu_hash_name("printf"), 0x156b2bb8);
    assert_int_equal(gnu_hash_name("exit"), 0x7c967e3f);
    assert_int_equal(gnu_hash_name("syscall"), 0xbac212a0);
    assert_int_equal(gnu_hash_name("\xff"), 5381 * 33 + 255); /* a byte has no sign */
}

/* By the definition: 0: not found. */
static uint32_t look_up(const uint8_t *s, const char *name, uint32_t count)
{
    uint32_t head[4], hash = gnu_hash_name(name), at, chain;
    uint64_t word;

    memcpy(head, s, sizeof head);
    const uint8_t *bloom = s + 16, *bucket = bloom + 8 * head[2], *chains = bucket + 4 * head[0];
    memcpy(&word, bloom + 8 * (hash / 64 % head[2]), 8);
    if (!(word >> hash % 64 & 1) || !(word >> (hash >> head[3]) % 64 & 1))
        return 0;
    memcpy(&at, bucket + 4 * (hash % head[0]), 4);
    if (at == 0)
        return 0;
    do {
        assert_in_range(at, head[1], head[1] + count - 1);
        memcpy(&chain, chains + 4 * (at - head[1]), 4);
        if ((chain | 1) == (hash | 1) && strcmp(names[order[at - head[1]]], name) == 0)
            return at;
        at++;
    } while (!(chain & 1));
    return 0;
}

static struct gnu_hash build(uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        snprintf(texts[i], sizeof texts[i], "symbol_%u", i * 7919);
        names[i] = texts[i];
    }
    memset(section, 0xee, sizeof section);
    return gnu_hash_build(section, sizeof section, first, names, count, order);
}

TEST(each_name_is_found_and_no_other)
{
    for (uint32_t count = 1; count <= GNU_HASH_SYMBOLS; count += count < 70 ? 1 : 61) {
        for (uint32_t first = 1; first <= 17; first += 16) {
            size_t bytes = build(first, count).bytes;
            for (uint32_t i = 0; i < count; i++) {
                uint32_t at = look_up((const uint8_t *)section, names[i], count);
                assert_in_range(at, first, first + count - 1);
                assert_int_equal(order[at - first], i);
            }
            assert_int_equal(look_up((const uint8_t *)section, "symbol_1", count), 0);
            assert_int_equal(look_up((const uint8_t *)section, "", count), 0);
            assert_int_equal(((const uint8_t *)section)[bytes], 0xee);
            assert_int_equal(gnu_hash_build(section, bytes - 1, first, names, count, order).bytes,
                             bytes);
        }
    }
}

/* Bits that no name has set, buckets that no name is in. */
TEST(names_that_are_not_in_the_table_are_not_found)
{
    for (uint32_t count = 1; count < 300; count += 7) {
        struct gnu_hash h = build(5, count);
        uint32_t last = 0;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t hash = gnu_hash_name(names[order[i]]);
            uint64_t bits = 1ull << hash % 64 | 1ull << (hash >> h.shift) % 64;
            assert_true((h.bloom[hash / 64 % h.words] & bits) == bits);
            assert_in_range(hash % h.buckets, last, h.buckets - 1); /* sorted by bucket */
            bool begins = i == 0 || hash % h.buckets != last;
            last = hash % h.buckets;
            if (begins)
                assert_int_equal(h.bucket[last], 5 + i);
        }
        for (uint32_t w = 0; w < h.words; w++)
            for (uint32_t i = 0; i < count; i++) {
                uint32_t hash = gnu_hash_name(names[i]);
                if (hash / 64 % h.words == w)
                    h.bloom[w] &= ~(1ull << hash % 64 | 1ull << (hash >> h.shift) % 64);
            }
        for (uint32_t w = 0; w < h.words; w++)
            assert_true(h.bloom[w] == 0);
        for (uint32_t i = 0; i < count; i++)
            h.bucket[gnu_hash_name(names[i]) % h.buckets] = 0;
        for (uint32_t b = 0; b < h.buckets; b++)
            assert_int_equal(h.bucket[b], 0);
    }
}
