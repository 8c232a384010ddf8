#include "hosted/stores/counts.h"
#include <stdlib.h>
#include <string.h>

#define PAGE_BITS 12
#define PAGE      (1u << PAGE_BITS)
#define INLINE    16 /* bytes of a load's value that need no separate memory */

struct counts_page {
    uint64_t number;          /* the key */
    uint64_t read[PAGE / 64]; /* a bit per byte: loaded since it was stored to or became new */
    uint32_t *writer;         /* [PAGE]: the last one's site plus 1; 0: none. NULL: all 0 */
    uint64_t *died;           /* [PAGE]: the death after which it is new; 0: none. NULL: all 0 */
};

/* The result of an instruction's last load from an address. */
struct counts_load {
    struct load_key {
        uint64_t at, who;
    } key;
    uint64_t lanes;
    uint64_t deaths; /* number of deaths before it */
    uint32_t size;   /* 0: not loaded yet */
    union {
        uint8_t few[INLINE];
        uint8_t *many;
    } value;
};

void counts_close(struct counts *c)
{
    for (uint32_t i = 0; i < c->page.entries; i++) {
        struct counts_page *p = c->page.entry[i];
        free(p->writer);
        free(p->died);
    }
    for (uint32_t i = 0; i < c->load.entries; i++) {
        struct counts_load *l = c->load.entry[i];
        if (l->size > INLINE)
            free(l->value.many);
    }
    hash_table_close(&c->page);
    hash_table_close(&c->load);
    free(c->by);
    memset(c, 0, sizeof *c);
}

/* Returns zeroed memory, or NULL, which ends counting. */
static void *get(struct counts *c, size_t n, size_t size)
{
    void *p = calloc(n, size);

    c->full = c->full || !p;
    return p;
}

static struct counted *of(struct counts *c, uint32_t site)
{
    if (site >= c->sites) {
        uint32_t n = site < 32 ? 64 : 2 * site;
        struct counted *by = get(c, n, sizeof *by);
        if (!by)
            return NULL;
        if (c->by)
            memcpy(by, c->by, c->sites * sizeof *by);
        free(c->by);
        c->by = by;
        c->sites = n;
    }
    return &c->by[site];
}

/* --- bytes ------------------------------------------------------------------------------------ */

/* Returns the page of a byte. NULL: out of memory; or nothing is known of the page, and `make` is
 * false. */
static struct counts_page *page_of(struct counts *c, uint64_t at, bool make)
{
    uint64_t number = at >> PAGE_BITS;

    if (!c->last || c->last->number != number) {
        uint32_t found =
            make ? hash_table_get(&c->page, &number, sizeof number, sizeof(struct counts_page))
                 : hash_table_find(&c->page, &number, sizeof number);
        c->full = c->full || (make && !found);
        if (!found)
            return NULL;
        c->last = c->page.entry[found - 1];
    }
    return c->last;
}

static bool is_read(const struct counts_page *p, uint32_t byte)
{
    return p->read[byte / 64] >> byte % 64 & 1;
}

/* Returns true if the byte was not read before. */
static bool set_read(struct counts_page *p, uint32_t byte)
{
    bool fresh = !is_read(p, byte);

    p->read[byte / 64] |= 1ull << byte % 64;
    return fresh;
}

static void set_unread(struct counts_page *p, uint32_t byte)
{
    p->read[byte / 64] &= ~(1ull << byte % 64);
}

/* Returns the site, plus 1, of the last store if it is unread; 0: no such store. */
static uint32_t unread_of(const struct counts_page *p, uint32_t byte)
{
    return p->writer && !is_read(p, byte) ? p->writer[byte] : 0;
}

static void note_size(uint64_t *sizes, uint32_t bytes)
{
    sizes[bytes <= 64 ? bytes : 65]++;
}

/* --- loads ------------------------------------------------------------------------------------ */

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

static void keep(struct counts *c, struct counts_load *l, const struct touch *t,
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
    *l = (struct counts_load){
        .key = l->key, .lanes = t->lanes, .deaths = c->deaths, .size = t->size};
    if (many)
        l->value.many = many;
    memcpy(many ? many : l->value.few, value, t->size);
}

/* Loads the bytes. *fresh: one of them was not loaded since it was stored to, or since it is new;
 * *died: one is new since that death. */
static void read_bytes(struct counts *c, const struct touch *t, uint64_t death, bool *fresh,
                       bool *died)
{
    for (uint32_t i = 0; i < t->size; i++) {
        uint32_t byte = (t->at + i) & (PAGE - 1);
        struct counts_page *p = touch_has(t, i) ? page_of(c, t->at + i, true) : NULL;
        if (c->full)
            return;
        if (!p)
            continue;
        *died |= p->died && p->died[byte] > death;
        *fresh |= set_read(p, byte);
    }
}

void counts_load(struct counts *c, uint32_t site, uint32_t who, const struct touch *t,
                 const uint8_t *value)
{
    uint32_t n = touch_count(t);
    struct counted *by = of(c, site);
    const struct load_key key = {t->at, who};
    bool fresh = false, died = false;

    if (c->full || !n)
        return;
    uint32_t found = hash_table_get(&c->load, &key, sizeof key, sizeof(struct counts_load));
    c->full = !found;
    if (!found)
        return;
    struct counts_load *l = c->load.entry[found - 1];
    read_bytes(c, t, l->deaths, &fresh, &died);
    if (c->full)
        return;
    by->loads++;
    by->loaded += n;
    by->reread_loads += !fresh;
    note_size(c->loads_of, n);
    if (l->size && !died && is_same(l, t, value))
        by->silent_loads++;
    else
        keep(c, l, t, value);
}

/* --- stores ----------------------------------------------------------------------------------- */

/* Returns the page of a byte, with room for writers. NULL: out of memory. */
static struct counts_page *page_to_write(struct counts *c, uint64_t at)
{
    struct counts_page *p = page_of(c, at, true);

    if (p && !p->writer)
        p->writer = get(c, PAGE, sizeof *p->writer);
    return p && p->writer ? p : NULL;
}

void counts_store(struct counts *c, uint32_t site, const struct touch *t, const uint8_t *before,
                  const uint8_t *after)
{
    uint32_t n = touch_count(t);
    struct counted *by = of(c, site);
    bool silent = true;

    if (c->full || !n)
        return;
    for (uint32_t i = 0; i < t->size; i++) {
        if (!touch_has(t, i))
            continue;
        struct counts_page *p = page_to_write(c, t->at + i);
        uint32_t byte = (t->at + i) & (PAGE - 1);
        if (!p)
            return;
        silent = silent && p->writer[byte] && before[i] == after[i];
        if (unread_of(p, byte))
            c->by[unread_of(p, byte) - 1].dead++;
        p->writer[byte] = site + 1;
        set_unread(p, byte);
    }
    by->stores++;
    by->stored += n;
    by->silent_stores += silent;
    note_size(c->stores_of, n);
}

/* --- death ------------------------------------------------------------------------------------ */

void counts_died(struct counts *c, uint64_t from, uint64_t to)
{
    c->deaths++;
    for (uint64_t at = from; at < to; at++) {
        struct counts_page *p = page_of(c, at, false);
        uint32_t byte = at & (PAGE - 1);
        if (!p) { /* nothing is known of the page */
            at |= PAGE - 1;
            continue;
        }
        if (!p->died)
            p->died = get(c, PAGE, sizeof *p->died);
        if (!p->died)
            return;
        if (unread_of(p, byte))
            c->by[unread_of(p, byte) - 1].dead++;
        if (p->writer)
            p->writer[byte] = 0;
        set_unread(p, byte);
        p->died[byte] = c->deaths;
    }
}

/* --- the end ---------------------------------------------------------------------------------- */

void counts_end(struct counts *c)
{
    for (uint32_t i = 0; i < c->page.entries; i++)
        for (uint32_t b = 0; b < PAGE; b++) {
            uint32_t site = unread_of(c->page.entry[i], b);
            if (site)
                c->by[site - 1].unread++;
        }
}

/* --- the stack of calls, and sites ------------------------------------------------------------ */

#define FRAMES 256 /* initially */

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

void calls_enter(struct calls *c, uint32_t who, uint64_t stack)
{
    if (c->frames == c->frame_room) {
        size_t room = c->frame_room ? 2 * c->frame_room : FRAMES;
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

static struct site site_now(const struct calls *c, uint32_t who)
{
    struct site s = {.who = who};

    for (; s.deep < CALLS_DEEP && s.deep < c->frames; s.deep++)
        s.call[s.deep] = c->frame[c->frames - 1 - s.deep].who;
    return s;
}

uint32_t calls_site(struct calls *c, uint32_t who)
{
    struct site s = site_now(c, who);
    uint32_t number = hash_table_get(&c->sites, &s, sizeof s, sizeof s);

    c->full = c->full || !number;
    return number ? number - 1 : 0;
}
