#include "lib/config/near.h"

#include <stdbool.h>
#include <stdint.h>
#include "lib/text/fmt.h"
#include "lib/text/str.h"

struct near near_to(const char *word, size_t n)
{
    while (n > 0 && word[0] == '-') {
        word++;
        n--;
    }
    return (struct near){.word = word, .n = n};
}

/* Returns the length of the common prefix. */
static size_t alike(const char *a, const char *b, size_t n)
{
    size_t i = 0;

    while (i < n && str_lower(a[i]) == str_lower(b[i]))
        i++;
    return i;
}

/* a is at most as long as b. */
static bool one_edit(const char *a, size_t a_n, const char *b, size_t b_n)
{
    size_t same = alike(a, b, a_n), rest = a_n - same;

    if (b_n - a_n > 1)
        return false;
    if (rest == 0)
        return true;
    a += same;
    b += same;
    if (b_n > a_n)
        return alike(a, b + 1, rest) == rest;
    if (alike(a + 1, b + 1, rest - 1) == rest - 1)
        return true;
    return rest >= 2 && str_lower(a[0]) == str_lower(b[1]) && str_lower(a[1]) == str_lower(b[0]) &&
           alike(a + 2, b + 2, rest - 2) == rest - 2;
}

static bool has(const struct near *x, const char *known, size_t n)
{
    for (size_t i = 0; i < x->used; i++)
        if (x->found[i].n == n && alike(x->found[i].at, known, n) == n)
            return true;
    return false;
}

void near_try(struct near *x, const char *known, size_t n)
{
    if (x->used == NEAR_MOST || n < NEAR_SHORTEST || x->n + 1 < NEAR_SHORTEST || has(x, known, n))
        return;
    if (x->n <= n ? !one_edit(x->word, x->n, known, n) : !one_edit(known, n, x->word, x->n))
        return;
    x->found[x->used].at = known;
    x->found[x->used++].n = n;
}

void near_try_values(struct near *x, const char *values)
{
    const char *at;
    size_t n;

    for (uint32_t i = 0; (n = str_alternative(values, i, &at)) > 0; i++)
        near_try(x, at, n);
}

void near_ask(const struct near *x, const char *before, const char *after, struct sink *out)
{
    if (x->used == 0)
        return;
    fmt(out, " (did you mean ");
    for (size_t i = 0; i < x->used; i++) {
        fmt(out, "%s%s", i == 0 ? "" : i + 1 == x->used ? " or " : ", ", before);
        str_escape(out, x->found[i].at, x->found[i].n);
        fmt(out, "%s", after);
    }
    fmt(out, "?)");
}
