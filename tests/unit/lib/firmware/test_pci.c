/* Which functions of simulated configuration spaces are stopped, and which are left alone. */
#include "tests/unit/cmocka_unit.h"
#include "lib/firmware/acpi_tables.h"
#include "lib/firmware/pci.h"

#define FUNCTIONS 16
#define MASTER    4u
#define MULTI     0x80u

struct fake {
    struct pci_at at;
    uint32_t word[16]; /* of its header */
    bool stubborn;
};

static struct {
    struct fake f[FUNCTIONS];
    unsigned n, reads, writes;
    uint32_t nobody;
} space;

static struct pci_stop stop;

/* Field by field: what lies between them can be anything. */
static struct fake *find(struct pci_at at)
{
    for (unsigned i = 0; i < space.n; i++) {
        struct pci_at own = space.f[i].at;
        if (own.segment == at.segment && own.bus == at.bus && own.device == at.device &&
            own.function == at.function)
            return &space.f[i];
    }
    return NULL;
}

static uint32_t space_read(void *ctx, struct pci_at at, unsigned offset)
{
    struct fake *f = find(at);

    space.reads++;
    assert_true(offset < 64 && offset % 4 == 0);
    return f ? f->word[offset / 4] : space.nobody;
}

static void space_write(void *ctx, struct pci_at at, uint16_t command)
{
    struct fake *f = find(at);

    assert_non_null(f);
    space.writes++;
    if (!f->stubborn)
        f->word[1] = (f->word[1] & 0xffff0000) | command;
}

static const struct pci_space access = {NULL, space_read, space_write};

static const struct pci_console console;

static void none(void)
{
    memset(&space, 0, sizeof space);
    space.nobody = 0xffffffff;
}

BEFORE_EACH(none);

static struct fake *add(uint16_t segment, uint8_t bus, uint8_t device, uint8_t function,
                        uint16_t class_code, uint8_t header)
{
    struct fake *f = &space.f[space.n++];

    f->at = (struct pci_at){segment, bus, device, function};
    f->word[0] = 0x12348086;
    f->word[1] = 0x00100000 | 3 | MASTER; /* status, memory, I/O */
    f->word[2] = (uint32_t)class_code << 16;
    f->word[3] = (uint32_t)header << 16;
    return f;
}

static void run(const struct pci_console *console)
{
    static const struct pci_range all = {0, 0, 255};

    pci_stop_masters(&stop, &access, &all, 1, console);
}

static bool is_master(const struct fake *f)
{
    return f->word[1] & MASTER;
}

TEST(devices_stop_writing_memory)
{
    struct fake *disk = add(0, 0, 3, 0, 0x0106, 0), *net = add(0, 7, 31, 0, 0x0200, 0);
    struct fake *idle = add(0, 0, 4, 0, 0x0200, 0);

    idle->word[1] &= ~MASTER;
    run(&console);
    assert_false(is_master(disk) || is_master(net));
    assert_int_equal(disk->word[1], 0x00100003); /* decoding and status as they were */
    assert_int_equal(space.writes, 2);
    assert_int_equal(stop.functions, 3);
    assert_int_equal(stop.masters, 2);
    assert_int_equal(stop.fate[PCI_STOPPED], 2);
    assert_int_equal(stop.listed[1].at.bus, 7);
    assert_int_equal(stop.listed[1].class_code, 2);
    assert_int_equal(stop.listed[0].vendor, 0x8086);
    assert_int_equal(stop.listed[0].device, 0x1234);
}

TEST(bridges_and_iommus_stay)
{
    struct fake *kept[] = {
        add(0, 0, 0, 0, 0x0600, 0), add(0, 0, 1, 0, 0x0604, 1), add(0, 0, 2, 0, 0x0607, 2),
        add(0, 0, 5, 0, 0x0880, 1), /* calls itself no bridge, and has a bridge's header */
        add(0, 0, 6, 0, 0x0806, 0), /* an IOMMU */
    };

    run(&console);
    for (unsigned i = 0; i < 5; i++)
        assert_true(is_master(kept[i]));
    assert_int_equal(space.writes, 0);
    assert_int_equal(stop.fate[PCI_BRIDGE], 4);
    assert_int_equal(stop.fate[PCI_REMAPS], 1);
}

/* Bridges whose bus numbers form a loop, and one that names itself: they are not followed. */
TEST(bridges_whose_buses_form_a_loop_are_not_followed)
{
    for (unsigned i = 0; i < 3; i++)
        add(0, (uint8_t)i, 1, 0, 0x0604, 1)->word[6] = (i + 1) % 3 << 8 | i;
    struct fake *disk = add(0, 2, 9, 0, 0x0108, 0);
    run(&console);
    assert_false(is_master(disk));
    assert_int_equal(stop.functions, 4);
    assert_true(space.reads < 4 * 256 * 32);
}

TEST(every_function_of_a_device_is_stopped)
{
    add(0, 0, 1, 0, 0x0c03, MULTI);
    add(0, 0, 1, 2, 0x0c03, 0);
    add(0, 0, 1, 7, 0x0c03, 0);
    add(0, 0, 2, 0, 0x0100, 0);
    struct fake *ghost = add(0, 0, 2, 1, 0x0100, 0); /* an alias of function 0 */
    struct fake *headless = add(0, 0, 3, 1, 0x0100, 0);
    run(&console);
    assert_int_equal(stop.functions, 4);
    assert_int_equal(stop.fate[PCI_STOPPED], 4);
    assert_true(is_master(ghost) && is_master(headless));
}

TEST(an_empty_space_has_no_function)
{
    run(&(struct pci_console){.framebuffer = 0xc0000000});
    assert_int_equal(stop.functions, 0);
    space.nobody = 0;
    run(&console);
    assert_int_equal(stop.functions, 0);
    assert_int_equal(space.reads, 4 * 256 * 32); /* twice each walk */
}

TEST(functions_of_the_console_are_not_stopped)
{
    struct pci_console console = {
        .framebuffer = 0x4010000000ull, .serial = 0xe008, .serial_io = true};

    struct fake *other = add(0, 0, 1, 0, 0x0300, 0); /* a second screen, whose range could reach */
    other->word[4] = 0x0000000c;
    other->word[5] = 0x40;
    struct fake *screen = add(0, 0, 2, 0, 0x0300, 0); /* 64 bits wide, nearer */
    screen->word[5] = 0x1000000c;
    screen->word[6] = 0x40;
    struct fake *line = add(0, 5, 0, 0, 0x0700, 0);
    line->word[4] = 0xe001;
    struct fake *memory = add(0, 5, 1, 0, 0x0200, 0); /* the same number, but memory */
    memory->word[4] = 0xe000;
    run(&console);
    assert_true(is_master(screen) && is_master(line));
    assert_false(is_master(other) || is_master(memory));
    assert_int_equal(stop.fate[PCI_CONSOLE], 2);

    console.serial_io = false; /* now it is the other way round */
    line->word[1] |= MASTER;
    memory->word[1] |= MASTER;
    run(&console);
    assert_true(is_master(memory));
    assert_false(is_master(line));

    console = (struct pci_console){.framebuffer = 0x80000000, .serial = 0x3f8, .serial_io = true};
    for (unsigned i = 0; i < space.n; i++)
        space.f[i].word[1] |= MASTER;
    run(&console); /* a framebuffer in RAM, a serial port on the board: no console uses them */
    assert_int_equal(stop.fate[PCI_CONSOLE], 0);
    assert_int_equal(stop.fate[PCI_STOPPED], 4);
}

TEST(a_master_that_cannot_be_stopped_is_listed)
{
    add(0, 0, 1, 0, 0x0106, 0)->stubborn = true;
    run(&console);
    assert_int_equal(stop.fate[PCI_STUCK], 1);
    assert_int_equal(stop.listed[0].fate, PCI_STUCK);
}

TEST(every_segment_is_searched)
{
    static const struct pci_range ranges[] = {{0, 0, 0}, {1, 0x40, 0x41}};
    struct fake *here = add(0, 0, 1, 0, 0x0106, 0), *far = add(1, 0x41, 1, 0, 0x0106, 0);
    struct fake *beyond = add(1, 0x42, 1, 0, 0x0106, 0);

    pci_stop_masters(&stop, &access, ranges, 2, &console);
    assert_false(is_master(here) || is_master(far));
    assert_true(is_master(beyond));
}

TEST(masters_beyond_the_list_are_counted)
{
    static const struct pci_range ranges[3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};

    for (unsigned i = 0; i < FUNCTIONS; i++)
        add(0, 0, (uint8_t)i, 0, 0x0106, 0)->stubborn = true;
    pci_stop_masters(&stop, &access, ranges, 3, &console);
    assert_int_equal(stop.masters, 3 * FUNCTIONS);
    assert_int_equal(stop.list, PCI_LISTED);
}

/* --- where configuration space lies ---------------------------------------------------------- */

static void entry(uint8_t *at, uint64_t address, uint16_t segment, uint8_t first, uint8_t last)
{
    memcpy(at, &address, 8);
    memcpy(at + 8, &segment, 2);
    at[10] = first;
    at[11] = last;
}

TEST(mcfg_gives_the_ranges)
{
    static uint8_t bytes[44 + 16 * (MCFG_MAX + 2)];
    struct acpi_table t = {bytes, 44 + 3 * 16 + 15}; /* and a torn one */
    struct mcfg m;

    entry(bytes + 44, 0xb0000000, 0, 0, 255);
    entry(bytes + 60, 0xa0000000, 1, 9, 8); /* ends before it begins */
    entry(bytes + 76, 0x4000000000ull, 2, 0x20, 0x3f);
    assert_true(acpi_mcfg(&t, &m));
    assert_int_equal(m.n, 2);
    assert_int_equal(m.entry[0].address, 0xb0000000);
    assert_int_equal(m.entry[1].address, 0x4000000000ull);
    assert_int_equal(m.entry[1].segment, 2);
    assert_int_equal(m.entry[1].first, 0x20);
    assert_int_equal(m.entry[1].last, 0x3f);

    t.length = 43;
    assert_false(acpi_mcfg(&t, &m));
    assert_non_null(strstr(m.error.text, "MCFG"));
    t.length = sizeof bytes;
    for (unsigned i = 0; i < MCFG_MAX + 2; i++)
        entry(bytes + 44 + 16 * i, 0xb0000000, (uint16_t)i, 0, 1);
    assert_true(acpi_mcfg(&t, &m));
    assert_int_equal(m.n, MCFG_MAX);
    assert_int_equal(m.left_out, 2);
}
