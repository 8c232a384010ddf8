#include "hosted/platform/output.h"
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "bench/api/report.h"

static char buffer[1 << 16];
static size_t used;
static const char *lost; /* why; NULL: nothing is */

static dev_t device;
static ino_t inode;
static bool watched;

void output_watch(void)
{
    struct stat file;

    watched = fstat(STDOUT_FILENO, &file) == 0;
    device = file.st_dev;
    inode = file.st_ino;
}

/* A body may have put another file in its place. */
static bool replaced(void)
{
    struct stat file;

    return watched &&
           (fstat(STDOUT_FILENO, &file) != 0 || file.st_dev != device || file.st_ino != inode);
}

void output_flush(void)
{
    if (!lost && used > 0 && replaced())
        lost = "a body replaced or closed it";
    for (size_t at = 0; at < used && !lost;) {
        ssize_t n = write(STDOUT_FILENO, buffer + at, used - at);
        if (n > 0)
            at += (size_t)n;
        else if (n == 0 || errno != EINTR)
            lost = n == 0 ? "nothing is written" : strerror(errno);
    }
    used = 0;
}

static void take(struct sink *self, const char *bytes, size_t n)
{
    (void)self;
    while (n > 0) {
        size_t part = n < sizeof buffer - used ? n : sizeof buffer - used;
        memcpy(buffer + used, bytes, part);
        used += part;
        bytes += part;
        n -= part;
        if (used == sizeof buffer)
            output_flush();
    }
}

struct sink *output(void)
{
    static struct sink sink = {take};

    return &sink;
}

bool output_terminal(void)
{
    return isatty(STDOUT_FILENO);
}

/* Of the terminal; REPORT_COLUMNS where it does not say. */
static unsigned columns(void)
{
    struct winsize size;

    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return REPORT_COLUMNS;
    return size.ws_col;
}

static void drop(struct sink *self, const char *bytes, size_t n)
{
    (void)self, (void)bytes, (void)n;
}

void output_report(struct report *r, enum format format)
{
    static struct sink nothing = {drop};
    bool terminal = output_terminal();

    if (format == FORMAT_AUTO)
        format = terminal ? FORMAT_TABLE : FORMAT_JSONL;
    report_init(r, output(), format);
    if (format == FORMAT_TABLE)
        r->records = &nothing;
    if (terminal)
        r->columns = columns();
    else
        r->live = &nothing; /* progress is for a person */
}

const char *output_lost(void)
{
    return lost;
}
