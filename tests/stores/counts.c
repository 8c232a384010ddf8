#include "tests/stores/counts.h"
#include <stdlib.h>
#include <string.h>

#define PAGE_BITS 12
#define PAGE      (1u << PAGE_BITS)
#define UNREAD    0x80000000u /* of a byte's word: nothing has loaded it since it was stored */
#define INLINE    16          /* bytes of a load's value that need no memory of their own */
#define ROOM      1024        /* of a table, at first */

/* A byte's word: 0, never stored; else the last writer's number plus 1, and UNREAD. */
struct counts_page {
    uint64_t number;
    uint32_t byte[PAGE];
};

/* What an instruction's last load from an address gave. */
struct counts_load {
    uint64_t at, lanes;
    uint32_t who, size; /* size 0: the entry is free */
    union {
        uint8_t few[INLINE];
        uint8_t *many;
    } value;
};

void counts_open(struct counts *c)
{
    memset(c, 0, sizeof *c);
}

void counts_close(struct counts *c)
{
    for (size_t i = 0; i < c->page_room; i++)
        free(c->page[i]);
    for (size_t i = 0; i < c->load_room; i++)
        if (c->load[i].size > INLINE)
            free(c->load[i].value.many);
    free(c->page);
    free(c->load);
    free(c->by);
    memset(c, 0, sizeof *c);
}

/* Zeroed memory, or NULL and the end of all counting. */
static void *get(struct counts *c, size_t n, size_t size)
{
    void *p = calloc(n, size);
    c->full = c->full || !p;
    return p;
}

static struct counted *of(struct counts *c, uint32_t who)
{
    if (who >= c->instructions) {
        uint32_t n = who < 32 ? 64 : 2 * who;
        struct counted *by = get(c, n, sizeof *by);
        if (!by)
            return NULL;
        if (c->by)
            memcpy(by, c->by, c->instructions * sizeof *by);
        free(c->by);
        c->by = by;
        c->instructions = n;
    }
    return &c->by[who];
}

static size_t mix(uint64_t x)
{
    x *= 0x9e3779b97f4a7c15u; /* 2^64 over the golden ratio: Knuth, volume 3, 6.4 */
    return (size_t)(x >> 32 ^ x);
}

/* --- bytes ------------------------------------------------------------------------------------ */

static struct counts_page **page_slot(struct counts *c, uint64_t number)
{
    size_t i = mix(number) & (c->page_room - 1);
    while (c->page[i] && c->page[i]->number != number)
        i = (i + 1) & (c->page_room - 1);
    return &c->page[i];
}

static bool grow_pages(struct counts *c)
{
    struct counts old = *c;
    size_t room = old.page_room ? 2 * old.page_room : ROOM;
    struct counts_page **page = get(c, room, sizeof(struct counts_page *));
    if (!page)
        return false;
    c->page = page;
    c->page_room = room;
    for (size_t i = 0; i < old.page_room; i++)
        if (old.page[i])
            *page_slot(c, old.page[i]->number) = old.page[i];
    free(old.page);
    return true;
}

/* The page of a number, made where it is not there; NULL: memory ran out. */
static struct counts_page *make_page(struct counts *c, uint64_t number)
{
    if (2 * c->pages >= c->page_room && !grow_pages(c))
        return NULL;
    struct counts_page **slot = page_slot(c, number);
    if (*slot)
        return *slot;
    *slot = get(c, 1, sizeof **slot);
    if (!*slot)
        return NULL;
    (*slot)->number = number;
    c->pages++;
    return *slot;
}

/* The word of a byte. NULL: nothing was stored on its page, and `make` does not ask for it. */
static uint32_t *word(struct counts *c, uint64_t at, bool make)
{
    uint64_t number = at >> PAGE_BITS;
    if (!c->last || c->last->number != number) {
        struct counts_page *page = make           ? make_page(c, number)
                                   : c->page_room ? *page_slot(c, number)
                                                  : NULL;
        if (!page)
            return NULL;
        c->last = page;
    }
    return &c->last->byte[at & (PAGE - 1)];
}

static void note_size(uint64_t *sizes, uint32_t bytes)
{
    sizes[bytes <= 64 ? bytes : 65]++;
}

/* --- loads ------------------------------------------------------------------------------------ */

static struct counts_load *load_slot(struct counts *c, uint32_t who, uint64_t at)
{
    size_t i = mix(at * 31 + who) & (c->load_room - 1);
    while (c->load[i].size && (c->load[i].at != at || c->load[i].who != who))
        i = (i + 1) & (c->load_room - 1);
    return &c->load[i];
}

static bool grow_loads(struct counts *c)
{
    struct counts old = *c;
    size_t room = old.load_room ? 2 * old.load_room : ROOM;
    struct counts_load *load = get(c, room, sizeof *load);
    if (!load)
        return false;
    c->load = load;
    c->load_room = room;
    for (size_t i = 0; i < old.load_room; i++)
        if (old.load[i].size)
            *load_slot(c, old.load[i].who, old.load[i].at) = old.load[i];
    free(old.load);
    return true;
}

static const uint8_t *value_of(const struct counts_load *l)
{
    return l->size > INLINE ? l->value.many : l->value.few;
}

static bool is_same(const struct counts_load *l, const struct touch *t, const uint8_t *value)
{
    if (l->size != t->size || l->lanes != t->lanes)
        return false;
    for (uint32_t i = 0; i < t->size; i++)
        if (touch_has(t, i) && value_of(l)[i] != value[i])
            return false;
    return true;
}

static void keep(struct counts *c, struct counts_load *l, uint32_t who, const struct touch *t,
                 const uint8_t *value)
{
    uint8_t *many = l->size > INLINE ? l->value.many : NULL;
    if (many && l->size != t->size) {
        free(many);
        many = NULL;
    }
    if (t->size > INLINE && !many) {
        many = get(c, 1, t->size);
        if (!many) {
            l->size = 0;
            return;
        }
    }
    c->loads += l->size == 0;
    *l = (struct counts_load){.at = t->at, .lanes = t->lanes, .who = who, .size = t->size};
    if (many)
        l->value.many = many;
    memcpy(many ? many : l->value.few, value, t->size);
}

void counts_load(struct counts *c, uint32_t who, const struct touch *t, const uint8_t *value)
{
    uint32_t n = touch_count(t);
    struct counted *by = of(c, who);
    if (c->full || !n || (2 * c->loads >= c->load_room && !grow_loads(c)))
        return;
    by->loads++;
    by->loaded += n;
    note_size(c->loads_of, n);
    struct counts_load *l = load_slot(c, who, t->at);
    if (l->size && is_same(l, t, value))
        by->silent_loads++;
    else
        keep(c, l, who, t, value);
    for (uint32_t i = 0; i < t->size; i++) {
        uint32_t *w = touch_has(t, i) ? word(c, t->at + i, false) : NULL;
        if (w)
            *w &= ~UNREAD;
    }
}

/* --- stores ----------------------------------------------------------------------------------- */

void counts_store(struct counts *c, uint32_t who, const struct touch *t, const uint8_t *before,
                  const uint8_t *after)
{
    uint32_t n = touch_count(t);
    struct counted *by = of(c, who);
    bool silent = true;
    if (c->full || !n)
        return;
    for (uint32_t i = 0; i < t->size; i++) {
        uint32_t *w = touch_has(t, i) ? word(c, t->at + i, true) : NULL;
        if (c->full)
            return;
        if (!w)
            continue;
        silent = silent && *w && before[i] == after[i];
        if (*w & UNREAD)
            c->by[(*w & ~UNREAD) - 1].dead++;
        *w = (who + 1) | UNREAD;
    }
    by->stores++;
    by->stored += n;
    by->silent_stores += silent;
    note_size(c->stores_of, n);
}

/* --- the end ---------------------------------------------------------------------------------- */

void counts_end(struct counts *c)
{
    for (size_t i = 0; i < c->page_room; i++)
        for (size_t b = 0; c->page[i] && b < PAGE; b++)
            if (c->page[i]->byte[b] & UNREAD)
                c->by[(c->page[i]->byte[b] & ~UNREAD) - 1].unread++;
}

struct counted counts_total(const struct counts *c)
{
    struct counted all = {0};
    for (uint32_t i = 0; i < c->instructions; i++) {
        const struct counted *by = &c->by[i];
        all.stores += by->stores;
        all.stored += by->stored;
        all.dead += by->dead;
        all.unread += by->unread;
        all.silent_stores += by->silent_stores;
        all.loads += by->loads;
        all.loaded += by->loaded;
        all.silent_loads += by->silent_loads;
    }
    return all;
}
