/* One sink for all the consoles that the machine has. */
#ifndef KERNEL_CONSOLE_CONSOLE_H
#define KERNEL_CONSOLE_CONSOLE_H

#include "lib/text/sink.h"

#define CONSOLES 4

struct console {
    struct sink sink; /* passes everything on to each of `to` */
    unsigned n;
    struct sink *to[CONSOLES];
};

void console_init(struct console *c);
void console_add(struct console *c, struct sink *to);

#endif
