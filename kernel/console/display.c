#include "kernel/console/console.h"
#include "font.h" /* made by scripts/build/font */
#include "kernel/cpu/instructions.h"
#include "lib/cpu/tsc_rate.h"
#include "lib/text/fmt.h"
#include "lib/text/mem.h"

/* Light grey on black, as consoles are. */
#define INK_LEVEL 0xd0

/* The notice is next to the glyphs, as their licence requires. */
static const struct {
    char notice[sizeof FONT_NOTICE];
    uint8_t rows[(FONT_LAST - FONT_FIRST + 1) * FONT_HEIGHT];
} terminus = {FONT_NOTICE, {FONT_ROWS}};

static const struct font font = {
    .height = FONT_HEIGHT, .first = FONT_FIRST, .last = FONT_LAST, .rows = terminus.rows};

/* --- the screen ------------------------------------------------------------------------------- */

void screen_open(struct screen *s, const struct framebuffer *f, struct arena *a)
{
    struct screen_layout *l = &s->layout;
    char *lines;

    *s = (struct screen){.to = f};
    if (!f->size) {
        s->why_not = "the firmware has no framebuffer";
        return;
    }
    if (!screen_layout(l, f->width, f->height, FONT_HEIGHT)) {
        s->why_not = "it is too small for text";
        return;
    }
    lines = arena_take(a, (uint64_t)TEXT_LINES * l->columns);
    s->cells = arena_take(a, l->columns * l->rows);
    s->pixels = arena_take(a, SCREEN_PIXELS_MOST);
    if (!lines || !s->cells || !s->pixels) {
        s->why_not = "the arena is too small";
        return;
    }
    text_init(&s->text, lines, l->columns, l->rows);
    s->on = true;
}

void screen_mapped(struct screen *s, bool mapped)
{
    s->mapped = mapped;
    if (s->on && !mapped) {
        s->on = false;
        s->why_not = "its framebuffer cannot be mapped";
    }
}

/* Copies bytes to the framebuffer, eight at a time if possible: write-combining does not need this,
 * but uncached memory makes one bus transaction per store. */
static void put_bytes(uint64_t to, const uint8_t *from, size_t n)
{
    uint64_t eight;

    for (; n >= sizeof eight; n -= sizeof eight, from += sizeof eight, to += sizeof eight) {
        memcpy(&eight, from, sizeof eight);
        *(volatile uint64_t *)to = eight;
    }
    for (; n; n--)
        *(volatile uint8_t *)to++ = *from++;
}

static uint64_t address_of(const struct screen *s, uint32_t x, uint32_t y)
{
    return s->to->address + y * framebuffer_pitch(s->to) + (uint64_t)x * s->to->pixel_bytes;
}

/* Makes the visible area black. */
static void clear_screen(struct screen *s)
{
    size_t bytes = (size_t)s->to->width * s->to->pixel_bytes;

    memset(s->pixels, 0, bytes);
    for (uint32_t y = 0; y < s->to->height; y++)
        put_bytes(address_of(s, 0, y), s->pixels, bytes);
    s->shown = s->cells;
    memset(s->shown, ' ', s->layout.columns * s->layout.rows);
}

static void paint_cells(struct screen *s, uint32_t row, uint32_t column, uint32_t n)
{
    const struct screen_layout *l = &s->layout;
    uint32_t ink = framebuffer_pixel(s->to, INK_LEVEL, INK_LEVEL, INK_LEVEL);
    uint32_t x = column * SCREEN_GLYPH_WIDTH * l->scale, top = row * FONT_HEIGHT * l->scale;

    for (uint32_t y = 0; y < FONT_HEIGHT; y++) {
        size_t bytes = screen_line(s->to, &font, l->scale, s->shown + row * l->columns + column, n,
                                   y, ink, 0, s->pixels);
        for (uint32_t i = 0; i < l->scale; i++)
            put_bytes(address_of(s, x, top + y * l->scale + i), s->pixels, bytes);
    }
}

void screen_paint(struct screen *s)
{
    const struct screen_layout *l = &s->layout;

    if (!s->on || !s->mapped || s->painting)
        return;
    s->painting = true;
    if (!s->shown)
        clear_screen(s);
    for (uint32_t row = 0; row < l->rows; row++) {
        uint32_t column = 0, n;
        bool status = s->status && row == l->rows - 1;
        const char *wanted = status ? s->status : text_row(&s->text, row);
        while ((n = screen_changed(s->shown + row * l->columns, wanted, l->columns, &column))) {
            paint_cells(s, row, column, n);
            column += n;
        }
    }
    sfence(); /* flushes the write-combining buffers */
    s->painting = false;
}

/* --- the keyboard ----------------------------------------------------------------------------- */

enum { PORT_DATA = 0x60, PORT_STATUS = 0x64 };
enum { STATUS_FULL = 0x01, STATUS_MOUSE = 0x20 };
#define NO_CONTROLLER 0xff /* the result of a read without a controller */
#define BYTES_A_CALL  16   /* more than its buffer holds; bounds a call if it is never empty */

/* Scan code set 1. Arrow keys send 0xe0 before the codes of the keypad's arrows. */
enum { PREFIX = 0xe0, RELEASED = 0x80 };
enum { SCAN_ESC = 0x01, SCAN_Q = 0x10, SCAN_ENTER = 0x1c };

enum key {
    KEY_NONE,
    KEY_STOP, /* Esc, or the key that is Q on a US keyboard */
    KEY_OTHER,
    KEY_UP,
    KEY_DOWN,
    KEY_PAGE_UP,
    KEY_PAGE_DOWN,
    KEY_HOME,
    KEY_END
};

/* After the prefix, Q's code means the previous-track key. */
static enum key key_of(uint8_t code, bool prefixed)
{
    switch (code) {
    case SCAN_ESC:
    case SCAN_Q:
        return prefixed ? KEY_OTHER : KEY_STOP;
    case SCAN_ENTER:
        return KEY_NONE;
    case 0x47:
        return KEY_HOME;
    case 0x48:
        return KEY_UP;
    case 0x49:
        return KEY_PAGE_UP;
    case 0x4f:
        return KEY_END;
    case 0x50:
        return KEY_DOWN;
    case 0x51:
        return KEY_PAGE_DOWN;
    default: /* every other key; a release is KEY_NONE */
        return code == 0 || code & RELEASED ? KEY_NONE : KEY_OTHER;
    }
}

/* Returns the next key pressed since the last call. Ignores releases, the mouse, and Enter, whose
 * repeats are left over from the boot menu. Never waits. */
static enum key next_key(void)
{
    static bool prefixed; /* the last byte was the prefix */

    for (unsigned i = 0; i < BYTES_A_CALL; i++) {
        uint8_t status = in8(PORT_STATUS);
        if (status == NO_CONTROLLER || !(status & STATUS_FULL))
            return KEY_NONE;
        uint8_t code = in8(PORT_DATA);
        if (status & STATUS_MOUSE)
            continue;
        enum key key = key_of(code, prefixed);
        prefixed = code == PREFIX;
        if (key != KEY_NONE)
            return key;
    }
    return KEY_NONE;
}

bool keyboard_open(void)
{
    if (in8(PORT_STATUS) == NO_CONTROLLER)
        return false;
    (void)next_key();
    return true;
}

bool keyboard_stop_key(void)
{
    for (unsigned i = 0; i < BYTES_A_CALL; i++) {
        enum key key = next_key();
        if (key == KEY_NONE || key == KEY_STOP)
            return key == KEY_STOP;
    }
    return false;
}

/* --- the pager -------------------------------------------------------------------------------- */

/* At least ten minutes; the limit exists since polling keeps a core from sleeping. */
#define PATIENCE_TICKS (600 * TSC_HZ_MAX)
/* The same in iterations of one microsecond (a port read), if the TSC does not advance. */
#define PATIENCE_ROUNDS (600ull * 1000000)

#define ALL_LINES ((int32_t)TEXT_LINES)

static bool can_scroll(const struct screen *s)
{
    return s->on && s->mapped && text_first(&s->text) > 0;
}

void pager_hint(struct screen *s)
{
    if (can_scroll(s) && keyboard_open())
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
static void show_position(struct screen *s)
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

    if (!can_scroll(s) || !keyboard_open())
        return;
    for (uint64_t i = 0; i < PATIENCE_ROUNDS && rdtsc() - since < PATIENCE_TICKS; i++) {
        enum key key = next_key();
        if (key == KEY_NONE) {
            pause();
            continue;
        }
        text_scroll(&s->text, step_of(key, (int32_t)s->layout.rows - 2));
        show_position(s);
        since = rdtsc();
        i = 0;
    }
    text_scroll(&s->text, -ALL_LINES);
    show_position(s);
}
