#include "lib/text/bytes.h"

#include "tests/unit/cmocka_unit.h"

/* Values of zlib's crc32(). */
TEST(values_are_those_of_zlib)
{
    uint8_t all[256];

    for (int i = 0; i < 256; i++)
        all[i] = (uint8_t)i;
    assert_int_equal(crc32_update(0, "", 0), 0);
    assert_int_equal(crc32_update(0, "123456789", 9), 0xcbf43926);
    assert_int_equal(crc32_update(0, "a", 1), 0xe8b7be43);
    assert_int_equal(crc32_update(0, "\0\0\0\0", 4), 0x2144df1c);
    assert_int_equal(crc32_update(0, all, sizeof all), 0x29058c73);
}

TEST(pieces_give_the_crc_of_the_whole)
{
    const char *text = "The quick brown fox jumps over the lazy dog";
    size_t n = strlen(text);

    for (size_t cut = 0; cut <= n; cut++) {
        uint32_t crc = crc32_update(0, text, cut);
        assert_int_equal(crc32_update(crc, text + cut, n - cut), 0x414fa339);
    }
}
