/*
 * A 16550 (or 16450) UART at I/O ports or in memory, polled. Source: National Semiconductor
 * PC16550D data sheet, section 8. The kernel uses it, and boot/ for its records while the firmware
 * runs. Uses general registers only. Every wait is bounded in reads and in raw ticks, since no
 * clock is known yet. A wait that reaches its limit turns the port off.
 */
#ifndef KERNEL_CONSOLE_SERIAL_H
#define KERNEL_CONSOLE_SERIAL_H

#include <stdbool.h>
#include <stdint.h>
#include "lib/firmware/serial_place.h"
#include "lib/text/sink.h"
#include "lib/text/stop_keys.h"

struct serial {
    struct sink sink;          /* accepts bytes with or without a port */
    struct serial_place place; /* the last one tried; its `from` NULL: none */
    uint32_t baud;             /* as programmed or found; 0: not known */
    bool on;                   /* a UART exists and accepts bytes */
    const char *why_not;       /* if not on */
    uint8_t fifo;              /* bytes that may follow one "transmitter empty": 16 or 1 */
    uint8_t room;              /* how many of these are left */
    uint64_t sent;             /* bytes sent */
    uint64_t lost;             /* bytes that could not be written */
    struct stop_keys keys;     /* the keys received so far */

    uint8_t ier_was, lcr_was, mcr_was; /* as found, for serial_release() */
    uint16_t divisor_was;
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

/* Returns whether a key arrived that stops a run (lib/text/stop_keys.h). Never waits; ignores bytes
 * with a framing, parity or break error. */
bool serial_stop_key(struct serial *s);

#endif
