/* The types of relocations of x86-64: names, kinds, and the width of the field. Source: System V
 * ABI, AMD64 supplement 1.0, table 4.9. */
#ifndef LIB_OBJECT_ELF_RELA_H
#define LIB_OBJECT_ELF_RELA_H

#include <stdbool.h>
#include <stdint.h>

/* Relocation types, AMD64 supplement table 4.9; those of the GNU tools from 250 on. CODE_4 and
 * similar are for instructions of APX and MOVRS, with this number of bytes before the field. */
enum elf_rela_type {
    ELF_R_NONE = 0,
    ELF_R_64 = 1,
    ELF_R_PC32 = 2,
    ELF_R_PLT32 = 4,
    ELF_R_GOTPCREL = 9,
    ELF_R_32 = 10,
    ELF_R_32S = 11,
    ELF_R_DTPMOD64 = 16, /* from here to TPOFF32: thread-local data */
    ELF_R_TPOFF32 = 23,
    ELF_R_PC64 = 24,
    ELF_R_GOTPC32_TLSDESC = 34,
    ELF_R_TLSDESC = 36,
    ELF_R_GOTPCRELX = 41,
    ELF_R_REX_GOTPCRELX = 42,
    ELF_R_CODE_4_GOTPCRELX = 43,
    ELF_R_CODE_4_GOTTPOFF = 44,
    ELF_R_CODE_4_GOTPC32_TLSDESC = 45,
    ELF_R_CODE_5_GOTPCRELX = 46,
    ELF_R_CODE_5_GOTTPOFF = 47,
    ELF_R_CODE_5_GOTPC32_TLSDESC = 48,
    ELF_R_CODE_6_GOTPCRELX = 49,
    ELF_R_CODE_6_GOTTPOFF = 50,
    ELF_R_CODE_6_GOTPC32_TLSDESC = 51,
    ELF_R_GNU_VTINHERIT = 250,
    ELF_R_GNU_VTENTRY = 251,
};

/* Returns "PC32" for R_X86_64_PC32; NULL: neither the supplement nor the GNU tools have it. */
const char *elf_rela_name(uint32_t type);
/* Returns whether it refers to a slot of the GOT, which the caller provides: GOTPCREL and its
 * relaxed forms. All have the same value. */
bool elf_rela_by_got(uint32_t type);
/* Returns whether it is the 32-bit distance to a symbol: of a call, or of data. */
bool elf_rela_relative(uint32_t type);
/* Returns whether it is for thread-local data. */
bool elf_rela_by_thread(uint32_t type);
/* Returns the bytes of the field that it fills, 0 for ELF_R_NONE and for unsupported types. */
unsigned elf_rela_width(uint32_t type);

#endif
