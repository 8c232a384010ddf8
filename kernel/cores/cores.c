#include "kernel/cores/cores.h"
#include "bench/api/report.h"
#include "kernel/cores/lent.h"
#include "kernel/cores/park.h"
#include "kernel/cores/trampoline.h"
#include "kernel/cpu/cpu.h"
#include "kernel/machine/machine.h"
#include "kernel/memory/memory_map.h"
#include "lib/cpu/tsc_rate.h"
#include "lib/text/fmt.h"
#include "lib/text/mem.h"

/* SDM vol. 3A sections 10.4.4.1 and 11.6.1: INIT, 10 ms, start-up, 200 us, start-up. */
#define ICR_INIT     (5u << 8 | 1u << 14)
#define ICR_START_UP (6u << 8 | 1u << 14)
#define INIT_US      10000
#define SECOND_US    10000 /* without an arrival, then all that are missing get a second start-up */
#define SILENCE_US   1000000 /* without an arrival, then nobody is waited for any more */
#define CALL_US      1000000 /* for the first call, which does nothing */
#define OWN_US       100000  /* for an interrupt to oneself */

#define CR0_KEPT 0x80050033ull /* of the boot core's CR0: PG AM WP NE ET MP PE (SDM 2.5) */
#define CR4_KEPT                                                                                   \
    0x1020ull /* PAE, LA57: what paging needs; the rest follows when faults can be told */
#define EFER_LME (1u << 8)
#define EFER_NXE (1u << 11)
#define MSR_EFER 0xc0000080
#define PAGE     ARENA_PAGE

uint64_t cores_cost(const struct options *o, unsigned cores)
{
    struct core_list named;
    uint64_t own = 0, lists = sizeof(struct core *) + sizeof(struct core_facts) +
                              sizeof(struct core_texts) + sizeof(struct core_place) +
                              sizeof(uint32_t) + sizeof(struct trampoline_place);

    if (o->share == SHARE_TOGETHER && core_list_parse(&named, o->cores))
        own = core_list_count(&named, cores) * paging_own_cost();
    /* Six lists, each in pages of its own. */
    return own + arena_cost(lists * cores) + 6 * PAGE + (cores - 1) * core_cost(CORE_STACK_SIZE);
}

uint64_t cores_ticks(const struct machine *m, uint64_t microseconds)
{
    uint64_t hz = m->clock.hz ? m->clock.hz : TSC_HZ_MAX;

    return microseconds * (hz / 1000) / 1000;
}

static void wait(const struct machine *m, uint64_t microseconds)
{
    uint64_t began = rdtsc();

    while (rdtsc() - began < cores_ticks(m, microseconds))
        pause();
}

/* --- who there is ----------------------------------------------------------------------------- */

static bool take_lists(struct machine *m)
{
    struct cores *c = &m->cores;
    unsigned room = m->handoff->cores;

    c->core = arena_take(&m->arena, room * sizeof(*c->core));
    c->facts = arena_take(&m->arena, room * sizeof(*c->facts));
    c->texts = arena_take(&m->arena, room * sizeof(*c->texts));
    c->place = arena_take(&m->arena, room * sizeof(*c->place));
    c->list.id = arena_take(&m->arena, room * sizeof(*c->list.id));
    c->list.room = room;
    return c->core && c->facts && c->texts && c->place && c->list.id;
}

static void list_cores(struct machine *m)
{
    const struct handoff *h = m->handoff;
    struct cores *c = &m->cores;
    struct cores_known known = {h->mp_cpu, h->mp_cpus};

    c->from = "mp_services";
    if (m->madt && m->madt->cpus_enabled > 0) {
        known = (struct cores_known){m->madt->cpu, m->madt->cpus};
        c->from = "madt";
    }
    cores_list(&c->list, &known, m->irq.lapic.present ? m->irq.lapic.id : cpuid(1, 0).ebx >> 24);
    c->count = c->list.count;
    m->core->apic_id = c->list.id[0];
    c->core[0] = m->core;
    core_read_facts(m, m->core);
    for (unsigned i = 1; i < c->count; i++) {
        c->facts[i].apic_id = c->list.id[i];
        c->facts[i].why_not = "not started";
        c->place[i] = c->place[0];
    }
}

/* --- the way to them -------------------------------------------------------------------------- */

static bool usable_low(const struct memory_region *r)
{
    /* The other cores, which may have run in the firmware's pages, wait for a start-up by now. */
    return r->type == REGION_FREE || r->type == REGION_BOOT_CODE || r->type == REGION_BOOT_DATA;
}

/* Pages below 1 MiB, never page 0: those that firmware gave, else what it has left. 0: none. */
static uint64_t low_pages(const struct handoff *h)
{
    for (uint32_t i = 0; !h->low_page && i < h->regions; i++) {
        const struct memory_region *r = &h->region[i];
        uint64_t at = r->start ? r->start : PAGE, need = at - r->start + LOW_PAGES * PAGE;
        if (usable_low(r) && r->size >= need && at + LOW_PAGES * PAGE <= LOW_END)
            return at;
    }
    return h->low_page;
}

/* For cores that are started by INIT. */
static const char *open_start(struct machine *m, uint64_t *low)
{
    struct lapic *lapic = &m->irq.lapic;

    if (!m->others_stopped)
        return "they could not be stopped by INIT";
    *low = low_pages(m->handoff);
    if (!*low)
        return "no free memory below 1 MiB, where a core starts";
    if (!lapic->x2apic && cores_need_x2apic(&m->cores.list) && m->cpu.x2apic)
        m->cores.x2apic_switched = lapic_switch_x2apic(lapic);
    return NULL;
}

static const char *lent_refused(const struct handoff *h)
{
    if (h->lent)
        return NULL;
    return h->lent_refused[0] ? h->lent_refused : "the firmware has no MP services to lend them";
}

/* NULL, or why no other core can be had. */
static const char *open_way(struct machine *m, uint64_t *low)
{
    struct lapic *lapic = &m->irq.lapic;
    struct cores *c = &m->cores;
    const char *why_not;

    if (!lapic->present)
        return "the boot core's APIC cannot be used";
    why_not = m->handoff->borrowed ? lent_refused(m->handoff) : open_start(m, low);
    if (why_not)
        return why_not;
    c->park_refused = park_init(&m->cpu, lapic, m->handoff->options.park == PARK_MWAIT);
    park_accept();
    if (!park_test_own(m->core, cores_ticks(m, OWN_US)))
        return "the boot core does not get the interrupt that it sends to itself";
    return NULL;
}

/* --- the start -------------------------------------------------------------------------------- */

static const char *make_places(struct machine *m, struct trampoline_place *place)
{
    for (unsigned i = 1; i < m->cores.count; i++) {
        struct core *core = core_new(&m->arena, CORE_STACK_SIZE);
        if (!core)
            return "the arena has no room for their stacks";
        if (!paging_guard(&m->paging, core))
            return "the page tables have no room for the pages below their stacks";
        place[i - 1] = (struct trampoline_place){core, core->stack_top};
    }
    return NULL;
}

/* Start-up IPIs to all that have not arrived. */
static void send_start_up(struct machine *m, uint64_t page)
{
    for (unsigned i = 1; i < m->cores.count; i++)
        if (!m->cores.core[i] && cores_reachable(m->cores.list.id[i], m->irq.lapic.x2apic))
            (void)lapic_ipi(&m->irq.lapic, m->cores.list.id[i],
                            ICR_START_UP | (uint32_t)(page / PAGE));
}

/* As long as there are arrivals, all of them or until nobody came for so long. */
static void await_arrivals(const struct machine *m, uint64_t silence_us)
{
    uint64_t silence = cores_ticks(m, silence_us), last = rdtsc();
    uint32_t up = 0;

    while (up + 1 < m->cores.count && rdtsc() - last < silence) {
        uint32_t now = __atomic_load_n(&m->cores.up, __ATOMIC_SEQ_CST);
        if (now != up)
            last = rdtsc();
        up = now;
        pause();
    }
}

/* Those that may have missed the INIT that went to all. */
static void start_again(struct machine *m, uint64_t page)
{
    struct cores *c = &m->cores;

    for (unsigned i = 1; i < c->count; i++) {
        if (c->core[i] || !cores_reachable(c->list.id[i], m->irq.lapic.x2apic))
            continue;
        c->second_init++;
        (void)lapic_ipi(&m->irq.lapic, c->list.id[i], ICR_INIT);
    }
    if (c->second_init == 0)
        return;
    wait(m, INIT_US);
    send_start_up(m, page);
    await_arrivals(m, SILENCE_US);
}

static void start(struct machine *m, uint64_t low, const struct trampoline_place *place)
{
    uint32_t ticket = 0;
    struct trampoline t = {
        .root = m->paging.tables.pool_phys,
        .ticket = &ticket,
        .place = place,
        .entry = core_arrive,
        .places = m->cores.count - 1,
        .root_low = (uint32_t)(low + PAGE),
        .cr0 = (uint32_t)(read_cr0() & CR0_KEPT),
        .cr4 = (uint32_t)(read_cr4() & CR4_KEPT),
        .efer = EFER_LME | (uint32_t)(rdmsr(MSR_EFER) & EFER_NXE),
    };

    trampoline_write(low, &t);
    if (!paging_low_page(&m->paging, low, true))
        return;
    /* The first CR3 has 32 bits, and the tables may lie higher: a copy of their root. */
    memcpy((void *)(low + PAGE), m->paging.tables.pool, PAGE);
    wait(m, INIT_US); /* since the INIT that went to all */
    send_start_up(m, low);
    await_arrivals(m, SECOND_US);
    send_start_up(m, low);
    await_arrivals(m, SILENCE_US);
    start_again(m, low);
    /* A core that comes too late finds no page that can be executed; it stops by a triple fault,
     * which an INIT to all who are missing spares the machine. */
    for (unsigned i = 1; i < m->cores.count; i++)
        if (!m->cores.core[i] && cores_reachable(m->cores.list.id[i], m->irq.lapic.x2apic))
            (void)lapic_ipi(&m->irq.lapic, m->cores.list.id[i], ICR_INIT);
    (void)paging_low_page(&m->paging, low, false);
}

static void name_missing(struct machine *m)
{
    struct cores *c = &m->cores;

    for (unsigned i = 1; i < c->count; i++) {
        if (c->core[i])
            c->facts[i].why_not = NULL;
        else if (m->handoff->borrowed)
            c->facts[i].why_not = lent_why_not(m, i);
        else if (!cores_reachable(c->list.id[i], m->irq.lapic.x2apic))
            c->facts[i].why_not = "its APIC id needs x2APIC, which is not to be had here";
        else
            c->facts[i].why_not = c->lost ? c->lost : "it did not answer INIT and start-up";
    }
}

/* --- the first calls -------------------------------------------------------------------------- */

static void count(void *ctx, unsigned core)
{
    (void)core;
    ++*(unsigned *)ctx;
}

static void try_all(struct machine *m)
{
    struct cores *c = &m->cores;

    for (unsigned i = 1; i < c->count; i++) {
        unsigned before = c->called;
        if (c->facts[i].why_not)
            continue;
        if (!core_try(i, count, &c->called, NULL, cores_ticks(m, CALL_US)) ||
            c->called != before + 1)
            c->facts[i].why_not = "it came up, and does not wake when it is called";
        else if (!core_compare_tsc(m, i))
            c->facts[i].why_not = "its TSC could not be compared with the boot core's";
    }
}

static const char *make_buffers(struct machine *m)
{
    const struct options *o = &m->handoff->options;
    struct core_list named;

    if (o->share != SHARE_TOGETHER || !core_list_parse(&named, o->cores))
        return NULL;
    for (unsigned i = 1; i < m->cores.count; i++)
        if (!m->cores.facts[i].why_not && core_list_has(&named, i) &&
            !paging_own(&m->paging, &m->arena, m->cores.core[i]))
            return "share=together: the arena has no room for each core's buffers";
    return NULL;
}

const char *machine_cores(struct machine *m)
{
    struct cores *c = &m->cores;
    struct trampoline_place *place;
    uint64_t began = rdtsc(), low = 0;

    core_setup_init(m);
    core_run_init(m);
    if (!take_lists(m))
        return "the list of cores: the arena is too small";
    list_cores(m);
    if (c->count == 1)
        return NULL;
    place = arena_take(&m->arena, (c->count - 1) * sizeof(*place));
    c->why_alone = place ? open_way(m, &low) : "the arena has no room for their places";
    if (!c->why_alone)
        c->why_alone = make_places(m, place);
    if (!c->why_alone) {
        if (m->handoff->borrowed)
            lent_call(m, place);
        else
            start(m, low, place);
        name_missing(m);
        try_all(m);
    }
    c->start_ticks = rdtsc() - began;
    return make_buffers(m);
}

const struct platform_cores *cores_platform(struct machine *m)
{
    struct cores *c = &m->cores;

    c->platform = (struct platform_cores){
        .count = c->count,
        .facts = c->facts,
        .place = c->place,
        .parked = park_name(),
        .run = core_run,
        .together = core_together,
        .wake = core_time_wake,
        .ipi = core_time_ipi,
    };
    return c->count > 1 && !c->why_alone ? &c->platform : NULL;
}

bool cores_report_end(const struct machine *m, struct report *r)
{
    const struct cores *c = &m->cores;
    char text[256];

    for (unsigned i = 1; i < c->count; i++) {
        const struct core *core = c->core[i];
        if (!core)
            continue;
        /* Where a row ran on it, whoever gave it the row has told. */
        if (core->faulted && !core->row_suite) {
            fmt_buf(text, sizeof text, "core %u (APIC id %u): %s", i, core->apic_id, core->fault);
            report_event(r, "fault", text);
            r->failures++;
        }
        if (core->nmis + core->machine_checks > 0) {
            fmt_buf(text, sizeof text, "core %u (APIC id %u): %llu NMIs or machine checks in all",
                    i, core->apic_id, (unsigned long long)(core->nmis + core->machine_checks));
            report_event(r, "nmi", text);
        }
    }
    return c->faulted > 0;
}
