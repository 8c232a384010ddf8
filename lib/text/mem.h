/*
 * The memory functions that compilers call implicitly, with libc's names and semantics, and strlen.
 * mem.c is only for the freestanding image; a hosted program uses its libc.
 */
#ifndef LIB_TEXT_MEM_H
#define LIB_TEXT_MEM_H

#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t n);
void *memmove(void *to, const void *from, size_t n);
void *memset(void *to, int byte, size_t n);
int memcmp(const void *a, const void *b, size_t n);
size_t strlen(const char *s);

#endif
