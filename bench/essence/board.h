/* The board, its firmware and its memory, as SMBIOS has them; alike on every platform. */
#ifndef BENCH_ESSENCE_BOARD_H
#define BENCH_ESSENCE_BOARD_H

#include "lib/firmware/smbios_memory.h"
#include "lib/firmware/smbios_processor.h"
#include "lib/text/json.h"
#include "lib/text/sink.h"

enum board_field {
    BOARD_BIOS_VENDOR,
    BOARD_BIOS_VERSION,
    BOARD_BIOS_DATE,
    BOARD_SYSTEM_VENDOR,
    BOARD_SYSTEM_PRODUCT,
    BOARD_BOARD_VENDOR,
    BOARD_BOARD_PRODUCT,
    BOARD_FIELDS
};

#define BOARD_TEXT 65 /* of each, as much as SMBIOS advises and a line has room for */

struct board {
    char text[BOARD_FIELDS][BOARD_TEXT]; /* empty: not known */
    struct smbios_memory memory;         /* modules 0: not known */
    bool asked_processors;               /* else nothing is known of these: */
    struct smbios_processors processors;
};

/* Lines `board`, below it the board's own name and the BIOS; nothing of what is not known. */
void board_show(const struct board *b, struct sink *out);
/* "; DIMMs 2 x 16384 MiB DDR4 at 3200 MT/s", for the end of the line on memory. */
void board_show_modules(const struct board *b, struct sink *out);
/* `board`, the system's product; the object "smbios" with all that is known. */
void board_record(const struct board *b, struct json *j);
/* The array "modules": alike ones counted. */
void board_record_modules(const struct board *b, struct json *j);

#endif
