#include "bench/kinds/flush.h"

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
static uint64_t content(uint64_t line, bool change)
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
            line_at(f, i)[k] = content(i, change);
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
            same = same && line_at(f, i)[k] == content(i, change);
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
