/* URLs of servers, their parts, and what is not one. */
#include "lib/text/url.h"

#include "tests/unit/cmocka_unit.h"

TEST(the_parts_of_a_url_are_found)
{
    static const struct {
        const char *text;
        enum url_scheme scheme;
        const char *login, *host, *path;
    } cases[] = {
        {"http://10.9.0.1/a/b/", URL_HTTP, "", "10.9.0.1", "/a/b/"},
        {"http://host:8080", URL_HTTP, "", "host:8080", ""},
        {"https://rack:t@ken@host/", URL_HTTPS, "rack:t@ken", "host", "/"},
        {"http://host/mail@home", URL_HTTP, "", "host", "/mail@home"},
        {"tftp://10.0.2.2//srv/x", URL_TFTP, "", "10.0.2.2", "//srv/x"},
    };

    EACH_CASE (c, cases) {
        struct url u;

        assert_true(url_parse(&u, c->text));
        assert_int_equal(u.scheme, c->scheme);
        assert_int_equal(u.login_n, strlen(c->login));
        assert_memory_equal(u.login, c->login, u.login_n);
        assert_int_equal(u.host_n, strlen(c->host));
        assert_memory_equal(u.host, c->host, u.host_n);
        assert_string_equal(u.path, c->path);
    }
}

TEST(what_is_not_such_a_url_is_refused)
{
    static const char *const cases[] = {
        "",
        "http://",
        "http:/x",
        "ftp://h/",
        "http:///x",
        "http://a b",
        "http://h/?q",
        "http://h/#f",
        "http://h/\x80",
        "http://@h/",
        "http://u@/",
        "tftp://server/",
        "tftp://1.2.3/",
        "tftp://1.2.3.4.5/",
        "tftp://1.2.3.256/",
        "tftp://1.2.3.4:69/",
        "tftp://u@1.2.3.4/",
        "tftp://1.2..4/",
    };
    char longest[URL_MOST + 1] = "http://h/";
    struct url u;

    EACH_CASE (c, cases)
        assert_false(url_parse(&u, *c));
    memset(longest + 9, 'x', URL_MOST - 9);
    assert_false(url_parse(&u, longest));
    longest[URL_MOST - 1] = '\0';
    assert_true(url_parse(&u, longest));
}

TEST(an_address_has_four_numbers)
{
    static const uint8_t expected[] = {10, 0, 255, 2}, host[] = {10, 8, 0, 1};
    uint8_t address[4];
    struct url u;

    assert_true(url_ipv4("10.0.255.2/x", 10, address));
    assert_memory_equal(address, expected, 4);
    assert_false(url_ipv4("10.0.255.2", 7, address));
    assert_false(url_ipv4("", 0, address));
    assert_true(url_parse(&u, "http://10.8.0.1:8080/x") && url_host_ipv4(&u, address));
    assert_memory_equal(address, host, sizeof host);
    assert_true(url_parse(&u, "http://10.8.0.1") && url_host_ipv4(&u, address));
    assert_true(url_parse(&u, "http://host:8080/") && !url_host_ipv4(&u, address));
}
