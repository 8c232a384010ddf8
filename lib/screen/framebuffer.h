/*
 * A linear framebuffer as UEFI's Graphics Output Protocol describes it (UEFI 2.10 section 12.9.2),
 * judged before anything is written to it, and the packing of colours into its pixels.
 */
#ifndef LIB_SCREEN_FRAMEBUFFER_H
#define LIB_SCREEN_FRAMEBUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct framebuffer {
    uint64_t address, size;              /* physical; bytes; size 0: there is none */
    uint32_t width, height;              /* pixels shown */
    uint32_t pixels_per_line;            /* from one line to the next */
    uint32_t red, green, blue, reserved; /* masks of a pixel, read as a little-endian number */
    uint32_t pixel_bytes;                /* 1..4, set by framebuffer_judge() */
};

/* Screens up to 16 of 4K side by side; what is beyond is a firmware's mistake. */
#define FRAMEBUFFER_SIDE_MAX 16384u

#define FRAMEBUFFER_WHY 128 /* bytes that framebuffer_judge() needs for its words */

/*
 * Sets pixel_bytes, from the highest bit of all four masks (so a mode of 24 bits has 3). False:
 * nothing may be drawn there, and `why` says what is wrong, with the figures: no address, no
 * pixels, lines that overlap, fewer bytes than the lines need, masks that are missing, torn or
 * overlap.
 */
bool framebuffer_judge(struct framebuffer *f, char *why, size_t size);

/* Bytes from one line to the next. */
size_t framebuffer_pitch(const struct framebuffer *f);

/* The pixel of a colour, 8 bits a channel; reserved bits are 0. */
uint32_t framebuffer_pixel(const struct framebuffer *f, uint8_t red, uint8_t green, uint8_t blue);

#endif
