/* Time: the TSC at the recorded rate, core cycles, SMIs, a core clock that changes. QEMU counts
 * instructions, so its own TSC has the ns since power-on. */
#include "imp.h"

static u64 begun;

u64 clock_scale(u64 v, u64 a, u64 b)
{
    u64 lo, hi, q, r;

    __asm__("mulq %3" : "=a"(lo), "=d"(hi) : "a"(v), "r"(a) : "cc");
    __asm__("divq %4" : "=a"(q), "=d"(r) : "a"(lo), "d"(hi % b), "r"(b) : "cc");
    return q;
}

u64 clock_tsc(const struct core *c)
{
    return clock_scale(c->now, machine->tsc_khz, 1000000) + c->offset;
}

u64 clock_instructions(const struct core *c)
{
    return (c->now - c->without_cycles) >> machine->shift;
}

u64 clock_cycles(const struct core *c)
{
    return clock_scale(clock_instructions(c), machine->cycles_a, machine->cycles_b);
}

u64 clock_program_us(const struct core *c)
{
    return (c->now - begun) / 1000;
}

void clock_begin(void)
{
    __asm__ volatile("rdtsc" : : : "eax", "edx", "memory"); /* an exit */
    begun = cores[0].now;
    for (u64 i = 0; i < CORES; i++)
        cores[i].next_smi = begun + machine->smi_first * 1000;
}

/* An SMI happens at the first exit after its time, before the instruction that exits. Those that
 * came due in a longer time without exits, as in HLT, are counted and steal no time. */
static void smi(struct core *c)
{
    u64 length = machine->smi_last * 1000, every = machine->smi_every * 1000;

    if (length == 0 || begun == 0 || c->now < c->next_smi)
        return;
    u64 due = 1 + (c->now - c->next_smi) / every;
    c->smis += due;
    c->next_smi += due * every;
    c->now += length;
    c->lasts += length;
}

/* Makes work of this time last longer while the clock is slow, for all clocks but core cycles. It
 * changes at an exit. */
static void slow(struct core *c, u64 ns)
{
    u64 us = clock_program_us(c), more;

    if (machine->slow_every == 0 || begun == 0 || us < machine->slow_first ||
        (us - machine->slow_first) % machine->slow_every >= machine->slow_last)
        return;
    more = clock_scale(ns, machine->slow_b - machine->slow_a, machine->slow_a);
    c->now += more;
    c->lasts += more;
    c->without_cycles += more;
}

void clock_pass(struct core *c, u64 cycles)
{
    u64 ns = clock_scale(cycles, machine->cycles_b, machine->cycles_a) << machine->shift;

    c->now += ns;
    c->lasts += ns;
    slow(c, ns);
}

void clock_exit(struct core *c, u64 instructions)
{
    u64 passed = c->entered - c->now;

    c->now = c->entered;
    c->lasts = instructions << machine->shift;
    slow(c, passed);
    smi(c);
}
