/*
 * Reads the user's options: a configuration, then the load options. The configuration is
 * \baretick.conf on the volume that the program was loaded from. If it was loaded from a network
 * and there is no such volume, it is MAC.conf next to the program, else baretick.conf there, by the
 * same protocol.
 */
#include "bench/api/registry.h"
#include "boot/boot.h"
#include "lib/text/fmt.h"
#include "lib/text/mem.h"

#define CONF_NAME        "baretick.conf"
#define CONF_MAX         (64u * 1024)
#define WATCHDOG_S       300     /* the firmware resets the machine if its own network code hangs */
#define WATCHDOG_ID      0x10000 /* codes below are the firmware's (UEFI 7.5.1) */
#define LOAD_OPTIONS_MAX (64u * 1024) /* bytes; a longer text is not a command line */
#define NAME_MAX         64

/* If a source has an error, the valid options before it select the console for the message. */
static bool parse_configuration(struct boot *b, const uint8_t *bytes, size_t n, const char *name)
{
    struct options parsed = b->handoff->options;

    if (!options_parse_file(&parsed, bytes, n, name, boot_error(b)))
        return false;
    b->handoff->options = parsed;
    fmt_buf(b->handoff->options_from, sizeof b->handoff->options_from, "%s", name);
    return true;
}

/* --- on the volume ---------------------------------------------------------------------------- */

/* Opens the file. *file NULL: no such file. False: b->error. */
static bool open_file(struct boot *b, EFI_FILE_HANDLE root, EFI_FILE_HANDLE *file)
{
    EFI_STATUS status = root->Open(root, file, L"\\" CONF_NAME, EFI_FILE_MODE_READ, 0);

    if (!EFI_ERROR(status))
        return true;
    *file = NULL;
    if (status == EFI_NOT_FOUND)
        return true;
    fmt(boot_error(b), CONF_NAME ": cannot be opened: ");
    boot_status(&b->error_sink.sink, status);
    return false;
}

static bool from_volume(struct boot *b, EFI_FILE_HANDLE root)
{
    EFI_FILE_HANDLE file;
    struct sink *error;
    uint8_t *bytes;
    bool right;
    size_t n;

    if (!open_file(b, root, &file))
        return false;
    if (!file)
        return true;
    error = boot_error(b);
    fmt(error, CONF_NAME ": ");
    bytes = file_bytes(b, file, CONF_MAX, &n, error);
    file->Close(file);
    right = bytes && parse_configuration(b, bytes, n, CONF_NAME);
    boot_free(b, bytes);
    return right;
}

/* --- on the network --------------------------------------------------------------------------- */

/* Reads and parses one file. *found: there is one. False: b->error. */
static bool from_server(struct boot *b, const char *name, uint8_t *bytes, bool *found)
{
    char url[URL_MOST + sizeof CONF_NAME + NETWORK_MAC_TEXT];
    struct network_failure failure = {0};
    size_t n;

    fmt_buf(url, sizeof url, "%s%s", b->network.folder, name);
    *found = network_get(b, &(struct network_file){url, ""}, bytes, CONF_MAX, &n, &failure);
    if (*found)
        return parse_configuration(b, bytes, n, name);
    if (failure.missing)
        return true;
    fmt(boot_error(b), "%s: cannot be read: ", url);
    network_explain(&b->error_sink.sink, &failure);
    return false;
}

static bool from_network(struct boot *b)
{
    uint8_t *bytes = boot_alloc(b, CONF_MAX);
    char name[NETWORK_MAC_TEXT + sizeof ".conf"];
    bool found, right;

    if (!bytes) {
        fmt(boot_error(b), CONF_NAME ": no memory for its %u KiB", CONF_MAX / 1024);
        return false;
    }
    fmt_buf(name, sizeof name, "%s.conf", b->network.mac);
    b->bs->SetWatchdogTimer(WATCHDOG_S, WATCHDOG_ID, 0, NULL);
    right = from_server(b, name, bytes, &found);
    if (right && !found)
        right = from_server(b, CONF_NAME, bytes, &found);
    b->bs->SetWatchdogTimer(0, 0, 0, NULL);
    boot_free(b, bytes);
    return right;
}

/* Reads the configuration into the options; sets options_from to its name if there is one. False:
 * b->error. */
static bool read_conf(struct boot *b)
{
    EFI_FILE_HANDLE root;
    EFI_STATUS status = volume_open(b, &root);
    bool right;

    if (EFI_ERROR(status)) {
        fmt(boot_error(b), "boot volume: cannot be opened to look for " CONF_NAME ": ");
        boot_status(&b->error_sink.sink, status);
        return false;
    }
    if (!root)
        return b->network.folder[0] ? from_network(b) : true;
    right = from_volume(b, root);
    root->Close(root);
    return right;
}

/* --- the load options ------------------------------------------------------------------------- */

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
        size_t length = boot_path_node(node);

        if (length == 0 || node->Type == END_DEVICE_PATH_TYPE)
            return;
        if (node->Type == MEDIA_DEVICE_PATH && node->SubType == MEDIA_FILEPATH_DP)
            last_component((const uint8_t *)node, length, name);
        node = (const void *)((const uint8_t *)node + length);
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

static enum load_options take_load_options(struct boot *b)
{
    struct handoff *h = b->handoff;
    struct options parsed = h->options;
    enum load_options kind =
        boot_load_options(b, &parsed, h->foreign_options, sizeof h->foreign_options, boot_error(b));

    if (kind == LOAD_OPTIONS_OURS)
        h->options = parsed;
    return kind;
}

/* --- both ------------------------------------------------------------------------------------- */

/* Checks that these options together can measure something on this CPU. False: b->error. */
static bool are_possible(struct boot *b)
{
    const struct options *o = &b->handoff->options;
    struct sink *error = boot_error(b);
    struct cpu cpu;

    registry_settle(&b->handoff->options);
    if (!options_check_pairs(o, error))
        return false;
    if (o->upload.kind == UPLOAD_URL && !b->network.from.has_address) {
        fmt(error, "upload=: the program was not loaded from a network over IPv4, so it has no "
                   "address there; allowed: auto, off");
        return false;
    }
    if (o->help || o->list || o->dump)
        return true;
    if (!registry_check(o, error)) {
        objects_explain(error);
        return false;
    }
    cpu_decode(&cpu, cpuid_here, NULL);
    return cpu_check_recipe(&cpu, o->recipe, error) && boot_serial_check(b);
}

/* Adds to the name of the configuration, if there is one. */
static void note_load_options(struct handoff *h, bool given)
{
    size_t n = strlen(h->options_from);

    if (given)
        fmt_buf(h->options_from + n, sizeof h->options_from - n, "%sload options", n ? ", " : "");
    else if (n == 0)
        fmt_buf(h->options_from, sizeof h->options_from, "defaults");
}

bool boot_options(struct boot *b)
{
    enum load_options loaded;

    if (!read_conf(b))
        return false;
    loaded = take_load_options(b);
    if (loaded == LOAD_OPTIONS_WRONG)
        return false;
    note_load_options(b->handoff, loaded == LOAD_OPTIONS_OURS);
    objects_open();
    if (!b->handoff->options.help)
        boot_objects(b); /* before row names are checked */
    return are_possible(b);
}
