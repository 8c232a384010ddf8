/* Lets the user scroll back on the screen after the report's end. */
#ifndef KERNEL_CONSOLE_PAGER_H
#define KERNEL_CONSOLE_PAGER_H

#include "kernel/console/screen.h"

/* Writes one line about the keys, if lines have scrolled away and a keyboard answers. */
void pager_hint(struct screen *s);

/* Follows the keys until none was pressed for some minutes, then shows the end of the text again.
 * Returns at once if pager_hint() writes nothing. */
void pager_run(struct screen *s);

#endif
