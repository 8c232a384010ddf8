/*
 * A 16550 (or 8250) behind I/O ports, polled. Source: National Semiconductor PC16550D data sheet,
 * section 8. Used by the kernel and, for its records, by boot/ while firmware is alive. General
 * registers only; every wait is bounded in reads and in raw ticks, since no clock is known yet.
 * After one wait that ran out the port is off.
 */
#ifndef KERNEL_SERIAL_H
#define KERNEL_SERIAL_H

#include <stdbool.h>
#include <stdint.h>
#include "lib/options.h"
#include "lib/sink.h"

struct serial {
    struct sink sink;    /* takes bytes whether there is a port or not */
    uint16_t port;       /* I/O base that was asked for, 0: serial=off */
    uint32_t baud;       /* as programmed */
    bool on;             /* somebody is there and takes what is written */
    const char *why_not; /* where not on */
    uint8_t fifo;        /* bytes that may follow one "transmitter empty": 16 or 1 */
    uint8_t room;        /* of these, how many are left without asking again */
    uint64_t lost;       /* bytes that could not be written */
};

/*
 * Looks for a UART where the choice says (auto: COM1) without upsetting anything else that may live
 * there, and programs it: 8N1, FIFO on, no interrupts. `sink.write` must be called with the struct
 * at its final place.
 */
struct serial serial_probe(const struct serial_choice *choice);

/* Waits, bounded, until the last bit has left: before power off, reset, or another owner. */
void serial_flush(struct serial *s);

/* Whether a key came in since the last call. Never waits; bytes with a framing, parity or break
 * error do not count. */
bool serial_key(struct serial *s);

#endif
