#include "lib/text/json.h"
#include "lib/text/fmt.h"
#include "lib/text/mem.h"
#include "lib/text/str.h"

const char *json_name(const char *path)
{
    const char *name = path;

    for (; *path; path++)
        if (*path == '.')
            name = path + 1;
    return name;
}

unsigned json_dimensions(uint32_t type)
{
    return type >> 12 & 0xf;
}

uint32_t json_element(uint32_t type)
{
    /* Only the innermost array may be a tuple; its length is read at that level. */
    return json_dimensions(type) > 1 ? type - JSON_ARRAY(0) : (type - JSON_ARRAY(0)) & 0xffffU;
}

static bool allows(uint32_t type, uint32_t kind)
{
    if (json_dimensions(type) > 0)
        return kind == JSON_ARRAY(0);
    return (type & kind & JSON_KINDS) != 0;
}

static bool is_at(const struct json_field *f, const char *path)
{
    size_t n = strlen(f->path);

    if (n > 0 && f->path[n - 1] == '*')
        return strlen(path) >= n && memcmp(f->path, path, n - 1) == 0;
    return str_eq(f->path, path);
}

/* Returns the field at this path, NULL: none. `*at`: where the search begins, and where it ended;
 * records are written roughly in the order of their shape. */
static const struct json_field *find(const struct json_shape *shape, const char *path, size_t *at)
{
    for (size_t i = 0; i < shape->count; i++) {
        size_t k = (*at + i) % shape->count;
        if (!is_at(&shape->field[k], path))
            continue;
        *at = k;
        return &shape->field[k];
    }
    return NULL;
}

/* Returns the fields of one type of record, and what is between them. `type` ends in ".". */
static struct json_shape shape_of(const struct json_shape *shape, const char *type)
{
    size_t from = 0, to = shape->count;

    while (from < to && !str_starts(shape->field[from].path, type))
        from++;
    while (to > from && !str_starts(shape->field[to - 1].path, type))
        to--;
    return (struct json_shape){shape->field + from, to - from};
}

static bool has(const struct json_seen *seen, size_t field)
{
    return seen->bits[field / 64] >> field % 64 & 1;
}

/* Returns the rest of a path that begins with `inside`, NULL: it does not. */
static const char *rest_of(const char *path, const char *inside)
{
    return str_starts(path, inside) ? path + strlen(inside) : NULL;
}

/* The next object at this path has its own members. */
static void forget(struct json_seen *seen, const struct json_shape *shape, const char *inside)
{
    for (size_t i = 0; i < shape->count; i++)
        if (rest_of(shape->field[i].path, inside))
            seen->bits[i / 64] &= ~(1ull << i % 64);
}

/* Returns whether an object has this member, which is usually declared just before `field`. */
static bool has_other(const struct json_seen *seen, const struct json_shape *shape, size_t field,
                      const char *inside, const char *other)
{
    for (size_t i = 1; i < shape->count; i++) {
        size_t k = (field + shape->count - i) % shape->count;
        const char *name = rest_of(shape->field[k].path, inside);
        if (name && str_eq(name, other))
            return has(seen, k);
    }
    return false;
}

/* Returns whether the member of an object is as its declaration says. */
static bool is_right(const struct json_seen *seen, const struct json_shape *shape, size_t field,
                     const char *inside)
{
    static const char with[] = JSON_WITH(""), without[] = JSON_WITHOUT("");
    const char *there = shape->field[field].there;

    if (str_starts(there, with))
        return has(seen, field) == has_other(seen, shape, field, inside, there + sizeof with - 1);
    if (str_starts(there, without))
        return has(seen, field) !=
               has_other(seen, shape, field, inside, there + sizeof without - 1);
    return has(seen, field) || !str_eq(there, JSON_ALWAYS);
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
    field = find(&j->check->now, j->path, &j->at);
    if (field == NULL)
        return 0;
    j->check->seen.bits[j->at / 64] |= 1ull << j->at % 64;
    return field->type;
}

void json_check_member(struct json *j, const char *name, uint32_t kind)
{
    uint32_t type;

    if (j->check == NULL)
        return;
    type = arrive(j, name);
    if (!allows(type, kind))
        odd(j, kind, type);
    if (j->depth < JSON_DEPTH) /* for its own members, if it is opened */
        j->type[j->depth] = type;
}

void json_check_close(struct json *j)
{
    struct json_check *c = j->check;

    if (c == NULL || c->odd[0] || j->close[j->depth - 1] != '}')
        return;
    j->path[j->under[j->depth - 1]] = '\0';
    for (size_t i = 0; i < c->now.count; i++) {
        const struct json_field *f = &c->now.field[i];
        const char *name = rest_of(f->path, j->path);
        if (!name || str_has(name, ".") || is_right(&c->seen, &c->now, i, j->path))
            continue;
        fmt_buf(c->odd, sizeof c->odd, "%s is %s, but is declared \"%s\"", f->path,
                has(&c->seen, i) ? "written" : "missing", f->there);
        return;
    }
    forget(&c->seen, &c->now, j->path);
}

void json_expect(struct json *j, struct json_check *check, const char *type)
{
    j->check = check;
    fmt_buf(j->path, sizeof j->path, "%s.", type);
    check->now = shape_of(check->shape, j->path);
    check->seen = (struct json_seen){0};
    j->under[0] = strlen(j->path);
}
