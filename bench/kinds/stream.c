#include "bench/kinds/stream.h"

/* Sets up to 8 MiB are walked in whole laps, of at least this many lines together. */
#define LAPS_UP_TO (8ull << 20)
#define LAP_LINES  8192
/* Larger sets are walked part by part, three parts per pair. The last part is left out, so that
 * their number is a multiple of three. */
#define PARTS       16
#define PARTS_TAKEN 15

#define BYTE 0x5a /* what walks write; the string instructions write one byte */
#define WORD (BYTE * 0x0101010101010101ull)

static stream_walk *const walks[] = {
    [BENCH_READ_16] = stream_read_16,   [BENCH_READ_32] = stream_read_32,
    [BENCH_WRITE_16] = stream_write_16, [BENCH_WRITE_32] = stream_write_32,
    [BENCH_WRITE_NT] = stream_write_nt, [BENCH_WRITE_REP] = stream_write_rep,
    [BENCH_COPY_16] = stream_copy_16,   [BENCH_COPY_32] = stream_copy_32,
    [BENCH_COPY_REP] = stream_copy_rep,
};

static bool reads(const struct stream *s)
{
    return s->load == BENCH_READ_16 || s->load == BENCH_READ_32;
}

static bool copies(enum bench_load load)
{
    return load == BENCH_COPY_16 || load == BENCH_COPY_32 || load == BENCH_COPY_REP;
}

/* Returns the content of a word: different ones, none of which is zero. */
static uint64_t content(uint64_t i)
{
    return (2 * i + 1) * 0x9e3779b97f4a7c15u;
}

static uint64_t *words(const uint8_t *at)
{
    return (uint64_t *)(uintptr_t)at;
}

static uint64_t words_of(const struct stream *s)
{
    return s->lines * (STREAM_LINE / sizeof(uint64_t));
}

void stream_build(struct stream *s, enum bench_load load, uint8_t *at, uint64_t bytes)
{
    uint64_t lap = copies(load) ? bytes / 2 : bytes;

    *s = (struct stream){.walk = walks[load],
                         .load = load,
                         .at = at,
                         .to = copies(load) ? at + lap : at,
                         .lines = lap / STREAM_LINE};
    for (uint64_t i = 0; i < words_of(s); i++) {
        words(s->at)[i] = content(i);
        if (s->to != s->at)
            words(s->to)[i] = 0;
    }
}

/* Returns the XOR of the set's words. */
static uint64_t all_words(const struct stream *s)
{
    uint64_t sum = 0;

    for (uint64_t i = 0; i < words_of(s); i++)
        sum ^= content(i);
    return sum;
}

static uint64_t iterations_of(uint64_t lines)
{
    return lines / (STREAM_UNROLL / STREAM_LINE);
}

uint64_t stream_check(const struct stream *s)
{
    uint64_t word = WORD, right = 0;

    (void)s->walk(s->at, s->to, iterations_of(s->lines), 1, &word);
    if (reads(s))
        return word == all_words(s) ? s->lines : 0;
    for (uint64_t i = 0; i < words_of(s); i++)
        right += words(s->to)[i] == (copies(s->load) ? content(i) : WORD);
    return right / (STREAM_LINE / sizeof(uint64_t));
}

static struct stream_ticks time_laps(const struct stream *s)
{
    uint64_t word = WORD, laps = (LAP_LINES + s->lines - 1) / s->lines;
    struct stream_ticks t = {.lines = laps * s->lines};

    (void)s->walk(s->at, s->to, iterations_of(s->lines), laps, &word); /* as chase_warm() */
    word = WORD;
    t.once = s->walk(s->at, s->to, iterations_of(s->lines), laps, &word);
    word = WORD;
    t.twice = s->walk(s->at, s->to, iterations_of(s->lines), 2 * laps, &word);
    return t;
}

struct stream_ticks stream_time(const struct stream *s, unsigned i)
{
    uint64_t word = WORD, part = s->lines / PARTS, from = 3 * i % PARTS_TAKEN * part * STREAM_LINE;
    struct stream_ticks t = {.lines = part};

    if (s->lines * STREAM_LINE <= LAPS_UP_TO)
        return time_laps(s);
    t.once = s->walk(s->at + from, s->to + from, iterations_of(part), 1, &word);
    from += part * STREAM_LINE;
    word = WORD;
    t.twice = s->walk(s->at + from, s->to + from, iterations_of(2 * part), 1, &word);
    return t;
}

void stream_part(const struct stream *s, uint64_t *line, uint64_t lines)
{
    uint64_t word = WORD, from = *line * STREAM_LINE;

    (void)s->walk(s->at + from, s->to + from, iterations_of(lines), 1, &word);
    *line = (*line + lines) % s->lines;
}
