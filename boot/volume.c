/*
 * Files on the volume that the program was loaded from, and its user objects,
 * \baretick\objects\*.o. Their bytes stay in LoaderData. With Secure Boot on, none is loaded: a
 * signed program must not run unsigned code. Source of every call: UEFI 2.10 sections 13.4 and
 * 13.5.
 */
#include "bench/objects/objects.h"
#include "boot/boot.h"
#include "lib/text/fmt.h"

#define FOLDER "\\baretick\\objects"
/* Entries of the folder: a directory that never ends is a firmware bug. */
#define ENTRIES_MOST 100000

EFI_STATUS volume_open(const struct boot *b, EFI_FILE_HANDLE *root)
{
    static const EFI_GUID file_system = SIMPLE_FILE_SYSTEM_PROTOCOL;
    EFI_FILE_IO_INTERFACE *volume =
        b->loaded ? boot_protocol(b, b->loaded->DeviceHandle, &file_system) : NULL;

    *root = NULL;
    return volume ? volume->OpenVolume(volume, root) : EFI_SUCCESS;
}

/* Reads the next n bytes; *got is the number read. Fewer than n is an error. */
static EFI_STATUS read_bytes(EFI_FILE_HANDLE file, uint8_t *bytes, size_t n, size_t *got)
{
    for (*got = 0; *got < n;) { /* ends: every iteration adds bytes or returns */
        UINTN size = n - *got;
        EFI_STATUS status = file->Read(file, &size, bytes + *got);

        if (EFI_ERROR(status) || size == 0)
            return EFI_ERROR(status) ? status : EFI_END_OF_FILE;
        *got += size;
    }
    return EFI_SUCCESS;
}

/* Returns whether it is a file of at most this many bytes, or writes why not. */
static bool is_readable(EFI_FILE_HANDLE file, size_t most, size_t *size, struct sink *why)
{
    union file_info u;
    EFI_STATUS status = file_info(file, &u);

    if (EFI_ERROR(status)) {
        fmt(why, "cannot be examined: ");
        boot_status(why, status);
        return false;
    }
    *size = u.info.FileSize;
    if (u.info.Attribute & EFI_FILE_DIRECTORY)
        fmt(why, "is a directory; a file of at most %zu KiB is allowed", most / 1024);
    else if (u.info.FileSize > most)
        fmt(why, "has %lu bytes; at most %zu KiB are allowed", (unsigned long)u.info.FileSize,
            most / 1024);
    return !(u.info.Attribute & EFI_FILE_DIRECTORY) && u.info.FileSize <= most;
}

uint8_t *file_bytes(const struct boot *b, EFI_FILE_HANDLE file, size_t most, size_t *size,
                    struct sink *why)
{
    EFI_STATUS status;
    uint8_t *bytes;
    size_t got;

    if (!is_readable(file, most, size, why))
        return NULL;
    bytes = boot_alloc(b, *size + 1); /* some firmware refuses to allocate 0 bytes */
    if (!bytes) {
        fmt(why, "no memory for its %zu bytes", *size);
        return NULL;
    }
    status = read_bytes(file, bytes, *size, &got);
    if (!EFI_ERROR(status))
        return bytes;
    fmt(why, "cannot be read beyond byte %zu of %zu: ", got, *size);
    boot_status(why, status);
    boot_free(b, bytes);
    return NULL;
}

/* --- user objects ----------------------------------------------------------------------------- */

/* A file's name, in UCS-2 and in ASCII. */
struct name {
    CHAR16 wide[OBJECTS_NAME_MOST];
    char plain[OBJECTS_NAME_MOST];
};

struct listing {
    struct name name[OBJECTS_MOST];
    unsigned n;
};

static void refuse_object(const char *name, const char *what, EFI_STATUS status)
{
    char why[128];

    boot_explain(why, sizeof why, what, status);
    objects_refuse(name, why);
}

/* Copies the name. False: it was too long and was cut. */
static bool take_name(struct name *n, const CHAR16 *from)
{
    size_t i = 0;

    for (; i < OBJECTS_NAME_MOST - 1 && from[i]; i++) {
        n->wide[i] = from[i];
        n->plain[i] = from[i] >= ' ' && from[i] < 0x7f ? (char)from[i] : '?';
    }
    n->wide[i] = 0;
    n->plain[i] = 0;
    return from[i] == 0;
}

static bool precedes(const struct name *a, const struct name *b)
{
    size_t i = 0;

    while (a->wide[i] && a->wide[i] == b->wide[i])
        i++;
    return a->wide[i] < b->wide[i];
}

static void list_file(struct listing *l, const struct options *o, const EFI_FILE_INFO *info)
{
    struct name name;
    unsigned at;

    if (!take_name(&name, info->FileName)) {
        if (objects_want("on", name.plain) || objects_want(o->objects, name.plain))
            objects_refuse(name.plain, "its name is longer than 63 characters");
        return;
    }
    if (!objects_want(o->objects, name.plain))
        return;
    if (l->n == OBJECTS_MOST) {
        objects_refuse(name.plain, "there are more objects than the 32 that there is room for");
        return;
    }
    for (at = l->n++; at > 0 && precedes(&name, &l->name[at - 1]); at--)
        l->name[at] = l->name[at - 1];
    l->name[at] = name;
}

static void list_folder(struct listing *l, const struct options *o, EFI_FILE_HANDLE folder)
{
    union file_info u;

    for (unsigned i = 0; i < ENTRIES_MOST; i++) {
        UINTN size = sizeof u;
        EFI_STATUS status = folder->Read(folder, &size, &u);
        if (EFI_ERROR(status)) {
            refuse_object(FOLDER, "the folder cannot be read", status);
            return;
        }
        if (size == 0)
            return;
        if (!(u.info.Attribute & EFI_FILE_DIRECTORY))
            list_file(l, o, &u.info);
    }
}

static void load_object(struct boot *b, EFI_FILE_HANDLE folder, struct name *name)
{
    EFI_FILE_HANDLE file;
    EFI_STATUS status = folder->Open(folder, &file, name->wide, EFI_FILE_MODE_READ, 0);
    struct sink_buf text;
    char why[128];
    uint8_t *bytes;
    size_t size = 0;

    if (EFI_ERROR(status)) {
        refuse_object(name->plain, "cannot be opened", status);
        return;
    }
    sink_buf_init(&text, why, sizeof why);
    bytes = file_bytes(b, file, OBJECTS_FILE_MOST, &size, &text.sink);
    file->Close(file);
    if (!bytes) {
        objects_refuse(name->plain, size > OBJECTS_FILE_MOST ? objects_too_large : why);
        return;
    }
    b->object[b->objects++] = bytes;
    objects_take(name->plain, bytes, size);
}

/* Opens the folder. NULL: no such folder; most sticks have no objects. */
static EFI_FILE_HANDLE open_objects(struct boot *b)
{
    EFI_FILE_HANDLE root, folder = NULL;
    EFI_STATUS status = volume_open(b, &root);

    if (EFI_ERROR(status) || !root)
        return NULL; /* reading baretick.conf has reported an error */
    status = root->Open(root, &folder, L"" FOLDER, EFI_FILE_MODE_READ, 0);
    root->Close(root);
    if (EFI_ERROR(status) && status != EFI_NOT_FOUND)
        refuse_object(FOLDER, "cannot be opened", status);
    return EFI_ERROR(status) ? NULL : folder;
}

void boot_objects(struct boot *b)
{
    static struct listing listing; /* too large for this stack */
    EFI_FILE_HANDLE folder = open_objects(b);

    if (!folder)
        return;
    list_folder(&listing, &b->handoff->options, folder);
    if (listing.n > 0 && b->handoff->secure_boot)
        objects_leave_out("Secure Boot is on: the objects of " FOLDER
                          " are not loaded, because they are not signed");
    for (unsigned i = 0; i < listing.n && !b->handoff->secure_boot; i++)
        load_object(b, folder, &listing.name[i]);
    folder->Close(folder);
}
