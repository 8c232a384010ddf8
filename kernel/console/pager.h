/* A person at the screen looks back at what has scrolled away, after the report's end. */
#ifndef KERNEL_CONSOLE_PAGER_H
#define KERNEL_CONSOLE_PAGER_H

#include "kernel/console/screen.h"

/* One line that tells of the keys, where lines have scrolled away and a keyboard answers. */
void pager_hint(struct screen *s);

/* Follows the keys until none was pressed for some minutes; the end of the text then stands on the
 * screen again. Returns at once where pager_hint() says nothing. */
void pager_run(struct screen *s);

#endif
