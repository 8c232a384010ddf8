#include "lib/text/glob.h"

#include "lib/text/mem.h"
#include "lib/text/str.h"

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
