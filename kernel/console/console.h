/* One sink for all consoles of the machine. */
#ifndef KERNEL_CONSOLE_CONSOLE_H
#define KERNEL_CONSOLE_CONSOLE_H

#include "lib/text/sink.h"

#define CONSOLES 4

struct console {
    struct sink sink; /* writes everything to each of `to` */
    unsigned n;
    struct sink *to[CONSOLES];
};

void console_init(struct console *c);
void console_add(struct console *c, struct sink *to);

#endif
