/* Values of upload=: the folder ends with a slash, and its login is never shown. */
#include "lib/config/choices.h"

#include "tests/unit/cmocka_unit.h"

TEST(the_login_is_separate_from_the_url)
{
    struct upload_choice c;

    assert_true(upload_choice_parse(&c, "http://rack:token@host:8080/reports"));
    assert_int_equal(c.kind, UPLOAD_URL);
    assert_string_equal(c.login, "rack:token");
    assert_string_equal(upload_choice_text(&c), "http://host:8080/reports/");
    assert_true(upload_choice_parse(&c, "tftp://10.0.2.2"));
    assert_string_equal(c.login, "");
    assert_string_equal(upload_choice_text(&c), "tftp://10.0.2.2/");
}

TEST(words_are_kept)
{
    struct upload_choice c;

    assert_true(upload_choice_parse(&c, "off"));
    assert_string_equal(upload_choice_text(&c), "off");
    assert_true(upload_choice_parse(&c, "auto"));
    assert_string_equal(upload_choice_text(&c), "auto");
}

TEST(other_values_are_refused_and_change_nothing)
{
    static const char *const cases[] = {"", "on", "host/reports", "ftp://host/", "http://"};
    char no_room_for_the_slash[URL_MOST] = "http://h/", long_login[URL_MOST] = "http://";
    struct upload_choice c;

    assert_true(upload_choice_parse(&c, "off"));
    EACH_CASE (one, cases)
        assert_false(upload_choice_parse(&c, *one));
    memset(no_room_for_the_slash + 9, 'x', UPLOAD_FOLDER_MOST - 10);
    assert_false(upload_choice_parse(&c, no_room_for_the_slash));
    no_room_for_the_slash[UPLOAD_FOLDER_MOST - 2] = '\0';
    assert_true(upload_choice_parse(&(struct upload_choice){0}, no_room_for_the_slash));
    memset(long_login + 7, 'x', UPLOAD_LOGIN_MOST);
    strcpy(long_login + 7 + UPLOAD_LOGIN_MOST, "@h/");
    assert_false(upload_choice_parse(&c, long_login));
    assert_string_equal(upload_choice_text(&c), "off");
}
