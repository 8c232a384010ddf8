#include "lib/firmware/acpi_watchdog.h"

#include "lib/text/bytes.h"
#include "lib/text/fmt.h"

/* Hardware Watchdog Timers Design Specification, section "Watchdog Action Table". */
enum {
    WDAT_PERIOD = 48, /* ms of one count */
    WDAT_MAX_COUNT = 52,
    WDAT_FLAGS = 60,
    WDAT_ENABLED = 1 << 0,
    WDAT_SIZE = 68, /* the fixed part, including the number of entries */
};

/* Intel's table, according to ACPICA's actbl3.h. */
enum {
    WDDT_MAX_COUNT = 54,
    WDDT_STATUS = 60,
    WDDT_ACTIVE = 1 << 1,
    WDDT_SIZE = 64,
};

bool acpi_wdat(const struct acpi_table *t, struct watchdog *w)
{
    *w = (struct watchdog){0};
    if (!acpi_long_enough(t, "WDAT", WDAT_SIZE, &w->error))
        return false;
    w->enabled = t->bytes[WDAT_FLAGS] & WDAT_ENABLED;
    w->period_ms = le32(t->bytes + WDAT_PERIOD);
    w->max_count = le32(t->bytes + WDAT_MAX_COUNT);
    return true;
}

/* The table does not have the period's unit, so the period is left out. */
bool acpi_wddt(const struct acpi_table *t, struct watchdog *w)
{
    *w = (struct watchdog){0};
    if (!acpi_long_enough(t, "WDDT", WDDT_SIZE, &w->error))
        return false;
    w->enabled = le16(t->bytes + WDDT_STATUS) & WDDT_ACTIVE;
    w->max_count = le16(t->bytes + WDDT_MAX_COUNT);
    return true;
}

void watchdog_text(const struct watchdog *w, const char *table, struct sink *out)
{
    uint64_t ms = w->period_ms * w->max_count;

    if (w->error.text[0]) {
        fmt(out, "a hardware watchdog may reset the machine: %s", w->error.text);
        return;
    }
    fmt(out, "a hardware watchdog (ACPI table %s) is there, %s by the table", table,
        w->enabled ? "enabled" : "not enabled");
    if (ms)
        fmt(out, ", for at most %llu s", (unsigned long long)(ms / 1000));
    fmt(out, w->enabled ? ": it may reset the machine before the end"
                        : ": if it runs nevertheless, it may reset the machine");
}
