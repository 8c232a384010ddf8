#include "lib/config/core_list.h"
#include "lib/text/fmt.h"
#include "lib/text/mem.h"
#include "lib/text/str.h"

/* Reads a decimal number below CORE_LIST_MAX; *text moves to the byte after it. */
static bool number(const char **text, unsigned *value)
{
    size_t n = 0;
    uint64_t v = 0;

    while ((*text)[n] >= '0' && (*text)[n] <= '9')
        n++;
    if (!str_number(*text, n, 10, CORE_LIST_MAX - 1, &v))
        return false;
    *text += n;
    *value = (unsigned)v;
    return true;
}

/* "3" or "1-4". */
static bool range(struct core_list *l, const char **text)
{
    unsigned from, to;

    if (!number(text, &from))
        return false;
    to = from;
    if (**text == '-') {
        ++*text;
        if (!number(text, &to) || to < from)
            return false;
    }
    for (unsigned i = from; i <= to; i++)
        l->bits[i / 64] |= 1ull << i % 64;
    return true;
}

bool core_list_parse(struct core_list *l, const char *text)
{
    memset(l, 0, sizeof *l);
    l->all = str_eq(text, "all");
    l->types = str_eq(text, "types");
    if (l->all || l->types)
        return true;
    if (str_eq(text, "bsp"))
        text = "0";
    for (;;) {
        if (!range(l, &text))
            return false;
        if (*text == '\0')
            return true;
        if (*text++ != ',')
            return false;
    }
}

bool core_list_has(const struct core_list *l, unsigned core)
{
    return l->all || l->types || (core < CORE_LIST_MAX && (l->bits[core / 64] >> core % 64 & 1));
}

unsigned core_list_count(const struct core_list *l, unsigned count)
{
    unsigned n = 0;

    for (unsigned i = 0; i < count; i++)
        n += core_list_has(l, i);
    return l->types && n > CORE_LIST_TYPES ? CORE_LIST_TYPES : n;
}

unsigned core_list_meet(const struct core_list *l, unsigned count)
{
    return l->types ? count : core_list_count(l, count);
}

bool core_list_beyond(const struct core_list *l, unsigned count, struct sink *out)
{
    bool any = false;

    for (unsigned i = count; !l->all && !l->types && i < CORE_LIST_MAX; i++) {
        unsigned from = i;
        if (!core_list_has(l, i))
            continue;
        while (core_list_has(l, i + 1))
            i++;
        fmt(out, any ? ",%u" : "%u", from);
        if (i > from)
            fmt(out, "-%u", i);
        any = true;
    }
    return any;
}
