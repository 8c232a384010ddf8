/*
 * Writing back all caches, which takes up to milliseconds: SDM vol. 2D WBINVD, APM vol. 3 WBNOINVD.
 * Before each window WBINVD empties the caches, and 128 KiB are read, or written. The figure
 * contains what the code after it takes to come into the caches again. INVD is never executed: it
 * would lose what was written.
 */
#include "bench/suites/privileged/privileged.h"

#define LINE        64 /* bytes; as in cache.asm, and so is LINES */
#define LINES       2048
#define FEW_WINDOWS 64

extern const struct unit unit_privileged_wbinvd, unit_privileged_wbnoinvd,
    unit_privileged_lines_read, unit_privileged_lines_written;

#define CACHES(name_, what_, unit_, history_, ...)                                                 \
    PRIVILEGED_ROW(name_, 1, what_, .ops = 1, .window.most_windows = FEW_WINDOWS,                  \
                   .window.not_doubled = true, .needs.room_bytes = LINE * LINES,                   \
                   .window.unit = &unit_privileged_##unit_,                                        \
                   .window.history = &unit_privileged_##history_, __VA_ARGS__)

/* The address of each line is its content; the memory must have it although no cache does. */
static const char *lines_are_written(const struct object *o, uint64_t operations)
{
    (void)operations;
    for (const uint8_t *at = o->room, *end = at + LINE * LINES; at < end; at += LINE)
        if (*(const uint64_t *)(const void *)at != (uint64_t)(uintptr_t)at)
            return "a line does not have what was written";
    return NULL;
}

CACHES(wbinvd_clean, "wbinvd, 128 KiB in the caches", wbinvd, lines_read);
CACHES(wbinvd_dirty, "wbinvd, 128 KiB written", wbinvd, lines_written, .check = lines_are_written);
CACHES(wbnoinvd_clean, "wbnoinvd, 128 KiB in the caches", wbnoinvd, lines_read,
       .needs.features = {FEATURE_WBNOINVD});
CACHES(wbnoinvd_dirty, "wbnoinvd, 128 KiB written", wbnoinvd, lines_written,
       .needs.features = {FEATURE_WBNOINVD}, .check = lines_are_written);
