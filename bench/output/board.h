/* Reports the board, its firmware and its memory from SMBIOS; the same on every platform. */
#ifndef BENCH_OUTPUT_BOARD_H
#define BENCH_OUTPUT_BOARD_H

#include "lib/firmware/smbios.h"
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

#define BOARD_TEXT 65 /* bytes of each: the length that SMBIOS advises and that fits a line */

struct board {
    char text[BOARD_FIELDS][BOARD_TEXT]; /* empty: not known */
    struct smbios_memory memory;         /* modules 0: not known */
    bool asked_processors;               /* false: `processors` is not known */
    struct smbios_processors processors;
};

/* Writes the line `board`, below it the mainboard's name and the BIOS; omits unknown fields. */
void board_show(const struct board *b, struct sink *out);
/* Writes "; DIMMs 2 x 16384 MiB DDR4 at 3200 MT/s", for the end of the line on memory. */
void board_show_modules(const struct board *b, struct sink *out);
/* Writes `board`, the system's product, and the object "smbios" with all known fields. */
void board_record(const struct board *b, struct json *j);

struct numa;

struct memory_facts {
    const struct numa *numa; /* NULL: the nodes are not known */
    const char *nodes_error; /* what is wrong in the tables about them; NULL: nothing */
    uint64_t bytes;          /* 0: not known */
    unsigned page_levels;    /* of the page tables; 0: the operating system's, as is the rest */
    bool page_1g;            /* pages of 1 GiB are used */
    unsigned arena_mtrr_type;
};

/* Writes the object "memory", with the modules in it, equal ones counted. */
void board_record_memory(const struct board *b, const struct memory_facts *memory, struct json *j);

/* Writes the line "nodes", and one for each of them; nothing if there are fewer than two. */
void board_show_nodes(const struct numa *n, struct sink *out);

#endif
