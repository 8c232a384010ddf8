#include "hosted/stores/counts.h"
#include <stdlib.h>
#include <string.h>

#define ROOM 256 /* initial size of a table; a power of 2 */

struct calls_frame {
    uint64_t stack; /* where its return address is */
    uint32_t who;
};

void calls_close(struct calls *c)
{
    free(c->site);
    free(c->number);
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

/* FNV-1a over its words. */
static size_t hash(const struct site *s)
{
    uint64_t h = 0xcbf29ce484222325u;

    h = (h ^ s->who) * 0x100000001b3u;
    for (uint32_t i = 0; i < s->deep; i++)
        h = (h ^ s->call[i]) * 0x100000001b3u;
    return (size_t)(h ^ h >> 32);
}

static uint32_t *slot(const struct calls *c, const struct site *s)
{
    size_t i = hash(s) & (c->room - 1);

    while (c->number[i] && memcmp(&c->site[c->number[i] - 1], s, sizeof *s) != 0)
        i = (i + 1) & (c->room - 1);
    return &c->number[i];
}

static bool grow(struct calls *c)
{
    size_t room = c->room ? 2 * c->room : ROOM;
    uint32_t *number = calloc(room, sizeof *number);
    struct site *site = realloc(c->site, room / 2 * sizeof *site);

    c->site = site ? site : c->site;
    if (!number || !site) {
        free(number);
        c->full = true;
        return false;
    }
    free(c->number);
    c->number = number;
    c->room = room;
    for (uint32_t i = 0; i < c->sites; i++)
        *slot(c, &c->site[i]) = i + 1;
    return true;
}

uint32_t calls_site(struct calls *c, uint32_t who)
{
    struct site s = now(c, who);

    if (2 * (size_t)c->sites >= c->room && !grow(c))
        return 0;
    uint32_t *number = slot(c, &s);
    if (!*number) {
        c->site[c->sites++] = s;
        *number = c->sites;
    }
    return *number - 1;
}
