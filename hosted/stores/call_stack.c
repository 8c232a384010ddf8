#include "hosted/stores/counts.h"
#include <stdlib.h>
#include <string.h>

#define ROOM 256 /* frames at first */

struct calls_frame {
    uint64_t stack; /* where its return address is */
    uint32_t who;
};

void calls_close(struct calls *c)
{
    hash_table_close(&c->sites);
    free(c->frame);
    memset(c, 0, sizeof *c);
}

/* --- calls ------------------------------------------------------------------------------------ */

void calls_enter(struct calls *c, uint32_t who, uint64_t stack)
{
    if (c->frames == c->frame_room) {
        size_t room = c->frame_room ? 2 * c->frame_room : ROOM;
        struct calls_frame *frame = realloc(c->frame, room * sizeof *frame);
        if (!frame) {
            c->full = true;
            return;
        }
        c->frame = frame;
        c->frame_room = room;
    }
    c->frame[c->frames++] = (struct calls_frame){stack, who};
}

void calls_leave(struct calls *c, uint64_t stack)
{
    while (c->frames && c->frame[c->frames - 1].stack < stack)
        c->frames--;
}

/* --- sites ------------------------------------------------------------------------------------ */

static struct site now(const struct calls *c, uint32_t who)
{
    struct site s = {.who = who};

    for (; s.deep < CALLS_DEEP && s.deep < c->frames; s.deep++)
        s.call[s.deep] = c->frame[c->frames - 1 - s.deep].who;
    return s;
}

uint32_t calls_site(struct calls *c, uint32_t who)
{
    struct site s = now(c, who);
    uint32_t number = hash_table_get(&c->sites, &s, sizeof s, sizeof s);

    c->full = c->full || !number;
    return number ? number - 1 : 0;
}
