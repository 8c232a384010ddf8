/* Base64: the test vectors of RFC 4648 section 10, and too little room. */
#include "lib/text/url.h"

#include "tests/unit/cmocka_unit.h"

TEST(the_vectors_of_the_rfc_hold)
{
    static const char *const vectors[][2] = {
        {"", ""},
        {"f", "Zg=="},
        {"fo", "Zm8="},
        {"foo", "Zm9v"},
        {"foob", "Zm9vYg=="},
        {"fooba", "Zm9vYmE="},
        {"foobar", "Zm9vYmFy"},
        {"\xff\xfe", "//4="},
    };
    char text[9];

    EACH_CASE (c, vectors) {
        assert_true(base64_encode(text, sizeof text, (*c)[0], strlen((*c)[0])));
        assert_string_equal(text, (*c)[1]);
    }
}

TEST(a_text_that_does_not_fit_is_empty)
{
    char text[8] = "x";

    assert_false(base64_encode(text, sizeof text, "foobar", 6));
    assert_string_equal(text, "");
}
