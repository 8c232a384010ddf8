#include "lib/text/terminal.h"
#include "lib/text/mem.h"

/* --- text ------------------------------------------------------------------------------------- */

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

/* --- keys ------------------------------------------------------------------------------------- */

enum { ESC = 0x1b };

static void enter(struct stop_keys *k, enum stop_keys_state state, uint64_t now)
{
    k->state = state;
    k->since = now;
}

/* Takes the byte after Esc, which selects the kind of sequence. */
static void after_escape(struct stop_keys *k, uint8_t byte, uint64_t now)
{
    enter(k,
          byte == '['   ? STOP_KEYS_SEQUENCE
          : byte == 'O' ? STOP_KEYS_ONE_MORE
          : byte == ESC ? STOP_KEYS_ESCAPE
                        : STOP_KEYS_PLAIN,
          now);
}

static bool has_waited(const struct stop_keys *k, uint64_t now)
{
    return now - k->since >= STOP_KEYS_PATIENCE;
}

bool stop_keys_feed(struct stop_keys *k, uint8_t byte, uint64_t now)
{
    switch (k->state) {
    case STOP_KEYS_ESCAPE: /* at any time: nothing was read since, and both bytes may have waited */
        after_escape(k, byte, now);
        return false;
    case STOP_KEYS_SEQUENCE:
        if (has_waited(k, now))
            break;
        if (byte >= 0x40 && byte <= 0x7e)
            k->state = STOP_KEYS_PLAIN;
        return false;
    case STOP_KEYS_ONE_MORE:
        if (has_waited(k, now))
            break;
        k->state = STOP_KEYS_PLAIN;
        return false;
    case STOP_KEYS_PLAIN:
        break;
    }
    enter(k, byte == ESC ? STOP_KEYS_ESCAPE : STOP_KEYS_PLAIN, now);
    return byte == 'q';
}

bool stop_keys_alone(struct stop_keys *k, uint64_t now)
{
    return k->state == STOP_KEYS_ESCAPE && has_waited(k, now);
}
