/*
 * Writes the report where it was asked for. On the volume that the program was loaded from it is
 * two files: baretick\NNNN.jsonl has the records, baretick\NNNN.txt all other lines. The number
 * follows the highest one there. Nothing is ever overwritten, and a partly written file is removed.
 * On a server it is one file with the records, whose name has the machine and the time; it is read
 * back. Sources: UEFI 2.10 sections 13.5 (files) and 8.3 (GetTime).
 */
#include "boot/boot.h"
#include "lib/text/fmt.h"
#include "lib/text/sink.h"

#define FOLDER   "baretick"
#define ORDINARY (1u << 20) /* bytes: several times a default report in QEMU */
#define NUMBERS  10000
#define NAME_MAX 24 /* "baretick\NNNN.jsonl" */
/* Entries of the folder: a directory that never ends is a firmware bug. */
#define ENTRIES_MAX 100000

#define TRIES       4
#define PAUSE_US    2000000 /* before the second try; then twice as long each time */
#define WATCHDOG_S  1200    /* the firmware resets the machine if its own network code hangs */
#define WATCHDOG_ID 0x10001
#define URL_ROOM    (URL_MOST + 64)

/* Where a report is sent if upload= does not name a folder: next to the program. */
#define SERVER_FOLDER "reports/"

/* --- the volume ------------------------------------------------------------------------------- */

struct stick {
    struct boot *b;
    EFI_FILE_HANDLE root, folder;
    unsigned number;
    bool wrote[2]; /* the files, in the order of `endings` */
    char error[256];
};

/* The two files of a report. */
static const char *const endings[] = {"jsonl", "txt"};

static bool fails(struct stick *s, const char *what, EFI_STATUS status)
{
    boot_explain(s->error, sizeof s->error, what, status);
    return false;
}

static bool open_volume(struct stick *s)
{
    EFI_STATUS status = volume_open(s->b, &s->root);

    if (EFI_ERROR(status))
        return fails(s, "the volume cannot be opened", status);
    if (!s->root)
        fmt_buf(s->error, sizeof s->error,
                "the firmware names no volume that baretick was loaded from");
    return s->root != NULL;
}

static uint64_t whole_blocks(uint64_t bytes, uint64_t block)
{
    return (bytes + block - 1) / block * block;
}

/* Checked before anything is created: on a full volume firmware leaves empty files and broken
 * directories. */
static bool has_room(struct stick *s, uint64_t records, uint64_t text)
{
    EFI_GUID id = EFI_FILE_SYSTEM_INFO_ID;

    /* A label of any length follows; FAT's has 11 characters. */
    union {
        EFI_FILE_SYSTEM_INFO info;
        uint8_t room[sizeof(EFI_FILE_SYSTEM_INFO) + 256 * sizeof(CHAR16)];
    } u;
    UINTN size = sizeof u;
    EFI_STATUS status = s->root->GetInfo(s->root, &id, &size, &u);
    uint64_t block, need;

    if (EFI_ERROR(status))
        return fails(s, "the volume does not report its free space", status);
    if (u.info.ReadOnly) {
        fmt_buf(s->error, sizeof s->error, "the volume is read-only");
        return false;
    }
    block = u.info.BlockSize ? u.info.BlockSize : EFI_PAGE_SIZE;
    /* A new folder takes a block, and so does a folder that grows by two entries. */
    need = whole_blocks(records, block) + whole_blocks(text, block) + 2 * block;
    if (u.info.FreeSpace >= need)
        return true;
    fmt_buf(s->error, sizeof s->error, "the volume has %lu KiB free; the report takes %lu KiB",
            (unsigned long)(u.info.FreeSpace / 1024), (unsigned long)((need + 1023) / 1024));
    return false;
}

/* Takes only names of this source file, which fit NAME_MAX. */
static EFI_STATUS open_named(EFI_FILE_HANDLE in, EFI_FILE_HANDLE *file, const char *name,
                             UINT64 mode, UINT64 attributes)
{
    CHAR16 wide[NAME_MAX];
    size_t n = 0;

    do
        wide[n] = (CHAR16)name[n];
    while (name[n++]);
    return in->Open(in, file, wide, mode, attributes);
}

static bool is_folder(struct stick *s)
{
    union file_info u;
    EFI_STATUS status = file_info(s->folder, &u);

    if (EFI_ERROR(status))
        return fails(s, "its folder " FOLDER " cannot be examined", status);
    if (!(u.info.Attribute & EFI_FILE_DIRECTORY))
        fmt_buf(s->error, sizeof s->error, FOLDER " on it is a file; a folder is allowed");
    return u.info.Attribute & EFI_FILE_DIRECTORY;
}

static bool open_folder(struct stick *s)
{
    const UINT64 mode = EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE;
    EFI_STATUS status = open_named(s->root, &s->folder, FOLDER, mode, 0);

    if (status == EFI_NOT_FOUND)
        status = open_named(s->root, &s->folder, FOLDER, mode | EFI_FILE_MODE_CREATE,
                            EFI_FILE_DIRECTORY);
    if (EFI_ERROR(status))
        return fails(s, "its folder " FOLDER " cannot be opened", status);
    return is_folder(s);
}

/* Returns 12 for "0012.jsonl"; -1: another kind of name. */
static int report_number_of(const CHAR16 *name)
{
    int number = 0;

    for (unsigned i = 0; i < 4; i++) {
        if (name[i] < '0' || name[i] > '9')
            return -1;
        number = number * 10 + (name[i] - '0');
    }
    return name[4] == '.' ? number : -1;
}

/* Finds the number after the highest one in the folder; 0 follows 9999. */
static bool first_number(struct stick *s)
{
    union file_info u;
    int highest = -1;

    for (unsigned i = 0; i < ENTRIES_MAX; i++) {
        UINTN size = sizeof u;
        EFI_STATUS status = s->folder->Read(s->folder, &size, &u);
        if (EFI_ERROR(status))
            return fails(s, "its folder " FOLDER " cannot be read", status);
        if (size == 0)
            break;
        if (report_number_of(u.info.FileName) > highest)
            highest = report_number_of(u.info.FileName);
    }
    s->number = (unsigned)(highest + 1) % NUMBERS;
    return true;
}

static void file_name(char *name, unsigned number, unsigned which)
{
    fmt_buf(name, NAME_MAX, "%04u.%s", number, endings[which]);
}

/* Returns whether neither file exists. A file that cannot be opened counts as existing. */
static bool is_free(struct stick *s, unsigned number)
{
    for (unsigned which = 0; which < 2; which++) {
        char name[NAME_MAX];
        EFI_FILE_HANDLE file;
        file_name(name, number, which);
        EFI_STATUS status = open_named(s->folder, &file, name, EFI_FILE_MODE_READ, 0);
        if (!EFI_ERROR(status))
            file->Close(file);
        if (status != EFI_NOT_FOUND)
            return false;
    }
    return true;
}

static bool choose_number(struct stick *s)
{
    if (!first_number(s))
        return false;
    for (unsigned i = 0; i < NUMBERS; i++) {
        if (is_free(s, s->number))
            return true;
        s->number = (s->number + 1) % NUMBERS;
    }
    fmt_buf(s->error, sizeof s->error, "its folder " FOLDER " has all numbers up to %u",
            NUMBERS - 1);
    return false;
}

static bool write_file(struct stick *s, unsigned which, const struct report_lines *lines)
{
    char name[NAME_MAX];
    EFI_FILE_HANDLE file;
    UINTN size = lines->used;
    EFI_STATUS status;

    file_name(name, s->number, which);
    status = open_named(s->folder, &file, name,
                        EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE | EFI_FILE_MODE_CREATE, 0);
    if (EFI_ERROR(status))
        return fails(s, "a file cannot be created", status);
    status = file->Write(file, &size, lines->at);
    if (!EFI_ERROR(status) && size < lines->used)
        status = EFI_VOLUME_FULL;
    if (!EFI_ERROR(status))
        status = file->Flush(file);
    if (!EFI_ERROR(status)) {
        file->Close(file);
        return true;
    }
    file->Delete(file); /* also closes it */
    return fails(s, "a file cannot be written, and was removed", status);
}

/* Writes no empty file: format=jsonl has no table. */
static bool write_lines(struct stick *s, unsigned which, const struct report_lines *lines)
{
    if (lines->used == 0)
        return true;
    s->wrote[which] = write_file(s, which, lines);
    return s->wrote[which];
}

/* If the second file fails, the first one stays: it is complete. */
static bool write_report(struct stick *s)
{
    const struct report_log *log = s->b->handoff->log;

    if (!open_volume(s) || !has_room(s, log->records.used, log->text.used) || !open_folder(s) ||
        !choose_number(s))
        return false;
    return write_lines(s, 0, &log->records) && write_lines(s, 1, &log->text);
}

static void close_all(struct stick *s)
{
    if (s->folder)
        s->folder->Close(s->folder);
    if (s->root)
        s->root->Close(s->root);
}

bool boot_report_fits(struct boot *b)
{
    struct stick s = {.b = b};
    bool fits = open_volume(&s) && has_room(&s, ORDINARY / 2, ORDINARY / 2);

    close_all(&s);
    return fits;
}

/* Sets b->report and b->error. True: a file was written. */
static bool write_to_volume(struct boot *b)
{
    struct stick s = {.b = b};
    struct sink *out = &b->conout.sink;

    if (!b->handoff->log)
        fmt_buf(s.error, sizeof s.error, "the arena was too small to keep it");
    else
        (void)write_report(&s);
    for (unsigned which = 0; which < 2; which++)
        if (s.wrote[which])
            fmt(out, "baretick: wrote " FOLDER "\\%04u.%s\n", s.number, endings[which]);
    if (s.wrote[0])
        fmt_buf(b->report, sizeof b->report, FOLDER "\\%04u.%s", s.number, endings[0]);
    fmt(boot_error(b), "%s", s.error);
    if (s.error[0])
        fmt(out, "baretick: the report is not %son the stick: %s\n", s.wrote[0] ? "all " : "",
            s.error);
    close_all(&s);
    return s.wrote[0] || s.wrote[1];
}

/* --- a server --------------------------------------------------------------------------------- */

/* "52-54-00-12-34-56_20261126T072951.jsonl": the firmware's time, or without one the TSC. */
static void make_url(const struct boot *b, char *url)
{
    const struct upload_choice *upload = &b->handoff->options.upload;
    bool named = upload->kind == UPLOAD_URL;
    size_t n = fmt_buf(url, URL_ROOM, "%s%s%s_", named ? upload->url : b->network.folder,
                       named ? "" : SERVER_FOLDER, b->network.mac);
    EFI_TIME t;

    if (EFI_ERROR(b->st->RuntimeServices->GetTime(&t, NULL)))
        fmt_buf(url + n, URL_ROOM - n, "%016llx.jsonl", __builtin_ia32_rdtsc());
    else
        fmt_buf(url + n, URL_ROOM - n, "%04u%02u%02uT%02u%02u%02u.jsonl", t.Year, t.Month, t.Day,
                t.Hour, t.Minute, t.Second);
}

/* Reads the file back. True: it has these bytes. */
static bool is_on_server(struct boot *b, const struct network_file *file,
                         const struct report_lines *lines, struct network_failure *f)
{
    uint8_t *back = boot_alloc(b, lines->used);
    size_t size;
    bool same;

    if (!back) {
        *f = (struct network_failure){.what = "no memory to read it back"};
        return false;
    }
    same = network_get(b, file, back, lines->used, &size, f);
    if (same && (size != lines->used || __builtin_memcmp(back, lines->at, size) != 0)) {
        f->what = "what was read back differs";
        same = false;
    }
    boot_free(b, back);
    return same;
}

static bool send_with_retries(struct boot *b, const struct network_file *file)
{
    const struct report_lines *lines = &b->handoff->log->records;
    struct network_failure f = {0};
    uint32_t pause = PAUSE_US;

    for (unsigned i = 0; i < TRIES; i++) {
        if (i > 0) {
            b->bs->Stall(pause);
            pause *= 2;
        }
        if (network_put(b, file, lines->at, lines->used, &f) && is_on_server(b, file, lines, &f))
            return true;
        fmt(&b->conout.sink, "baretick: %s: try %u of %u failed: ", file->url, i + 1, TRIES);
        network_explain(&b->conout.sink, &f);
        fmt(&b->conout.sink, "\n");
    }
    network_explain(boot_error(b), &f);
    return false;
}

/* Sets b->error. True: the server has the file. */
static bool send_to_server(struct boot *b)
{
    char url[URL_ROOM];
    struct network_file file = {url, b->handoff->options.upload.login};
    struct sink *out = &b->conout.sink;
    bool sent = false;

    make_url(b, url);
    if (!b->handoff->log)
        fmt(boot_error(b), "the arena was too small to keep it");
    else {
        b->bs->SetWatchdogTimer(WATCHDOG_S, WATCHDOG_ID, 0, NULL);
        sent = send_with_retries(b, &file);
        b->bs->SetWatchdogTimer(0, 0, 0, NULL);
    }
    if (sent)
        fmt(out, "baretick: sent %s\n", url);
    else
        fmt(out, "baretick: the report was not sent: %s\n", b->error);
    return sent;
}

bool boot_report(struct boot *b)
{
    const struct upload_choice *upload = &b->handoff->options.upload;
    bool sends =
        upload->kind == UPLOAD_URL || (upload->kind == UPLOAD_AUTO && b->network.folder[0]);

    return sends ? send_to_server(b) : write_to_volume(b);
}
