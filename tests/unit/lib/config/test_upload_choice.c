/* Values of upload=: the folder ends with a slash, and its login is never shown. */
#include "lib/text/json.h"
#include "tests/unit/lib/config/made_options.h"

static struct options o;

static bool takes(const char *value)
{
    char word[2 * URL_MOST];

    snprintf(word, sizeof word, "upload=\"%s\"", value);
    return parse(&o, word);
}

TEST(a_folder_ends_with_a_slash_and_is_shown_without_its_login)
{
    static const struct {
        const char *value, *shown, *login;
        int kind;
    } cases[] = {
        {"http://rack:token@host:8080/reports", "http://host:8080/reports/", "rack:token",
         UPLOAD_URL},
        {"https://host/reports/", "https://host/reports/", "", UPLOAD_URL},
        {"tftp://10.0.2.2", "tftp://10.0.2.2/", "", UPLOAD_URL},
        {"off", "off", "", UPLOAD_OFF},
        {"auto", "auto", "", UPLOAD_AUTO},
    };
    EACH_CASE (c, cases) {
        char member[100];
        struct json j;
        assert_true(takes(c->value));
        assert_int_equal(o.upload.kind, c->kind);
        assert_string_equal(o.upload.login, c->login);
        json_begin(&j, text_sink(), 0, "run");
        options_record(&o, &j);
        json_end(&j);
        snprintf(member, sizeof member, "\"upload\":\"%s\"", c->shown);
        assert_non_null(strstr(text, member));
    }
}

TEST(other_values_are_refused_and_change_nothing)
{
    static const char *const cases[] = {"", "on", "host/reports", "ftp://host/", "http://"};
    char no_room_for_the_slash[URL_MOST] = "http://h/", long_login[URL_MOST] = "http://";

    EACH_CASE (one, cases) {
        assert_false(takes(*one));
        assert_int_equal(o.upload.kind, UPLOAD_AUTO);
    }
    memset(no_room_for_the_slash + 9, 'x', UPLOAD_FOLDER_MOST - 10);
    assert_false(takes(no_room_for_the_slash));
    no_room_for_the_slash[UPLOAD_FOLDER_MOST - 2] = '\0';
    assert_true(takes(no_room_for_the_slash));
    memset(long_login + 7, 'x', UPLOAD_LOGIN_MOST);
    strcpy(long_login + 7 + UPLOAD_LOGIN_MOST, "@h/");
    assert_false(takes(long_login));
    assert_int_equal(o.upload.kind, UPLOAD_AUTO);
}
