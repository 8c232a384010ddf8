#include "lib/object/elf.h"

/* By their numbers. */
static const struct elf_rela_kind kinds[] = {
    {"NONE", ELF_BY_VALUE, 0},
    {"64", ELF_BY_VALUE, 8},
    {"PC32", ELF_BY_DISTANCE, 4},
    {"GOT32", ELF_BY_VALUE, 0},
    {"PLT32", ELF_BY_DISTANCE, 4},
    {"COPY", ELF_BY_VALUE, 0},
    {"GLOB_DAT", ELF_BY_VALUE, 0},
    {"JUMP_SLOT", ELF_BY_VALUE, 0},
    {"RELATIVE", ELF_BY_VALUE, 0},
    {"GOTPCREL", ELF_BY_GOT, 4},
    {"32", ELF_BY_VALUE, 4},
    {"32S", ELF_BY_VALUE, 4},
    {"16", ELF_BY_VALUE, 0},
    {"PC16", ELF_BY_VALUE, 0},
    {"8", ELF_BY_VALUE, 0},
    {"PC8", ELF_BY_VALUE, 0},
    {"DTPMOD64", ELF_BY_THREAD, 0},
    {"DTPOFF64", ELF_BY_THREAD, 0},
    {"TPOFF64", ELF_BY_THREAD, 0},
    {"TLSGD", ELF_BY_THREAD, 0},
    {"TLSLD", ELF_BY_THREAD, 0},
    {"DTPOFF32", ELF_BY_THREAD, 0},
    {"GOTTPOFF", ELF_BY_THREAD, 0},
    {"TPOFF32", ELF_BY_THREAD, 0},
    {"PC64", ELF_BY_VALUE, 8},
    {"GOTOFF64", ELF_BY_VALUE, 0},
    {"GOTPC32", ELF_BY_VALUE, 0},
    {"GOT64", ELF_BY_VALUE, 0},
    {"GOTPCREL64", ELF_BY_VALUE, 0},
    {"GOTPC64", ELF_BY_VALUE, 0},
    {"GOTPLT64", ELF_BY_VALUE, 0},
    {"PLTOFF64", ELF_BY_VALUE, 0},
    {"SIZE32", ELF_BY_VALUE, 0},
    {"SIZE64", ELF_BY_VALUE, 0},
    {"GOTPC32_TLSDESC", ELF_BY_THREAD, 0},
    {"TLSDESC_CALL", ELF_BY_THREAD, 0},
    {"TLSDESC", ELF_BY_THREAD, 0},
    {"IRELATIVE", ELF_BY_VALUE, 0},
    {"RELATIVE64", ELF_BY_VALUE, 0},
    {"PC32_BND", ELF_BY_VALUE, 0},
    {"PLT32_BND", ELF_BY_VALUE, 0},
    {"GOTPCRELX", ELF_BY_GOT, 4},
    {"REX_GOTPCRELX", ELF_BY_GOT, 4},
    {"CODE_4_GOTPCRELX", ELF_BY_GOT, 4},
    {"CODE_4_GOTTPOFF", ELF_BY_THREAD, 0},
    {"CODE_4_GOTPC32_TLSDESC", ELF_BY_THREAD, 0},
    {"CODE_5_GOTPCRELX", ELF_BY_GOT, 4},
    {"CODE_5_GOTTPOFF", ELF_BY_THREAD, 0},
    {"CODE_5_GOTPC32_TLSDESC", ELF_BY_THREAD, 0},
    {"CODE_6_GOTPCRELX", ELF_BY_GOT, 4},
    {"CODE_6_GOTTPOFF", ELF_BY_THREAD, 0},
    {"CODE_6_GOTPC32_TLSDESC", ELF_BY_THREAD, 0},
};

struct elf_rela_kind elf_rela_kind(uint32_t type)
{
    if (type == ELF_R_GNU_VTINHERIT)
        return (struct elf_rela_kind){.name = "GNU_VTINHERIT"};
    if (type == ELF_R_GNU_VTENTRY)
        return (struct elf_rela_kind){.name = "GNU_VTENTRY"};
    return type < sizeof kinds / sizeof *kinds ? kinds[type] : (struct elf_rela_kind){0};
}
