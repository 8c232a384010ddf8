/*
 * A linear framebuffer as in UEFI's Graphics Output Protocol (UEFI 2.10 section 12.9.2): validates
 * it before anything is written to it, and packs colours into pixels.
 */
#ifndef LIB_SCREEN_FRAMEBUFFER_H
#define LIB_SCREEN_FRAMEBUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct framebuffer {
    uint64_t address, size;              /* physical; bytes; size 0: no framebuffer */
    uint32_t width, height;              /* pixels shown */
    uint32_t pixels_per_line;            /* from one line to the next */
    uint32_t red, green, blue, reserved; /* masks of a pixel, read as a little-endian number */
    uint32_t pixel_bytes;                /* 1..4, set by framebuffer_judge() */
};

/* Four 4K screens per side, 16 in all; a larger value is a firmware error. */
#define FRAMEBUFFER_SIDE_MAX 16384u

#define FRAMEBUFFER_WHY 128 /* bytes for the message of framebuffer_judge() */

/*
 * Sets pixel_bytes from the highest bit of all four masks (so a mode of 24 bits has 3). Returns
 * false if nothing may be drawn, with the reason and the values in `why`: no address, no pixels,
 * lines that overlap, fewer bytes than the lines need, masks that are missing, not contiguous or
 * overlapping.
 */
bool framebuffer_judge(struct framebuffer *f, char *why, size_t size);

/* Returns the number of bytes from one line to the next. */
size_t framebuffer_pitch(const struct framebuffer *f);

/* Returns the pixel of a colour, 8 bits per channel; reserved bits are 0. */
uint32_t framebuffer_pixel(const struct framebuffer *f, uint8_t red, uint8_t green, uint8_t blue);

#endif
