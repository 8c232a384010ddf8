/* The memory hierarchy of a core, by size of the working set. Takes seconds, so it runs only on
 * request. */
#include "bench/api/bench.h"

#define CURVE(name_, what_, ...)                                                                   \
    BENCH(memory, name_, .what = what_, .form = FORM_CURVE, .ops = 1, .on_request = true,          \
          .curve = {__VA_ARGS__})

CURVE(latency_4k, "a load that waits for the one before, lines in random order; 4 KiB pages",
      .seconds = 5);
CURVE(latency_2m, "the same in pages of 2 MiB or more", .seconds = 4, .large_pages = true);
