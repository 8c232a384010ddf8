#include "tests/unit/bench/kinds/made_memory.h"
#include "bench/kinds/chase.h"
#include "bench/kinds/kinds.h"
#include "bench/kinds/stream.h"

struct made_memory made_memory;

double made_latency(uint64_t bytes)
{
    return bytes <= 8 * KIB ? 4 : bytes <= 64 * KIB ? 14 : 200;
}

/* TLBs of 64 and 512 entries. */
double made_page_latency(uint64_t pages)
{
    return pages <= 64 ? 4 : pages <= 512 ? 11 : 100;
}

/* Returns the lines of the cycle that a line is in. */
static uint64_t cycle_of(void *const *at)
{
    void *const *p = at;
    uint64_t n = 0;

    do {
        p = (void *const *)*p;
        n++;
    } while (p != at);
    return n;
}

uint64_t chase_walk(void *const *at, uint64_t iterations, void *const **end)
{
    uint64_t steps = iterations * CHASE_UNROLL;
    uint64_t n = cycle_of(at);
    double one = made_memory.pages ? made_page_latency(n) : made_latency(n * CHASE_LINE);
    double cycles = (one + made_memory.lap / (double)n) * (double)steps;
    uint64_t ticks = 100 + (uint64_t)(cycles * MACHINE_TPC * made_memory.slow);

    if (machine.evicts)
        ticks += (uint64_t)(made_memory.evicted * MACHINE_TPC);
    machine.evicts = false;
    steps += ++made_memory.walks == made_memory.wrong_walk;
    for (uint64_t i = 0; i < steps; i++)
        at = (void *const *)*at;
    *end = at;
    machine.tsc += ticks;
    return ticks;
}

/* Jumps over n pages take what a chase does, and 10 cycles more. */
void jumps_build(struct jumps *j, uint8_t *at, const uint8_t *code, uint64_t bytes, uint64_t page,
                 uint64_t seed)
{
    assert_false(machine.executable);
    *j = (struct jumps){.at = at, .code = code, .page = page, .n = (uint32_t)(bytes / page)};
}

uint32_t jumps_check(const struct jumps *j)
{
    assert_true(machine.executable);
    return j->n == made_memory.lost_page ? 0 : j->n;
}

bool jumps_time(const struct jumps *j, struct jumps_ticks *t)
{
    uint64_t ticks = (uint64_t)((made_page_latency(j->n) + 10) * MACHINE_TPC * 1000);

    *t = (struct jumps_ticks){50 + ticks, 50 + 2 * ticks, 1000};
    machine.tsc += 3 * ticks;
    return true;
}

/* The other loads have separate tests (test_memory_jumps.c, test_stream.c, test_memory_near.c,
 * test_memory_flush.c). */
const char *flush_lacks(const struct platform *p, enum bench_load load)
{
    return load == BENCH_WRITE_BACK ? "needs CLWB" : NULL;
}

void flush_build(struct flush *f, const struct bench_curve *kind, enum line_state state,
                 uint8_t *at, uint64_t evict)
{
    memset(at, 1, FLUSH_BYTES + evict);
    *f = (struct flush){.state = state, .lines = at, .evict = evict};
}

uint64_t flush_check(const struct flush *f)
{
    return made_memory.bad_state && f->state == made_memory.bad_state ? 0 : 2 * FLUSH_LINES;
}

uint64_t flush_time(const struct flush *f, uint64_t lines)
{
    uint64_t ticks = (uint64_t)(made_memory.slow * (300 + (double)lines * (2 + f->state)));

    machine.tsc += ticks;
    return ticks;
}

void near_build(struct near_place *p, enum bench_load load, uint8_t *at, int32_t offset)
{
    *p = (struct near_place){.load = load, .store = at, .at = at + offset};
}

uint64_t near_check(const struct near_place *p)
{
    return p->at - p->store == 13 ? 0 : 1; /* that offset has a defect */
}

uint64_t near_time(const struct near_place *p, uint64_t operations)
{
    uint64_t ticks = operations * (p->at == p->store ? 2 : 9);

    machine.tsc += ticks;
    return ticks;
}

void stream_build(struct stream *s, enum bench_load load, uint8_t *at, uint64_t bytes)
{
    *s = (struct stream){.load = load, .at = at, .lines = bytes / STREAM_LINE};
}

uint64_t stream_check(const struct stream *s)
{
    return s->lines - (s->load == BENCH_WRITE_NT); /* that one has a defect */
}

struct stream_ticks stream_time(const struct stream *s, unsigned i)
{
    uint64_t cycles = 3 * s->lines + s->lines * (s->lines < 200 ? 9 : 0);

    machine.tsc += cycles / 2;
    return (struct stream_ticks){50 + cycles / 2, 50 + cycles, s->lines};
}

/* AMD's leaf 8000_001D: 8 KiB of data, 8 KiB of instructions, 64 KiB of both. */
static struct cpuid_regs cpuid(void *ctx, uint32_t leaf, uint32_t subleaf)
{
    static const struct cpuid_regs cache[] = {
        {1 | 1 << 5, 7 << 22 | 63, 15, 0},
        {2 | 1 << 5, 7 << 22 | 63, 15, 0},
        {3 | 2 << 5, 7 << 22 | 63, 127, 0},
    };

    if (leaf == 0x80000005) /* L1 TLBs: 64 entries for data, 32 for code, fully associative */
        return (struct cpuid_regs){.ebx = 0xffu << 24 | 64 << 16 | 0xffu << 8 | 32};
    if (leaf == 0x80000006) /* L2 TLB for data: 512 entries, 4 ways */
        return (struct cpuid_regs){.ebx = 4u << 28 | 512 << 16};
    if (leaf == 0x8000001d && subleaf < 3 && !made_memory.no_cpuid)
        return cache[subleaf];
    return (struct cpuid_regs){0};
}

void made_memory_reset(enum execution execution)
{
    machine_reset(execution);
    machine.platform.cpuid = cpuid;
    made_memory = (struct made_memory){.slow = 1, .evicted = 1000};
}

const struct series *made_curve(const struct bench *b)
{
    const struct series *c = (const struct series *)(const void *)machine_measure(b);

    assert_int_equal(machine.areas, 0); /* whatever happened */
    assert_int_equal(machine.ms, bench_curve(b)->ms);
    return c;
}
