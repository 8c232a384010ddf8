/* Selects the consoles for the report: machine_console() and machine_console_late(). */
#include "kernel/console/keyboard.h"
#include "kernel/machine/log.h"
#include "kernel/machine/machine.h"
#include "kernel/memory/memory_map.h"

static void add(struct machine *m, struct sink *to, bool records)
{
    console_add(&m->console, to);
    console_add(&m->live, to);
    if (records)
        console_add(&m->records, to);
}

/* `map` NULL: nothing can be mapped yet. */
static struct sink *open_serial(struct machine *m, serial_map *map)
{
    m->serial = serial_open(&m->places, map, &m->paging);
    if (!m->serial.on)
        return NULL;
    add(m, &m->serial.sink, true);
    return &m->serial.sink;
}

static struct sink *open_screen(struct machine *m)
{
    screen_open(&m->screen, &m->handoff->framebuffer, &m->arena);
    if (!m->screen.on)
        return NULL;
    m->keyboard = keyboard_open();
    add(m, &m->screen.text.sink, m->handoff->options.format == FORMAT_JSONL);
    return &m->screen.text.sink;
}

static bool wants(const struct machine *m, enum console_choice one)
{
    enum console_choice choice = m->handoff->options.console;

    return choice == one || choice == CONSOLE_BOTH;
}

static volatile void *map_uart(void *ctx, uint64_t address, uint64_t size)
{
    return paging_map_mmio(ctx, address, size);
}

/* If the arena has no room for the log, boot/ reports that no file was written to the stick. */
static void open_log(struct machine *m)
{
    struct handoff *h = m->handoff;

    if (!log_begin(&m->log, h, &m->arena))
        return;
    h->log = &m->log;
    console_add(&m->console, &m->log.sink);
    console_add(&m->records, &m->log.sink);
}

static void begin(struct machine *m)
{
    console_init(&m->console);
    console_init(&m->records);
    console_init(&m->live);
    if (m->handoff->borrowed)
        open_log(m);
}

void machine_console(struct machine *m)
{
    const struct options *o = &m->handoff->options;
    struct address_map map;

    begin(m);
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
    begin(m);
    serial_places(&m->places, &m->handoff->options.serial, NULL, NULL);
    (void)open_serial(m, NULL);
    (void)open_screen(m);
}

struct sink *machine_console_late(struct machine *m)
{
    struct sink *opened = NULL;

    screen_mapped(&m->screen, m->paging.framebuffer);
    if (!m->serial.on && m->places.next < m->places.n)
        opened = open_serial(m, map_uart);
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
