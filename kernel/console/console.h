/*
 * The consoles of the bare machine.
 *
 * --- display.c ---
 * The screen as a console, and the keyboard with which the user scrolls it. Text is collected in
 * memory; screen_paint() is called between rows, never during one. It paints only changed cells,
 * and never reads the framebuffer. It uses only general registers and allocates nothing, so that a
 * trap handler may paint.
 */
#ifndef KERNEL_CONSOLE_CONSOLE_H
#define KERNEL_CONSOLE_CONSOLE_H

#include <stdbool.h>
#include <stdint.h>
#include "kernel/memory/memory_map.h"
#include "lib/firmware/serial_place.h"
#include "lib/text/framebuffer.h"
#include "lib/text/sink.h"

struct screen {
    struct text text; /* text.sink is the console's */
    const struct framebuffer *to;
    struct screen_layout layout;
    char *shown;         /* the cells in the framebuffer; NULL: never painted */
    char *cells;         /* storage for `shown` */
    uint8_t *pixels;     /* one line of pixels across the screen */
    const char *status;  /* text that replaces the last row; NULL: none */
    bool on;             /* a screen exists and can be painted */
    bool mapped;         /* its framebuffer is in the page tables */
    bool painting;       /* screen_paint() runs: a fault in it must not start another */
    const char *why_not; /* if not on */
};

/* Bytes of one line of the widest screen that framebuffer_judge() allows. */
#define SCREEN_PIXELS_MOST ((uint64_t)FRAMEBUFFER_SIDE_MAX * sizeof(uint32_t))

/* Returns the most bytes of arena that screen_open() takes. */
static inline uint64_t screen_cost(void)
{
    return arena_cost((uint64_t)TEXT_LINES * SCREEN_COLUMNS_MAX) +
           arena_cost(SCREEN_COLUMNS_MAX * SCREEN_ROWS_MAX) + arena_cost(SCREEN_PIXELS_MOST);
}

/* Opens the screen. `f`: as checked by boot/ (size 0: none). `s` must not move. */
void screen_open(struct screen *s, const struct framebuffer *f, struct arena *a);

/* Uses the framebuffer through our page tables, which must be in force. `mapped`: they map it. */
void screen_mapped(struct screen *s, bool mapped);

/* Shows the text written since the last call; the first call clears the screen. Does nothing before
 * screen_mapped(). */
void screen_paint(struct screen *s);

/* --- the pager: lets the user scroll back after the report's end --- */

/* Writes one line about the keys, if lines have scrolled away and a keyboard answers. */
void pager_hint(struct screen *s);

/* Follows the keys until none was pressed for some minutes, then shows the end of the text again.
 * Returns at once if pager_hint() writes nothing. */
void pager_run(struct screen *s);

/*
 * --- the keyboard ---
 * Reads keys of a PS/2 keyboard, or of one that the board emulates as such, by polling the 8042
 * controller: there is no firmware and no interrupt. Firmware leaves it translating to scan code
 * set 1. Source: IBM PS/2 Hardware Interface Technical Reference, "Keyboard and Auxiliary Device
 * Controller".
 */

/* Discards earlier keys. Returns whether a controller answers. Never waits. */
bool keyboard_open(void);

/* Returns whether Esc, or the key that is Q on a US keyboard, was pressed since the last call;
 * discards other keys. Never waits. */
bool keyboard_stop_key(void);

/*
 * --- serial.c ---
 * A 16550 (or 16450) UART at I/O ports or in memory, polled. Source: National Semiconductor
 * PC16550D data sheet, section 8. The kernel uses it, and boot/ for its records while the firmware
 * runs. Uses general registers only. Every wait is bounded in reads and in raw ticks, since no
 * clock is known yet. A wait that reaches its limit turns the port off.
 */

struct serial {
    struct sink sink;          /* accepts bytes with or without a port */
    struct serial_place place; /* the last one tried; its `from` NULL: none */
    uint32_t baud;             /* as programmed or found; 0: not known */
    bool on;                   /* a UART exists and accepts bytes */
    const char *why_not;       /* if not on */
    const char *lacks;         /* if on: what a UART has and this port lacks; or NULL */
    uint8_t fifo;              /* bytes that may follow one "transmitter empty": 16 or 1 */
    uint8_t room;              /* how many of these are left */
    uint64_t sent;             /* bytes sent */
    uint64_t lost;             /* bytes that could not be written */
    struct stop_keys keys;     /* the keys received so far */
    void (*waits)(void *ctx);  /* called before each wait of serial_write(); or NULL */
    void *waits_ctx;

    uint8_t ier_was, lcr_was, mcr_was; /* as found, for serial_release() */
    uint16_t divisor_was;
    bool has_divisor; /* else the speed cannot be changed */
};

/* Maps the registers at a physical address. NULL: they cannot be mapped. */
typedef volatile void *serial_map(void *ctx, uint64_t address, uint64_t size);

/*
 * Opens the first place from places->next on that has a UART, without disturbing other devices that
 * may be there. Programs it: 8N1, FIFO on, no interrupts. `map` NULL: nothing can be mapped yet, so
 * it stops before the first place in memory (then next < n: call it again). The struct must be at
 * its final place when `sink.write` is called.
 */
struct serial serial_open(struct serial_places *places, serial_map *map, void *ctx);

/* Waits, bounded, until the last bit is sent: before power off, reset, or another owner. */
void serial_flush(struct serial *s);

/* Restores the settings that serial_open() found, for the firmware. The FIFO settings cannot be
 * read, so the FIFO stays on. */
void serial_release(struct serial *s);

/* Returns whether a key arrived that stops a run (lib/text/framebuffer.h). Never waits; ignores
 * bytes with a framing, parity or break error. */
bool serial_stop_key(struct serial *s);

#endif
