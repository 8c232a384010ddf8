/*
 * FS and GS of this process, which a body can change and no window restores. FS points to the C
 * library's thread-local data: code before segments_put_back() must not use any. May be called in a
 * signal's handler.
 */
#ifndef HOSTED_PLATFORM_SEGMENTS_H
#define HOSTED_PLATFORM_SEGMENTS_H

#include <stdbool.h>
#include "lib/text/sink.h"

/* A row begins: the values found now are kept. A row ends: nothing is compared any more. */
void segments_keep(void);
void segments_drop(void);

/* Restores what has changed and notes it. True: something had changed. */
bool segments_put_back(void);

/* Writes what was found changed ("the FS base") to `out`, and forgets it. */
void segments_tell(struct sink *out);

#endif
