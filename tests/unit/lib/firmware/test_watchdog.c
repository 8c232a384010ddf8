/* What the tables of hardware watchdogs say. */
#include "tests/unit/says.h"
#include "lib/firmware/acpi_tables.h"
#include "tests/unit/text.h"

static uint8_t bytes[68];

static const char *said(const struct watchdog *w, const char *table)
{
    watchdog_text(w, table, text_sink());
    return text;
}

static void put(unsigned at, uint32_t v, unsigned n)
{
    memcpy(bytes + at, &v, n);
}

TEST(a_wdat_is_decoded)
{
    struct acpi_table t = {bytes, 68};
    struct watchdog w;

    memset(bytes, 0, sizeof bytes);
    put(48, 600, 4); /* ms a count */
    put(52, 1023, 4);
    put(60, 0x81, 1);
    assert_true(acpi_wdat(&t, &w));
    assert_true(w.enabled);
    assert_says(said(&w, "WDAT"), "WDAT", "enabled by the table", "613 s", "may reset");
    put(60, 0x80, 1);
    assert_true(acpi_wdat(&t, &w));
    assert_false(w.enabled);
    assert_non_null(strstr(said(&w, "WDAT"), "not enabled by the table"));
    assert_non_null(strstr(text, "may reset the machine"));
    t.length = 67;
    assert_false(acpi_wdat(&t, &w));
    assert_non_null(strstr(said(&w, "WDAT"), "WDAT"));
    assert_non_null(strstr(text, "may reset the machine"));
}

TEST(a_wddt_is_decoded)
{
    struct acpi_table t = {bytes, 64};
    struct watchdog w;

    memset(bytes, 0, sizeof bytes);
    put(54, 1000, 2);
    put(60, 3, 2); /* available, active */
    assert_true(acpi_wddt(&t, &w));
    assert_true(w.enabled);
    assert_non_null(strstr(said(&w, "WDDT"), "(ACPI table WDDT), enabled"));
    put(60, 1, 2);
    assert_true(acpi_wddt(&t, &w));
    assert_false(w.enabled);
    t.length = 63;
    assert_false(acpi_wddt(&t, &w));
}
