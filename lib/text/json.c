#include "lib/text/json.h"
#include "lib/text/bytes.h"
#include "lib/text/fmt.h"
#include "lib/text/mem.h"
#include "lib/text/words.h"

void json_raw(struct json *j, const char *bytes, size_t n)
{
    j->crc = crc32_update(j->crc, bytes, n);
    j->out->write(j->out, bytes, n);
}

static void raw_text(struct json *j, const char *text)
{
    json_raw(j, text, strlen(text));
}

static void escaped(struct json *j, uint32_t code)
{
    char text[8];

    json_raw(j, text, fmt_buf(text, sizeof text, "\\u%04x", code));
}

static void one_char(struct json *j, uint32_t code)
{
    char text[4];

    if (code == '"' || code == '\\')
        raw_text(j, "\\");
    if (code < 0x20 || code == 0x7f)
        escaped(j, code);
    else
        json_raw(j, text, utext_encode(text, code));
}

static void string(struct json *j, const char *s)
{
    struct utext t;
    int32_t code;

    utext_open_as(&t, s, strlen(s), UTEXT_UTF8);
    raw_text(j, "\"");
    while ((code = utext_next(&t)) != UTEXT_END) {
        if (code == UTEXT_BAD)
            escaped(j, t.bytes[t.began]);
        else
            one_char(j, (uint32_t)code);
    }
    raw_text(j, "\"");
}

/* Writes the names of a type's alternatives: "integer or string". */
static void say_type(uint32_t type, struct sink *out)
{
    static const char *const words[] = {"string", "integer", "number", "boolean", "object", "null"};
    const char *before = "";

    if (json_dimensions(type) > 0) {
        fmt(out, "array");
        return;
    }
    if ((type & JSON_NUMBER) == JSON_NUMBER)
        type &= ~JSON_INTEGER; /* it is an alternative of every number */
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++) {
        if ((type >> i & 1) == 0)
            continue;
        fmt(out, "%s%s", before, words[i]);
        before = " or ";
    }
}

/* Records that the current member is of `kind` and what the shape declares, 0: nothing. Only the
 * first one. */
static void odd(struct json *j, uint32_t kind, uint32_t declared)
{
    struct sink_buf buf;

    if (j->check->odd[0])
        return;
    sink_buf_init(&buf, j->check->odd, sizeof j->check->odd);
    fmt(&buf.sink, "%s (", j->path);
    say_type(kind, &buf.sink);
    fmt(&buf.sink, declared ? ") is declared as " : ") is not declared");
    say_type(declared, &buf.sink);
}

/* Sets the path to the current member; returns its type in the shape, 0: none. */
static uint32_t arrive(struct json *j, const char *name)
{
    const struct json_field *field;
    unsigned in = j->depth - 1;

    fmt_buf(j->path + j->under[in], JSON_PATH - j->under[in], "%s", name ? name : "");
    j->here = strlen(j->path);
    if (name == NULL)
        return json_element(j->type[in]);
    field = json_find(&j->check->now, j->path, &j->at);
    if (field == NULL)
        return 0;
    json_seen_add(&j->check->seen, j->at);
    return field->type;
}

static void check(struct json *j, const char *name, uint32_t kind)
{
    uint32_t type;

    if (j->check == NULL)
        return;
    type = arrive(j, name);
    if (!json_allows(type, kind))
        odd(j, kind, type);
    if (j->depth < JSON_DEPTH) /* for its own members, if it is opened */
        j->type[j->depth] = type;
}

void json_member(struct json *j, const char *name, uint32_t kind)
{
    bool *first = &j->first[j->depth - 1];

    check(j, name, kind);
    if (!*first)
        raw_text(j, ",");
    *first = false;
    if (name != NULL) {
        string(j, name);
        raw_text(j, ":");
    }
}

/* Appends `more` to the path, for the members of the object or array that is opened. */
static void enter(struct json *j, const char *more)
{
    if (j->check == NULL)
        return;
    fmt_buf(j->path + j->here, JSON_PATH - j->here, "%s", more);
    j->under[j->depth] = strlen(j->path);
    if (more[0] == '.')
        json_seen_forget(&j->check->seen, &j->check->now, j->path);
}

/* Records the first member that the innermost open object lacks or must not have. */
static void leave(struct json *j)
{
    const struct json_field *f;
    bool has;

    if (j->check == NULL || j->check->odd[0] || j->close[j->depth - 1] != '}')
        return;
    j->path[j->under[j->depth - 1]] = '\0';
    f = json_seen_amiss(&j->check->seen, &j->check->now, j->path, &has);
    if (f)
        fmt_buf(j->check->odd, sizeof j->check->odd, "%s is %s, but is declared \"%s\"", f->path,
                has ? "written" : "missing", f->there);
}

static void open(struct json *j, char begin, char end)
{
    if (j->depth == JSON_DEPTH)
        __builtin_trap();
    enter(j, begin == '[' ? "[]" : ".");
    json_raw(j, &begin, 1);
    j->first[j->depth] = true;
    j->close[j->depth] = end;
    j->depth++;
}

void json_begin(struct json *j, struct sink *out, uint64_t seq, const char *type)
{
    *j = (struct json){.out = out};
    open(j, '{', '}');
    json_u64(j, "baretick", 1); /* the version of the report's format */
    json_u64(j, "seq", seq);
    json_str(j, "type", type);
}

void json_expect(struct json *j, struct json_check *check, const char *type)
{
    j->check = check;
    fmt_buf(j->path, sizeof j->path, "%s.", type);
    check->now = json_shape_of(check->shape, j->path);
    check->seen = (struct json_seen){0};
    j->under[0] = strlen(j->path);
}

static void close_all(struct json *j)
{
    while (j->depth > 1)
        json_close(j);
}

void json_end(struct json *j)
{
    close_all(j);
    leave(j);
    uint32_t crc = j->crc;
    char text[32];
    json_raw(j, text, fmt_buf(text, sizeof text, ",\"crc\":\"%08x\"}\r\n", crc));
    j->depth = 0;
}

void json_line_begin(struct json *j, struct sink *out)
{
    *j = (struct json){.out = out};
    open(j, '{', '}');
}

void json_line_end(struct json *j)
{
    close_all(j);
    raw_text(j, "}\n");
    j->depth = 0;
}

void json_u64(struct json *j, const char *name, uint64_t v)
{
    char text[24];

    json_member(j, name, JSON_INTEGER);
    json_raw(j, text, fmt_buf(text, sizeof text, "%llu", (unsigned long long)v));
}

void json_i64(struct json *j, const char *name, int64_t v)
{
    char text[24];

    json_member(j, name, JSON_INTEGER);
    json_raw(j, text, fmt_buf(text, sizeof text, "%lld", (long long)v));
}

void json_bool(struct json *j, const char *name, bool v)
{
    json_member(j, name, JSON_BOOLEAN);
    raw_text(j, v ? "true" : "false");
}

void json_nonzero(struct json *j, const char *name, uint64_t v)
{
    if (v)
        json_u64(j, name, v);
}

void json_u64s(struct json *j, const uint64_t v[], unsigned n)
{
    json_array(j, NULL);
    for (unsigned i = 0; i < n; i++)
        json_u64(j, NULL, v[i]);
    json_close(j);
}

void json_unknown(struct json *j)
{
    if (j->close[j->depth - 1] == ']') {
        json_member(j, NULL, JSON_NULL);
        raw_text(j, "null");
    }
}

void json_str(struct json *j, const char *name, const char *s)
{
    if (s == NULL) {
        json_unknown(j);
        return;
    }
    json_member(j, name, JSON_STRING);
    string(j, s);
}

void json_put(struct json *j, const struct json_value *values)
{
    for (const struct json_value *v = values; v->form != JSON_LAST; v++)
        if (v->form == JSON_UNSIGNED)
            json_u64(j, v->name, v->value);
        else if (v->form == JSON_SIGNED)
            json_i64(j, v->name, (int64_t)v->value);
        else if (v->form == JSON_TRUTH)
            json_bool(j, v->name, v->value);
        else if (v->form == JSON_TEXT)
            json_str(j, v->name, (const char *)(uintptr_t)v->value);
}

static void text_write(struct sink *self, const char *bytes, size_t n)
{
    json_raw(((struct json_text *)self)->j, bytes, n);
}

void json_text_begin(struct json_text *t, struct json *j, const char *name)
{
    *t = (struct json_text){.sink.write = text_write, .j = j};
    json_member(j, name, JSON_STRING);
    raw_text(j, "\"");
}

void json_text_end(struct json_text *t)
{
    raw_text(t->j, "\"");
}

void json_object(struct json *j, const char *name)
{
    json_member(j, name, JSON_OBJECT);
    open(j, '{', '}');
}

void json_array(struct json *j, const char *name)
{
    json_member(j, name, JSON_ARRAY(0));
    open(j, '[', ']');
}

void json_close(struct json *j)
{
    if (j->depth > 1) {
        leave(j);
        j->depth--;
        json_raw(j, &j->close[j->depth], 1);
    }
}
