#include "tests/stores/show.h"
#include "bench/objects/objects.h"
#include "lib/text/fmt.h"
#include "lib/text/json.h"

static void show_counted(struct json *j, const struct counted *by)
{
    json_u64(j, "stores", by->stores);
    json_u64(j, "store_bytes", by->stored);
    json_u64(j, "dead_bytes", by->dead);
    json_u64(j, "unread_bytes", by->unread);
    json_u64(j, "silent_stores", by->silent_stores);
    json_u64(j, "loads", by->loads);
    json_u64(j, "load_bytes", by->loaded);
    json_u64(j, "silent_loads", by->silent_loads);
}

static void show_sizes(struct json *j, const char *name, const uint64_t *sizes)
{
    char size[8];
    json_object(j, name);
    for (unsigned i = 1; i <= 65; i++) {
        fmt_buf(size, sizeof size, i <= 64 ? "%u" : "more", i);
        if (sizes[i])
            json_u64(j, size, sizes[i]);
    }
    json_close(j);
}

/* Where an instruction stands. What is not placed with the row is the tool's own: memcpy(), say. */
static void show_place(struct json *j, uint64_t address)
{
    struct prepare_place place;
    json_u64(j, "address", address);
    if (!prepare_place_of(address, &place))
        return;
    if (place.symbol) {
        json_str(j, "function", place.symbol);
        json_u64(j, "offset", place.behind);
    }
    if (place.section) {
        json_str(j, "section", place.section);
        json_u64(j, "section_offset", place.into);
    }
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

static void show_instruction(const struct trace *t, uint32_t i, struct sink *out)
{
    const struct met *m = t->met[i];
    const struct counted *by = &t->counts.by[i];
    struct json j;
    char text[OPERANDS_TEXT];
    if (i >= t->counts.instructions || by->stores + by->loads == 0)
        return;
    operands_text(&m->decoded, text);
    json_line_begin(&j, out);
    json_str(&j, "type", "instruction");
    show_place(&j, m->decoded.address);
    json_str(&j, "text", text);
    json_u64(&j, "runs", m->runs);
    show_counted(&j, by);
    json_line_end(&j);
}

void show_trace(const struct trace *t, const char *wrong, struct sink *out)
{
    const struct bench *b = t->row->bench;
    struct counted total = counts_total(&t->counts);
    struct json j;
    json_line_begin(&j, out);
    json_str(&j, "type", "trace");
    json_str(&j, "suite", b->suite);
    json_str(&j, "row", b->name);
    json_str(&j, "what", b->what);
    if (objects_name_of(b))
        json_str(&j, "object", objects_name_of(b));
    else
        json_str(&j, "objects", ROWS_OBJECTS);
    json_u64(&j, "operations", t->row->operations);
    json_u64(&j, "steps", t->steps);
    json_u64(&j, "instructions", t->mets);
    show_counted(&j, &total);
    show_sizes(&j, "stores_by_size", t->counts.stores_of);
    show_sizes(&j, "loads_by_size", t->counts.loads_of);
    if (t->ended[0])
        show_ended(&j, t);
    if (wrong)
        json_str(&j, "wrong", wrong);
    json_line_end(&j);
    for (uint32_t i = 0; i < t->mets; i++)
        show_instruction(t, i, out);
}
