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
