#include "lib/text/scrollback.h"
#include "lib/text/mem.h"

static char *line_at(const struct text *t, uint32_t line)
{
    return t->cells + (size_t)(line % TEXT_LINES) * t->columns;
}

static void next_line(struct text *t)
{
    t->line++;
    memset(line_at(t, t->line), ' ', t->columns);
}

static void put(struct text *t, char c)
{
    if (t->column == t->columns) {
        next_line(t);
        t->column = 0;
    }
    line_at(t, t->line)[t->column++] = c;
}

static void tab(struct text *t)
{
    do
        put(t, ' ');
    while (t->column % 8 && t->column < t->columns);
}

static void text_write(struct sink *self, const char *bytes, size_t n)
{
    struct text *t = (struct text *)self; /* sink is its first member */

    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)bytes[i];
        if (c >= ' ' && c < 0x7f)
            put(t, (char)c);
        else if (c == '\r')
            t->column = 0;
        else if (c == '\n')
            next_line(t);
        else if (c == '\t')
            tab(t);
        else if (c >= 0xc0) /* the first byte of a character in UTF-8 (RFC 3629) */
            put(t, '?');
    }
}

void text_init(struct text *t, char *cells, uint32_t columns, uint32_t rows)
{
    *t = (struct text){.sink = {text_write}, .cells = cells, .columns = columns, .rows = rows};
    memset(cells, ' ', (size_t)TEXT_LINES * columns);
}

/* Returns the number of the last shown line, counted from the very first. */
static uint32_t last_line(const struct text *t)
{
    const char *cells = line_at(t, t->line);

    for (uint32_t i = 0; i < t->columns; i++)
        if (cells[i] != ' ')
            return t->line;
    return t->line ? t->line - 1 : 0;
}

/* Returns the oldest line that is still in the ring. */
static uint32_t oldest_line(const struct text *t)
{
    return t->line >= TEXT_LINES ? t->line - TEXT_LINES + 1 : 0;
}

uint32_t text_kept(const struct text *t)
{
    return last_line(t) - oldest_line(t) + 1;
}

/* Returns how far back the window can be moved. */
static uint32_t room_above(const struct text *t)
{
    uint32_t lines = text_kept(t);

    return lines > t->rows ? lines - t->rows : 0;
}

uint32_t text_first(const struct text *t)
{
    uint32_t room = room_above(t);

    return t->back < room ? room - t->back : 0;
}

const char *text_row(const struct text *t, uint32_t row)
{
    uint32_t line = oldest_line(t) + text_first(t) + row;

    /* The window is blank below the last line: the ring may have an old line there. */
    return line <= t->line ? line_at(t, line) : NULL;
}

void text_scroll(struct text *t, int32_t lines)
{
    uint32_t room = room_above(t);
    int64_t back = (int64_t)(t->back < room ? t->back : room) + lines;

    t->back = back < 0 ? 0 : back > room ? room : (uint32_t)back;
}
