#include "hosted/stores/trace.h"
#include <stdlib.h>
#include "bench/objects/objects.h"
#include "lib/text/fmt.h"
#include "lib/text/json.h"

static void show_counted(struct json *j, const struct counted *by)
{
#define SHOWN(member, name) JSON_IS(name, by->member),
    json_put(j, (const struct json_value[]){COUNTS(SHOWN){0}});
}

static void show_sizes(struct json *j, const char *name, const uint64_t *sizes)
{
    char size[8];

    json_object(j, name);
    for (unsigned i = 1; i <= 65; i++) {
        fmt_buf(size, sizeof size, i <= 64 ? "%u" : "more", i);
        json_nonzero(j, size, sizes[i]);
    }
    json_close(j);
}

/* Writes where an instruction is. Code not placed with the row is the tool's, such as memcpy(). */
static void show_place(struct json *j, uint64_t address)
{
    struct prepare_place place;

    JSON_PUT(j, JSON_IS("address", address));
    if (prepare_place_of(address, &place))
        JSON_PUT(j, JSON_IS("function", place.symbol),
                 JSON_IF(place.symbol, "offset", place.offset), JSON_IS("section", place.section),
                 JSON_IF(place.section, "section_offset", place.into));
}

static void show_ended(struct json *j, const struct trace *t)
{
    char text[OPERANDS_TEXT];

    json_object(j, "ended");
    json_str(j, "why", t->ended);
    show_place(j, t->ended_at);
    for (uint32_t i = 0; i < t->mets; i++)
        if (t->met[i]->decoded.address == t->ended_at) {
            operands_text(&t->met[i]->decoded, text);
            json_str(j, "text", text);
        }
    json_close(j);
}

/* Writes the names of the state that the call changed and must not. */
static void show_changed(struct json *j, uint32_t changed)
{
    json_array(j, "changed");
    for (unsigned i = 0; step_state_name(i); i++)
        if (changed >> i & 1)
            json_str(j, NULL, step_state_name(i));
    json_close(j);
}

static void show_instruction(const struct met *m, const struct counted *by, struct sink *out)
{
    struct json j;
    char text[OPERANDS_TEXT];

    operands_text(&m->decoded, text);
    json_line_begin(&j, out);
    JSON_PUT(&j, JSON_IS("type", "instruction"));
    show_place(&j, m->decoded.address);
    JSON_PUT(&j, JSON_IS("text", text), JSON_IS("runs", m->runs));
    show_counted(&j, by);
    json_line_end(&j);
}

static void show_stack(const struct trace *t, uint32_t site, struct sink *out)
{
    const struct site *s = &t->calls.site[site];
    struct json j;

    json_line_begin(&j, out);
    json_str(&j, "type", "stack");
    json_array(&j, "calls");
    for (uint32_t i = 0; i < s->deep; i++) {
        json_object(&j, NULL);
        show_place(&j, t->met[s->call[i]]->decoded.address);
        json_close(&j);
    }
    json_close(&j);
    show_counted(&j, &t->counts.by[site]);
    json_line_end(&j);
}

/* The sites of each instruction as a linked list: a site's number plus 1, 0: the end. */
struct chains {
    uint32_t *first; /* [instruction] */
    uint32_t *next;  /* [site] */
};

static void show_sites(const struct trace *t, const struct chains *c, struct sink *out)
{
    for (uint32_t i = 0; i < t->mets; i++) {
        struct counted by = {0};
        for (uint32_t s = c->first[i]; s; s = c->next[s - 1])
            counts_add(&by, &t->counts.by[s - 1]);
        if (by.stores + by.loads == 0)
            continue;
        show_instruction(t->met[i], &by, out);
        for (uint32_t s = c->first[i]; s; s = c->next[s - 1])
            show_stack(t, s - 1, out);
    }
}

static void show_head(const struct trace *t, const char *wrong, struct sink *out)
{
    const struct bench *b = t->row->bench;
    struct counted total = counts_total(&t->counts);
    struct json j;

    json_line_begin(&j, out);
    JSON_PUT(&j, JSON_IS("type", "trace"), JSON_IS("suite", b->suite), JSON_IS("row", b->name),
             JSON_IS("what", b->what), JSON_IS("object", objects_name_of(b)),
             JSON_IF(!objects_name_of(b), "objects", ROWS_OBJECTS),
             JSON_IS("operations", t->row->operations), JSON_IS("steps", t->steps),
             JSON_IS("instructions", t->mets));
    show_counted(&j, &total);
    show_sizes(&j, "stores_by_size", t->counts.stores_of);
    show_sizes(&j, "loads_by_size", t->counts.loads_of);
    if (t->ended[0])
        show_ended(&j, t);
    json_str(&j, "wrong", wrong); /* NULL: omitted */
    if (t->changed)
        show_changed(&j, t->changed);
    json_line_end(&j);
}

bool show_trace(const struct trace *t, const char *wrong, struct sink *out)
{
    /* A site may have been made for a store that was then not counted. */
    uint32_t sites = t->calls.sites < t->counts.sites ? t->calls.sites : t->counts.sites;
    struct chains c = {calloc(t->mets + 1, sizeof *c.first), calloc(sites + 1, sizeof *c.next)};
    bool good = c.first && c.next;

    if (good) {
        for (uint32_t s = sites; s > 0; s--) {
            uint32_t *first = &c.first[t->calls.site[s - 1].who];
            c.next[s - 1] = *first;
            *first = s;
        }
        show_head(t, wrong, out);
        show_sites(t, &c, out);
    }
    free(c.first);
    free(c.next);
    return good;
}
