/*
 * The screen as a console: text is collected in RAM (lib/screen/text.h) and painted on the
 * firmware's framebuffer by screen_paint() alone, which is called between rows, never inside one.
 * Only cells that have changed are painted; the framebuffer is written, never read. General
 * registers only, no memory is taken after screen_open(): a trap handler may paint.
 */
#ifndef KERNEL_CONSOLE_SCREEN_H
#define KERNEL_CONSOLE_SCREEN_H

#include <stdbool.h>
#include "kernel/memory/arena.h"
#include "lib/screen/screen.h"
#include "lib/screen/text.h"

struct screen {
    struct text text; /* text.sink is the console's */
    const struct framebuffer *to;
    struct screen_layout layout;
    char *shown;         /* the cells as the framebuffer has them; NULL: never painted */
    char *cells;         /* room for that */
    uint8_t *pixels;     /* one line of pixels across the screen */
    const char *status;  /* a row of characters in place of the last one; NULL: none */
    bool on;             /* there is a screen that can be painted */
    bool mapped;         /* its framebuffer is in the page tables */
    bool painting;       /* under way: a fault inside it must not begin another */
    const char *why_not; /* where not on */
};

/* Bytes of arena that screen_open() takes at the most. */
uint64_t screen_cost(void);

/* `f` as judged by boot/ (size 0: none). The struct is then at its final place. */
void screen_open(struct screen *s, const struct framebuffer *f, struct arena *a);

/* Our page tables are in force, and have the framebuffer or not. */
void screen_mapped(struct screen *s, bool mapped);

/* Shows what was written since the last time; the first time clears the screen. Nothing happens
 * before screen_mapped(). */
void screen_paint(struct screen *s);

#endif
