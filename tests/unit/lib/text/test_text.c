#include "lib/text/framebuffer.h"

#include "tests/unit/cmocka_unit.h"

#define COLUMNS 8
#define ROWS    3

static struct text t;
static char *cells;

static void open_text(void)
{
    cells = malloc((size_t)TEXT_LINES * COLUMNS); /* exact, for the sanitizer to watch its ends */
    assert_non_null(cells);
    text_init(&t, cells, COLUMNS, ROWS);
}

static void close_text(void)
{
    free(cells);
}

BEFORE_EACH(open_text);
AFTER_EACH(close_text);

static void say(const char *s)
{
    t.sink.write(&t.sink, s, strlen(s));
}

/* The window's rows, without the blanks at their ends, joined by '|'; '~' for a row that is
 * missing. */
static void shows(const char *want)
{
    char all[ROWS * (COLUMNS + 1) + 1], *end = all;

    for (uint32_t r = 0; r < ROWS; r++) {
        const char *row = text_row(&t, r);
        int n = row ? COLUMNS : 1;
        while (row && n && row[n - 1] == ' ')
            n--;
        end += sprintf(end, "%s%.*s", r ? "|" : "", n, row ? row : "~");
    }
    assert_string_equal(all, want);
}

static void say_numbers(unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        char line[16];
        snprintf(line, sizeof line, "%u\r\n", i);
        say(line);
    }
}

TEST(full_screens_scroll)
{
    shows("|~|~");
    say("one\r\n");
    shows("one||~");
    say("two\r\nthree\r\n");
    shows("one|two|three"); /* the empty line of the cursor costs no row */
    say("f");
    shows("two|three|f");
    say("our\r\n\r\n");
    shows("three|four|");
    say("six\r\n");
    shows("four||six");
}

TEST(a_full_line_wraps_once)
{
    say("12345678\r\nx\r\n");
    shows("12345678|x|");
    say("123456789\r\n");
    shows("x|12345678|9");
}

TEST(a_progress_line_is_written_over_and_wiped)
{
    say("\r1 of 9 ");
    shows("1 of 9|~|~");
    say("\r2 of 9 ");
    shows("2 of 9|~|~");
    say("\r       \rrow\r\n");
    shows("row||~");
}

TEST(other_bytes_are_shown_as_question_marks)
{
    say("a\tb\x01\x7f\r\n\xc3\xa4\xe2\x82\xac\x80z\r\n");
    shows("a|b|??z"); /* the tab fills the line */
}

TEST(scrolling_stops_at_the_first_line)
{
    say_numbers(10);
    shows("7|8|9");
    assert_int_equal(text_kept(&t), 10);
    assert_int_equal(text_first(&t), 7);
    text_scroll(&t, 2);
    shows("5|6|7");
    text_scroll(&t, 100);
    shows("0|1|2");
    text_scroll(&t, -1);
    shows("1|2|3");
    text_scroll(&t, -100);
    shows("7|8|9");
    text_scroll(&t, INT32_MAX);
    shows("0|1|2");
    text_scroll(&t, INT32_MIN);
    shows("7|8|9");
}

TEST(the_oldest_lines_are_forgotten)
{
    say_numbers(3 * TEXT_LINES + 5);
    shows("12290|12291|12292");
    assert_int_equal(text_kept(&t), TEXT_LINES - 1); /* the cursor's line has one of them */
    text_scroll(&t, (int32_t)TEXT_LINES);
    shows("8198|8199|8200");
}
