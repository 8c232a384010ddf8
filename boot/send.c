/*
 * Sends the report's records to a server, as a file whose name has the machine and the time, and
 * reads it back. Source of GetTime: UEFI 2.10 section 8.3.
 */
#include "boot/boot.h"
#include "lib/text/fmt.h"
#include "lib/text/report_log.h"

#define TRIES       4
#define PAUSE_US    2000000 /* before the second try; then twice as long each time */
#define WATCHDOG_S  1200    /* the firmware resets the machine if its own network code hangs */
#define WATCHDOG_ID 0x10001
#define URL_ROOM    (URL_MOST + 64)

/* Where a report is sent if upload= does not name a folder: next to the program. */
#define FOLDER "reports/"

/* "52-54-00-12-34-56_20261126T072951.jsonl": the firmware's time, or without one the TSC. */
static void make_url(const struct boot *b, char *url)
{
    const struct upload_choice *upload = &b->handoff->options.upload;
    bool named = upload->kind == UPLOAD_URL;
    size_t n = fmt_buf(url, URL_ROOM, "%s%s%s_", named ? upload->url : b->network.folder,
                       named ? "" : FOLDER, b->network.mac);
    EFI_TIME t;

    if (EFI_ERROR(b->st->RuntimeServices->GetTime(&t, NULL)))
        fmt_buf(url + n, URL_ROOM - n, "%016llx.jsonl", __builtin_ia32_rdtsc());
    else
        fmt_buf(url + n, URL_ROOM - n, "%04u%02u%02uT%02u%02u%02u.jsonl", t.Year, t.Month, t.Day,
                t.Hour, t.Minute, t.Second);
}

/* Reads the file back. True: it has these bytes. */
static bool is_there(struct boot *b, const struct network_file *file,
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

static bool try_all(struct boot *b, const struct network_file *file)
{
    const struct report_lines *lines = &b->handoff->log->records;
    struct network_failure f;
    uint32_t pause = PAUSE_US;

    for (unsigned i = 0; i < TRIES; i++) {
        if (i > 0) {
            b->bs->Stall(pause);
            pause *= 2;
        }
        if (network_put(b, file, lines->at, lines->used, &f) && is_there(b, file, lines, &f))
            return true;
        fmt(&b->conout.sink, "baretick: %s: try %u of %u failed: ", file->url, i + 1, TRIES);
        network_explain(&b->conout.sink, &f);
        fmt(&b->conout.sink, "\n");
    }
    network_explain(boot_error(b), &f);
    return false;
}

bool boot_sends(const struct boot *b)
{
    const struct upload_choice *upload = &b->handoff->options.upload;

    return upload->kind == UPLOAD_URL || (upload->kind == UPLOAD_AUTO && b->network.folder[0]);
}

bool boot_send(struct boot *b)
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
        sent = try_all(b, &file);
        b->bs->SetWatchdogTimer(0, 0, 0, NULL);
    }
    if (sent)
        fmt(out, "baretick: sent %s\n", url);
    else
        fmt(out, "baretick: the report was not sent: %s\n", b->error);
    return sent;
}
