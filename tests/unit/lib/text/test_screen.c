#include "lib/text/framebuffer.h"

#include "tests/unit/cmocka_unit.h"

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
