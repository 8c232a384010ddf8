/*
 * Shell-like patterns (`*` any run, `?` any one character) and comma lists of them. Without
 * recursion, in at most length(pattern) * length(name) steps.
 */
#ifndef LIB_TEXT_GLOB_H
#define LIB_TEXT_GLOB_H

#include <stdbool.h>
#include <stddef.h>

bool glob_match(const char *pattern, const char *name);
/* Returns whether any pattern of the comma list matches. */
bool glob_list_match(const char *list, const char *name);
/* Copies the index-th (from 0) pattern of the list into out; false if the list is shorter or the
 * pattern does not fit. */
bool glob_list_at(const char *list, size_t index, char *out, size_t size);

#endif
