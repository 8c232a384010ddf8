#include "kernel/devices/counters.h"
#include "kernel/cpu/instructions.h"
#include "kernel/devices/device_registers.h"

/* No clock is known yet: limits of a wait in reads and in raw ticks; the first one reached ends it.
 * Ten times the ticks of a window on the fastest machine; as many reads as take ten windows at 100
 * ns each. */
#define WAIT_READS (1u << 20)
#define WAIT_TICKS (1ull << 30)

#define FORWARD_READS 32 /* consecutive readings, none of which may go back */
#define BACK_MOST     1  /* exceptions: a delay of over half the counter's range looks like one */

#define PM_TIMER_HZ 3579545 /* ACPI 6.5 section 4.8.3.3 */

#define FS_PER_S 1000000000000000ull

const char counters_tsc_unknown[] = "its frequency is not known: no other clock answers";

struct timer *counters_timer(struct counters *c, unsigned id, const char **why)
{
    *why = clock_is_of_a_process(id) ? timer_of_a_process : NULL;
    return *why ? NULL : &c->timer[id];
}

static uint64_t mask_of(const struct timer *t)
{
    return ~0ull >> (64 - t->bits);
}

static enum timer_status read_whole(struct timer *t, uint64_t *count)
{
    uint64_t again = 0;

    return timer_read_whole(t, count, &again);
}

bool counters_wait(struct timer *t, uint64_t counts)
{
    uint64_t start, now, tsc = rdtsc();

    if (read_whole(t, &start) != TIMER_OK)
        return false;
    for (unsigned i = 0; i < WAIT_READS && rdtsc() - tsc < WAIT_TICKS; i++) {
        if (read_whole(t, &now) == TIMER_OK && ((now - start) & mask_of(t)) >= counts)
            return true;
    }
    return false;
}

/* Tests an enabled counter. Returns NULL, or why it cannot be used. */
static const char *proves(struct timer *t)
{
    static const char absent[] = "no device answers (reads all ones)";
    static const char torn[] = "its readings are torn";
    uint64_t last, now;
    unsigned back = 0;
    enum timer_status status = read_whole(t, &last);

    if (status != TIMER_OK)
        return status == TIMER_FAILED ? absent : torn;
    if (!counters_wait(t, 1))
        return last == mask_of(t) ? absent : "does not count";
    for (unsigned i = 0; i < FORWARD_READS; i++, last = now) {
        if (read_whole(t, &now) != TIMER_OK)
            return torn;
        back += ((now - last) & mask_of(t)) > mask_of(t) / 2;
    }
    return back > BACK_MOST ? "goes back" : NULL;
}

/* --- TSC -------------------------------------------------------------------------------------- */

static const char *start_tsc(struct timer *t)
{
    t->hz = t->tsc_hz;
    return proves(t);
}

static enum timer_status read_tsc(struct timer *t, uint64_t *count)
{
    (void)t;
    *count = rdtsc();
    return TIMER_OK;
}

/* --- ACPI PM timer ---------------------------------------------------------------------------- */

static const char *start_pmtimer(struct timer *t)
{
    const struct counters *c = t->context;

    if (!c->fadt)
        return "no FADT";
    return c->fadt->pm_timer_port ? proves(t) : "the FADT names none";
}

static enum timer_status read_pmtimer(struct timer *t, uint64_t *count)
{
    const struct counters *c = t->context;

    *count = in32(c->fadt->pm_timer_port) & mask_of(t);
    return TIMER_OK;
}

/* --- HPET ------------------------------------------------------------------------------------- */

static volatile uint32_t *hpet_register(const struct counters *c, unsigned offset)
{
    return (volatile uint32_t *)(c->hpet_at + offset);
}

static void stop_hpet(struct timer *t)
{
    const struct counters *c = t->context;

    *hpet_register(c, HPET_CONFIG) = c->hpet_config;
}

static const char *start_hpet(struct timer *t)
{
    struct counters *c = t->context;
    const char *why;

    if (!c->hpet)
        return "no HPET table";
    if (!c->hpet_at && !(c->hpet->address & 7))
        c->hpet_at = c->map(c->map_context, c->hpet->address, HPET_BYTES);
    if (!c->hpet_at)
        return "the HPET table's address is not a device's";

    uint32_t id = *hpet_register(c, HPET_ID), period = *hpet_register(c, HPET_PERIOD);
    if (id == NO_DEVICE || period == NO_DEVICE)
        return "no device answers (reads all ones)";
    if (period < HPET_PERIOD_MIN || period > HPET_PERIOD_MAX)
        return "its period is outside 1 to 100 ns";
    t->hz = FS_PER_S;
    t->hz_per = period;
    c->hpet_config = *hpet_register(c, HPET_CONFIG);
    *hpet_register(c, HPET_CONFIG) = c->hpet_config | HPET_ENABLE;
    why = proves(t);
    if (why)
        stop_hpet(t);
    return why;
}

/* Reads only the lower half: one access cannot be torn, and it wraps after 4 s at the earliest. */
static enum timer_status read_hpet(struct timer *t, uint64_t *count)
{
    *count = *hpet_register(t->context, HPET_COUNTER);
    return TIMER_OK;
}

/* --- PIT -------------------------------------------------------------------------------------- */

static void stop_pit(struct timer *t)
{
    const struct counters *c = t->context;

    out8(PORT_B, c->port_b & (PORT_B_KEEP | PORT_B_GATE_SPEAK));
}

static const char *start_pit(struct timer *t)
{
    struct counters *c = t->context;
    const char *why;

    c->port_b = in8(PORT_B);
    out8(PORT_B, (c->port_b & PORT_B_KEEP) | PORT_B_GATE2);
    out8(PIT_COMMAND, PIT_CH2_RATE);
    out8(PIT_CHANNEL2, 0);
    out8(PIT_CHANNEL2, 0);
    why = proves(t);
    if (why)
        stop_pit(t);
    return why;
}

/*
 * The PIT counts down from 65536, which reads as 0; the count is negated, so that all counters
 * count up. The status comes first: if it is not as programmed, an SMI has used the channel in
 * between, and the next two bytes do not belong together.
 */
static enum timer_status read_pit(struct timer *t, uint64_t *count)
{
    (void)t;
    out8(PIT_COMMAND, PIT_CH2_READ_BACK);
    uint8_t status = in8(PIT_CHANNEL2);
    uint8_t low = in8(PIT_CHANNEL2);
    uint8_t high = in8(PIT_CHANNEL2);
    *count = (uint16_t)(0 - (low | high << 8));
    if ((status & low & high) == 0xff)
        return TIMER_FAILED;
    return (status & PIT_STATUS_SET) == PIT_STATUS_RATE ? TIMER_OK : TIMER_AGAIN;
}

void counters_init(struct counters *c, const struct fadt *fadt, const struct hpet_table *hpet,
                   counters_map *map, void *map_context)
{
    *c = (struct counters){.fadt = fadt, .hpet = hpet, .map = map, .map_context = map_context};
    c->timer[CLOCK_ID_TSC] = (struct timer){
        .name = "tsc", .start = start_tsc, .read = read_tsc, .bits = 64, .hz_per = 1};
    c->timer[CLOCK_ID_HPET] = (struct timer){
        .name = "hpet", .start = start_hpet, .read = read_hpet, .stop = stop_hpet, .bits = 32};
    c->timer[CLOCK_ID_PMTIMER] = (struct timer){.name = "pmtimer",
                                                .start = start_pmtimer,
                                                .read = read_pmtimer,
                                                .bits = fadt && fadt->pm_timer_bits == 32 ? 32 : 24,
                                                .hz = PM_TIMER_HZ,
                                                .hz_per = 1};
    c->timer[CLOCK_ID_PIT] = (struct timer){.name = "pit",
                                            .start = start_pit,
                                            .read = read_pit,
                                            .stop = stop_pit,
                                            .bits = 16,
                                            .hz = PIT_HZ_12,
                                            .hz_per = 12};
    for (unsigned i = 0; i < CLOCK_IDS; i++)
        c->timer[i].context = c;
}
