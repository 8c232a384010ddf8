/* What the tables of hardware watchdogs say. */
#include "tests/unit/says.h"
#include "lib/firmware/acpi_tables.h"
#include "tests/unit/text.h"

TEST(the_tables_of_watchdogs_are_decoded)
{
    static const struct {
        const char *table, *names;
        unsigned flags_at, flags, length;
        bool enabled;
        const char *time;
    } cases[] = {
        {"WDAT", "ACPI table WDAT), enabled by the table", 60, 0x81, 68, true, "613 s"},
        {"WDAT", "ACPI table WDAT), not enabled by the table", 60, 0x80, 68, false, "613 s"},
        {"WDAT", "WDAT", 60, 0x81, 67, false, ""},
        {"WDDT", "ACPI table WDDT), enabled by the table", 60, 3, 64, true, ""}, /* available */
        {"WDDT", "ACPI table WDDT), not enabled by the table", 60, 1, 64, false, ""},
        {"WDDT", "WDDT", 60, 3, 63, false, ""},
    };
    EACH_CASE (c, cases) {
        uint8_t bytes[68] = {0};
        struct acpi_table t = {bytes, c->length};
        struct watchdog w;
        memcpy(bytes, c->table, 4);
        if (c->table[2] == 'A') {
            bytes[48] = 600 & 0xff; /* ms a count */
            bytes[49] = 600 >> 8;
            bytes[52] = 1023 & 0xff;
            bytes[53] = 1023 >> 8;
        }
        bytes[c->flags_at] = (uint8_t)c->flags;
        acpi_watchdog(&t, &w);
        assert_int_equal(w.enabled, c->enabled);
        watchdog_text(&w, text_sink());
        assert_says(text, c->names, c->time, "may reset the machine");
    }
}
