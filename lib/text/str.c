#include "lib/text/str.h"

#include "lib/text/fmt.h"
#include "lib/text/mem.h"

bool str_eq(const char *a, const char *b)
{
    return str_is(a, b, strlen(b));
}

bool str_is_any_case(const char *s, const char *bytes, size_t n)
{
    if (strlen(s) != n)
        return false;
    for (size_t i = 0; i < n; i++)
        if (str_lower(s[i]) != str_lower(bytes[i]))
            return false;
    return true;
}

bool str_has(const char *s, const char *part)
{
    size_t n = strlen(part), length = strlen(s);

    for (size_t i = 0; i + n <= length; i++)
        if (memcmp(s + i, part, n) == 0)
            return true;
    return false;
}

bool str_starts(const char *s, const char *with)
{
    while (*with != '\0' && *s == *with)
        s++, with++;

    return *with == '\0';
}

size_t str_until(const char *s, char end)
{
    size_t n = 0;

    while (s[n] != '\0' && s[n] != end)
        n++;
    return n;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Compares two runs of digits by their numbers; a and b move past them. */
static int order_numbers(const char **a, const char **b)
{
    size_t n = 0, m = 0;
    while (**a == '0')
        ++*a;
    while (**b == '0')
        ++*b;

    while (is_digit((*a)[n]))
        n++;
    while (is_digit((*b)[m]))
        m++;
    int order = n < m ? -1 : n > m ? 1 : memcmp(*a, *b, n);
    *a += n;
    *b += m;
    return order;
}

int str_order(const char *a, const char *b)
{
    const char *x = a, *y = b;
    while (*x || *y) {
        bool numbers = is_digit(*x) && is_digit(*y);
        int order = numbers ? order_numbers(&x, &y) : (unsigned char)*x++ - (unsigned char)*y++;
        if (order)
            return order;
    }
    /* Equal except for leading zeros. */
    while (*a && *a == *b)
        a++, b++;

    return (unsigned char)*a - (unsigned char)*b;
}

size_t str_alternative(const char *values, uint32_t index, const char **at)
{
    for (;; index--) {
        size_t n = str_until(values, '|');
        *at = values;
        if (index == 0)
            return n;
        if (values[n] == '\0')
            return 0;
        values += n + 1;
    }
}

bool str_choice(const char *values, const char *bytes, size_t n, uint32_t *index)
{
    const char *at;
    size_t length;

    for (uint32_t i = 0; (length = str_alternative(values, i, &at)) > 0; i++)
        if (length == n && memcmp(at, bytes, n) == 0) {
            *index = i;
            return true;
        }
    return false;
}

bool str_copy(char *out, size_t size, const char *bytes, size_t n)
{
    size_t kept = n < size ? n : size - 1;

    memcpy(out, bytes, kept);
    out[kept] = '\0';
    return kept == n;
}

/* Returns 0..15, or 16 if it is not a digit. */
static uint32_t digit(char c)
{
    if (is_digit(c))
        return (uint32_t)(c - '0');
    c = str_lower(c);
    return c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a') + 10 : 16;
}

bool str_number(const char *s, size_t n, unsigned base, uint64_t most, uint64_t *value)
{
    uint64_t v = 0;

    for (size_t i = 0; i < n; i++) {
        uint32_t d = digit(s[i]);
        if (d >= base || d > most || v > (most - d) / base)
            return false;
        v = v * base + d;
    }
    if (n > 0)
        *value = v;
    return n > 0;
}

bool str_u64(const char *s, uint64_t *value)
{
    bool hex = str_starts(s, "0x");

    s += hex ? 2 : 0;
    return str_number(s, strlen(s), hex ? 16 : 10, UINT64_MAX, value);
}

bool str_u32(const char *s, uint32_t *value)
{
    uint64_t v;

    if (!str_u64(s, &v) || v > UINT32_MAX)
        return false;
    *value = (uint32_t)v;
    return true;
}

void str_escape(struct sink *out, const char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (bytes[i] >= ' ' && bytes[i] <= '~')
            out->write(out, &bytes[i], 1);
        else
            fmt(out, "\\x%02x", (unsigned char)bytes[i]);
    }
}

/* The pattern is the bytes from p up to `end`. Only the last star needs backtracking: the matches
 * of earlier stars can stay. */
static bool match(const char *p, const char *end, const char *name)
{
    const char *star = NULL, *star_name = NULL;
    while (*name != '\0') {
        if (p < end && *p == '*') {
            star = ++p;
            star_name = name;
        } else if (p < end && (*p == '?' || *p == *name)) {
            p++;
            name++;
        } else if (star != NULL) {
            p = star;
            name = ++star_name;
        } else {
            return false;
        }
    }
    while (p < end && *p == '*')
        p++;

    return p == end;
}

bool glob_match(const char *pattern, const char *name)
{
    return match(pattern, pattern + strlen(pattern), name);
}

bool glob_list_match(const char *list, const char *name)
{
    for (;;) {
        const char *end = list + str_until(list, ',');
        if (match(list, end, name))
            return true;
        if (*end == '\0')
            return false;
        list = end + 1;
    }
}

bool glob_list_at(const char *list, size_t index, char *out, size_t size)
{
    const char *end = list + str_until(list, ',');

    for (; index > 0; index--) {
        if (*end == '\0')
            return false;
        list = end + 1;
        end = list + str_until(list, ',');
    }
    return str_copy(out, size, list, (size_t)(end - list));
}
