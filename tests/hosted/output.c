#include "tests/hosted/output.h"
#include <errno.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "bench/api/report.h"
#include "lib/text/mem.h"

static char buffer[1 << 16];
static size_t used;
static bool lost;

void output_flush(void)
{
    for (size_t at = 0; at < used && !lost;) {
        ssize_t n = write(STDOUT_FILENO, buffer + at, used - at);
        if (n > 0)
            at += (size_t)n;
        else if (n == 0 || errno != EINTR)
            lost = true;
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

unsigned output_columns(void)
{
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return REPORT_COLUMNS;
    return size.ws_col;
}

bool output_lost(void)
{
    return lost;
}
