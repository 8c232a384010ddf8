#include "bench/output/lines.h"
#include "lib/text/fmt.h"
#include "lib/text/json.h"
#include "lib/text/mem.h"

/* Returns the length of the longest part that ends before a blank and leaves room for "...". */
static size_t cut(const char *text, size_t room)
{
    size_t fits = 0;

    for (size_t n = 0; n + 4 <= room; n++)
        if (text[n] == ' ')
            fits = n;
    return fits;
}

static void open_record(struct json *j, const char *label, const char *parts)
{
    json_object(j, NULL);
    json_str(j, "label", label);
    json_array(j, parts);
}

static void close_record(struct json *j)
{
    json_close(j);
    json_close(j);
}

/* Advances to the next part. False: the line has no room for it. */
static bool separate(struct lines_line *l, size_t n)
{
    struct sink *out = l->to->table;

    if (!l->open) {
        fmt(out, "%-*s", LINES_LABEL, l->label);
        l->column = LINES_LABEL;
    } else if (l->column + 2 + n + (l->left > 0) > LINES_COLUMNS && l->left > 0) {
        fmt(out, ",\r\n%*s", LINES_LABEL, "");
        l->column = LINES_LABEL;
        l->left--;
    } else if (l->column + 2 + 3 > LINES_COLUMNS) {
        return false;
    } else {
        fmt(out, ", ");
        l->column += 2;
    }
    return true;
}

/* Writes a part. If it does not fit, it goes to the next line or is cut. */
static void put_table(struct lines_line *l, const char *text)
{
    struct sink *out = l->to->table;
    size_t n = strlen(text), room;

    l->full = l->full || !separate(l, n);
    if (l->full)
        return;
    room = LINES_COLUMNS - l->column;
    l->full = n > room;
    if (l->full) {
        n = cut(text, room);
        fmt(out, "%.*s%s...", (int)n, text, n ? " " : "");
    } else {
        fmt(out, "%s", text);
    }
    l->column += n;
}

void lines_put(struct lines_line *l, const char *text)
{
    if (l->to->table)
        put_table(l, text);
    else if (!l->open)
        open_record(l->to->record, l->label, "parts");
    if (l->to->record)
        json_str(l->to->record, NULL, text);
    l->open = true;
}

void lines_end(const struct lines_line *l)
{
    if (!l->open)
        return;
    if (l->to->table)
        fmt(l->to->table, "\r\n");
    else
        close_record(l->to->record);
}

void lines_count(struct lines_line *l, uint64_t n, const char *one, const char *many)
{
    char text[64];

    fmt_buf(text, sizeof text, "%llu %s", (unsigned long long)n, n == 1 ? one : many);
    lines_put(l, text);
}

void lines_cells(const struct lines_to *to, const char *label, int label_width,
                 const char *const *cell, unsigned n, int cell_width)
{
    if (to->record)
        open_record(to->record, label, "cells");
    else
        fmt(to->table, "%-*s", label_width, label);
    for (unsigned i = 0; i < n; i++)
        if (to->record)
            json_str(to->record, NULL, cell[i]);
        else
            fmt(to->table, "%*s", cell_width, cell[i]);
    if (to->record)
        close_record(to->record);
    else
        fmt(to->table, "\r\n");
}
