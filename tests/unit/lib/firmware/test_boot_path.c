/* Device paths of programs from a network, as OVMF makes them, cut anywhere and without parts. */
#include "lib/firmware/boot_source.h"

#include "tests/unit/cmocka_unit.h"

#define MAC_NODE  3, 11, 37, 0, 0x52, 0x54, 0, 0x12, 0x34, 0x56, [36] = 1
#define IPV4_AT   37
#define URI_AT    (IPV4_AT + 27)
#define WHOLE     (URI_AT + 4 + 14 + 4)
#define MASK_LAST (IPV4_AT + 26)

/* MAC(525400123456,1)/IPv4(0.0.0.0,0,DHCP,10.9.0.41,0.0.0.0,255.255.255.0)/Uri(http://h/x.efi). */
static const uint8_t bytes[WHOLE] = {
    MAC_NODE, [IPV4_AT] = 3,
    12,       27,
    0,        10,
    9,        0,
    41,       [IPV4_AT + 19] = 10,
    9,        0,
    254,      [IPV4_AT + 23] = 255,
    255,      255,
    0,        [URI_AT] = 3,
    24,       18,
    0,        'h',
    't',      't',
    'p',      ':',
    '/',      '/',
    'h',      '/',
    'x',      '.',
    'e',      'f',
    'i',      0x7f,
    0xff,     4,
    0,
};

static void decode_exactly(struct boot_path *p, const uint8_t *from, size_t n)
{
    uint8_t *exact = malloc(n + (n == 0)); /* so that the sanitizer sees a read after its end */

    memcpy(exact, from, n);
    boot_path_decode(p, exact, n);
    free(exact);
}

TEST(a_path_has_the_mac_the_address_and_the_uri)
{
    static const uint8_t mac[] = {0x52, 0x54, 0, 0x12, 0x34, 0x56}, address[] = {10, 9, 0, 41};
    struct boot_path p;

    decode_exactly(&p, bytes, sizeof bytes);
    assert_true(p.has_mac && p.has_address);
    assert_memory_equal(p.mac, mac, 6);
    assert_memory_equal(p.address, address, 4);
    assert_int_equal(p.gateway[3], 254);
    assert_int_equal(p.mask[0], 255);
    assert_int_equal(p.mask[3], 0);
    assert_string_equal(p.uri, "http://h/x.efi");
    assert_false(boot_path_is_far(&p, (const uint8_t[]){10, 9, 0, 1}));
    assert_true(boot_path_is_far(&p, (const uint8_t[]){10, 9, 1, 1}));
    assert_true(boot_path_is_far(&p, (const uint8_t[]){11, 9, 0, 1}));
}

TEST(a_path_cut_anywhere_has_the_nodes_before)
{
    struct boot_path p;

    for (size_t n = 0; n <= sizeof bytes; n++) {
        decode_exactly(&p, bytes, n);
        assert_int_equal(p.has_mac, n >= IPV4_AT);
        assert_int_equal(p.has_address, n >= URI_AT);
        assert_int_equal(p.uri[0] != '\0', n >= sizeof bytes - 4);
    }
}

TEST(an_address_of_zero_is_left_out)
{
    uint8_t none[sizeof bytes];
    struct boot_path p;

    memcpy(none, bytes, sizeof none);
    memset(none + IPV4_AT + 4, 0, 4);
    decode_exactly(&p, none, sizeof none);
    assert_false(p.has_address);
    assert_true(p.has_mac);
    memcpy(none, bytes, sizeof none);
    none[IPV4_AT + 2] = 19; /* of UEFI before 2.3.1 */
    decode_exactly(&p, none, IPV4_AT + 19);
    assert_false(p.has_address);
}

TEST(a_uri_that_is_too_long_is_left_out)
{
    uint8_t node[4 + URL_MOST] = {3, 24, (4 + URL_MOST) & 0xff, (4 + URL_MOST) >> 8};
    struct boot_path p;

    memset(node + 4, 'x', URL_MOST);
    decode_exactly(&p, node, sizeof node);
    assert_string_equal(p.uri, "");
}

TEST(the_folder_ends_with_the_last_slash)
{
    char folder[16];

    assert_true(boot_path_folder(folder, sizeof folder, "http://h/a/x"));
    assert_string_equal(folder, "http://h/a/");
    assert_true(boot_path_folder(folder, sizeof folder, "a\\x.efi"));
    assert_string_equal(folder, "a\\");
    assert_true(boot_path_folder(folder, sizeof folder, "x.efi"));
    assert_string_equal(folder, "");
    assert_false(boot_path_folder(folder, sizeof folder, "0123456789abcdef/"));
}
