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

#define CLFLUSH_1    (1u << 19) /* leaf 1 EDX: CLFLUSH; the line's size is EBX[15:8] * 8 */
#define CLFLUSHOPT_7 (1u << 23) /* leaf 7 EBX (SDM vol. 2A, CPUID; AMD APM vol. 3 appendix E) */
#define CLWB_7       (1u << 24)
#define WORDS        (FLUSH_LINE / sizeof(uint64_t))

static flush_walk *walk_of(const struct bench_curve *kind)
{
    switch (kind->load) {
    case BENCH_FLUSH:
        return kind->waits ? flush_clflush_wait : flush_clflush;
    case BENCH_FLUSH_OPT:
        return kind->waits ? flush_clflushopt_wait : flush_clflushopt;
    default:
        return kind->waits ? flush_clwb_wait : flush_clwb;
    }
}

const char *flush_lacks(const struct platform *p, enum bench_load load)
{
    struct cpuid_regs one = p->cpuid(NULL, 1, 0), seven = {0};

    if (p->cpu->max_leaf >= 7)
        seven = p->cpuid(NULL, 7, 0);
    if (!(one.edx & CLFLUSH_1) || (one.ebx >> 8 & 0xff) * 8 != FLUSH_LINE)
        return "needs CLFLUSH of lines of 64 bytes (CPUID leaf 1 EDX[19], EBX[15:8])";
    if (load == BENCH_FLUSH_OPT && !(seven.ebx & CLFLUSHOPT_7))
        return "needs CLFLUSHOPT (CPUID leaf 7 EBX[23])";
    if (load == BENCH_WRITE_BACK && !(seven.ebx & CLWB_7))
        return "needs CLWB (CPUID leaf 7 EBX[24])";
    return NULL;
}

/* Returns the word that is written to every word of a line. */
static uint64_t flushed_content(uint64_t line, bool change)
{
    return (2 * line + 1) * 0x9e3779b97f4a7c15u ^ (change ? ~0ull : 0);
}

static volatile uint64_t *line_at(const struct flush *f, uint64_t i)
{
    return (volatile uint64_t *)(volatile void *)(f->lines + i * FLUSH_LINE);
}

static void write_lines(const struct flush *f, uint64_t lines, bool change)
{
    for (uint64_t i = 0; i < lines; i++)
        for (uint64_t k = 0; k < WORDS; k++)
            line_at(f, i)[k] = flushed_content(i, change);
}

void flush_describe(struct flush *f, const struct bench_curve *kind, enum line_state state,
                    uint8_t *at, uint64_t evict)
{
    *f = (struct flush){walk_of(kind), state, at, at + FLUSH_BYTES, evict};
}

void flush_fill(const struct flush *f)
{
    write_lines(f, 2ull * FLUSH_LINES, false);
    for (uint64_t i = 0; i < f->evict; i += FLUSH_LINE) /* so that it is present in memory */
        f->other[i] = 1;
}

void flush_build(struct flush *f, const struct bench_curve *kind, enum line_state state,
                 uint8_t *at, uint64_t evict)
{
    flush_describe(f, kind, state, at, evict);
    flush_fill(f);
}

/* Reads other memory twice: one pass leaves lines in caches that do not replace the oldest. */
static void evict(const struct flush *f)
{
    for (unsigned pass = 0; pass < 2; pass++)
        for (uint64_t i = 0; i < f->evict; i += FLUSH_LINE)
            (void)*(const volatile uint8_t *)(f->other + i);
}

void flush_away(const struct flush *f, uint64_t lines)
{
    (void)flush_clflush(f->lines, lines / FLUSH_UNROLL);
}

/* MFENCE waits for the stores. */
void flush_touch(const struct flush *f, uint64_t lines, bool change)
{
    if (line_state_is_dirty(f->state))
        write_lines(f, lines, change);
    else if (f->state != LINE_ABSENT)
        for (uint64_t i = 0; i < lines; i++)
            (void)line_at(f, i)[0];
    evict(f);
    __asm__ volatile("mfence" ::: "memory");
}

uint64_t flush_right(const struct flush *f, uint64_t lines, bool change)
{
    uint64_t right = 0;

    for (uint64_t i = 0; i < lines; i++) {
        bool same = true;
        for (uint64_t k = 0; k < WORDS; k++)
            same = same && line_at(f, i)[k] == flushed_content(i, change);
        right += same;
    }
    return right;
}

uint64_t flush_check(const struct flush *f)
{
    const uint64_t lines = 2ull * FLUSH_LINES;
    bool change = line_state_is_dirty(f->state);

    flush_away(f, lines);
    flush_touch(f, lines, change);
    (void)f->walk(f->lines, lines / FLUSH_UNROLL);
    flush_away(f, lines); /* so that the check below reads memory */
    return flush_right(f, lines, change);
}

uint64_t flush_time(const struct flush *f, uint64_t lines)
{
    flush_away(f, lines);
    flush_touch(f, lines, false);
    return f->walk(f->lines, lines / FLUSH_UNROLL);
}
