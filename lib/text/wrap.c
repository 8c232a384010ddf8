#include "lib/text/wrap.h"

#include "lib/text/fmt.h"

void wrap_item(struct wrap *w, const char *format, ...)
{
    char text[64];
    struct sink_buf item;
    va_list list;

    sink_buf_init(&item, text, sizeof text);
    va_start(list, format);
    fmt_list(&item.sink, format, list);
    va_end(list);

    if (w->column == 0) {
        fmt(w->out, "%-*s", WRAP_MARGIN, w->label);
        w->column = WRAP_MARGIN;
    } else if (w->column + 2 + item.used < WRAP_COLUMN) { /* leaves room for a comma */
        fmt(w->out, ", ");
        w->column += 2;
    } else {
        fmt(w->out, ",\r\n%*s", WRAP_MARGIN, "");
        w->column = WRAP_MARGIN;
    }
    fmt(w->out, "%s", text);
    w->column += (unsigned)item.used;
}

void wrap_end(const struct wrap *w)
{
    if (w->column > 0)
        fmt(w->out, "\r\n");
}
