/* The memory hierarchy of a core, by size of the working set. Takes seconds, so it runs only on
 * request. */
#include "bench/api/bench.h"
#include "bench/kinds/kinds.h"
#include "bench/api/summary_parts.h"
#include "bench/kinds/team.h"

#define CURVE_OF(kind_, name_, what_, ...)                                                         \
    BENCH(memory, name_, .what = what_, .kind = kind_, .ops = 1, .on_request = true,               \
          .of = &(const struct bench_curve){__VA_ARGS__})
#define CURVE(name_, what_, ...)  CURVE_OF(&kind_curve, name_, what_, __VA_ARGS__)
#define SHARED(name_, what_, ...) CURVE_OF(&kind_shared_curve, name_, what_, __VA_ARGS__)

CURVE(latency_4k, "a load that waits for the one before, lines in random order; 4 KiB pages",
      .ms = 2400);
CURVE(latency_2m, "the same in pages of 2 MiB", .ms = 2400, .page = BENCH_2M);
CURVE(latency_1g, "the same in pages of 1 GiB", .ms = 1000, .page = BENCH_1G);
CURVE(stride_64, "the same from each line to the next; 4 KiB pages", .ms = 600, .stride = 1);
CURVE(stride_1k, "the same from each line to the one 1 KiB after it", .ms = 600, .stride = 16);

/* The same with the prefetchers off, where the CPU allows that. */
CURVE(latency_4k_off, "as latency_4k, the hardware prefetchers off", .ms = 900,
      .no_prefetch = true);
CURVE(stride_64_off, "as stride_64, the hardware prefetchers off", .ms = 400, .stride = 1,
      .no_prefetch = true);
CURVE(stride_1k_off, "as stride_1k, the hardware prefetchers off", .ms = 400, .stride = 16,
      .no_prefetch = true);

#define TLB(name_, what_, load_, page_, ms_)                                                       \
    CURVE(name_, what_, .ms = ms_, .load = load_, .page = page_)

TLB(tlb_4k, "a load that waits for the one before, one in each page of 4 KiB", BENCH_PAGES,
    BENCH_4K, 600);
TLB(tlb_2m, "the same, one in each page of 2 MiB", BENCH_PAGES, BENCH_2M, 900);
TLB(tlb_1g, "the same, one in each page of 1 GiB", BENCH_PAGES, BENCH_1G, 300);
TLB(tlb_code_4k, "a jump to the next, one in each page of 4 KiB", BENCH_CODE, BENCH_4K, 450);
TLB(tlb_code_2m, "the same, one in each page of 2 MiB", BENCH_CODE, BENCH_2M, 450);

/* Offsets from the beginning of a page, near the end of the first line and of the page. */
static const int32_t split[] = {0, 8, 32, 56, 57, 60, 63, 64, 4080, 4088, 4089, 4092, 4095, 4096};
/* Of a load from the store of 8 bytes before it: the lower 12 bits of the addresses overlap. */
static const int32_t alias[] = {4080, 4088, 4089, 4092, 4095, 4096, 4097, 4100, 4103, 4104, 4112};
#define NEAR(name_, what_, load_, offsets_)                                                        \
    CURVE(name_, what_, .ms = 100, .load = load_, .offset = offsets_,                              \
          .offsets = sizeof offsets_ / sizeof offsets_[0])

NEAR(split_load, "a load of 8 bytes that waits for the one before, by offset in a page",
     BENCH_SPLIT_LOAD, split);
NEAR(split_store, "a store of 8 bytes, by offset in a page", BENCH_SPLIT_STORE, split);
NEAR(alias_4k, "a store of 8 bytes, then a load of 8 about a page further on", BENCH_ALIAS, alias);

BENCH(memory, forward, .what = "a store, then a load at an offset from it, by the sizes of both",
      .kind = &kind_forward, .ops = 1, .on_request = true,
      .of = &(const struct bench_curve){.ms = 800});

#define STREAM(name_, what_, load_)                                                                \
    CURVE(name_, what_ " a line of 64 bytes, one after the other", .ms = 480, .load = load_)

STREAM(read_16, "16-byte loads read", BENCH_READ_16);
STREAM(read_32, "32-byte loads (AVX) read", BENCH_READ_32);
STREAM(write_16, "16-byte stores write", BENCH_WRITE_16);
STREAM(write_32, "32-byte stores (AVX) write", BENCH_WRITE_32);
STREAM(write_nt, "16-byte non-temporal stores write", BENCH_WRITE_NT);
STREAM(write_rep, "REP STOSB writes", BENCH_WRITE_REP);
STREAM(copy_16, "16-byte loads and stores copy", BENCH_COPY_16);
STREAM(copy_32, "32-byte loads and stores (AVX) copy", BENCH_COPY_32);
STREAM(copy_rep, "REP MOVSB copies", BENCH_COPY_REP);

/* By 1, 2, 4 ... and all cores, each on separate memory. */
#define CORES(name_, what_, load_)                                                                 \
    SHARED(name_, what_ " lines of 64 bytes on 1, 2, 4 ... and all cores: a line", .ms = 300,      \
           .load = load_, .team = BENCH_CORES)

CORES(cores_read, "16-byte loads read", BENCH_READ_16);
CORES(cores_write, "16-byte stores write", BENCH_WRITE_16);
CORES(cores_copy, "16-byte loads and stores copy", BENCH_COPY_16);
CORES(cores_nt, "16-byte non-temporal stores write", BENCH_WRITE_NT);
CORES(cores_rep_write, "REP STOSB writes", BENCH_WRITE_REP);
CORES(cores_rep_copy, "REP MOVSB copies", BENCH_COPY_REP);

/* By the node of the memory: the core's own, and the others. */
#define NODE(name_, what_, load_, page_, ms_)                                                      \
    CURVE(name_, what_ ", by the node of the memory", .ms = ms_, .load = load_, .page = page_,     \
          .by_node = true)

NODE(node_latency, "a load that waits for the one before, lines in random order; 2 MiB pages",
     BENCH_CHASE, BENCH_2M, 300);
NODE(node_read, "16-byte loads read a line of 64 bytes, one after the other", BENCH_READ_16, 0,
     150);
NODE(node_write, "16-byte stores write a line of 64 bytes, one after the other", BENCH_WRITE_16, 0,
     150);

BENCH(memory, core_to_core, .what = "a cache line from one core to another, every pair: one way",
      .kind = &kind_team, .ops = 1, .on_request = true,
      .of = &(const struct bench_team_row){team_pingpong});

#define LOADED(name_, what_, load_)                                                                \
    SHARED(name_, "a load of a chase on one core while the others " what_ ", by their rate",       \
           .ms = 300, .load = load_, .team = BENCH_LOADED)

LOADED(loaded_read, "read", BENCH_READ_16);
LOADED(loaded_write, "write", BENCH_WRITE_16);

#define FLUSH(name_, instruction_, load_)                                                          \
    CURVE(name_, instruction_ " of a line, one of many, by where the line is", .ms = 100,          \
          .load = load_);                                                                          \
    CURVE(name_##_wait, instruction_ " of a line, then MFENCE, by where the line is", .ms = 100,   \
          .load = load_, .waits = true);                                                           \
    SHARED(name_##_held, instruction_ " of a line, then MFENCE, that another core has", .ms = 20,  \
           .load = load_, .waits = true, .team = BENCH_HELD)

FLUSH(flush_clflush, "CLFLUSH", BENCH_FLUSH);
FLUSH(flush_clflushopt, "CLFLUSHOPT", BENCH_FLUSH_OPT);
FLUSH(flush_clwb, "CLWB", BENCH_WRITE_BACK);

/* With large pages the latency of a cache does not include TLB misses. */
SUMMARY_PART(memory, sheet, .rank = 5,
             .figure = {
                 {"L1 load", {"latency_2m", "latency_4k"}, SHEET_IN_CACHE, 1},
                 {"L2 load", {"latency_2m", "latency_4k"}, SHEET_IN_CACHE, 2},
                 {"L3 load", {"latency_2m", "latency_4k"}, SHEET_IN_CACHE, 3},
                 {"memory load", {"latency_2m", "latency_4k"}, SHEET_LARGEST, 0},
                 {"memory read", {"read_32", "read_16"}, SHEET_LARGEST, 0},
                 {"forwarding", {"forward"}, SHEET_FORWARD, 8},
             });
