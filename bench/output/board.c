#include "bench/output/board.h"
#include "bench/api/declare.h"
#include "lib/firmware/numa.h"
#include "lib/text/fmt.h"

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

    for (unsigned i = 0; i < BOARD_FIELDS; i++)
        any = any || b->text[i][0];
#include "bench/api/fields/run_board.def"
}

void board_show_nodes(const struct numa *n, struct sink *out)
{
    if (!numa_is_divided(n))
        return;
    fmt(out, "nodes     %u by %s\r\n", n->nodes, n->from);
    for (unsigned i = 0; i < n->nodes; i++) {
        fmt(out, "          node %u: %llu MiB, %u CPU%s", i,
            (unsigned long long)(n->bytes[i] >> 20), n->cpus_of[i], n->cpus_of[i] == 1 ? "" : "s");
        for (unsigned k = 0; k < n->nodes && n->has_distances; k++)
            fmt(out, "%s%u", k ? " " : ", distances ", n->distance[i][k]);
        fmt(out, "\r\n");
    }
}

void board_record_memory(const struct board *b, const struct memory_facts *memory, struct json *j)
{
    const struct numa *numa = memory->numa;

#include "bench/api/fields/run_memory.def"
}
