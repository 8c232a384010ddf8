#include "hosted/platform/process.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

static char buffer[1 << 16];
static size_t used;
static const char *lost; /* the reason; NULL: nothing was lost */

/* The state of standard output at the last check. Other programs may write to the same file: it may
 * grow, and a shared position may advance. */
static struct {
    bool known, regular;
    struct stat file;
    off_t next; /* regular: where the next byte goes */
} watched;

static off_t next_byte(const struct stat *file)
{
    int flags = fcntl(STDOUT_FILENO, F_GETFL);

    if (flags != -1 && flags & O_APPEND)
        return file->st_size;
    return lseek(STDOUT_FILENO, 0, SEEK_CUR);
}

void output_watch(void)
{
    watched.known = fstat(STDOUT_FILENO, &watched.file) == 0;
    watched.regular = watched.known && S_ISREG(watched.file.st_mode);
    watched.next = watched.regular ? next_byte(&watched.file) : 0;
}

/* Returns what a body did to standard output that loses bytes of the report; NULL: nothing. */
static const char *harm(void)
{
    struct stat file;
    off_t next;

    if (!watched.known)
        return NULL;
    if (fstat(STDOUT_FILENO, &file) != 0 || file.st_dev != watched.file.st_dev ||
        file.st_ino != watched.file.st_ino)
        return "a body replaced or closed it";
    if (!watched.regular)
        return NULL;
    if (file.st_size < watched.file.st_size)
        return "a body or another program truncated it";
    next = next_byte(&file);
    if (next < watched.next || (next > watched.next && next > file.st_size))
        return "a body or another program moved its file position";
    return NULL;
}

void output_flush(void)
{
    if (used == 0)
        return; /* changes since the last byte are found when there is a next one */
    if (!lost)
        lost = harm();
    for (size_t at = 0; at < used && !lost;) {
        ssize_t n = write(STDOUT_FILENO, buffer + at, used - at);
        if (n > 0)
            at += (size_t)n;
        else if (n == 0 || errno != EINTR)
            lost = n == 0 ? "nothing is written" : strerror(errno);
    }
    if (watched.known && !lost)
        output_watch();
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

/* Returns the terminal's width; REPORT_COLUMNS if it reports none. */
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

/* Writes to standard error. A progress line that cannot be written does not matter. */
static void show(struct sink *self, const char *bytes, size_t n)
{
    (void)self;
    while (n > 0) {
        ssize_t written = write(STDERR_FILENO, bytes, n);
        if (written <= 0)
            return;
        bytes += written;
        n -= (size_t)written;
    }
}

void output_report(struct report *r, enum format format)
{
    static struct sink nothing = {drop}, error = {show};
    bool terminal = isatty(STDOUT_FILENO);

    if (format == FORMAT_AUTO)
        format = terminal ? FORMAT_TABLE : FORMAT_JSONL;
    report_init(r, output(), format);
    if (format == FORMAT_TABLE)
        r->records = &nothing;
    if (terminal)
        r->columns = columns();
    if (terminal && report_table(r))
        r->live = r->out;
    else if (!terminal && isatty(STDERR_FILENO))
        r->live = &error;
}

const char *output_lost(void)
{
    return lost;
}
