#include "kernel/console/keyboard.h"
#include "kernel/console/display.h"
#include "kernel/cpu/instructions.h"
#include "lib/cpu/tsc_rate.h"
#include "lib/text/fmt.h"
#include "lib/text/mem.h"

/* At least ten minutes; the limit exists since polling keeps a core from sleeping. */
#define PATIENCE_TICKS (600 * TSC_HZ_MAX)
/* The same in iterations of one microsecond (a port read), if the TSC does not advance. */
#define PATIENCE_ROUNDS (600ull * 1000000)

#define ALL_LINES ((int32_t)TEXT_LINES)

static bool useful(const struct screen *s)
{
    return s->on && s->mapped && text_first(&s->text) > 0;
}

void pager_hint(struct screen *s)
{
    if (useful(s) && keyboard_open())
        fmt(&s->text.sink, "(%u lines above: PgUp, PgDn, Home, End show them)\r\n",
            text_first(&s->text) + 2);
}

/* Returns the number of lines by which a key moves the view back. */
static int32_t step_of(enum key key, int32_t page)
{
    switch (key) {
    case KEY_UP:
        return 1;
    case KEY_DOWN:
        return -1;
    case KEY_PAGE_UP:
        return page;
    case KEY_PAGE_DOWN:
        return -page;
    case KEY_HOME:
        return ALL_LINES;
    case KEY_END:
        return -ALL_LINES;
    case KEY_NONE:
    case KEY_STOP:
    case KEY_OTHER:
        break;
    }
    return 0;
}

/* Shows the view's position in the text on the last row; no position at the end of the text. */
static void show(struct screen *s)
{
    static char status[SCREEN_COLUMNS_MAX + 1];
    uint32_t first = text_first(&s->text), kept = text_kept(&s->text), rows = s->layout.rows;
    size_t used;

    used = fmt_buf(status, s->layout.columns + 1, "-- lines %u to %u of %u --", first + 1,
                   first + rows - 1, kept);
    memset(status + used, ' ', s->layout.columns - used);
    s->status = first + rows < kept ? status : NULL;
    screen_paint(s);
}

void pager_run(struct screen *s)
{
    uint64_t since = rdtsc();

    if (!useful(s) || !keyboard_open())
        return;
    for (uint64_t i = 0; i < PATIENCE_ROUNDS && rdtsc() - since < PATIENCE_TICKS; i++) {
        enum key key = keyboard_key();
        if (key == KEY_NONE) {
            pause();
            continue;
        }
        text_scroll(&s->text, step_of(key, (int32_t)s->layout.rows - 2));
        show(s);
        since = rdtsc();
        i = 0;
    }
    text_scroll(&s->text, -ALL_LINES);
    show(s);
}
