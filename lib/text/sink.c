#include "lib/text/sink.h"

#include "lib/text/mem.h"

static void buf_write(struct sink *self, const char *bytes, size_t n)
{
    struct sink_buf *b = (struct sink_buf *)self; /* sink is its first member */
    size_t room = b->size - 1 - b->used;

    if (n > room) {
        n = room;
        b->cut = true;
    }
    memcpy(b->at + b->used, bytes, n);
    b->used += n;
    b->at[b->used] = '\0';
}

void sink_buf_init(struct sink_buf *b, char *at, size_t size)
{
    *b = (struct sink_buf){.sink = {buf_write}, .at = at, .size = size};
    at[0] = '\0';
}

static void keep(struct report_log *l, char byte)
{
    struct report_lines *to = l->line;
    size_t room = l->ends ? to->size : to->size - REPORT_LOG_END;

    if (l->skips)
        return;
    if (to->used < room && (!to->full || l->ends)) {
        to->at[to->used++] = byte;
        return;
    }
    to->used = to->begun;
    to->full = true;
    to->lost++;
    l->skips = true;
}

static void put(struct report_log *l, char byte)
{
    if (!l->line) {
        l->line = byte == '{' ? &l->records : &l->text;
        l->line->begun = l->line->used;
        l->skips = false;
    }
    keep(l, byte);
    if (byte == '\n')
        l->line = NULL;
}

static void log_write(struct sink *self, const char *bytes, size_t n)
{
    struct report_log *l = (struct report_log *)self; /* sink is its first member */

    for (size_t i = 0; i < n; i++)
        put(l, bytes[i]);
}

void report_log_init(struct report_log *l, char *records, size_t records_size, char *text,
                     size_t text_size)
{
    *l = (struct report_log){
        .sink = {log_write},
        .records = {.at = records, .size = records_size},
        .text = {.at = text, .size = text_size},
    };
}
