#include "lib/text/json_shape.h"
#include "lib/text/mem.h"
#include "lib/text/str.h"

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
