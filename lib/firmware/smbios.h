/*
 * SMBIOS structures: the firmware's description of the machine. Source: DSP0134 3.7, section 5.2
 * (entry points), 6.1 (structures and their strings), 7.5 (processors), 7.18 (memory), 7.39
 * (BMC).
 */
#ifndef LIB_FIRMWARE_SMBIOS_H
#define LIB_FIRMWARE_SMBIOS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lib/firmware/acpi.h"

/* A string's place: the structure's type and the offset of the byte with the string's number. */
struct smbios_field {
    uint8_t type, offset;
};
#define SMBIOS_BIOS_VENDOR          ((struct smbios_field){0, 0x04})
#define SMBIOS_BIOS_VERSION         ((struct smbios_field){0, 0x05})
#define SMBIOS_BIOS_DATE            ((struct smbios_field){0, 0x08})
#define SMBIOS_SYSTEM_MANUFACTURER  ((struct smbios_field){1, 0x04})
#define SMBIOS_SYSTEM_PRODUCT       ((struct smbios_field){1, 0x05})
#define SMBIOS_BOARD_MANUFACTURER   ((struct smbios_field){2, 0x04})
#define SMBIOS_BOARD_PRODUCT        ((struct smbios_field){2, 0x05})
#define SMBIOS_CHASSIS_MANUFACTURER ((struct smbios_field){3, 0x04})

/* In the functions below, `entry` is the physical address of either entry point, 0 for none. */

/* Copies the string of the first structure of that type, printable (other bytes as '?'), without
 * trailing blanks, truncated to size. False, and out empty: no such string, or no valid table. */
bool smbios_string(const struct physmem *mem, uint64_t entry, struct smbios_field field, char *out,
                   size_t size);

/* Returns whether a maker (of BIOS, system or chassis) or the system's product contains "QEMU". */
bool smbios_says_qemu(const struct physmem *mem, uint64_t entry);

/* Processor speeds, as dmidecode shows them: structures of type 4, one per socket. */
struct smbios_processors {
    bool table;       /* there is a valid SMBIOS table */
    unsigned sockets; /* sockets of central processors */
    unsigned filled;  /* sockets with a CPU */
    bool unlike;      /* the CPUs' speeds differ; the values below are the first one's */
    /* MHz; 0: not known. */
    uint16_t external, maximum, current;
};

void smbios_processors(struct smbios_processors *s, const struct physmem *mem, uint64_t entry);

/* Memory modules: structures of type 17, one per slot. */
#define SMBIOS_MEMORY_KINDS 8

/* Identical modules. */
struct smbios_modules {
    unsigned count;
    uint64_t bytes;          /* of each module; 0: not known */
    uint32_t mega_transfers; /* per second, configured or else maximum; 0: not known */
    uint8_t type;            /* code of table 78 */
};

struct smbios_memory {
    unsigned slots; /* filled and empty; 0: not known */
    unsigned kinds; /* of modules, in the order of appearance */
    struct smbios_modules kind[SMBIOS_MEMORY_KINDS];
    unsigned left_out; /* modules of further kinds */
};

void smbios_memory(struct smbios_memory *m, const struct physmem *mem, uint64_t entry);

/* The interface to a BMC by its "keyboard controller style" (KCS): structure of type 38. */
struct smbios_kcs {
    bool io;          /* I/O ports, else memory */
    uint64_t address; /* of the data register */
    unsigned stride;  /* bytes to the register of commands and status */
};

/* False: no such structure, or of another interface. */
bool smbios_kcs(struct smbios_kcs *k, const struct physmem *mem, uint64_t entry);

/* The place of the structures in memory. False: no valid table. `size` can be larger than what they
 * take. */
bool smbios_place(const struct physmem *mem, uint64_t entry, uint64_t *address, uint32_t *size);

/*
 * Removes from a copy of the structures what identifies this one machine, or its owner: serial
 * numbers, UUIDs, asset tags, and everything else whose meaning is not known here. Structures of
 * types 0 to 4, 7, 16, 17 and 19 keep their numbers, and the strings that name makers, products and
 * versions. Other strings become '*', other structures zeros after their header. Lengths stay, so
 * all structures are where they were.
 */
void smbios_anonymise(uint8_t *bytes, uint32_t n);

/* Returns "DDR4"; NULL: other, unknown, or an unknown code. */
const char *smbios_memory_type(uint8_t type);

#endif
