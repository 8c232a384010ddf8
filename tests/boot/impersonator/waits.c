/* Instructions that take long on a CPU and do nothing in QEMU: MONITOR and MWAIT, on several cores,
 * and WBINVD. APM vol. 3, MONITOR, MWAIT; vol. 2 16.6 (priorities of the local APIC). */
#include "imp.h"

#define LAPIC          0xfee00000ull
#define APIC_PRIORITY  0xa0        /* of the processor */
#define APIC_REQUESTED 0x200       /* 256 bits, 32 in each register */
#define FLUSH_NS       20000000ull /* large caches */

static u64 overlaps;

static u32 apic(u32 offset)
{
    return *(volatile u32 *)(LAPIC + offset);
}

/* Returns whether an interrupt would be delivered if interrupts were enabled. */
static int is_interrupted(void)
{
    u32 highest = 15; /* class of 16 vectors */

    while (highest > 0 && !(apic(APIC_REQUESTED + highest / 2 * 0x10) >> highest % 2 * 16 & 0xffff))
        highest--;
    return highest > (apic(APIC_PRIORITY) >> 4 & 15);
}

/* In ns, as c->entered. */
static u64 time(void)
{
    u32 lo, hi;

    __asm__ volatile("rdtsc" : "=a"(lo), "=d"(hi));
    return (u64)hi << 32 | lo;
}

void waits_monitor(struct core *c)
{
    c->watched = (const u64 *)(const void *)exits_guest(c, *v64(c, V_RAX));
    if (!c->watched)
        fail("monitor", *v64(c, V_RAX), *v64(c, V_RIP));
    c->seen = __atomic_load_n(c->watched, __ATOMIC_SEQ_CST);
    exits_skip(c, 3);
}

/* Interrupts stay held, as after STI: one that came between two exits would not end the wait. */
void waits_mwait(struct core *c)
{
    u32 hint = (u32)*v64(c, V_RAX);

    c->hints |= BIT((hint >> 4 & 7) * 8 + (hint & 7));
    c->waits =
        !is_interrupted() && c->watched && __atomic_load_n(c->watched, __ATOMIC_SEQ_CST) == c->seen;
    if (!c->waits) {
        exits_skip(c, 3);
        return;
    }
    *v32(c, V_SHADOW) = 1;
    c->lasts = 0;              /* as long as it takes */
    __asm__ volatile("pause"); /* QEMU lets another core run */
}

void waits_flush(struct core *c)
{
    for (u64 i = 0; i < machine->cores; i++)
        overlaps += c->now < cores[i].flush_ends;
    c->lasts += FLUSH_NS;
    c->flush_ends = c->now + FLUSH_NS;
    c->flushes++;
    while (time() < c->entered + FLUSH_NS)
        __asm__ volatile("pause"); /* the same */
    exits_skip(c, 2);
}

u64 waits_overlaps(void)
{
    return overlaps;
}
