/*
 * Writes the section .gnu.hash that lib/object makes to stdout, as it is in memory:
 *     gnu_hash NAME...
 * for these names, which are symbols 1 and on.
 */
#include <stdio.h>
#include "lib/object/gnu_hash.h"

int main(int argc, char **argv)
{
    static uint64_t section[8192];
    static uint32_t order[GNU_HASH_SYMBOLS];
    static const char *names[GNU_HASH_SYMBOLS];
    uint32_t count = (uint32_t)argc - 1;

    if (count < 1 || count > GNU_HASH_SYMBOLS) {
        fprintf(stderr, "usage: gnu_hash NAME...\n");
        return 2;
    }
    for (uint32_t i = 0; i < count; i++)
        names[i] = argv[i + 1];
    size_t size = gnu_hash_build(section, sizeof section, 1, names, count, order).bytes;
    return fwrite(section, 1, size, stdout) == size ? 0 : 1;
}
