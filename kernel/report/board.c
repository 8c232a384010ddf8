#include "kernel/report/board.h"

void board_read(struct board *b, const struct handoff *h, const struct physmem *mem)
{
    const struct smbios_field fields[BOARD_FIELDS] = {
        [BOARD_BIOS_VENDOR] = SMBIOS_BIOS_VENDOR,
        [BOARD_BIOS_VERSION] = SMBIOS_BIOS_VERSION,
        [BOARD_BIOS_DATE] = SMBIOS_BIOS_DATE,
        [BOARD_SYSTEM_VENDOR] = SMBIOS_SYSTEM_MANUFACTURER,
        [BOARD_SYSTEM_PRODUCT] = SMBIOS_SYSTEM_PRODUCT,
        [BOARD_BOARD_VENDOR] = SMBIOS_BOARD_MANUFACTURER,
        [BOARD_BOARD_PRODUCT] = SMBIOS_BOARD_PRODUCT,
    };
    struct smbios_walk w;
    uint64_t entry = smbios_open(&w, mem, h->smbios3) ? h->smbios3 : h->smbios;

    for (unsigned i = 0; i < BOARD_FIELDS; i++)
        smbios_string(mem, entry, fields[i], b->text[i], sizeof b->text[i]);
    smbios_memory(&b->memory, mem, entry);
    smbios_processors(&b->processors, mem, entry);
    b->asked_processors = true;
}
