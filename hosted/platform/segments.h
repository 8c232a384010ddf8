/*
 * FS and GS of this process, which a body can change and no window puts back. FS leads to the C
 * library's thread-local data: what runs before segments_put_back() must not need any. Callable in
 * a signal's handler.
 */
#ifndef HOSTED_PLATFORM_SEGMENTS_H
#define HOSTED_PLATFORM_SEGMENTS_H

#include <stdbool.h>
#include "lib/text/sink.h"

/* A row begins: what is found now is to stay. And it is over: nothing is compared. */
void segments_keep(void);
void segments_drop(void);

/* Puts back what has changed, and notes it. True: something had. */
bool segments_put_back(void);

/* What was found changed ("the FS base"), into `out`, and forgets it. */
void segments_tell(struct sink *out);

#endif
