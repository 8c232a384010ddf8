/* Selects the consoles for the report, and keeps the log of a borrowed machine. */
#include "kernel/machine/machine.h"

/* In the suites calls and baseline a row's record has at most 700 bytes, plus 14 per histogram bin.
 * In the table a row has about 140 bytes, or 1 KiB in a short run, which shows all statistics. */
#define RECORD_BYTES (4u << 10)
#define BIN_BYTES    16u
#define TEXT_BYTES   (2u << 10)  /* per row */
#define HEAD_BYTES   (64u << 10) /* the run, self-tests, events; measured: 10 KiB */
#define CORE_BYTES   (4u << 10)  /* per core; measured: 1100 bytes */
#define PAIR_BYTES   64u         /* per pair of a matrix: two cores, three figures */
#define LOG_MAX      (16u << 20) /* of each buffer; a longer report is cut and reports this */

static uint64_t log_size(const struct handoff *h, uint64_t bytes)
{
    uint64_t size = arena_cost(HEAD_BYTES + h->cores * CORE_BYTES + h->needs.rows * bytes +
                               h->needs.pairs * PAIR_BYTES);

    return size < LOG_MAX ? size : LOG_MAX;
}

static uint64_t records_size(const struct handoff *h)
{
    const struct options *o = &h->options;
    uint64_t full = o->samples ? o->samples : SAMPLES_AUTO; /* one bin per window */

    return log_size(h, RECORD_BYTES + BIN_BYTES * (o->hist == HIST_FULL ? full : HIST_CAP));
}

static uint64_t text_size(const struct handoff *h)
{
    return log_size(h, TEXT_BYTES);
}

uint64_t machine_log_cost(const struct handoff *h)
{
    return records_size(h) + text_size(h);
}

static void console_write(struct sink *self, const char *bytes, size_t n)
{
    struct console *c = (struct console *)self; /* sink is the first member */

    for (unsigned i = 0; i < c->n; i++)
        c->to[i]->write(c->to[i], bytes, n);
}

static void add_sink(struct console *c, struct sink *to)
{
    c->to[c->n++] = to;
}

static void add_console(struct machine *m, struct sink *to, bool records)
{
    add_sink(&m->console, to);
    if (records)
        add_sink(&m->records, to);
}

/* `map` NULL: nothing can be mapped yet. */
static struct sink *open_serial(struct machine *m, serial_map *map)
{
    m->serial = serial_open(&m->places, map, &m->paging);
    if (!m->serial.on)
        return NULL;
    add_console(m, &m->serial.sink, true);
    add_sink(&m->steady, &m->serial.sink);
    return &m->serial.sink;
}

static struct sink *open_screen(struct machine *m)
{
    screen_open(&m->screen, &m->handoff->framebuffer, &m->arena);
    if (!m->screen.on)
        return NULL;
    m->keyboard = keyboard_open();
    add_console(m, &m->screen.text.sink, m->handoff->options.format == FORMAT_JSONL);
    add_sink(&m->live, &m->screen.text.sink);
    return &m->screen.text.sink;
}

static bool wants(const struct machine *m, enum console_choice one)
{
    enum console_choice choice = m->handoff->options.console;

    return choice == one || choice == CONSOLE_BOTH;
}

/* If the arena has no room for the log, boot/ reports that no file was written to the stick. */
static void open_log(struct machine *m)
{
    struct handoff *h = m->handoff;
    uint64_t records = records_size(h), text = text_size(h);
    char *at = arena_take(&m->arena, records + text);

    if (!at)
        return;
    report_log_init(&m->log, at, records, at + records, text);
    h->log = &m->log;
    add_sink(&m->console, &m->log.sink);
    add_sink(&m->records, &m->log.sink);
}

static void begin_consoles(struct machine *m)
{
    const struct console none = {.sink.write = console_write};

    m->console = m->records = m->live = m->steady = none;
    if (m->handoff->borrowed)
        open_log(m);
}

void machine_console(struct machine *m)
{
    const struct options *o = &m->handoff->options;
    struct address_map map;

    begin_consoles(m);
    m->serial.why_not = "console=screen";
    m->screen.why_not = "console=serial";
    if (o->console != CONSOLE_SERIAL)
        (void)open_screen(m);
    if (o->console == CONSOLE_SCREEN && m->screen.on)
        return; /* no places for a port are listed, so none is tried later */
    map = (struct address_map){
        .acpi = &m->acpi, .madt = m->madt, .region = memory_taken, .ctx = m->handoff};
    serial_places(&m->places, &o->serial, &m->acpi, &map);
    (void)open_serial(m, NULL);
}

void machine_console_early(struct machine *m)
{
    begin_consoles(m);
    serial_places(&m->places, &m->handoff->options.serial, NULL, NULL);
    (void)open_serial(m, NULL);
    (void)open_screen(m);
}

struct sink *machine_console_late(struct machine *m)
{
    struct sink *opened = NULL;

    screen_mapped(&m->screen, m->paging.framebuffer);
    if (!m->serial.on && m->places.next < m->places.n)
        opened = open_serial(m, paging_map_mmio);
    if (!m->serial.on && m->handoff->options.console == CONSOLE_SERIAL) {
        m->console_missing = "serial port";
        opened = open_screen(m);
        screen_mapped(&m->screen, m->paging.framebuffer);
    } else if (!m->serial.on && wants(m, CONSOLE_SERIAL)) {
        m->console_missing = "serial port";
    } else if (!m->screen.on && wants(m, CONSOLE_SCREEN)) {
        m->console_missing = "screen";
    }
    return opened;
}
