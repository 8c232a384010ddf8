/*
 * What makes the loaded image a program. Its zeroes are not in the file, and not all loaders clear a
 * section's tail. Its relocations are packed: GNU-EFI's crt0 knows only the 24-byte entries of DT_RELA; a
 * table of rows and options is mostly pointers, and they would be a sixth of the file.
 */
#include "boot/boot.h"
#include "kernel/cpu.h"
#include "lib/mem.h"

/* linker.ld; the image is linked to begin at 0. Hidden, or clang reads them from the GOT, which is
 * not relocated yet. */
extern const uint64_t __start_relr[] HIDDEN, __stop_relr[] HIDDEN;
extern uint8_t ImageBase[] HIDDEN, _bss[] HIDDEN, _ebss[] HIDDEN;

#define WORDS_A_BITMAP 63

/* ELF gABI, "Relative Relocation Table": an even entry is the address of a word to relocate, an odd
 * one a bitmap of the 63 words behind the last. */
void boot_relocate(void)
{
    const uint64_t base = (uint64_t)(uintptr_t)ImageBase;
    const size_t entries =
        ((uintptr_t)__stop_relr - (uintptr_t)__start_relr) / sizeof *__start_relr;
    uint64_t *at = NULL;

    memset(_bss, 0, (uintptr_t)_ebss - (uintptr_t)_bss);
    for (size_t n = 0; n < entries; n++) {
        uint64_t entry = __start_relr[n];
        if (!(entry & 1)) {
            at = (uint64_t *)(void *)(ImageBase + entry);
            *at++ += base;
            continue;
        }
        for (unsigned i = 0; i < WORDS_A_BITMAP; i++)
            if (entry >> (i + 1) & 1)
                at[i] += base;
        at += WORDS_A_BITMAP;
    }
}
