#include "lib/firmware/ipmi.h"
#include <stddef.h>
#include "lib/text/bytes.h"

/* Section 9.7: the status, its states, and the codes. */
enum { OBF = 0x01, IBF = 0x02, STATE = 0xc0 };
enum { STATE_IDLE = 0x00, STATE_READ = 0x40, STATE_WRITE = 0x80 };
enum { WRITE_START = 0x61, WRITE_END = 0x62, READ_NEXT = 0x68 };

/* Sections 27.5 and 27.7; a network function is shifted by the LUN's two bits. */
enum { APPLICATION = 6 << 2, APPLICATION_ANSWER = 7 << 2, FEED = 0x22, GET = 0x25 };
enum { ANSWER_FUNCTION, ANSWER_COMMAND, ANSWER_CODE, ANSWER_USE, ANSWER_ACTION };
enum { ANSWER_INITIAL = 7, ANSWER_PRESENT = 9, ANSWER_BYTES = 11 };
#define USE_RUNNING 0x40
#define ACTION_MASK 7

static const char silent[] = "the BMC does not answer in time";
static const char wrong[] = "the BMC's interface is in an unexpected state";

/* Waits until these bits of the status have this value. Returns NULL, or why not. */
static const char *await(const struct kcs *k, uint8_t bits, uint8_t value, uint8_t *status)
{
    for (unsigned i = 0; i < KCS_READS; i++) {
        *status = k->read(k->ctx, KCS_STATUS);
        if (*status == 0xff)
            return "no device answers";
        if ((*status & bits) == value)
            return NULL;
    }
    return silent;
}

/* After each write: the byte is taken, the interface is in this state, no old answer is left. */
static const char *settle(const struct kcs *k, uint8_t state)
{
    uint8_t status;
    const char *why = await(k, IBF, 0, &status);

    if (!why && state != STATE && (status & STATE) != state)
        why = wrong;
    if (!why && status & OBF && state != STATE_READ)
        (void)k->read(k->ctx, KCS_DATA);
    return why;
}

static const char *send(const struct kcs *k, const uint8_t request[2])
{
    const struct {
        unsigned reg;
        uint8_t v;
    } steps[] = {{KCS_STATUS, WRITE_START},
                 {KCS_DATA, request[0]},
                 {KCS_STATUS, WRITE_END},
                 {KCS_DATA, request[1]}};
    const char *why = settle(k, STATE); /* any */

    for (unsigned i = 0; !why && i < sizeof steps / sizeof steps[0]; i++) {
        if (i > 0)
            why = settle(k, STATE_WRITE);
        if (!why)
            k->write(k->ctx, steps[i].reg, steps[i].v);
    }
    return why;
}

/* Bytes beyond the room are taken and dropped; *n counts all. At the end the BMC is idle and writes
 * a last byte, which says nothing. Some do not write it, so the next command takes it. */
static const char *receive(const struct kcs *k, uint8_t *to, unsigned room, unsigned *n)
{
    uint8_t status;

    for (*n = 0; *n < 256; ++*n) {
        const char *why = await(k, IBF, 0, &status);
        if (!why && (status & STATE) == STATE_IDLE)
            return NULL;
        if (!why && (status & STATE) != STATE_READ)
            why = wrong;
        if (!why)
            why = await(k, OBF, OBF, &status);
        if (why)
            return why;
        uint8_t v = k->read(k->ctx, KCS_DATA);
        if (*n < room)
            to[*n] = v;
        k->write(k->ctx, KCS_DATA, READ_NEXT);
    }
    return wrong;
}

static const char *call(const struct kcs *k, uint8_t command, uint8_t answer[ANSWER_BYTES],
                        unsigned least)
{
    const uint8_t request[2] = {APPLICATION, command};
    unsigned n = 0;
    const char *why = send(k, request);

    if (!why)
        why = receive(k, answer, ANSWER_BYTES, &n);
    if (!why && (n < 3 || answer[ANSWER_FUNCTION] != APPLICATION_ANSWER ||
                 answer[ANSWER_COMMAND] != command))
        why = "the BMC answers something else";
    if (!why && (answer[ANSWER_CODE] != 0 || n < least))
        why = "the BMC refuses the command";
    return why;
}

const char *ipmi_watchdog_get(struct ipmi_watchdog *w, const struct kcs *k)
{
    uint8_t a[ANSWER_BYTES] = {0};
    const char *why = call(k, GET, a, ANSWER_BYTES);

    *w = (struct ipmi_watchdog){0};
    if (why)
        return why;
    w->action = a[ANSWER_ACTION] & ACTION_MASK;
    w->runs = a[ANSWER_USE] & USE_RUNNING && w->action != 0;
    w->tenths = le16(a + ANSWER_INITIAL);
    w->present = le16(a + ANSWER_PRESENT);
    return NULL;
}

const char *ipmi_watchdog_feed(const struct kcs *k)
{
    uint8_t a[ANSWER_BYTES];

    return call(k, FEED, a, 3);
}
