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

#endif
