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

    JSON_MEMBERS(j, name, i, 65, fmt_buf(size, sizeof size, i < 64 ? "%u" : "more", i + 1),
                 JSON_PUT(j, JSON_NONZERO(size, sizes[i + 1])));
}

/* Writes where an instruction is. Code not placed with the row is the tool's, such as memcpy(). */
static void show_place(struct json *j, uint64_t address)
{
    struct prepare_place place = prepare_place_of(address);

    JSON_PUT(j, JSON_IS("address", address), JSON_IS("function", place.symbol),
             JSON_IF(place.symbol, "offset", place.offset), JSON_IS("section", place.section),
             JSON_IF(place.section, "section_offset", place.into));
}

static void show_ended(struct json *j, const struct trace *t)
{
    char text[OPERANDS_TEXT];

    JSON_PUT(j, JSON_IS("why", t->ended));
    show_place(j, t->ended_at);
    for (uint32_t i = 0; i < t->met.entries; i++)
        if (trace_met(t, i)->decoded.address == t->ended_at) {
            operands_text(&trace_met(t, i)->decoded, text);
            JSON_PUT(j, JSON_IS("text", text));
        }
}

static void show_instruction(const struct met *m, const struct counted *by, struct sink *out)
{
    struct json j;
    char text[OPERANDS_TEXT];

    operands_text(&m->decoded, text);
    JSON_LINE_OF(
        &j, out, JSON_PUT(&j, JSON_IS("type", "instruction")), show_place(&j, m->decoded.address),
        JSON_PUT(&j, JSON_IS("text", text), JSON_IS("runs", m->runs)), show_counted(&j, by));
}

static void show_calls(struct json *j, const struct trace *t, const struct site *s)
{
    JSON_PUT(j, JSON_IS("type", "stack"));
    JSON_EACH(j, "calls", i, s->deep,
              JSON_OBJECT_OF(j, NULL, show_place(j, trace_met(t, s->call[i])->decoded.address)));
}

static void show_stack(const struct trace *t, uint32_t site, struct sink *out)
{
    struct json j;

    JSON_LINE_OF(&j, out, show_calls(&j, t, calls_at(&t->calls, site)),
                 show_counted(&j, &t->counts.by[site]));
}

/* The sites of each instruction as a linked list: a site's number plus 1, 0: the end. */
struct chains {
    uint32_t *first; /* [instruction] */
    uint32_t *next;  /* [site] */
};

static void show_sites(const struct trace *t, const struct chains *c, struct sink *out)
{
    for (uint32_t i = 0; i < t->met.entries; i++) {
        struct counted by = {0};
        for (uint32_t s = c->first[i]; s; s = c->next[s - 1])
            counts_add(&by, &t->counts.by[s - 1]);
        if (by.stores + by.loads == 0)
            continue;
        show_instruction(trace_met(t, i), &by, out);
        for (uint32_t s = c->first[i]; s; s = c->next[s - 1])
            show_stack(t, s - 1, out);
    }
}

static void show_head(struct json *j, const struct trace *t, const char *wrong)
{
    const struct bench *b = t->row->bench;
    struct counted total = counts_total(&t->counts);

    JSON_PUT(j, JSON_IS("type", "trace"), JSON_IS("suite", b->suite), JSON_IS("row", b->name),
             JSON_IS("what", b->what), JSON_IS("object", objects_name_of(b)),
             JSON_IF(!objects_name_of(b), "objects", ROWS_OBJECTS),
             JSON_IS("operations", t->row->operations), JSON_IS("steps", t->steps),
             JSON_IS("instructions", t->met.entries));
    show_counted(j, &total);
    show_sizes(j, "stores_by_size", t->counts.stores_of);
    show_sizes(j, "loads_by_size", t->counts.loads_of);
    if (t->ended[0])
        JSON_OBJECT_OF(j, "ended", show_ended(j, t));
    JSON_PUT(j, JSON_IS("wrong", wrong)); /* NULL: omitted */
    /* The state that the call changed and must not. */
    if (t->changed)
        JSON_EACH(j, "changed", i, STEP_STATES,
                  JSON_PUT(j, JSON_IF(t->changed >> i & 1, NULL, step_states[i].name)));
}

bool show_trace(const struct trace *t, const char *wrong, struct sink *out)
{
    /* A site may have been made for a store that was then not counted. */
    uint32_t sites =
        t->calls.sites.entries < t->counts.sites ? t->calls.sites.entries : t->counts.sites;
    struct chains c = {calloc(t->met.entries + 1, sizeof *c.first),
                       calloc(sites + 1, sizeof *c.next)};
    bool good = c.first && c.next;
    struct json j;

    if (good) {
        for (uint32_t s = sites; s > 0; s--) {
            uint32_t *first = &c.first[calls_at(&t->calls, s - 1)->who];
            c.next[s - 1] = *first;
            *first = s;
        }
        JSON_LINE_OF(&j, out, show_head(&j, t, wrong));
        show_sites(t, &c, out);
    }
    free(c.first);
    free(c.next);
    return good;
}
