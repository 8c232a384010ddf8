#include "lib/text/json.h"
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

unsigned json_length(uint32_t type)
{
    return json_dimensions(type) == 1 ? type >> 16 : 0;
}

bool json_allows(uint32_t type, uint32_t kind)
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

const struct json_field *json_find(const struct json_shape *shape, const char *path, size_t *at)
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

struct json_shape json_shape_of(const struct json_shape *shape, const char *type)
{
    size_t from = 0, to = shape->count;

    while (from < to && !str_starts(shape->field[from].path, type))
        from++;
    while (to > from && !str_starts(shape->field[to - 1].path, type))
        to--;
    return (struct json_shape){shape->field + from, to - from};
}

void json_seen_add(struct json_seen *seen, size_t field)
{
    seen->bits[field / 64] |= 1ull << field % 64;
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

void json_seen_forget(struct json_seen *seen, const struct json_shape *shape, const char *inside)
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

const struct json_field *json_seen_amiss(const struct json_seen *seen,
                                         const struct json_shape *shape, const char *inside,
                                         bool *has_it)
{
    for (size_t i = 0; i < shape->count; i++) {
        const char *name = rest_of(shape->field[i].path, inside);
        if (!name || str_has(name, ".") || is_right(seen, shape, i, inside))
            continue;
        *has_it = has(seen, i);
        return &shape->field[i];
    }
    return NULL;
}
