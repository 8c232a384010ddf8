/* Server and file in a DHCP server's answer: in the header, in options, cut anywhere. */
#include "lib/firmware/boot_source.h"

#include "tests/unit/cmocka_unit.h"

#define OPTIONS 240

static bool decode(struct dhcp_boot *boot, const uint8_t *packet, size_t n)
{
    uint8_t *exact = malloc(n + (n == 0)); /* so that the sanitizer sees a read after its end */
    bool found;

    memcpy(exact, packet, n);
    found = dhcp_boot_decode(boot, exact, n);
    free(exact);
    return found;
}

TEST(the_header_names_server_and_file)
{
    uint8_t packet[OPTIONS + 1] = {[20] = 10, 9, 0, 1, [OPTIONS] = 255};
    struct dhcp_boot boot;

    memcpy(packet + 108, "a/x.efi", 8);
    assert_true(decode(&boot, packet, sizeof packet));
    assert_string_equal(boot.file, "a/x.efi");
    assert_int_equal(boot.server[3], 1);
    memset(packet + 108, 'x', 128); /* a name without its NUL */
    assert_true(decode(&boot, packet, sizeof packet));
    assert_int_equal(strlen(boot.file), 128);
}

TEST(options_name_them_if_the_header_does_not)
{
    static const uint8_t options[] = {0,   54,  4,   10,  9,   0,   2,   0,  67,
                                      5,   'x', '.', 'e', 'f', 'i', 66,  8,  '1',
                                      '.', '2', '.', '3', '.', '4', '5', 255};
    uint8_t packet[OPTIONS + sizeof options] = {0};
    struct dhcp_boot boot;

    memcpy(packet + OPTIONS, options, sizeof options);
    assert_true(decode(&boot, packet, sizeof packet));
    assert_string_equal(boot.file, "x.efi");
    assert_int_equal(boot.server[3], 45);
    packet[OPTIONS + 17] = 'h'; /* option 66 is a name: option 54 has the address */
    assert_true(decode(&boot, packet, sizeof packet));
    assert_int_equal(boot.server[3], 2);
    packet[OPTIONS + 2] = 3;
    assert_false(decode(&boot, packet, sizeof packet));
}

TEST(an_answer_cut_anywhere_is_not_read_beyond_its_end)
{
    uint8_t packet[OPTIONS + 9] = {[20] = 10, 9,   0, 1,  [OPTIONS] = 67, 6, 'x', '.', 'e',
                                   'f',       'i', 0, 255};
    struct dhcp_boot boot;

    for (size_t n = 0; n <= sizeof packet; n++)
        assert_int_equal(decode(&boot, packet, n), n >= OPTIONS + 8);
}

TEST(an_answer_without_a_file_is_refused)
{
    uint8_t packet[OPTIONS + 3] = {[20] = 10, 9, 0, 1, [OPTIONS] = 67, 0, 255};
    struct dhcp_boot boot;

    assert_false(decode(&boot, packet, sizeof packet));
    assert_false(decode(&boot, packet, OPTIONS));
}

TEST(the_first_router_is_the_gateway)
{
    uint8_t packet[OPTIONS + 11] = {[OPTIONS] = 3, 8, 10, 9, 0, 254, 10, 9, 0, 253, 255};
    uint8_t gateway[4];

    assert_true(dhcp_gateway(gateway, packet, sizeof packet));
    assert_int_equal(gateway[3], 254);
    packet[OPTIONS + 1] = 3;
    assert_false(dhcp_gateway(gateway, packet, sizeof packet));
    assert_false(dhcp_gateway(gateway, packet, OPTIONS));
}
