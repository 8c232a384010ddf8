/* Reads the user's options: baretick.conf on the boot volume, then the load options. */
#include "bench/api/registry.h"
#include "boot/boot.h"
#include "lib/text/fmt.h"

#define CONF_NAME        "baretick.conf"
#define CONF_MAX         (64u * 1024)
#define LOAD_OPTIONS_MAX (64u * 1024) /* bytes; a longer text is not a command line */
#define NAME_MAX         64
#define PATH_NODES_MAX   16 /* a path that does not end is a firmware bug */

/* Opens the file. *file NULL: no such file, or no volume. False: b->error. */
static bool open_conf(struct boot *b, EFI_FILE_HANDLE *file)
{
    EFI_FILE_HANDLE root;
    EFI_STATUS status = volume_open(b, &root);
    const char *failed = "boot volume: cannot be opened to look for " CONF_NAME ": ";

    *file = NULL;
    if (!EFI_ERROR(status) && root) {
        failed = CONF_NAME ": cannot be opened: ";
        status = root->Open(root, file, L"\\" CONF_NAME, EFI_FILE_MODE_READ, 0);
        root->Close(root);
    }
    if (status == EFI_NOT_FOUND)
        *file = NULL;
    else if (EFI_ERROR(status)) {
        struct sink *error = boot_error(b);

        fmt(error, "%s", failed);
        boot_status(error, status);
        return false;
    }
    return true;
}

/* If a source has an error, the valid options before it select the console for the message. */
static bool parse_conf(struct boot *b, const uint8_t *bytes, size_t n)
{
    struct options parsed = b->handoff->options;

    if (!options_parse_file(&parsed, bytes, n, CONF_NAME, boot_error(b)))
        return false;
    b->handoff->options = parsed;
    return true;
}

static bool conf(struct boot *b, bool *found)
{
    EFI_FILE_HANDLE file;
    struct sink *error;
    uint8_t *bytes;
    bool right;
    size_t n;

    if (!open_conf(b, &file))
        return false;
    *found = file != NULL;
    if (!file)
        return true;
    error = boot_error(b);
    fmt(error, CONF_NAME ": ");
    bytes = file_bytes(b, file, CONF_MAX, &n, error);
    file->Close(file);
    right = bytes && parse_conf(b, bytes, n);
    boot_free(b, bytes);
    return right;
}

/* Gets the name in a FILEPATH node, without the folders before it. */
static void last_component(const uint8_t *node, size_t length, char *name)
{
    size_t used = 0;

    for (size_t at = 4; at + 1 < length; at += 2) {
        uint16_t c = (uint16_t)(node[at] | node[at + 1] << 8);

        if (c == '\\' || c == '/')
            used = 0;
        else if (c != 0 && used < NAME_MAX - 1)
            name[used++] = c < 0x7f ? (char)c : '?';
    }
    name[used] = 0;
}

/* Gets the program's file name, with which load options can begin; empty: not known. */
static void own_name(const struct boot *b, char *name)
{
    const EFI_DEVICE_PATH *node = b->loaded ? b->loaded->FilePath : NULL;

    name[0] = 0;
    for (int i = 0; node && i < PATH_NODES_MAX; i++) {
        const uint8_t *bytes = (const uint8_t *)node;
        size_t length = bytes[2] | (size_t)bytes[3] << 8; /* UEFI 10.3.1 */

        if (length < 4 || node->Type == END_DEVICE_PATH_TYPE)
            return;
        if (node->Type == MEDIA_DEVICE_PATH && node->SubType == MEDIA_FILEPATH_DP)
            last_component(bytes, length, name);
        node = (const void *)(bytes + length);
    }
}

enum load_options boot_load_options(const struct boot *b, struct options *o, char *quote,
                                    size_t quote_size, struct sink *err)
{
    char name[NAME_MAX];

    if (!b->loaded || !b->loaded->LoadOptions || b->loaded->LoadOptionsSize == 0)
        return LOAD_OPTIONS_NONE;
    own_name(b, name);
    return options_parse_load(o, b->loaded->LoadOptions,
                              b->loaded->LoadOptionsSize < LOAD_OPTIONS_MAX
                                  ? b->loaded->LoadOptionsSize
                                  : LOAD_OPTIONS_MAX,
                              name, quote, quote_size, err);
}

static enum load_options load_options(struct boot *b)
{
    struct handoff *h = b->handoff;
    struct options parsed = h->options;
    enum load_options kind =
        boot_load_options(b, &parsed, h->foreign_options, sizeof h->foreign_options, boot_error(b));

    if (kind == LOAD_OPTIONS_OURS)
        h->options = parsed;
    return kind;
}

/* Checks that these options together can measure something on this CPU. False: b->error. */
static bool are_possible(struct boot *b)
{
    const struct options *o = &b->handoff->options;
    struct sink *error = boot_error(b);
    struct cpu cpu;

    options_settle(&b->handoff->options);
    if (!options_check_pairs(o, error))
        return false;
    if (o->help || o->list)
        return true;
    if (!registry_check(o, error)) {
        objects_explain(error);
        return false;
    }
    boot_cpu(&cpu);
    return cpu_check_recipe(&cpu, o->recipe, error) && boot_serial_check(b);
}

static void note_sources(struct handoff *h, bool from_file, bool from_loader)
{
    const char *from = from_file && from_loader ? CONF_NAME ", load options"
                       : from_file              ? CONF_NAME
                       : from_loader            ? "load options"
                                                : "defaults";

    fmt_buf(h->options_from, sizeof h->options_from, "%s", from);
}

bool boot_options(struct boot *b)
{
    enum load_options loaded;
    bool found = false;

    if (!conf(b, &found))
        return false;
    loaded = load_options(b);
    if (loaded == LOAD_OPTIONS_WRONG)
        return false;
    note_sources(b->handoff, found, loaded == LOAD_OPTIONS_OURS);
    objects_open();
    if (!b->handoff->options.help)
        boot_objects(b); /* before row names are checked */
    return are_possible(b);
}
