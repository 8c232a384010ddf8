/*
 * Recognises the bytes from a terminal that stop a run: `q`, and Esc by itself. All other bytes
 * are ignored, and so are keys that a terminal sends as an escape sequence (arrows, function keys,
 * Alt and a letter), which begin with the byte of Esc. Source: ECMA-48, sections 5.3 and 5.4; SS3
 * as in xterm.
 */
#ifndef LIB_TEXT_STOP_KEYS_H
#define LIB_TEXT_STOP_KEYS_H

#include <stdbool.h>
#include <stdint.h>

/* TSC ticks after which a sequence is considered complete: 54 ms on the fastest TSC (TSC_HZ_MAX),
 * half a second at 1 GHz. A byte at 9600 baud takes 1 ms. */
#define STOP_KEYS_PATIENCE (1ull << 29)

enum stop_keys_state {
    STOP_KEYS_PLAIN,
    STOP_KEYS_ESCAPE,   /* Esc came: by itself, or as the first byte of a sequence */
    STOP_KEYS_SEQUENCE, /* Esc [ came: ends with a byte of 0x40 to 0x7e */
    STOP_KEYS_ONE_MORE, /* Esc O came: one byte follows */
};

/* All zero: no byte yet. */
struct stop_keys {
    enum stop_keys_state state;
    uint64_t since; /* TSC when the state was entered */
};

/* Takes a byte that was read at `now`. Returns true if it stops the run. */
bool stop_keys_feed(struct stop_keys *k, uint8_t byte, uint64_t now);

/* Call after all available bytes were taken. Returns true if nothing followed an Esc for long
 * enough. */
bool stop_keys_alone(struct stop_keys *k, uint64_t now);

/* Call when bytes were lost: a sequence in progress may be incomplete. */
void stop_keys_forget(struct stop_keys *k);

#endif
