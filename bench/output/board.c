#include "bench/output/board.h"
#include "lib/text/fmt.h"

static const char *const names[BOARD_FIELDS] = {
    [BOARD_BIOS_VENDOR] = "bios_vendor",       [BOARD_BIOS_VERSION] = "bios_version",
    [BOARD_BIOS_DATE] = "bios_date",           [BOARD_SYSTEM_VENDOR] = "system_vendor",
    [BOARD_SYSTEM_PRODUCT] = "system_product", [BOARD_BOARD_VENDOR] = "board_vendor",
    [BOARD_BOARD_PRODUCT] = "board_product",
};

/* Writes a line of some fields, separated by blanks; nothing if none is known. */
static void show(const struct board *b, const char *label, enum board_field from,
                 enum board_field to, struct sink *out)
{
    bool any = false;

    for (unsigned i = from; i <= to; i++) {
        if (b->text[i][0] == '\0')
            continue;
        fmt(out, "%s%s", any ? " " : label, b->text[i]);
        any = true;
    }
    if (any)
        fmt(out, "\r\n");
}

void board_show(const struct board *b, struct sink *out)
{
    show(b, "board     ", BOARD_SYSTEM_VENDOR, BOARD_SYSTEM_PRODUCT, out);
    show(b, "          mainboard ", BOARD_BOARD_VENDOR, BOARD_BOARD_PRODUCT, out);
    show(b, "          BIOS ", BOARD_BIOS_VENDOR, BOARD_BIOS_DATE, out);
}

void board_show_modules(const struct board *b, struct sink *out)
{
    for (unsigned i = 0; i < b->memory.kinds; i++) {
        const struct smbios_modules *m = &b->memory.kind[i];
        const char *type = smbios_memory_type(m->type);
        fmt(out, "%s%u x ", i ? ", " : "; DIMMs ", m->count);
        if (m->bytes)
            fmt(out, "%llu MiB", (unsigned long long)(m->bytes >> 20));
        else
            fmt(out, "unknown size");
        if (type)
            fmt(out, " %s", type);
        if (m->mega_transfers)
            fmt(out, " at %u MT/s", m->mega_transfers);
    }
}

void board_record(const struct board *b, struct json *j)
{
    bool any = false;

    if (b->text[BOARD_SYSTEM_PRODUCT][0])
        json_str(j, "board", b->text[BOARD_SYSTEM_PRODUCT]);
    for (unsigned i = 0; i < BOARD_FIELDS; i++) {
        if (b->text[i][0] == '\0')
            continue;
        if (!any)
            json_object(j, "smbios");
        any = true;
        json_str(j, names[i], b->text[i]);
    }
    if (any)
        json_close(j);
}

void board_record_modules(const struct board *b, struct json *j)
{
    if (b->memory.kinds == 0)
        return;
    json_array(j, "modules");
    for (unsigned i = 0; i < b->memory.kinds; i++) {
        const struct smbios_modules *m = &b->memory.kind[i];
        json_object(j, NULL);
        json_u64(j, "count", m->count);
        json_nonzero(j, "bytes", m->bytes);
        json_str(j, "type", smbios_memory_type(m->type));
        json_nonzero(j, "mega_transfers_per_s", m->mega_transfers);
        json_close(j);
    }
    json_close(j);
    json_u64(j, "slots", b->memory.slots);
    json_nonzero(j, "modules_left_out", b->memory.left_out);
}
