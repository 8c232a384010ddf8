#include "kernel/cores/lent.h"
#include "kernel/cores/park.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/cpu_setup.h"
#include "kernel/machine/machine.h"
#include "kernel/memory/memory_map.h"
#include "lib/cpu/tsc_rate.h"

/* kernel/cpu/entry.asm */
int entry_visit(void *argument, uint64_t stack_top, void (*go)(void *), uint64_t *back) HIDDEN;
_Noreturn void entry_return(uint64_t back, int status) HIDDEN;

/* A minute of the fastest TSC: the boot core says its first lines on a slow console before it
 * calls. */
#define CALL_TICKS (60 * TSC_HZ_MAX)
#define SILENCE_US 1000000 /* without an arrival, then nobody is waited for any more */
#define HOME_US    1000000 /* to put all back: microseconds */

#define FOUR_GIB (4ull << 30)
#define ICR_NMI  (4u << 8 | 1u << 14) /* SDM vol. 3A figure 11-12: NMI, level assert */

uint64_t lent_size(unsigned room)
{
    return arena_cost(sizeof(struct lent) + room * sizeof(struct lent_core));
}

static bool change(struct lent_core *l, uint32_t from, uint32_t to)
{
    return __atomic_compare_exchange_n(&l->state, &from, to, false, __ATOMIC_SEQ_CST,
                                       __ATOMIC_SEQ_CST);
}

static uint32_t state_of(const struct lent_core *l)
{
    return __atomic_load_n(&l->state, __ATOMIC_SEQ_CST);
}

static bool is_back(const struct lent_core *l)
{
    return __atomic_load_n(&l->back, __ATOMIC_SEQ_CST);
}

bool lent_lost(const struct lent_core *l)
{
    return state_of(l) == LENT_CALLED && !is_back(l);
}

/* --- the procedure, on the core itself -------------------------------------------------------- */

static uint32_t apic_id(void)
{
    /* SDM vol. 2A CPUID: leaf 0Bh has 32 bits where it is there, which EBX tells. */
    if (cpuid(0, 0).eax >= 0xb && cpuid(0xb, 0).ebx & 0xffff)
        return cpuid(0xb, 0).edx;
    return cpuid(1, 0).ebx >> 24;
}

/* True: called. */
static bool await_call(struct lent_core *l)
{
    uint64_t began = rdtsc();

    while (state_of(l) == LENT_WAITS) {
        if (rdtsc() - began > CALL_TICKS)
            (void)change(l, LENT_WAITS, LENT_HOME);
        pause();
    }
    return state_of(l) == LENT_CALLED;
}

static void on_own_stack(void *core)
{
    core_arrive_lent(core);
}

static void serve_between(struct lent_core *l)
{
    cpu_state_cet_off(&l->firmware);
    cpu_setup();
    (void)entry_visit(l->core, l->core->stack_top, on_own_stack, &l->way_back);
    cpu_state_restore(&l->firmware);
    cpu_state_cet_on(&l->firmware);
}

static void visit(struct lent_core *l)
{
    uint64_t flags = read_rflags();
    uint16_t tss;

    cli();
    cpu_state_save(&l->firmware);
    tss = cpu_state_tss_selector(&l->firmware, SELECTOR_TSS, SELECTOR_LAST);
    if (tss == 0) {
        l->why_not = "the firmware's GDT there has no free entry, which its TR needs afterwards";
    } else {
        core_move_tss(l->core, tss);
        serve_between(l);
    }
    if (flags & RFLAGS_IF)
        sti();
}

void lent_serve(struct lent *l)
{
    uint32_t ticket = __atomic_fetch_add(&l->tickets, 1, __ATOMIC_SEQ_CST);
    struct lent_core *own = &l->core[ticket];

    if (ticket >= l->room)
        return;
    own->apic_id = apic_id();
    own->stack = (uint64_t)__builtin_frame_address(0);
    if (!change(own, LENT_NONE, LENT_WAITS) || !await_call(own))
        return;
    visit(own);
    __atomic_store_n(&own->back, true, __ATOMIC_SEQ_CST);
}

_Noreturn void lent_leave(struct core *c)
{
    const struct lent_core *l = c->lent;

    c->leaving = true;
    core_unsettle(c);
    entry_return(l->way_back, 0);
}

_Noreturn void lent_stop(struct core *c)
{
    /* What faulted on the way home, or before it could hear anybody, has no other way. */
    if (c->leaving || !c->lent->irq.lapic.present)
        cpu_halt();
    while (!c->go_home)
        park_sleep(c);
    lent_leave(c);
}

void lent_nmi(struct core *c)
{
    if (c->lent && c->go_home && !c->leaving)
        lent_leave(c);
}

/* --- the boot core ---------------------------------------------------------------------------- */

/* Our tables show it what the firmware left on its stack. */
static bool stack_is_mapped(const struct machine *m, uint64_t stack)
{
    return stack < FOUR_GIB || memory_is_ram(m->handoff, stack, sizeof stack);
}

static void await_arrival(const struct machine *m, const struct lent_core *l, unsigned i)
{
    uint64_t began = rdtsc();

    while (!__atomic_load_n(&m->cores.core[i], __ATOMIC_SEQ_CST) && !is_back(l) &&
           rdtsc() - began <= cores_ticks(m, SILENCE_US))
        pause();
}

/* One that waits: called, unless it is nobody, or somebody who is there already. */
static void call_one(struct machine *m, struct lent_core *l, const struct trampoline_place *place)
{
    struct cores *c = &m->cores;
    unsigned i = cores_find(&c->list, l->apic_id);

    if (i == 0 || i == c->count || c->core[i])
        return;
    if (!stack_is_mapped(m, l->stack)) {
        l->why_not = "the firmware runs it on a stack outside of the memory map";
        return;
    }
    l->core = place[i - 1].core;
    l->core->lent = l;
    l->core->apic_id = l->apic_id;
    if (change(l, LENT_WAITS, LENT_CALLED))
        await_arrival(m, l, i);
}

const char *lent_why_not(const struct machine *m, unsigned index)
{
    const struct lent *l = m->handoff->lent;

    if (m->cores.lost)
        return m->cores.lost;
    for (uint32_t i = 0; i < l->room; i++) {
        if (l->core[i].apic_id != m->cores.list.id[index] || state_of(&l->core[i]) == LENT_NONE)
            continue;
        return l->core[i].why_not ? l->core[i].why_not : "it was called and did not come";
    }
    return "the firmware did not let it run the procedure (MP services)";
}

void lent_dismiss(struct lent *l)
{
    for (uint32_t i = 0; i < l->room; i++)
        if (!change(&l->core[i], LENT_NONE, LENT_HOME))
            (void)change(&l->core[i], LENT_WAITS, LENT_HOME);
}

void lent_call(struct machine *m, const struct trampoline_place *place)
{
    struct lent *l = m->handoff->lent;
    uint64_t silence = cores_ticks(m, SILENCE_US), last = rdtsc();

    for (uint32_t i = 0; i < l->room && i + 1 < m->cores.count; i++) {
        while (state_of(&l->core[i]) == LENT_NONE && rdtsc() - last < silence)
            pause();
        if (state_of(&l->core[i]) == LENT_WAITS)
            call_one(m, &l->core[i], place);
        last = rdtsc();
    }
    lent_dismiss(l);
}

static bool await_back(const struct machine *m, const struct lent_core *l)
{
    uint64_t began = rdtsc();

    while (!is_back(l)) {
        if (rdtsc() - began > cores_ticks(m, HOME_US))
            return false;
        pause();
    }
    return true;
}

bool lent_recall(struct machine *m, struct core *c)
{
    c->go_home = true;
    return is_back(c->lent) ||
           (lapic_ipi(&m->irq.lapic, c->apic_id, ICR_NMI) && await_back(m, c->lent));
}

void lent_home(struct machine *m)
{
    struct lent *l = m->handoff->lent;

    if (!l)
        return;
    lent_dismiss(l);
    for (uint32_t i = l->room; i-- > 0;) {
        struct core *c = l->core[i].core;
        if (!lent_lost(&l->core[i]))
            continue;
        c->go_home = true;
        if (!park_wake(c) || !await_back(m, &l->core[i]))
            (void)lent_recall(m, c);
    }
    park_drain();
}
