#include "bench/objects/suites.h"

/* suites_object.asm */
extern const uint8_t suites_object[], suites_object_end[];

const struct elf *suites_elf(struct sink *err)
{
    static struct elf elf;
    size_t size = (uintptr_t)suites_object_end - (uintptr_t)suites_object;

    if (elf.bytes || elf_open(&elf, "the suites' object", suites_object, size, err))
        return &elf;
    elf.bytes = NULL;
    return NULL;
}
