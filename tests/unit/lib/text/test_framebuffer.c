#include "lib/text/framebuffer.h"
#include "tests/unit/cmocka_unit.h"

static char why[FRAMEBUFFER_WHY];

/* 1280x800, blue in the lowest byte: what QEMU's VGA says. */
static struct framebuffer usual(void)
{
    return (struct framebuffer){.address = 0xc0000000,
                                .size = 1280 * 800 * 4,
                                .width = 1280,
                                .height = 800,
                                .pixels_per_line = 1280,
                                .red = 0xff0000,
                                .green = 0xff00,
                                .blue = 0xff,
                                .reserved = 0xff000000};
}

static void good(const struct framebuffer *given, uint32_t bytes)
{
    struct framebuffer f = *given;

    assert_true(framebuffer_judge(&f, why, sizeof why));
    assert_int_equal(f.pixel_bytes, bytes);
}

static void refused(const struct framebuffer *given, const char *words)
{
    struct framebuffer f = *given;

    memset(why, 0, sizeof why);
    assert_false(framebuffer_judge(&f, why, sizeof why));
    if (!strstr(why, words))
        fail_msg("\"%s\" does not say \"%s\"", why, words);
    assert_true(strlen(why) < sizeof why - 1);
}

TEST(the_masks_give_the_size_of_a_pixel)
{
    struct framebuffer f = usual();

    good(&f, 4);
    f.reserved = 0; /* cirrus: 24 bits a pixel */
    good(&f, 3);
    f.red = 0xf800, f.green = 0x7e0, f.blue = 0x1f;
    good(&f, 2);
    f.red = 0xe0, f.green = 0x1c, f.blue = 3;
    good(&f, 1);
    f.red = 0x3ff00000, f.green = 0xffc00, f.blue = 0x3ff; /* ten bits a channel */
    good(&f, 4);
}

TEST(the_size_is_judged_to_the_byte)
{
    struct framebuffer f = usual();

    f.pixels_per_line = 2048;
    f.size = (2048ull * 799 + 1280) * 4; /* the last line ends with its last pixel */
    good(&f, 4);
    f.size--;
    refused(&f, "a framebuffer of 6550527 bytes at 0xc0000000 cannot hold the 6550528");
    f = usual();
    f.address = UINT64_MAX - 100;
    refused(&f, "at 0xffffffffffffff9b cannot hold");
}

TEST(impossible_framebuffers_are_refused)
{
    struct framebuffer f = usual();

    f.address = 0;
    refused(&f, "address is 0");
    f = usual(), f.width = 0;
    refused(&f, "0x800");
    f = usual(), f.height = 0;
    refused(&f, "1280x0");
    f = usual(), f.height = FRAMEBUFFER_SIDE_MAX + 1;
    refused(&f, "1 to 16384 a side");
    f = usual(), f.pixels_per_line = 1279;
    refused(&f, "1279 pixels a line in memory cannot hold the 1280");
    f = usual(), f.pixels_per_line = UINT32_MAX;
    refused(&f, "4294967295 pixels a line");
    f = usual(), f.green = 0;
    refused(&f, "pixel masks 00ff0000 00000000 000000ff");
    f = usual(), f.green = 0x1ff00; /* overlaps red */
    refused(&f, "masks");
    f = usual(), f.blue = 0x5a; /* torn */
    refused(&f, "masks");
    f = usual(), f.reserved = 0x80000080; /* overlaps blue */
    refused(&f, "masks");
}

TEST(colours_follow_the_masks)
{
    struct framebuffer f = usual();

    assert_int_equal(framebuffer_pixel(&f, 0x12, 0x34, 0x56), 0x123456);
    f.red = 0xff, f.blue = 0xff0000;
    assert_int_equal(framebuffer_pixel(&f, 0x12, 0x34, 0x56), 0x563412);
    f.red = 0xf800, f.green = 0x7e0, f.blue = 0x1f, f.reserved = 0;
    assert_int_equal(framebuffer_pixel(&f, 0xff, 0x80, 0x08), 0xf800 | 0x20 << 5 | 1);
    f.red = 0x3ff00000, f.green = 0xffc00, f.blue = 0x3ff;
    assert_int_equal(framebuffer_pixel(&f, 0xff, 0, 1), 0x3fc00004);
    f.red = 0xff000000; /* the highest bit of all */
    assert_int_equal(framebuffer_pixel(&f, 0xff, 0, 0), 0xff000000);
}

TEST(the_pitch_follows_from_pixels_per_line)
{
    struct framebuffer f = usual();

    f.pixels_per_line = 1366, f.pixel_bytes = 3;
    assert_int_equal(framebuffer_pitch(&f), 4098);
}

#define GLYPH_HEIGHT 16

static void laid_out(uint32_t width, uint32_t height, uint32_t scale, uint32_t columns,
                     uint32_t rows)
{
    struct screen_layout l;

    assert_true(screen_layout(&l, width, height, GLYPH_HEIGHT));
    assert_int_equal(l.scale, scale);
    assert_int_equal(l.columns, columns);
    assert_int_equal(l.rows, rows);
    assert_true(l.columns * 8 * l.scale <= width && l.rows * GLYPH_HEIGHT * l.scale <= height);
}

TEST(each_mode_has_its_columns_and_rows)
{
    laid_out(640, 480, 1, 80, 30);
    laid_out(800, 600, 1, 100, 37);
    laid_out(1024, 768, 1, 128, 48);
    laid_out(1366, 768, 1, 170, 48);
    laid_out(1920, 1080, 1, 240, 67);
    laid_out(2560, 1440, 2, 160, 45);
    laid_out(3840, 2160, 3, 160, 45);
    laid_out(7680, 4320, 6, 160, 45);
    laid_out(1440, 2560, 2, 90, 80); /* a panel on its side */
    laid_out(5120, 1440, 2, SCREEN_COLUMNS_MAX, 45);
    laid_out(320, 200, 1, 40, 12);
    laid_out(640, 16384, 1, 80, SCREEN_ROWS_MAX);
}

TEST(small_screens_are_refused)
{
    struct screen_layout l;

    assert_false(screen_layout(&l, 319, 200, GLYPH_HEIGHT));
    assert_false(screen_layout(&l, 640, 63, GLYPH_HEIGHT));
}

TEST(only_changed_cells_are_painted)
{
    char shown[] = "abc  def";
    uint32_t column = 0;

    assert_int_equal(screen_changed(shown, "aXY  dZf", 8, &column), 2);
    assert_int_equal(column, 1);
    assert_string_equal(shown, "aXY  def");
    column += 2;
    assert_int_equal(screen_changed(shown, "aXY  dZf", 8, &column), 1);
    assert_int_equal(column, 6);
    column += 1;
    assert_int_equal(screen_changed(shown, "aXY  dZf", 8, &column), 0);
    assert_string_equal(shown, "aXY  dZf");
    column = 0;
    assert_int_equal(screen_changed(shown, NULL, 8, &column), 3);
    column += 3;
    assert_int_equal(screen_changed(shown, NULL, 8, &column), 3);
    assert_int_equal(column, 5);
    assert_string_equal(shown, "        ");
    column = 0;
    assert_int_equal(screen_changed(shown, NULL, 8, &column), 0);
}

/* Two glyphs of two rows: ' ' is empty, '!' has 0x81 over 0x18. */
static const uint8_t rows[] = {0, 0, 0x81, 0x18};
static const struct font font = {.height = 2, .first = ' ', .last = '!', .rows = rows};

/* Every pixel of the line as a number; the bytes after it must be left alone. */
static void painted(uint32_t bytes, uint32_t scale, const char *chars, uint32_t y, uint32_t ink,
                    uint32_t paper, const char *want)
{
    struct framebuffer f = {.pixel_bytes = bytes};
    uint8_t out[256];
    uint32_t n = (uint32_t)strlen(chars);

    memset(out, 0xee, sizeof out);
    size_t used = screen_line(&f, &font, scale, chars, n, y, ink, paper, out);
    assert_int_equal(used, (size_t)8 * scale * n * bytes);
    for (size_t i = 0; i < used / bytes; i++) {
        uint32_t pixel = 0;
        for (uint32_t b = 0; b < bytes; b++)
            pixel |= (uint32_t)out[i * bytes + b] << 8 * b;
        assert_int_equal(pixel, want[i] == '#' ? ink : paper);
    }
    assert_int_equal(strlen(want), used / bytes);
    for (size_t i = used; i < sizeof out; i++)
        assert_int_equal(out[i], 0xee);
}

TEST(glyphs_have_their_pixels)
{
    painted(4, 1, "!", 0, 0xd0d0d0, 0, "#......#");
    painted(4, 1, "! !", 1, 0x01020304, 0xf0000000, "...##..............##...");
    painted(3, 1, "!", 0, 0xabcdef, 0x123456, "#......#");
    painted(2, 2, "!", 1, 0xf81f, 0x07e0, "......####......");
    painted(1, 3, "!", 0, 7, 2, "###..................###");
    painted(4, 1, "A\x80", 0, 1, 0, "................"); /* characters that the font has not */
}

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

/* Which bytes stop a run, and which do not. */

#define LATER (STOP_KEYS_PATIENCE + 1)

/* Returns whether the bytes stop a run, each `apart` ticks after the one before, then silence. */
static bool stop(const char *bytes, uint64_t apart, uint64_t silence)
{
    struct stop_keys k = {0};
    uint64_t now = 1000;

    for (size_t i = 0; i < strlen(bytes); i++, now += apart)
        if (stop_keys_feed(&k, (uint8_t)bytes[i], now))
            return true;
    return stop_keys_alone(&k, now + silence);
}

TEST(q_and_escape_stop)
{
    assert_true(stop("q", 0, 0));
    assert_true(stop("xyz q", 0, 0));
    assert_true(stop("\x1b", 0, LATER));
    assert_true(stop("\x1b\x1b", 10, LATER));
    assert_true(stop("\x1b[Aq", 10, 0));
    assert_true(stop("\x1b[A\x1b", 10, LATER));
    assert_false(stop("\x1b", 0, 0)); /* the rest may be on its way */
}

TEST(no_other_byte_stops)
{
    for (unsigned byte = 1; byte < 256; byte++) {
        char text[2] = {(char)byte, 0};
        if (byte != 'q' && byte != 0x1b)
            assert_false(stop(text, 0, LATER));
    }
    assert_false(stop("", 0, LATER));
}

TEST(key_sequences_do_not_stop)
{
    /* Arrows, in both modes; F1, F5, shift and an arrow; Alt and a letter, q among them; a cursor's
     * style, which ends in q. */
    static const char *const keys[] = {"\x1b[A",    "\x1bOA", "\x1bOP", "\x1b[15~",
                                       "\x1b[1;2A", "\x1bx",  "\x1bq",  "\x1b[2 q"};

    EACH_CASE (c, keys) {
        assert_false(stop(*c, 0, LATER));
        assert_false(stop(*c, 1000, LATER));
    }
    /* A check between the first byte and the rest, and a late next one. */
    assert_false(stop("\x1b[A", LATER, LATER));
}

/* A sequence without its end does not swallow the key that stops. */
TEST(a_cut_sequence_does_not_swallow_a_key)
{
    struct stop_keys k = {0};

    assert_false(stop_keys_feed(&k, 0x1b, 0));
    assert_false(stop_keys_feed(&k, '[', 1));
    assert_true(stop_keys_feed(&k, 'q', LATER + 1));
    assert_false(stop_keys_feed(&k, 0x1b, 0));
    assert_false(stop_keys_feed(&k, 'O', 1));
    assert_true(stop_keys_feed(&k, 'q', LATER + 1));
    assert_false(stop_keys_feed(&k, 0x1b, 0));
    stop_keys_forget(&k);
    assert_false(stop_keys_alone(&k, LATER));
}
