#include "lib/text/fmt.h"
#include "hosted/replay/replay.h"

void replay_error(struct json *j, const char *format, ...)
{
    char text[400];
    struct sink_buf b;
    va_list list;

    sink_buf_init(&b, text, sizeof text);
    va_start(list, format);
    fmt_list(&b.sink, format, list);
    va_end(list);
    json_str(j, "error", text);
}
