/* The memory hierarchy of a core, by size of the working set. Takes seconds, so it runs only on
 * request. */
#include "bench/api/bench.h"

#define CURVE(name_, what_, ...)                                                                   \
    BENCH(memory, name_, .what = what_, .form = FORM_CURVE, .ops = 1, .on_request = true,          \
          .curve = {__VA_ARGS__})

CURVE(latency_4k, "a load that waits for the one before, lines in random order; 4 KiB pages",
      .ms = 3500);
CURVE(latency_2m, "the same in pages of 2 MiB or more", .ms = 3000, .large_pages = true);
CURVE(stride_64, "the same from each line to the next; 4 KiB pages", .ms = 1200, .stride = 1);
CURVE(stride_1k, "the same from each line to the one 1 KiB after it", .ms = 1200, .stride = 16);

CURVE(tlb_4k, "a load that waits for the one before, one in each page of 4 KiB", .ms = 1200,
      .load = BENCH_PAGES);

#define STREAM(name_, what_, load_)                                                                \
    CURVE(name_, what_ " a line of 64 bytes, one after the other", .ms = 1000, .load = load_)

STREAM(read_16, "16-byte loads read", BENCH_READ_16);
STREAM(read_32, "32-byte loads (AVX) read", BENCH_READ_32);
STREAM(write_16, "16-byte stores write", BENCH_WRITE_16);
STREAM(write_32, "32-byte stores (AVX) write", BENCH_WRITE_32);
STREAM(write_nt, "16-byte non-temporal stores write", BENCH_WRITE_NT);
STREAM(write_rep, "REP STOSB writes", BENCH_WRITE_REP);
STREAM(copy_16, "16-byte loads and stores copy", BENCH_COPY_16);
STREAM(copy_32, "32-byte loads and stores (AVX) copy", BENCH_COPY_32);
STREAM(copy_rep, "REP MOVSB copies", BENCH_COPY_REP);
