#define _POSIX_C_SOURCE 200809L /* mkdtemp */
#include "lib/firmware/smbios.h"

#include <unistd.h>
#include "hosted/platform/process.h"
#include "tests/unit/lib/firmware/made_smbios.h"

static uint8_t *socket(uint8_t length, uint8_t kind, uint8_t status)
{
    uint8_t *p = structure(4, length);

    p[5] = kind;
    if (length > 0x18)
        p[0x18] = status;
    return p;
}

static void speeds_of(uint8_t *p, uint16_t external, uint16_t maximum, uint16_t current)
{
    put_le(p + 0x12, external, 2);
    put_le(p + 0x14, maximum, 2);
    put_le(p + 0x16, current, 2);
}

static struct smbios_processors read_all(void)
{
    struct smbios_processors s;

    finish();
    memset(&s, 0x5a, sizeof s);
    smbios_processors(&s, &mem, BASE);
    return s;
}

BEFORE_EACH(clear);

TEST(speeds_are_those_of_dmidecode)
{
    speeds_of(socket(0x30, 3, 0x41), 100, 4000, 2600);
    struct smbios_processors s = read_all();
    assert_true(s.table && !s.unlike);
    assert_int_equal(s.sockets, 1);
    assert_int_equal(s.filled, 1);
    assert_int_equal(s.external, 100);
    assert_int_equal(s.maximum, 4000);
    assert_int_equal(s.current, 2600);
}

TEST(empty_sockets_and_other_processors_are_left_out)
{
    speeds_of(socket(0x30, 3, 0x01), 1, 2, 3); /* no CPU in it */
    speeds_of(socket(0x30, 6, 0x41), 4, 5, 6); /* a video processor */
    speeds_of(socket(0x30, 3, 0x41), 100, 3500, 2000);
    speeds_of(socket(0x30, 3, 0x41), 100, 3500, 2000);
    struct smbios_processors s = read_all();
    assert_int_equal(s.sockets, 3);
    assert_int_equal(s.filled, 2);
    assert_true(s.maximum == 3500 && s.current == 2000 && !s.unlike);
    clear();
    speeds_of(socket(0x30, 3, 0x41), 100, 3500, 2000);
    speeds_of(socket(0x30, 3, 0x41), 100, 3500, 2100);
    s = read_all();
    assert_true(s.unlike && s.current == 2000);
}

TEST(facts_that_smbios_does_not_state_are_absent)
{
    struct smbios_processors s = read_all();

    assert_true(s.table && s.sockets == 0 && s.maximum == 0);
    socket(0x18, 3, 0); /* too short to say whether a CPU is there */
    s = read_all();
    assert_true(s.table && s.sockets == 0 && s.filled == 0 && s.maximum == 0);
    smbios_processors(&s, &mem, 0);
    assert_true(!s.table && s.sockets == 0);
}

static void write_file(const char *folder, const char *name, const void *from, size_t n)
{
    char path[256];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(from, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

static void remove_file(const char *folder, const char *name)
{
    char path[256];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(unlink(path), 0);
}

/* The two files of a Linux system. */
TEST(the_files_of_linux_are_read)
{
    char folder[] = "/tmp/smbios_XXXXXX";
    struct smbios_processors s;

    assert_non_null(mkdtemp(folder));
    assert_false(smbios_files_processors(folder, &s));
    speeds_of(socket(0x30, 3, 0x41), 100, 4000, 2600);
    finish();
    put_le(bytes + 0x0c, used + 4096, 4); /* an upper bound, where the file ends with the table */
    fix_sum(bytes, 0x18, 5);
    write_file(folder, "smbios_entry_point", bytes, 0x18);
    write_file(folder, "DMI", bytes + TABLE, used);
    assert_true(smbios_files_processors(folder, &s));
    assert_true(s.filled == 1 && s.maximum == 4000 && s.current == 2600);
    bytes[5]++; /* the checksum no longer holds */
    write_file(folder, "smbios_entry_point", bytes, 0x18);
    assert_false(smbios_files_processors(folder, &s));
    remove_file(folder, "smbios_entry_point");
    remove_file(folder, "DMI");
    assert_int_equal(rmdir(folder), 0);
}
