#include "hosted/platform/process.h"
#include <stdio.h>
#include <string.h>
#include "lib/text/bytes.h"
#include "lib/text/fmt.h"

#define ENTRY_AT 1 /* not 0 and not the table's: that is aligned to 16 bytes */

struct file {
    uint8_t bytes[1 << 16];
    size_t n;
};

struct files {
    struct file entry, table;
    uint64_t table_at;
};

static bool read_file(struct file *f, const char *folder, const char *name)
{
    char path[256];

    memset(f, 0, sizeof *f);
    fmt_buf(path, sizeof path, "%s/%s", folder, name);
    FILE *in = fopen(path, "rb");
    if (!in)
        return false;
    f->n = fread(f->bytes, 1, sizeof f->bytes, in);
    fclose(in);
    return f->n > 0;
}

static const void *at(void *ctx, uint64_t address, size_t n)
{
    const struct files *files = ctx;
    const struct file *f = address == ENTRY_AT ? &files->entry : &files->table;
    uint64_t from = address == ENTRY_AT ? ENTRY_AT : files->table_at;

    /* The entry's table size is an upper bound: zeros follow the file's bytes. */
    return address == from && n <= sizeof f->bytes ? f->bytes : NULL;
}

bool smbios_files_processors(const char *folder, struct smbios_processors *s)
{
    static struct files files;
    const struct physmem mem = {at, &files};
    const uint8_t *entry = files.entry.bytes;

    if (!read_file(&files.entry, folder, "smbios_entry_point") ||
        !read_file(&files.table, folder, "DMI") || files.entry.n < 0x18)
        return false;
    files.table_at = entry[3] == '_' ? le32(entry + 0x18) : le64(entry + 0x10);
    smbios_processors(s, &mem, ENTRY_AT);
    return s->table;
}
