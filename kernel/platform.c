#include "kernel/kernel.h"
#include "bench/api/bench.h"
#include "kernel/machine/machine.h"

extern const char _text[] HIDDEN, _etext[] HIDDEN; /* linker.ld */

static struct machine *machine_of(const struct platform *p)
{
    return p->context;
}

static void code_write(const struct platform *p)
{
    paging_code(&machine_of(p)->paging, 0);
}

static void code_exec(const struct platform *p, size_t bytes)
{
    paging_code(&machine_of(p)->paging, bytes);
}

static bool stop_key(const struct platform *p)
{
    struct machine *m = machine_of(p);

    watchdog_feed(m);
    return serial_stop_key(&m->serial) || (m->keyboard && keyboard_stop_key());
}

/* Paints the screen; the serial port has the text already. */
static void paint_screen(const struct platform *p)
{
    struct machine *m = machine_of(p);

    if (core_current() == m->boot_core)
        screen_paint(&m->screen);
}

/* Paints before a row's first window, never between two. If other cores measure, run_on() and
 * run_together() paint before they call them. */
static void row_begin(const struct platform *p, const char *suite, const char *name, uint64_t ran)
{
    struct machine *m = machine_of(p);
    struct core *c = core_current();

    if (c == m->boot_core)
        screen_paint(&m->screen);
    watchdog_feed(m);
    c->row_suite = suite;
    c->row_name = name;
    thermal_begin(&m->thermal, &c->thermal);
    row_state_keep(&c->state);
    apic_state_keep(&c->state.apic, &m->irq.lapic);
    deadline_begin(c, ran);
}

static void row_touches(const uint32_t *msr)
{
    row_state_keep_msrs(&core_current()->state, msr);
}

static void row_longer(const struct platform *p, unsigned ms)
{
    deadline_later(core_current(), cores_ticks(&machine_of(p)->cores, (uint64_t)ms * 1000));
}

static void row_end(const struct platform *p)
{
    struct core *c = core_current();

    deadline_end(c);
    c->state.kept = c->state.apic.kept = false;
    c->row_suite = c->row_name = NULL;
    thermal_end(&machine_of(p)->thermal, &c->thermal);
}

/* No NULL check: a core that did not come up has no rows. */
static void row_keep(const struct platform *p, unsigned core, uint64_t *kept)
{
    thermal_keep(&machine_of(p)->cores.core[core]->thermal, kept);
}

struct guarded_call {
    struct core *core;
    void (*fn)(void *ctx);
    void *ctx;
    bool late; /* fn was not called: the deadline had passed */
};

/* Calls fn unless the deadline has passed: its NMI came before the guarded call and ended none. */
static void run_unless_late(void *ctx)
{
    struct guarded_call *call = ctx;

    call->late = deadline_passed(call->core);
    if (call->late)
        return;
    call->fn(call->ctx);
    (void)row_state_put_back(&call->core->state, false);
}

static bool guarded(void (*fn)(void *ctx), void *ctx, struct guard_ended *ended)
{
    struct core *c = core_current();
    struct guarded_call call = {c, fn, ctx, false};
    struct sink_buf changed;
    bool back = guard_call(c, run_unless_late, &call, ended);

    (void)row_state_put_back(&c->state, false);
    apic_state_put_back(&c->state.apic, &c->cores->given.irq->lapic);
    xstate_zero_uppers();
    sink_buf_init(&changed, ended->changed, sizeof(ended->changed));
    (void)apic_state_tell(&c->state.apic, row_state_tell(&c->state, &changed.sink), &changed.sink);
    if (call.late)
        *ended =
            (struct guard_ended){.by = GUARD_DEADLINE, .at = (uint64_t)__builtin_return_address(0)};
    return back && !call.late;
}

static uint64_t nmis(void)
{
    const struct core *c = core_current();

    return c->nmis + c->machine_checks;
}

static uint64_t own_nmis(void)
{
    return core_current()->own_nmis;
}

/* A counter that could not measure the TSC is not a clock either; *why has the same reason. */
static struct timer *clock(void *context, unsigned id, const char **why)
{
    struct machine *m = context;
    const struct tsc_clock *measured = &m->clock;
    struct timer *t = counters_timer(&m->counters, id, why);

    if (!t)
        return NULL;
    unsigned source = clocks_sources[id];
    if (source != CLOCK_SOURCES && !measured->source[source].known) {
        *why = measured->source[source].why_not;
        return NULL;
    }
    if (source == CLOCK_SOURCES && !measured->hz) {
        *why = counters_tsc_unknown;
        return NULL;
    }
    return t;
}

static struct timer *cycle(void *context, unsigned id, const char **why)
{
    (void)context;
    return core_cycles_timer(&core_current()->cycles, id, why);
}

static const char *run_on(const struct platform *p, unsigned i,
                          void (*fn)(void *ctx, unsigned core), void *ctx)
{
    struct machine *m = machine_of(p);

    if (i > 0)
        screen_paint(&m->screen);
    return cores_run(&m->cores, i, fn, ctx);
}

static const char *run_together(const struct platform *p, const unsigned *list, unsigned n,
                                void (*fn)(void *ctx, unsigned core), void *ctx)
{
    struct machine *m = machine_of(p);

    if (n > 1 || list[0] > 0)
        screen_paint(&m->screen);
    return cores_together(&m->cores, list, n, fn, ctx);
}

/* Returns NULL if no other core can be called. */
static const struct platform_cores *other_cores(const struct cores *c,
                                                struct platform_cores *others)
{
    if (c->count == 1 || c->why_alone)
        return NULL;
    *others = (struct platform_cores){
        .count = c->count,
        .facts = c->facts,
        .place = c->place,
        .parked = park_names[c->parking.how],
        .run = run_on,
        .together = run_together,
    };
    signals_open(others);
    return others;
}

static bool is_write_back_block(const struct paging *p, uint64_t block, uint64_t size)
{
    const struct mtrr *m = p->tables.mtrr;

    return paging_reaches(p->phys_limit, block, size) &&
           (!m || (mtrr_type(m, block) == MTRR_WB && mtrr_uniform(m, block, size)));
}

/* Returns the address of a free page of memory that a page of this size may map: all of it is
 * write-back by the MTRRs. 0: no such page. */
static uint64_t find_whole_page(const struct paging *p, uint64_t size)
{
    const struct handoff *h = p->handoff;

    for (uint32_t i = 0; i < h->regions; i++) {
        const struct memory_region *r = &h->region[i];
        uint64_t end = r->start + r->size;
        if (r->type != REGION_FREE)
            continue;
        for (uint64_t at = r->start; at < end; at = (at & ~(size - 1)) + size)
            if (at > 0 && is_write_back_block(p, at & ~(size - 1), size))
                return at;
    }
    return 0;
}

#define LACKS_WHOLE(size) "needs free memory in " size " of one memory type; MTRRs split all of it"

static uint64_t whole_page(const struct machine *m, uint64_t page, const char *lacks,
                           const char **why)
{
    uint64_t at = find_whole_page(&m->paging, page);

    *why = at ? NULL : lacks;
    return at;
}

static uint64_t device(const struct platform *p, enum platform_device device, const char **why)
{
    struct machine *m = machine_of(p);

    *why = NULL;
    switch (device) {
    case PLATFORM_PM_TIMER:
        return clock(m, CLOCK_ID_PMTIMER, why) ? m->fadt.pm_timer_port : 0;
    case PLATFORM_HPET:
        return clock(m, CLOCK_ID_HPET, why) ? (uint64_t)m->counters.hpet_at : 0;
    case PLATFORM_ECAM:
        *why = m->ecam ? NULL : "needs PCI configuration space in memory; MCFG names none";
        return m->ecam;
    case PLATFORM_PAGE_2M:
        return whole_page(m, BENCH_2M, LACKS_WHOLE("2 MiB"), why);
    case PLATFORM_PAGE_1G:
        return whole_page(m, BENCH_1G, LACKS_WHOLE("1 GiB"), why);
    case PLATFORM_NO_DEVICE:
        break;
    }
    return 0;
}

/* --- areas for curves over sizes: which of their mappings (kernel/cpu/paging.h) a row gets ---- */

#define HUGE_PAGE (1ull << 30)

static const struct area_view *view_of(const struct area_map *m, const struct platform_wish *wish)
{
    if (wish->page <= ARENA_PAGE)
        return &m->small;
    if (wish->page >= HUGE_PAGE)
        return wish->same ? &m->same_huge : &m->huge;
    return wish->same ? &m->same_large : &m->large;
}

static const char *why_none(const struct machine *m, const struct platform_wish *wish)
{
    if (wish->node > 0)
        return "the firmware had no memory for it on that node";
    if (m->paging.area[0].small.bytes == 0)
        return "the firmware had no memory for it in one piece, in reach of the page tables";
    if (wish->page < HUGE_PAGE)
        return "no pages of 2 MiB: MTRRs split the area, or it is smaller than one";
    if (!m->cpu.page_1g)
        return "no pages of 1 GiB (CPUID leaf 8000_0001 EDX[26])";
    return "no pages of 1 GiB: MTRRs split the GiB that the area is in";
}

/* Returns the index of the area on the wanted node, or on that of the running core. */
static unsigned which_area(const struct machine *m, const struct platform_wish *wish)
{
    const struct handoff *h = m->handoff;
    int node = wish->node ? (int)wish->node - 1 : m->cores.facts[core_current()->index].node;

    for (unsigned i = 0; i < h->areas && !wish->code && !wish->same; i++)
        if (h->area[i].node == node)
            return i;
    return wish->node ? HANDOFF_AREAS : 0;
}

static bool area_of(const struct platform *p, const struct platform_wish *wish,
                    struct platform_area *area, const char **why)
{
    const struct machine *m = p->context;
    unsigned i = which_area(m, wish);
    static const struct area_map none;
    const struct area_view *v = view_of(i < HANDOFF_AREAS ? &m->paging.area[i] : &none, wish);
    uint64_t there = wish->code && v->code_bytes < v->bytes ? v->code_bytes : v->bytes;

    *why = why_none(m, wish);
    if (v->bytes > 0 && wish->code && !v->code)
        *why = "no mapping of these pages is executable";
    if (there == 0)
        return false;
    *area = (struct platform_area){
        .at = (uint8_t *)v->at,
        .bytes = wish->bytes < there ? wish->bytes : there,
        .page = v->page,
        .node = m->handoff->areas > 0 ? m->handoff->area[i].node : NUMA_NONE,
        .same = wish->same && wish->page > ARENA_PAGE,
        .code = wish->code ? (uint8_t *)v->code : NULL,
    };
    return true;
}

static void area_free(const struct platform *p, struct platform_area *area)
{
    (void)p;
    area->at = NULL;
}

/* Both mappings are always there. CPUID serialises: the CPU has not seen the writes at the
 * addresses that it executes (SDM vol. 3A section 9.1.3). */
static bool area_execute(const struct platform *p, const struct platform_area *area, bool execute,
                         const char **why)
{
    (void)p, (void)area, (void)execute, (void)why;
    (void)cpuid_here(NULL, 0, 0);
    return true;
}

/* --- all of it -------------------------------------------------------------------------------- */

static const char *lacks_nothing(unsigned needs)
{
    (void)needs;
    return NULL;
}

const char *platform_init(struct platform *p, struct platform_cores *others, struct machine *m)
{
    size_t words = bench_memory_need(&m->handoff->options, m->cores.count);
    uint64_t *memory = arena_take(&m->arena, words * sizeof(*memory)); /* zeroed: touched */

    if (!memory)
        return "sample memory: the arena is too small";
    *p = (struct platform){
        .name = "uefi",
        .context = m,
        .cpu = &m->cpu,
        .timers.clock = clock,
        .timers.cycle = cycle,
        .timers.retired = core_cycles_retired,
        .code.at = (uint8_t *)PLATFORM_CODE_VA,
        .data = (uint8_t *)PLATFORM_DATA_VA,
        .code.write = code_write,
        .code.execute = code_exec,
        .memory = memory,
        .user.out = &m->console.sink,
        .user.stop_key = stop_key,
        .user.show = paint_screen,
        .user.stop_keys = "q or Esc",
        .row.begin = row_begin,
        .row.touches = row_touches,
        .row.longer = row_longer,
        .row.end = row_end,
        .guarded = guarded,
        .step = step_call,
        .image.text = (uint64_t)_text,
        .image.text_size = (uint64_t)_etext - (uint64_t)_text,
        .image.base = m->handoff->image_base,
        .image.size = m->handoff->image_size,
        .events.nmis = nmis,
        .events.own_nmis = own_nmis,
        .events.smis = m->controls.smi_counter ? core_controls_smis : NULL,
        .row.keep = row_keep,
        .kept = thermal_kept,
        .lacks = lacks_nothing,
        .cpuid = cpuid_here,
        .device = device,
        .areas.map = area_of,
        .areas.free = area_free,
        .areas.execute = area_execute,
        .prefetch = core_controls_prefetch,
        .numa = m->handoff->numa.from ? &m->handoff->numa : NULL,
        .cores = other_cores(&m->cores, others),
    };
    return NULL;
}
