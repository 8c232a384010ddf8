/*
 * Finds the configuration and parses it: \baretick.conf on the volume that the program was loaded
 * from. If it was loaded from a network and there is no such volume, MAC.conf next to the program,
 * else baretick.conf there, by the same protocol.
 */
#include "boot/boot.h"
#include "lib/text/fmt.h"

#define CONF_NAME   "baretick.conf"
#define CONF_MAX    (64u * 1024)
#define WATCHDOG_S  300     /* the firmware resets the machine if its own network code hangs */
#define WATCHDOG_ID 0x10000 /* codes below are the firmware's (UEFI 7.5.1) */

/* If a source has an error, the valid options before it select the console for the message. */
static bool parse(struct boot *b, const uint8_t *bytes, size_t n, const char *name)
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
    right = bytes && parse(b, bytes, n, CONF_NAME);
    boot_free(b, bytes);
    return right;
}

/* --- on the network --------------------------------------------------------------------------- */

/* Reads and parses one file. *found: there is one. False: b->error. */
static bool from_server(struct boot *b, const char *name, uint8_t *bytes, bool *found)
{
    char url[URL_MOST + sizeof CONF_NAME + NETWORK_MAC_TEXT];
    struct network_failure failure;
    size_t n;

    fmt_buf(url, sizeof url, "%s%s", b->network.folder, name);
    *found = network_get(b, &(struct network_file){url, ""}, bytes, CONF_MAX, &n, &failure);
    if (*found)
        return parse(b, bytes, n, name);
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

bool boot_conf(struct boot *b)
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
