#include "hosted/replay/text_line.h"
#include <stdlib.h>
#include <string.h>
#include "lib/text/str.h"

static bool blank(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

struct line line_word(struct line *l)
{
    while (l->at < l->end && blank(*l->at))
        l->at++;
    struct line word = {l->at, l->at};
    while (word.end < l->end && !blank(*word.end))
        word.end++;
    l->at = word.end;
    return word;
}

bool line_is(struct line word, const char *text)
{
    return line_length(word) == strlen(text) && memcmp(word.at, text, strlen(text)) == 0;
}

bool line_number(struct line *l, unsigned base, uint64_t most, uint64_t *value)
{
    struct line w = line_word(l);

    return str_number((const char *)w.at, line_length(w), base, most, value);
}

void *array_grow(void *array, size_t n, size_t size)
{
    if (n >= 16 && (n & (n - 1)) != 0)
        return array;
    return realloc(array, (n < 16 ? 16 : 2 * n) * size);
}
