#include "lib/text/sink.h"
#include "tests/unit/cmocka_unit.h"

#define SIZE (REPORT_LOG_END + 64)

static char records[SIZE], text[SIZE];
static struct report_log l;

static void fresh(void)
{
    report_log_init(&l, records, sizeof records, text, sizeof text);
}

BEFORE_EACH(fresh);

static void say(const char *bytes)
{
    l.sink.write(&l.sink, bytes, strlen(bytes));
}

static void holds(const struct report_lines *lines, const char *what)
{
    assert_int_equal(lines->used, strlen(what));
    assert_memory_equal(lines->at, what, lines->used);
}

TEST(lines_are_sorted)
{
    say("baretick\r\n{\"a\"");
    say(":1}\r");
    say("\n  {no record}\r\n\r\n");
    say("{}\r\nlast");
    holds(&l.records, "{\"a\":1}\r\n{}\r\n");
    holds(&l.text, "baretick\r\n  {no record}\r\n\r\nlast");
    assert_false(l.records.full || l.text.full);
}

/* Byte by byte is the same as all at once. */
TEST(a_report_in_single_bytes_is_kept_as_one_in_whole)
{
    const char *report = "one\r\n{\"two\":2}\r\nthree\r\n";

    for (size_t i = 0; report[i]; i++)
        l.sink.write(&l.sink, report + i, 1);
    holds(&l.records, "{\"two\":2}\r\n");
    holds(&l.text, "one\r\nthree\r\n");
}

TEST(a_full_log_keeps_whole_lines)
{
    char line[41];

    memset(line, 'x', 38);
    strcpy(line + 38, "\r\n");
    say(line); /* 40 of 64 bytes */
    say("12345678901234567890\r\n");
    holds(&l.text, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\r\n12345678901234567890\r\n");
    assert_false(l.text.full);
    say("abc\r\n"); /* two bytes are left */
    say("a\n");     /* would fit, but then a line is missing in the middle */
    holds(&l.text, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\r\n12345678901234567890\r\n");
    assert_true(l.text.full);
    assert_int_equal(l.text.lost, 2);
    say("{}\r\n"); /* the other buffer is not concerned */
    holds(&l.records, "{}\r\n");
    assert_int_equal(l.records.lost, 0);

    report_log_end(&l);
    say("the end\r\n");
    assert_int_equal(l.text.used, 40 + 22 + 9);
    assert_memory_equal(l.text.at + 62, "the end\r\n", 9);
    assert_int_equal(l.text.lost, 2);
}

TEST(the_end_of_a_kept_report_has_a_size_limit)
{
    report_log_end(&l);
    for (unsigned i = 0; i < SIZE; i++)
        say("0123456789abcd\r\n");
    assert_int_equal(l.text.used, SIZE / 16 * 16);
    assert_int_equal(l.text.lost, SIZE - SIZE / 16);
    assert_memory_equal(l.text.at + l.text.used - 4, "cd\r\n", 4);
}

/* A line that has begun when the end begins is not composed of its halves. */
TEST(a_line_cut_by_the_end_is_dropped)
{
    for (unsigned i = 0; i < 70; i++)
        say("y");
    report_log_end(&l);
    say("z\r\nend\r\n");
    holds(&l.text, "end\r\n");
    assert_int_equal(l.text.lost, 1);
}
