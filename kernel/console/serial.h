/*
 * A 16550 (or 16450) behind I/O ports or in memory, polled. Source: National Semiconductor PC16550D
 * data sheet, section 8. Used by the kernel and, for its records, by boot/ while firmware is alive.
 * General registers only; every wait is bounded in reads and in raw ticks, since no clock is known
 * yet. After one wait that ran out the port is off.
 */
#ifndef KERNEL_CONSOLE_SERIAL_H
#define KERNEL_CONSOLE_SERIAL_H

#include <stdbool.h>
#include <stdint.h>
#include "lib/firmware/serial_place.h"
#include "lib/text/sink.h"
#include "lib/text/stop_keys.h"

struct serial {
    struct sink sink;          /* takes bytes whether there is a port or not */
    struct serial_place place; /* the last that was tried; its `from` NULL: none */
    uint32_t baud;             /* as programmed or found, 0: not known */
    bool on;                   /* a UART is there and takes what is written */
    const char *why_not;       /* where not on */
    uint8_t fifo;              /* bytes that may follow one "transmitter empty": 16 or 1 */
    uint8_t room;              /* of these, how many are left without asking again */
    uint64_t sent;             /* bytes that were */
    uint64_t lost;             /* bytes that could not be written */
    struct stop_keys keys;     /* what came in so far */

    uint8_t ier_was, lcr_was, mcr_was; /* as found, for serial_release() */
    uint16_t divisor_was;
};

/* Makes the registers at a physical address usable; NULL where they cannot be. */
typedef volatile void *serial_map(void *ctx, uint64_t address, uint64_t size);

/*
 * Opens the first place, from places->next on, where a UART is, without upsetting anything else
 * that may live there, and programs it: 8N1, FIFO on, no interrupts. `map` NULL: nothing can be
 * mapped yet, so it stops before the first place in memory (next < n then: to be called again).
 * `sink.write` must be called with the struct at its final place.
 */
struct serial serial_open(struct serial_places *places, serial_map *map, void *ctx);

/* Waits, bounded, until the last bit has left: before power off, reset, or another owner. */
void serial_flush(struct serial *s);

/* Puts the settings back that serial_open() found, when the firmware goes on using the port. The
 * FIFO's cannot be read and stay on. */
void serial_release(struct serial *s);

/* Whether a key came in that stops a run (lib/text/stop_keys.h). Never waits; bytes with a framing,
 * parity or break error do not count. */
bool serial_stop_key(struct serial *s);

#endif
