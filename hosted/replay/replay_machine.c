/* The lines of a recording that describe more than its CPUs (the word `dump`): memory with the
 * firmware's tables, the memory map and PCI functions. */
#include <stdlib.h>
#include <string.h>
#include "lib/firmware/acpi.h"
#include "lib/firmware/smbios.h"
#include "lib/text/json.h"
#include "hosted/replay/replay.h"
#include "hosted/replay/text_line.h"

#define BLOCK_MOST (16u << 20) /* bytes of a block: as the longest ACPI table */

struct dump_block {
    uint64_t address;
    size_t n;
    uint8_t *bytes;
};

/* --- the text --------------------------------------------------------------------------------- */

/* Makes room for n more zeros after the last block if they follow it, or else in a new one. NULL:
 * out of memory, or the block would be too long. */
static uint8_t *extend(struct machine_dump *m, uint64_t address, size_t n)
{
    struct dump_block *b = m->blocks > 0 ? &m->block[m->blocks - 1] : NULL;

    if (b == NULL || b->address + b->n != address) {
        struct dump_block *more = array_grow(m->block, m->blocks, sizeof *more);
        if (more == NULL)
            return NULL;
        m->block = more;
        b = &m->block[m->blocks++];
        *b = (struct dump_block){.address = address};
    }
    if (n > BLOCK_MOST - b->n)
        return NULL;
    uint8_t *bytes = realloc(b->bytes, b->n + n);
    if (bytes == NULL)
        return NULL;
    memset(bytes + b->n, 0, n);
    b->bytes = bytes;
    b->n += n;
    return bytes + b->n - n;
}

static const char TOO_LONG[] = "out of memory, or more than 16 MiB in sequence";

static const char *bytes_line(struct machine_dump *m, struct line *l)
{
    uint64_t address, v;

    if (!line_number(l, 16, UINT64_MAX, &address))
        return "the address must be hexadecimal, of 64 bits";
    struct line w = line_word(l);
    size_t n = line_length(w) / 2;
    if (n == 0 || line_length(w) % 2 != 0)
        return "the bytes must be pairs of hexadecimal digits";
    uint8_t *to = extend(m, address, n);
    if (to == NULL)
        return TOO_LONG;
    for (size_t i = 0; i < n; i++) {
        if (!str_number((const char *)w.at + 2 * i, 2, 16, 0xff, &v))
            return "the bytes must be pairs of hexadecimal digits";
        to[i] = (uint8_t)v;
    }
    return NULL;
}

static const char *zeros_line(struct machine_dump *m, struct line *l)
{
    uint64_t v[2];

    if (!line_number(l, 16, UINT64_MAX, &v[0]) || !line_number(l, 16, BLOCK_MOST, &v[1]))
        return "the address and the number of zeros, at most 1000000, must be hexadecimal";
    return v[1] == 0 || extend(m, v[0], (size_t)v[1]) != NULL ? NULL : TOO_LONG;
}

static const char *region_line(struct machine_dump *m, struct line *l)
{
    uint64_t type, v[3];

    if (!line_number(l, 10, UINT32_MAX, &type))
        return "the type of memory must be a decimal number";
    for (unsigned i = 0; i < 3; i++)
        if (!line_number(l, 16, UINT64_MAX, &v[i]))
            return "start, size and attribute must be hexadecimal, of 64 bits";
    m->regions++;
    if (type == 7) /* UEFI 2.10 section 7.2.1: EfiConventionalMemory */
        m->conventional += v[1];
    return NULL;
}

static const char *pci_line(struct machine_dump *m, struct line *l)
{
    static const uint32_t most[] = {0xffff, 0xff, 0x1f, 7, 0xffff, 0xffff, UINT32_MAX, UINT32_MAX};
    uint64_t v;

    for (unsigned i = 0; i < sizeof most / sizeof *most; i++)
        if (!line_number(l, 16, most[i], &v))
            return "segment, bus, device, function, vendor, device id, class and subsystem must be "
                   "hexadecimal";
    m->functions++;
    return NULL;
}

static const char *entry_line(uint64_t *entry, struct line *l)
{
    return line_number(l, 16, UINT64_MAX, entry) ? NULL : "the address must be hexadecimal";
}

const char *machine_line(struct machine_dump *m, struct line word, struct line l)
{
    const char *wrong = line_is(word, "bytes")     ? bytes_line(m, &l)
                        : line_is(word, "zeros")   ? zeros_line(m, &l)
                        : line_is(word, "memory")  ? region_line(m, &l)
                        : line_is(word, "pci")     ? pci_line(m, &l)
                        : line_is(word, "rsdp")    ? entry_line(&m->rsdp, &l)
                        : line_is(word, "smbios")  ? entry_line(&m->smbios, &l)
                        : line_is(word, "smbios3") ? entry_line(&m->smbios3, &l)
                                                   : "a line begins with cpuid, msr, bytes, zeros, "
                                                     "memory, pci, rsdp, smbios, smbios3 or #";

    if (wrong == NULL && line_word(&l).at != l.end)
        wrong = "more words than this line has";
    return wrong;
}

void machine_free(struct machine_dump *m)
{
    for (size_t i = 0; i < m->blocks; i++)
        free(m->block[i].bytes);
    free(m->block);
}

/* --- what lib/ decodes ------------------------------------------------------------------------ */

/* The `at` of a struct physmem: readable is what was recorded. */
static const void *recorded_at(void *ctx, uint64_t address, size_t n)
{
    const struct machine_dump *m = ctx;

    for (size_t i = 0; i < m->blocks; i++) {
        const struct dump_block *b = &m->block[i];
        if (address >= b->address && address - b->address <= b->n &&
            n <= b->n - (address - b->address))
            return b->bytes + (address - b->address);
    }
    return NULL;
}

static void acpi(struct json *j, const struct physmem *mem, uint64_t rsdp)
{
    struct acpi a;

    acpi_open(&a, mem, rsdp);
    JSON_PUT(j, JSON_IS("present", a.present), JSON_IF(a.present, "revision", a.revision),
             JSON_IF(a.present, "oem_id", (const char *)a.oem_id));
    replay_acpi_tables(j, &a);
}

static void smbios(struct json *j, const struct physmem *mem, uint64_t entry)
{
    static const struct {
        const char *name;
        struct smbios_field field;
    } fields[] = {
        {"bios_vendor", SMBIOS_BIOS_VENDOR},       {"bios_version", SMBIOS_BIOS_VERSION},
        {"bios_date", SMBIOS_BIOS_DATE},           {"system_vendor", SMBIOS_SYSTEM_MANUFACTURER},
        {"system_product", SMBIOS_SYSTEM_PRODUCT}, {"board_vendor", SMBIOS_BOARD_MANUFACTURER},
        {"board_product", SMBIOS_BOARD_PRODUCT},
    };
    struct smbios_processors p;
    struct smbios_memory memory;
    char text[96];

    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (smbios_string(mem, entry, fields[i].field, text, sizeof text))
            json_str(j, fields[i].name, text);
    smbios_processors(&p, mem, entry);
    smbios_memory(&memory, mem, entry);
    JSON_PUT(j, JSON_IS("table", p.table), JSON_IS("sockets", p.sockets),
             JSON_IS("slots", memory.slots), JSON_IS("kinds_of_modules", memory.kinds));
}

void machine_record(struct json *j, const struct machine_dump *m)
{
    const struct physmem mem = {recorded_at, (void *)m};

    if (m->rsdp != 0)
        JSON_OBJECT_OF(j, "acpi", acpi(j, &mem, m->rsdp));
    if (m->smbios3 != 0 || m->smbios != 0)
        JSON_OBJECT_OF(j, "smbios", smbios(j, &mem, m->smbios3 != 0 ? m->smbios3 : m->smbios));
    if (m->regions != 0)
        JSON_PUT_OBJECT(j, "memory", JSON_IS("regions", m->regions),
                        JSON_IS("conventional_bytes", m->conventional));
    JSON_PUT(j, JSON_NONZERO("pci_functions", m->functions));
}
