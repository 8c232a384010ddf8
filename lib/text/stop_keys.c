#include "lib/text/stop_keys.h"

enum { ESC = 0x1b };

static void enter(struct stop_keys *k, enum stop_keys_state state, uint64_t now)
{
    k->state = state;
    k->since = now;
}

/* Takes the byte after Esc, which selects the kind of sequence. */
static void after_escape(struct stop_keys *k, uint8_t byte, uint64_t now)
{
    enter(k,
          byte == '['   ? STOP_KEYS_SEQUENCE
          : byte == 'O' ? STOP_KEYS_ONE_MORE
          : byte == ESC ? STOP_KEYS_ESCAPE
                        : STOP_KEYS_PLAIN,
          now);
}

static bool has_waited(const struct stop_keys *k, uint64_t now)
{
    return now - k->since >= STOP_KEYS_PATIENCE;
}

bool stop_keys_feed(struct stop_keys *k, uint8_t byte, uint64_t now)
{
    switch (k->state) {
    case STOP_KEYS_ESCAPE: /* at any time: nothing was read since, and both bytes may have waited */
        after_escape(k, byte, now);
        return false;
    case STOP_KEYS_SEQUENCE:
        if (has_waited(k, now))
            break;
        if (byte >= 0x40 && byte <= 0x7e)
            k->state = STOP_KEYS_PLAIN;
        return false;
    case STOP_KEYS_ONE_MORE:
        if (has_waited(k, now))
            break;
        k->state = STOP_KEYS_PLAIN;
        return false;
    case STOP_KEYS_PLAIN:
        break;
    }
    enter(k, byte == ESC ? STOP_KEYS_ESCAPE : STOP_KEYS_PLAIN, now);
    return byte == 'q';
}

bool stop_keys_alone(struct stop_keys *k, uint64_t now)
{
    return k->state == STOP_KEYS_ESCAPE && has_waited(k, now);
}

void stop_keys_forget(struct stop_keys *k)
{
    k->state = STOP_KEYS_PLAIN;
}
