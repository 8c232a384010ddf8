#include "kernel/console/console.h"

static void console_write(struct sink *self, const char *bytes, size_t n)
{
    struct console *c = (struct console *)self;

    for (unsigned i = 0; i < c->n; i++)
        c->to[i]->write(c->to[i], bytes, n);
}

void console_init(struct console *c)
{
    c->sink.write = console_write;
    c->n = 0;
}

void console_add(struct console *c, struct sink *to)
{
    if (c->n < CONSOLES)
        c->to[c->n++] = to;
}
