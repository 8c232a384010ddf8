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

void json_member(struct json *j, const char *name, uint32_t kind)
{
    bool *first = &j->first[j->depth - 1];

    json_check_member(j, name, kind);
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

static void close_all(struct json *j)
{
    while (j->depth > 1)
        json_close(j);
}

void json_end(struct json *j)
{
    close_all(j);
    json_check_close(j);
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
        json_check_close(j);
        j->depth--;
        json_raw(j, &j->close[j->depth], 1);
    }
}
