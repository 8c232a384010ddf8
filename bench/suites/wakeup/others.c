/*
 * A core ends the wait of another one. Figures are one way, corrected by the difference of the two
 * TSCs, except those of parts that one core measures alone. Sources: SDM vol. 3A sections 11.6.1
 * (ICR), 11.12.9 and 11.12.3 (ICR in x2APIC mode), vol. 2B MONITOR, MWAIT, UMWAIT.
 */
#include "bench/kinds/kinds.h"
#include "bench/suites/wakeup/others.h"
#include "bench/api/tsc.h"
#include "bench/kinds/team.h"
#include "bench/suites/wakeup/wakeup.h"

#define MSR_X2APIC_ICR   0x830
#define ICR_ASSERT       (1u << 14)
#define ICR_PENDING      (1u << 12)
#define ICR_LOOKS        1000000u
#define XAPIC_ID_AT      24
#define CR8_ONLY_HIGHEST 14ull
/* Ticks for which side 1 has been waiting when side 0 sends. */
#define SETTLE_TICKS      (1u << 16)
#define SETTLE_TICKS_LONG (1u << 20)

/* How side 1 waits, what ends it, and what is reported: time[to] - time[from]. */
struct way {
    struct team_pairing pairing;
    others_wait *wait;
    uint32_t arg;
    bool store, deep;
    uint8_t from, to;
};

static struct others *others_of(struct team *c)
{
    return (struct others *)(void *)c->own;
}

static const struct way *way_of(const struct team *c)
{
    return (const struct way *)(const void *)c->pairing;
}

static void begin(struct team *c)
{
    struct others *m = others_of(c);

    m->line = m->wanted = m->done = m->taken = m->pending = 0;
    m->quit = false;
    m->ready = m->answer = 0;
}

/* --- side 1 ----------------------------------------------------------------------------------- */

static void set_priority(uint64_t v)
{
    __asm__ volatile("mov %0, %%cr8" : : "r"(v) : "memory");
}

static void load_idt(struct others *m)
{
    uint64_t at = (uint64_t)(uintptr_t)wakeup_handler;
    struct idt_gate *gate = &m->gates[PLATFORM_ROW_VECTOR];

    __asm__ volatile("sidt %0" : "=m"(m->idt_before));
    descriptors_copy((uint64_t *)(void *)m->gates, &m->idt_before, OTHERS_IDT / sizeof(uint64_t));
    gate->offset_low = (uint16_t)at;
    gate->offset_middle = (uint16_t)(at >> 16);
    gate->offset_high = (uint32_t)(at >> 32);
    m->idt = (struct descriptor_table){OTHERS_IDT - 1, (uint64_t)(uintptr_t)m->gates};
    __asm__ volatile("lidt %0" : : "m"(m->idt));
}

/* Waits for each round, and answers. */
static void wait_side(struct team *c)
{
    const struct way *way = way_of(c);
    struct others *m = others_of(c);
    uint64_t priority = privileged_cr8();

    m->apic = wakeup_apic();
    m->id = wakeup_read(m->apic, APIC_ID) >> (m->apic ? XAPIC_ID_AT : 0);
    load_idt(m);
    set_priority(CR8_ONLY_HIGHEST);
    for (uint64_t round = 1; round <= OTHERS_ROUNDS && !m->quit; round++) {
        m->pending = !way->store;
        m->wanted = round;
        atomic_store_explicit(&m->ready, round, memory_order_release);
        way->wait(m, way->arg);
        m->time[round - 1][OTHERS_WOKE] = m->woke;
        m->time[round - 1][OTHERS_ENDED] = m->ended;
        atomic_store_explicit(&m->answer, round, memory_order_release);
    }
    set_priority(priority);
    __asm__ volatile("lidt %0" : : "m"(m->idt_before));
}

/* --- side 0 ----------------------------------------------------------------------------------- */

static bool await(const _Atomic uint64_t *word, uint64_t value, uint64_t ticks)
{
    uint64_t began = tsc_now();

    while (atomic_load_explicit(word, memory_order_acquire) != value) {
        if (tsc_now() - began > ticks)
            return false;
        __builtin_ia32_pause();
    }
    return true;
}

static void send_interrupt(const struct others *m, uint64_t apic)
{
    if (apic) {
        *(volatile uint32_t *)(uintptr_t)(apic + APIC_ICR) = ICR_ASSERT | PLATFORM_ROW_VECTOR;
        for (unsigned i = 0; i < ICR_LOOKS && wakeup_read(apic, APIC_ICR) & ICR_PENDING; i++)
            __builtin_ia32_pause();
    } else {
        __asm__ volatile("wrmsr"
                         :
                         : "a"(ICR_ASSERT | PLATFORM_ROW_VECTOR), "d"(m->id), "c"(MSR_X2APIC_ICR)
                         : "memory");
    }
}

/* Ends the wait of side 1: by an interrupt, or by this value of the line. */
static void rouse(struct others *m, const struct way *way, uint64_t apic, uint64_t value,
                  uint64_t *time)
{
    if (apic)
        wakeup_write(apic, APIC_ICR_HIGH, m->id << XAPIC_ID_AT);
    __asm__ volatile("mfence" : : : "memory"); /* no WRMSR passes the stores before it */
    time[OTHERS_SENT] = tsc_now();
    if (way->store)
        m->line = value;
    else
        send_interrupt(m, apic);
    time[OTHERS_FREE] = tsc_now();
}

static void rouse_side(struct team *c)
{
    const struct way *way = way_of(c);
    struct others *m = others_of(c);
    uint64_t apic = wakeup_apic(), settle = way->deep ? SETTLE_TICKS_LONG : SETTLE_TICKS;
    unsigned done = 0;

    for (; done < OTHERS_ROUNDS && await(&m->ready, done + 1, c->patience); done++) {
        (void)await(&m->answer, done + 1, settle); /* it cannot come before the wait is ended */
        rouse(m, way, apic, done + 1, m->time[done]);
        if (!await(&m->answer, done + 1, c->patience))
            break;
        m->time[done][OTHERS_SEEN] = tsc_now();
    }
    m->done = done;
    if (done == OTHERS_ROUNDS)
        return;
    m->quit = true; /* side 1 waits for no other round, but perhaps still for this one */
    rouse(m, way, apic, UINT64_MAX, m->time[done]);
}

/* --- the result ------------------------------------------------------------------------------- */

static const char *incomplete(struct team *c)
{
    const struct others *m = others_of(c);
    uint32_t wanted = way_of(c)->store ? 0 : OTHERS_ROUNDS;

    if (m->done < OTHERS_ROUNDS || m->answer != OTHERS_ROUNDS)
        return "a core did not end its wait in time";
    return m->taken == wanted ? NULL : "the interrupts that came are not those that were sent";
}

static bool by_side_1(unsigned time)
{
    return time == OTHERS_WOKE || time == OTHERS_ENDED;
}

static unsigned times(struct team *c, int64_t ahead, uint64_t ticks[TEAM_TIMES])
{
    const struct way *way = way_of(c);
    const struct others *m = others_of(c);
    int64_t more = by_side_1(way->from) == by_side_1(way->to) ? 0 : ahead;

    for (unsigned i = 0; i < OTHERS_ROUNDS; i++) {
        int64_t t = (int64_t)(m->time[i][way->to] - m->time[i][way->from]) - more;
        ticks[i] = t < 0 ? 0 : (uint64_t)t; /* below 0 by the error of the TSCs' offset */
    }
    return OTHERS_ROUNDS;
}

static void side(struct team *c, unsigned side)
{
    if (side == 0)
        rouse_side(c);
    else
        wait_side(c);
}

/* --- rows ------------------------------------------------------------------------------------- */

#define TWO(name_, what_, wait_, arg_, store_, deep_, from_, to_, ...)                             \
    static void name_##_meet(struct team *c)                                                       \
    {                                                                                              \
        static const struct way way = {.pairing = {begin, side, incomplete, times},                \
                                       .wait = wait_,                                              \
                                       .arg = arg_,                                                \
                                       .store = store_,                                            \
                                       .deep = deep_,                                              \
                                       .from = from_,                                              \
                                       .to = to_};                                                 \
        team_pairings(c, &way.pairing);                                                            \
    }                                                                                              \
    BENCH(wakeup, name_, .what = what_, .kind = &kind_team, .ops = 1, .on_request = true,          \
          .needs.platform = NEED_RING0, .of = &(const struct bench_team_row){name_##_meet},        \
          __VA_ARGS__)

#define PART(name_, what_, from_, to_, lacks_)                                                     \
    TWO(name_, what_, wakeup_wait_spin, 0, false, false, from_, to_, .needs.lacks = lacks_)
#define PARTS(name_, mode_, lacks_)                                                                \
    PART(name_##_send, "an interrupt to another core (" mode_ "): until it is sent", OTHERS_SENT,  \
         OTHERS_FREE, lacks_);                                                                     \
    PART(name_##_delivery, "an interrupt to another core (" mode_ "): up to its handler",          \
         OTHERS_SENT, OTHERS_WOKE, lacks_);                                                        \
    PART(name_##_handler,                                                                          \
         "an interrupt to another core (" mode_ "): its handler, with the end "                    \
         "of interrupt",                                                                           \
         OTHERS_WOKE, OTHERS_ENDED, lacks_);                                                       \
    PART(name_##_answer, "an interrupt to another core (" mode_ "): until its answer is seen",     \
         OTHERS_SENT, OTHERS_SEEN, lacks_)
PARTS(ipi, "xAPIC", privileged_lacks_xapic);
PARTS(ipi_x2apic, "x2APIC", privileged_lacks_x2apic);

#define WAKE(name_, what_, wait_, arg_, store_, deep_, ...)                                        \
    TWO(name_, what_ " on another core", wait_, arg_, store_, deep_, OTHERS_SENT, OTHERS_WOKE,     \
        __VA_ARGS__)

WAKE(hlt_ipi, "an interrupt ends a hlt", wakeup_wait_hlt, 0, false, false);

#define MWAITS(hint_, state_, field_, substate_, long_, more_, windows_)                           \
    WAKE(mwait_##hint_##_ipi, "an interrupt ends an mwait with hint " #hint_ "h",                  \
         wakeup_wait_mwait, 0x##hint_, false, (windows_) != 0,                                     \
         .needs.features = {FEATURE_MONITOR}, .needs.lacks = wakeup_lacks_mwait_##hint_);          \
    WAKE(mwait_##hint_##_store, "a store ends an mwait with hint " #hint_ "h", wakeup_watch_mwait, \
         0x##hint_, true, (windows_) != 0, .needs.features = {FEATURE_MONITOR},                    \
         .needs.lacks = wakeup_lacks_mwait_##hint_);
WAKEUP_HINTS(MWAITS)

#define UMWAITS(name_, state_, arg_)                                                               \
    WAKE(umwait_##name_##_ipi, "an interrupt ends an umwait in " state_, wakeup_wait_umwait, arg_, \
         false, false, .needs.features = {FEATURE_WAITPKG});                                       \
    WAKE(umwait_##name_##_store, "a store ends an umwait in " state_, wakeup_watch_umwait, arg_,   \
         true, false, .needs.features = {FEATURE_WAITPKG});
WAKEUP_UMWAITS(UMWAITS)
