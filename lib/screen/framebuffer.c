#include "lib/screen/framebuffer.h"

#include "lib/text/fmt.h"

static unsigned bits_below(uint32_t mask)
{
    return mask ? (unsigned)__builtin_ctz(mask) : 0;
}

static unsigned bits_of(uint32_t mask)
{
    unsigned n = 0;

    for (; mask; mask &= mask - 1)
        n++;
    return n;
}

/* Returns whether its bits are contiguous. */
static bool whole(uint32_t mask)
{
    uint32_t low = mask >> bits_below(mask);

    return mask && !(low & (low + 1));
}

static bool masks_are_good(const struct framebuffer *f)
{
    uint32_t all = f->red | f->green | f->blue | f->reserved;

    return whole(f->red) && whole(f->green) && whole(f->blue) &&
           bits_of(all) ==
               bits_of(f->red) + bits_of(f->green) + bits_of(f->blue) + bits_of(f->reserved);
}

static uint32_t bytes_a_pixel(const struct framebuffer *f)
{
    uint32_t all = f->red | f->green | f->blue | f->reserved;

    return (32 - (uint32_t)__builtin_clz(all) + 7) / 8;
}

/* The last line may end with its last pixel. */
static uint64_t bytes_needed(const struct framebuffer *f)
{
    return ((uint64_t)(f->height - 1) * f->pixels_per_line + f->width) * f->pixel_bytes;
}

bool framebuffer_judge(struct framebuffer *f, char *why, size_t size)
{
    f->pixel_bytes = 0;
    if (!f->address) {
        fmt_buf(why, size, "the framebuffer's address is 0");
    } else if (!f->width || !f->height || f->width > FRAMEBUFFER_SIDE_MAX ||
               f->height > FRAMEBUFFER_SIDE_MAX) {
        fmt_buf(why, size, "a mode of %ux%u pixels; 1 to %u a side are allowed", f->width,
                f->height, FRAMEBUFFER_SIDE_MAX);
    } else if (f->pixels_per_line < f->width || f->pixels_per_line > 2 * FRAMEBUFFER_SIDE_MAX) {
        fmt_buf(why, size, "%u pixels a line in memory cannot hold the %u that are shown",
                f->pixels_per_line, f->width);
    } else if (!masks_are_good(f)) {
        fmt_buf(why, size, "invalid pixel masks %08x %08x %08x %08x (red, green, blue, reserved)",
                f->red, f->green, f->blue, f->reserved);
    } else {
        f->pixel_bytes = bytes_a_pixel(f);
        if (f->size >= bytes_needed(f) && f->address + f->size > f->address)
            return true;
        fmt_buf(why, size, "a framebuffer of %llu bytes at 0x%llx cannot hold the %llu of its mode",
                (unsigned long long)f->size, (unsigned long long)f->address,
                (unsigned long long)bytes_needed(f));
    }
    return false;
}

size_t framebuffer_pitch(const struct framebuffer *f)
{
    return (size_t)f->pixels_per_line * f->pixel_bytes;
}

/* The channel's upper bits if it has fewer than 8; shifted up if it has more (HDR modes). */
static uint32_t channel(uint32_t mask, uint8_t value)
{
    unsigned bits = bits_of(mask);
    uint32_t v = bits <= 8 ? (uint32_t)value >> (8 - bits) : (uint32_t)value << (bits - 8);

    return v << bits_below(mask) & mask;
}

uint32_t framebuffer_pixel(const struct framebuffer *f, uint8_t red, uint8_t green, uint8_t blue)
{
    return channel(f->red, red) | channel(f->green, green) | channel(f->blue, blue);
}
