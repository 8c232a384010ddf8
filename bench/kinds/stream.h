/*
 * Reading, writing and copying a working set from one end to the other: the bandwidth of one core.
 * The operation is a line of 64 bytes. A copy has a half of the set as its source, the other half
 * as its destination.
 *
 * One lap before the timed walks is checked: what was read is the XOR of the memory's words, and
 * every word that was written or copied has its value. It also brings the caches into the state
 * that one lap after the other keeps.
 */
#ifndef BENCH_KINDS_STREAM_H
#define BENCH_KINDS_STREAM_H

#include <stdbool.h>
#include <stdint.h>
#include "bench/api/bench.h"
#include "bench/api/platform.h"
#include "lib/curve/cache_line.h"

#define STREAM_LINE   64  /* bytes of an operation */
#define STREAM_UNROLL 256 /* bytes of a unit of the walks; as in stream.asm */

typedef uint64_t stream_walk(uint8_t *at, uint8_t *to, uint64_t iterations, uint64_t laps,
                             uint64_t *word);

struct stream {
    stream_walk *walk;
    enum bench_load load;
    uint8_t *at, *to; /* `to`: the destination of a copy; else it is `at` */
    uint64_t lines;   /* operations of a lap */
};

/* Fills `bytes` bytes at `at`, a multiple of 1 KiB, for a load other than BENCH_CHASE. */
void stream_build(struct stream *s, enum bench_load load, uint8_t *at, uint64_t bytes);

/* Runs one lap. Returns the lines that were read or written as they should, at most s->lines. */
uint64_t stream_check(const struct stream *s);

/* Walks `lines` lines from *line on, and advances *line around the set. Both are multiples of an
 * iteration's lines; `lines` divides a lap's. */
void stream_part(const struct stream *s, uint64_t *line, uint64_t lines);

/* Runs the i-th timed walk, and one of twice its operations. If the first is whole laps, a walk
 * that is not timed precedes it; else the second begins where the first ended. *lines gets the
 * operations of the first. */
struct stream_ticks {
    uint64_t once, twice, lines;
};
struct stream_ticks stream_time(const struct stream *s, unsigned i);

/* stream.asm */
stream_walk stream_read_16, stream_read_32, stream_write_16, stream_write_32, stream_write_nt,
    stream_write_rep, stream_copy_16, stream_copy_32, stream_copy_rep;

/*
 * Flushing lines that are in a known state: each line with CLFLUSH, CLFLUSHOPT or CLWB, one after
 * the other. An MFENCE waits for all of them together, or for each one. The operation is one
 * instruction, or one with its MFENCE.
 *
 * Before each timed walk the lines are flushed, then read or written, then other memory is read to
 * move them to a more distant cache (lib/curve/cache_line.h). What the memory holds afterwards is
 * checked once per place.
 */

#define FLUSH_LINE   64  /* bytes; flush_lacks() verifies it */
#define FLUSH_UNROLL 16  /* lines of an iteration of the walks; as in flush.asm */
#define FLUSH_LINES  128 /* of the shorter walk; the longer one has twice as many */
#define FLUSH_BYTES  (2ull * FLUSH_LINES * FLUSH_LINE) /* of the lines; evicting memory follows */

typedef uint64_t flush_walk(uint8_t *lines, uint64_t iterations);

struct flush {
    flush_walk *walk;
    enum line_state state;
    uint8_t *lines;
    uint8_t *other; /* read to evict the lines */
    uint64_t evict; /* bytes of it */
};

/* Returns why this CPU cannot execute the load's instruction on lines of FLUSH_LINE bytes; NULL: it
 * can. */
const char *flush_lacks(const struct platform *p, enum bench_load load);

/* flush_describe() describes the lines in FLUSH_BYTES + evict bytes at `at`, a page boundary;
 * flush_fill() fills them with the content of a clean line; flush_build() does both. */
void flush_describe(struct flush *f, const struct bench_curve *kind, enum line_state state,
                    uint8_t *at, uint64_t evict);
void flush_fill(const struct flush *f);
void flush_build(struct flush *f, const struct bench_curve *kind, enum line_state state,
                 uint8_t *at, uint64_t evict);

/* Flushes lines in this state. Returns those whose memory then has what was written last, at most
 * 2 * FLUSH_LINES. */
uint64_t flush_check(const struct flush *f);

/* Parts of flush_check() and flush_time(), for lines that another core brings into the state.
 * flush_away() flushes them, on either core. flush_touch() reads or writes them, on the other core;
 * a dirty line's content is inverted if `change`. The walk runs on this core. flush_right() returns
 * the number of lines that have the content. */
void flush_away(const struct flush *f, uint64_t lines);
void flush_touch(const struct flush *f, uint64_t lines, bool change);
uint64_t flush_right(const struct flush *f, uint64_t lines, bool change);

/* Brings that many lines, a multiple of FLUSH_UNROLL, into the state; returns the ticks to flush
 * them. */
uint64_t flush_time(const struct flush *f, uint64_t lines);

/* flush.asm */
flush_walk flush_clflush, flush_clflushopt, flush_clwb, flush_clflush_wait, flush_clflushopt_wait,
    flush_clwb_wait;

#endif
