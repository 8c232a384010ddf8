/*
 * What a row of kind_curve measures (bench/api/bench.h): its load, the points of its curve, and the
 * cores that take part.
 */
#ifndef BENCH_API_BENCH_CURVE_H
#define BENCH_API_BENCH_CURVE_H

#include <stdbool.h>
#include <stdint.h>

/* The access pattern of a row of kind_curve: a pointer chase (bench/kinds/chase.h), or reading,
 * writing and copying with vectors of 16 or 32 bytes, non-temporal stores, or repeated string
 * instructions (bench/kinds/stream.h); or what its points are instead of sizes. */
enum bench_load {
    BENCH_CHASE,
    BENCH_PAGES, /* a chase with one element in each page: the reach of the TLBs */
    BENCH_CODE,  /* jumps, one in each page: that of the TLBs for code (bench/kinds/chase.h) */
    BENCH_READ_16,
    BENCH_READ_32,
    BENCH_WRITE_16,
    BENCH_WRITE_32,
    BENCH_WRITE_NT,
    BENCH_WRITE_REP,
    BENCH_COPY_16,
    BENCH_COPY_32,
    BENCH_COPY_REP,
    BENCH_FLUSH, /* CLFLUSH, CLFLUSHOPT, CLWB of a line by its state (bench/kinds/stream.h) */
    BENCH_FLUSH_OPT,
    BENCH_WRITE_BACK,
    BENCH_SPLIT_LOAD, /* from here on: accesses by offset (bench/kinds/chase.h) */
    BENCH_SPLIT_STORE,
    BENCH_ALIAS
};

#define BENCH_4K 4096u
#define BENCH_2M (2u << 20)
#define BENCH_1G (1u << 30)

/* Returns whether the operation is a load, or a jump, that waits for the one before. */
static inline bool bench_is_chase(enum bench_load load)
{
    return load <= BENCH_CODE;
}

/* Returns whether there is an element in each page. */
static inline bool bench_is_pages(enum bench_load load)
{
    return load == BENCH_PAGES || load == BENCH_CODE;
}

/* Returns whether the points of the curve are offsets. */
static inline bool bench_is_near(enum bench_load load)
{
    return load >= BENCH_SPLIT_LOAD;
}

/* Returns whether the points of the curve are states of a line (lib/curve/cache_line.h). */
static inline bool bench_is_flush(enum bench_load load)
{
    return load >= BENCH_FLUSH && load <= BENCH_WRITE_BACK;
}

/* The cores that take part in a row of kind_curve (bench/kinds/shared_curve.c). */
enum bench_team {
    BENCH_ALONE,  /* one core at a time */
    BENCH_CORES,  /* 1, 2, 4 ... and all cores with the same load, each on separate memory */
    BENCH_LOADED, /* one core chases pointers while the others have the load, at several rates */
    BENCH_HELD,   /* one core flushes lines that another one has read or written */
};

/* The measurement of a row of kind_curve at each size of its working set. */
struct bench_curve {
    enum bench_load load;
    uint32_t stride;  /* BENCH_CHASE: lines from one element to the next, a divisor of 16; 0: in
                         random order */
    bool waits;       /* bench_is_flush(): MFENCE after each, not only after the last */
    uint64_t page;    /* size of the pages; 0: 4 KiB */
    bool no_prefetch; /* the hardware prefetchers are off; else as found */
    bool by_node;     /* the points are nodes of memory; the size is the same */
    /* The offsets of bench_is_near(), ascending; `offsets` of them. */
    const int32_t *offset;
    uint32_t offsets;
    enum bench_team team;
    uint32_t ms; /* the time that it may take on a core; 0: not a curve */
};

/* The quantity that the points of a curve differ in: bytes; states of a line; numbers of cores;
 * MB/s of the others; nodes of memory. */
enum bench_by {
    BENCH_BY_SIZE,
    BENCH_BY_OFFSET,
    BENCH_BY_STATE,
    BENCH_BY_CORES,
    BENCH_BY_RATE,
    BENCH_BY_NODE
};

static inline enum bench_by bench_by(const struct bench_curve *kind)
{
    if (kind->by_node)
        return BENCH_BY_NODE;
    if (kind->team == BENCH_CORES)
        return BENCH_BY_CORES;
    if (kind->team == BENCH_LOADED)
        return BENCH_BY_RATE;
    if (bench_is_flush(kind->load))
        return BENCH_BY_STATE;
    return bench_is_near(kind->load) ? BENCH_BY_OFFSET : BENCH_BY_SIZE;
}

#endif
