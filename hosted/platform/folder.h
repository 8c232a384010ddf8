/* objects= of the Linux program: a folder with objects, or one object. */
#ifndef HOSTED_PLATFORM_FOLDER_H
#define HOSTED_PLATFORM_FOLDER_H

#include <stdbool.h>
#include "lib/text/sink.h"

/* Passes the files to bench/objects, in the order of their names; "on" and "off" name none. False:
 * there is no such folder or file; a message names it. */
bool folder_objects(const char *path, struct sink *err);

#endif
