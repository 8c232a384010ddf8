/* A fixture's bytes in a heap block of exactly their size. Paths are relative to the repository's
 * root. */
#ifndef TESTS_READ_FILE_H
#define TESTS_READ_FILE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static inline uint8_t *read_file(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");

    if (f == NULL || fseek(f, 0, SEEK_END) != 0) {
        perror(path);
        exit(1);
    }
    *n = (size_t)ftell(f);
    rewind(f);
    uint8_t *bytes = malloc(*n > 0 ? *n : 1);
    if (bytes == NULL || fread(bytes, 1, *n, f) != *n) {
        perror(path);
        exit(1);
    }
    fclose(f);
    return bytes;
}

#endif
