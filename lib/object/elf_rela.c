#include "lib/object/elf.h"
#include <stddef.h>

const char *elf_rela_name(uint32_t type)
{
    static const char *const names[] = {
        "NONE",
        "64",
        "PC32",
        "GOT32",
        "PLT32",
        "COPY",
        "GLOB_DAT",
        "JUMP_SLOT",
        "RELATIVE",
        "GOTPCREL",
        "32",
        "32S",
        "16",
        "PC16",
        "8",
        "PC8",
        "DTPMOD64",
        "DTPOFF64",
        "TPOFF64",
        "TLSGD",
        "TLSLD",
        "DTPOFF32",
        "GOTTPOFF",
        "TPOFF32",
        "PC64",
        "GOTOFF64",
        "GOTPC32",
        "GOT64",
        "GOTPCREL64",
        "GOTPC64",
        "GOTPLT64",
        "PLTOFF64",
        "SIZE32",
        "SIZE64",
        "GOTPC32_TLSDESC",
        "TLSDESC_CALL",
        "TLSDESC",
        "IRELATIVE",
        "RELATIVE64",
        "PC32_BND",
        "PLT32_BND",
        "GOTPCRELX",
        "REX_GOTPCRELX",
        "CODE_4_GOTPCRELX",
        "CODE_4_GOTTPOFF",
        "CODE_4_GOTPC32_TLSDESC",
        "CODE_5_GOTPCRELX",
        "CODE_5_GOTTPOFF",
        "CODE_5_GOTPC32_TLSDESC",
        "CODE_6_GOTPCRELX",
        "CODE_6_GOTTPOFF",
        "CODE_6_GOTPC32_TLSDESC",
    };

    if (type == ELF_R_GNU_VTINHERIT)
        return "GNU_VTINHERIT";
    if (type == ELF_R_GNU_VTENTRY)
        return "GNU_VTENTRY";
    return type < sizeof names / sizeof *names ? names[type] : NULL;
}

bool elf_rela_by_got(uint32_t type)
{
    switch (type) {
    case ELF_R_GOTPCREL:
    case ELF_R_GOTPCRELX:
    case ELF_R_REX_GOTPCRELX:
    case ELF_R_CODE_4_GOTPCRELX:
    case ELF_R_CODE_5_GOTPCRELX:
    case ELF_R_CODE_6_GOTPCRELX:
        return true;
    default:
        return false;
    }
}

bool elf_rela_relative(uint32_t type)
{
    return type == ELF_R_PC32 || type == ELF_R_PLT32;
}

bool elf_rela_by_thread(uint32_t type)
{
    switch (type) {
    case ELF_R_CODE_4_GOTTPOFF:
    case ELF_R_CODE_4_GOTPC32_TLSDESC:
    case ELF_R_CODE_5_GOTTPOFF:
    case ELF_R_CODE_5_GOTPC32_TLSDESC:
    case ELF_R_CODE_6_GOTTPOFF:
    case ELF_R_CODE_6_GOTPC32_TLSDESC:
        return true;
    default:
        return (type >= ELF_R_DTPMOD64 && type <= ELF_R_TPOFF32) ||
               (type >= ELF_R_GOTPC32_TLSDESC && type <= ELF_R_TLSDESC);
    }
}

unsigned elf_rela_width(uint32_t type)
{
    switch (type) {
    case ELF_R_64:
    case ELF_R_PC64:
        return 8;
    case ELF_R_PC32:
    case ELF_R_PLT32:
    case ELF_R_32:
    case ELF_R_32S:
        return 4;
    default:
        return elf_rela_by_got(type) ? 4 : 0;
    }
}
