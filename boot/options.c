/* The words that the person at the machine chose: baretick.conf on the boot volume, then the load
 * options. */
#include "bench/api/registry.h"
#include "boot/boot.h"
#include "lib/text/fmt.h"

#define CONF_NAME "baretick.conf"
#define CONF_MAX  (64u * 1024)
/* Load options longer than this are nobody's command line. */
#define LOAD_OPTIONS_MAX (64u * 1024)
#define NAME_MAX         64

/* An open file's bytes in pool memory, for the caller to free. NULL: b->error says why. */
static uint8_t *read_file(struct boot *b, EFI_FILE_HANDLE file, size_t *n)
{
    EFI_GUID info_id = EFI_FILE_INFO_ID;
    /* A name of up to 255 characters can follow (UEFI 13.5.16). */
    union {
        EFI_FILE_INFO info;
        uint8_t room[sizeof(EFI_FILE_INFO) + 256 * sizeof(CHAR16)];
    } u;
    UINTN size = sizeof u;
    EFI_STATUS status = file->GetInfo(file, &info_id, &size, &u);
    struct sink_buf error;
    uint8_t *bytes;

    sink_buf_init(&error, b->error, sizeof b->error);
    if (EFI_ERROR(status)) {
        fmt(&error.sink, CONF_NAME ": cannot be examined: ");
        boot_status(&error.sink, status);
        return NULL;
    }
    if (u.info.Attribute & EFI_FILE_DIRECTORY) {
        fmt(&error.sink, CONF_NAME ": is a directory; a text file of at most %u KiB is allowed",
            CONF_MAX / 1024);
        return NULL;
    }
    if (u.info.FileSize > CONF_MAX) {
        fmt(&error.sink, CONF_NAME ": has %lu bytes; at most %u KiB are allowed",
            (unsigned long)u.info.FileSize, CONF_MAX / 1024);
        return NULL;
    }
    bytes = boot_alloc(b, u.info.FileSize + 1); /* a pool of no bytes is an error to some */
    if (!bytes) {
        fmt(&error.sink, CONF_NAME ": no memory for its %lu bytes", (unsigned long)u.info.FileSize);
        return NULL;
    }
    *n = 0;
    while (*n < u.info.FileSize) { /* ends: every turn adds bytes or leaves */
        size = u.info.FileSize - *n;
        status = file->Read(file, &size, bytes + *n);
        if (EFI_ERROR(status) || size == 0) {
            fmt(&error.sink, CONF_NAME ": cannot be read beyond byte %zu of %lu: ", *n,
                (unsigned long)u.info.FileSize);
            boot_status(&error.sink, EFI_ERROR(status) ? status : EFI_END_OF_FILE);
            boot_free(b, bytes);
            return NULL;
        }
        *n += size;
    }
    return bytes;
}

/* The file on the volume that we were started from. *absent: there is none, and that is no error.
 */
static EFI_FILE_HANDLE open_conf(struct boot *b, bool *absent)
{
    static const EFI_GUID file_system = SIMPLE_FILE_SYSTEM_PROTOCOL;
    EFI_FILE_IO_INTERFACE *volume =
        b->loaded ? boot_protocol(b, b->loaded->DeviceHandle, &file_system) : NULL;
    EFI_FILE_HANDLE root, file = NULL;
    struct sink_buf error;
    EFI_STATUS status;

    *absent = true;
    if (!volume)
        return NULL;
    sink_buf_init(&error, b->error, sizeof b->error);
    status = volume->OpenVolume(volume, &root);
    if (EFI_ERROR(status)) {
        fmt(&error.sink, "boot volume: cannot be opened to look for " CONF_NAME ": ");
    } else {
        status = root->Open(root, &file, L"\\" CONF_NAME, EFI_FILE_MODE_READ, 0);
        root->Close(root);
        if (status == EFI_NOT_FOUND)
            return NULL;
        if (EFI_ERROR(status))
            fmt(&error.sink, CONF_NAME ": cannot be opened: ");
    }
    if (!EFI_ERROR(status))
        return file;
    boot_status(&error.sink, status);
    *absent = false;
    return NULL;
}

/* A source may be wrong; then what was right before it still says where to report that. */
static bool parse_conf(struct boot *b, const uint8_t *bytes, size_t n)
{
    struct options parsed = b->handoff->options;
    struct sink_buf error;

    sink_buf_init(&error, b->error, sizeof b->error);
    if (!options_parse_file(&parsed, bytes, n, CONF_NAME, &error.sink))
        return false;
    b->handoff->options = parsed;
    return true;
}

static bool conf(struct boot *b, bool *found)
{
    bool absent, right;
    EFI_FILE_HANDLE file = open_conf(b, &absent);
    uint8_t *bytes;
    size_t n;

    *found = file != NULL;
    if (!file)
        return absent;
    bytes = read_file(b, file, &n);
    file->Close(file);
    if (!bytes)
        return false;
    right = parse_conf(b, bytes, n);
    boot_free(b, bytes);
    return right;
}

/* The last component of our own file's path, for load options that begin with it; empty: not known.
 */
static void own_name(const struct boot *b, char *name)
{
    const EFI_DEVICE_PATH *node = b->loaded ? b->loaded->FilePath : NULL;
    size_t length, used = 0;

    name[0] = 0;
    /* At most 16 nodes: a path that does not end is the firmware's mistake. */
    for (int i = 0; node && i < 16; i++) {
        const uint8_t *bytes = (const uint8_t *)node;

        length = bytes[2] | (size_t)bytes[3] << 8; /* UEFI 10.3.1 */
        if (length < 4 || node->Type == END_DEVICE_PATH_TYPE)
            return;
        if (node->Type == MEDIA_DEVICE_PATH && node->SubType == MEDIA_FILEPATH_DP) {
            used = 0;
            for (size_t at = 4; at + 1 < length; at += 2) {
                uint16_t c = (uint16_t)(bytes[at] | bytes[at + 1] << 8);

                if (c == '\\' || c == '/')
                    used = 0;
                else if (c != 0 && used < NAME_MAX - 1)
                    name[used++] = c < 0x7f ? (char)c : '?';
            }
            name[used] = 0;
        }
        node = (const void *)(bytes + length);
    }
}

static enum load_options load_options(struct boot *b)
{
    struct handoff *h = b->handoff;
    struct options parsed = h->options;
    enum load_options kind;
    struct sink_buf error;
    char name[NAME_MAX];

    if (!b->loaded || !b->loaded->LoadOptions || b->loaded->LoadOptionsSize == 0)
        return LOAD_OPTIONS_NONE;
    own_name(b, name);
    sink_buf_init(&error, b->error, sizeof b->error);
    kind = options_parse_load(&parsed, b->loaded->LoadOptions,
                              b->loaded->LoadOptionsSize < LOAD_OPTIONS_MAX
                                  ? b->loaded->LoadOptionsSize
                                  : LOAD_OPTIONS_MAX,
                              name, h->foreign_options, sizeof h->foreign_options, &error.sink);
    if (kind == LOAD_OPTIONS_OURS)
        h->options = parsed;
    return kind;
}

static bool pairs_are_possible(struct boot *b)
{
    struct sink_buf error;

    sink_buf_init(&error, b->error, sizeof b->error);
    return options_check_pairs(&b->handoff->options, &error.sink);
}

/* Patterns that select nothing would measure nothing, which is not what anybody asked for. */
static bool selects_something(struct boot *b)
{
    const struct options *o = &b->handoff->options;
    struct sink_buf error;

    sink_buf_init(&error, b->error, sizeof b->error);
    return o->help || o->list || registry_check(o, &error.sink);
}

/* A recipe that this CPU cannot run is refused by name, with those that it can. */
static bool recipe_is_here(struct boot *b)
{
    const struct options *o = &b->handoff->options;
    struct sink_buf error;
    struct cpu cpu;

    if (o->help || o->list || o->recipe == RECIPE_AUTO)
        return true;
    boot_cpu(&cpu);
    sink_buf_init(&error, b->error, sizeof b->error);
    return cpu_check_recipe(&cpu, o->recipe, &error.sink);
}

bool boot_options(struct boot *b)
{
    enum load_options loaded;
    bool found;

    if (!conf(b, &found))
        return false;
    loaded = load_options(b);
    if (loaded == LOAD_OPTIONS_WRONG)
        return false;
    fmt_buf(b->handoff->options_from, sizeof b->handoff->options_from, "%s%s%s",
            found ? CONF_NAME : "", found && loaded == LOAD_OPTIONS_OURS ? ", " : "",
            loaded == LOAD_OPTIONS_OURS ? "load options"
            : found                     ? ""
                                        : "defaults");
    return pairs_are_possible(b) && selects_something(b) && recipe_is_here(b);
}
