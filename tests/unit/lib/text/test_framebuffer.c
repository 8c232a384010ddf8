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
