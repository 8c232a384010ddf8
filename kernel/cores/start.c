#include "kernel/cores/smp.h"
#include "lib/text/mem.h"

/* SDM vol. 3A section 10.4.4.1: INIT, 10 ms, start-up, 200 us, start-up. */
#define INIT_US    10000
#define SECOND_US  10000    /* without an arrival, until missing cores get a second start-up */
#define SILENCE_US 1000000  /* without an arrival, until the boot core stops waiting */
#define LATE_US    10000000 /* the same if a core is on its way, as long as it may flush caches */

/* The boot core's bits that paging needs; the rest follows when faults can be reported. */
#define CR0_KEPT (CR0_PG | CR0_AM | CR0_WP | CR0_NE | CR0_ET | CR0_MP | CR0_PE)
#define CR4_KEPT (CR4_PAE | CR4_LA57)

#define PAGE ARENA_PAGE

struct __attribute__((packed)) far_pointer {
    uint32_t offset;
    uint16_t selector, unused;
};

/* The values in kernel/cores/trampoline.asm. Each core that arrives takes the next struct core and
 * calls the entry with it, on its stack, in 64-bit mode with paging on. It has no usable GDT, IDT
 * or SSE yet. */
struct __attribute__((packed)) trampoline {
    uint64_t root;    /* CR3 in 64-bit mode */
    uint32_t *ticket; /* number of the next core, from 0 */
    struct core *const *core;
    void (*entry)(struct core *c); /* never returns */
    uint32_t cores, stack_top;     /* their number; the offset of stack_top in struct core */
    uint32_t root_low;             /* a copy of the root in a page below 4 GiB */
    uint32_t cr0, cr4, efer;       /* EFER's bits are added to those already set */
    struct far_pointer far_32, far_64;
    uint16_t gdt_limit;
    uint32_t gdt_base;
};
_Static_assert(offsetof(struct trampoline, far_32) == 56,
               "the layout in kernel/cores/trampoline.asm");

/* In the assembly file: offsets from the start of the copy, and its size. */
extern const struct {
    uint32_t protected_mode, long_mode, gdt, values, size;
} trampoline_layout HIDDEN;
extern const uint8_t trampoline[] HIDDEN;

/* --- where a core came from ------------------------------------------------------------------ */

static bool set_apic_base(uint64_t bits)
{
    uint64_t base;

    return msr_read(MSR_APIC_BASE, &base) && msr_write(MSR_APIC_BASE, base | bits);
}

/* Puts the running core's LAPIC into the boot core's mode and at its address. Returns NULL, or why
 * it failed. */
static const char *follow_boot_apic(const struct lapic *l, uint32_t *id)
{
    uint64_t base;

    if (!msr_read(MSR_APIC_BASE, &base))
        return "no IA32_APIC_BASE";
    if (!l->x2apic && base & BASE_X2APIC)
        return "its APIC is in x2APIC mode, the boot core's is not";
    if (!l->x2apic && (base & BASE_ADDRESS) != l->address &&
        !msr_write(MSR_APIC_BASE, (base & ~BASE_ADDRESS) | l->address))
        return "its APIC's address cannot be set to the boot core's";
    /* A disabled APIC cannot go to x2APIC mode directly (SDM vol. 3A figure 11-27). */
    if (!set_apic_base(BASE_ENABLED) || (l->x2apic && !set_apic_base(BASE_X2APIC)))
        return "its APIC cannot be put into the boot core's mode";
    return lapic_read_id(l, id);
}

static struct irq_masked start_mask(const struct core *c)
{
    park_accept(c->parking); /* first: a disabled LAPIC keeps all entries masked */
    return irq_mask_core(c->cores->given.irq, false);
}

static void start_stop(struct core *c)
{
    c->asleep = true;
    cpu_halt();
}

static void start_give_up(struct core *c)
{
    (void)lapic_ipi(c->parking->lapic, c->apic_id, ICR_INIT);
}

/* The trampoline calls this on the core's own stack. */
static void arrive(struct core *c)
{
    struct settled was;
    const char *why_not;

    c->apic_id = core_apic_id();
    __atomic_store_n(&c->begun, true, __ATOMIC_SEQ_CST);
    __atomic_add_fetch(&c->cores->under_way, 1, __ATOMIC_SEQ_CST);
    why_not = core_settle(c, &was);
    __atomic_sub_fetch(&c->cores->under_way, 1, __ATOMIC_SEQ_CST);

    if (why_not) {
        c->cores->lost = why_not;
        cpu_halt();
    }
    core_serve(c);
    cpu_halt();
}

/* --- the boot core --------------------------------------------------------------------------- */

static bool usable_low(const struct handoff *h, const struct memory_region *r)
{
    /* Other cores may have run in the firmware's pages; by now they wait for a start-up IPI. */
    bool firmwares = r->type == REGION_BOOT_CODE || r->type == REGION_BOOT_DATA;

    return r->type == REGION_FREE || (firmwares && !h->borrowed);
}

/* Returns the address of LOW_PAGES pages below 1 MiB, never page 0: those that the firmware
 * allocated, or else free ones of the memory map. 0: none. */
static uint64_t low_pages(const struct handoff *h)
{
    for (uint32_t i = 0; !h->low_page && i < h->regions; i++) {
        const struct memory_region *r = &h->region[i];
        uint64_t at = r->start ? r->start : PAGE, need = at - r->start + LOW_PAGES * PAGE;
        if (usable_low(h, r) && r->size >= need && at + LOW_PAGES * PAGE <= LOW_END)
            return at;
    }
    return h->low_page;
}

/* Switches the boot core's LAPIC to x2APIC. False: no such mode, or a hypervisor refuses. */
static bool switch_to_x2apic(struct lapic *l)
{
    uint64_t base;

    if (!set_apic_base(BASE_X2APIC) || !msr_read(MSR_APIC_BASE, &base) || !(base & BASE_X2APIC))
        return false;
    l->x2apic = true;
    return lapic_read(l, LAPIC_ID, &l->id);
}

/* Switches the LAPIC to x2APIC if the ids need it; a borrowed one could not be switched back. */
static const char *start_obstacle(struct cores *c)
{
    struct lapic *lapic = &c->given.irq->lapic;

    if (!lapic->bsp)
        return "the boot core is not the bootstrap processor (IA32_APIC_BASE), and an INIT to that "
               "one would restart the machine";
    if (!c->given.others_stopped)
        return "they could not be stopped by INIT";
    if (!low_pages(c->given.handoff))
        return "no free memory below 1 MiB, where a core starts";
    if (!lapic->x2apic && cores_need_x2apic(&c->list) && c->given.cpu->x2apic &&
        !c->given.handoff->borrowed)
        c->x2apic_switched = switch_to_x2apic(lapic);
    return NULL;
}

/* Returns whether the core with this APIC id is on its way: it executes our code, and may flush its
 * caches. */
static bool has_begun(const struct cores *c, uint32_t id)
{
    for (unsigned i = 1; i < c->count; i++)
        if (__atomic_load_n(&c->made[i]->begun, __ATOMIC_SEQ_CST) && c->made[i]->apic_id == id)
            return true;
    return false;
}

/* Sends a command to each core that has not begun and that interrupts can reach. Returns their
 * number. */
static unsigned send_missing(const struct cores *c, uint32_t command)
{
    const struct lapic *lapic = &c->given.irq->lapic;
    unsigned n = 0;

    for (unsigned i = 1; i < c->count; i++) {
        if (c->core[i] || has_begun(c, c->list.id[i]) ||
            !cores_reachable(c->list.id[i], lapic->x2apic))
            continue;
        (void)lapic_ipi(lapic, c->list.id[i], command);
        n++;
    }
    return n;
}

/* Waits until all cores have arrived, or none has begun or arrived for `silence_us`; longer while
 * one is on its way. */
static void await_arrivals(const struct cores *c, uint64_t silence_us)
{
    uint64_t last = rdtsc();
    uint32_t up = 0, under_way = 0;

    while (up + 1 < c->count && rdtsc() - last < cores_ticks(c, under_way ? LATE_US : silence_us)) {
        uint32_t up_now = __atomic_load_n(&c->up, __ATOMIC_SEQ_CST);
        uint32_t under_way_now = __atomic_load_n(&c->under_way, __ATOMIC_SEQ_CST);
        if (up_now != up || under_way_now != under_way)
            last = rdtsc();
        up = up_now;
        under_way = under_way_now;
        pause();
    }
}

static void wait_us(const struct cores *c, uint64_t us)
{
    (void)WAIT_FOR(false, cores_ticks(c, us));
}

static void send_all(struct cores *c, uint32_t start_up)
{
    wait_us(c, INIT_US); /* since the INIT to all cores */
    (void)send_missing(c, start_up);
    await_arrivals(c, SECOND_US);
    (void)send_missing(c, start_up);
    await_arrivals(c, SILENCE_US);
    /* A core that is still missing may have missed the INIT to all cores. */
    c->second_init = send_missing(c, ICR_INIT);
    if (c->second_init > 0) {
        wait_us(c, INIT_US);
        (void)send_missing(c, start_up);
        await_arrivals(c, SILENCE_US);
    }
    /* A core that starts too late would find no executable page and reset the machine by a triple
     * fault: an INIT keeps it waiting. */
    (void)send_missing(c, ICR_INIT);
}

/* Writes the code and its values to the page `low`. */
static void write_trampoline(const struct cores *c, uint64_t low, uint32_t *ticket)
{
    uint32_t at = (uint32_t)low;
    struct trampoline *t = (struct trampoline *)(low + trampoline_layout.values);

    memcpy((void *)low, trampoline, trampoline_layout.size);
    t->root = c->given.paging->tables.pool_phys;
    t->ticket = ticket;
    t->core = c->made + 1;
    t->entry = arrive;
    t->cores = c->count - 1;
    t->stack_top = offsetof(struct core, stack_top);
    t->root_low = at + PAGE;
    t->cr0 = (uint32_t)(read_cr0() & CR0_KEPT);
    t->cr4 = (uint32_t)(read_cr4() & CR4_KEPT);
    t->efer = (uint32_t)(EFER_LME | (rdmsr(MSR_EFER) & EFER_NXE));
    t->far_32.offset = at + trampoline_layout.protected_mode;
    t->far_64.offset = at + trampoline_layout.long_mode;
    t->gdt_base = at + trampoline_layout.gdt;
}

static const char *start_bring(struct cores *c)
{
    struct paging *paging = c->given.paging;
    uint64_t low = low_pages(c->given.handoff);
    uint32_t ticket = 0;

    write_trampoline(c, low, &ticket);
    if (!paging_rights(paging, low, PAGE, PAGE_EXEC))
        return "the page that they start in cannot be made executable";
    /* The first CR3 has 32 bits, but the tables may lie above 4 GiB: use a copy of their root. */
    memcpy((void *)(low + PAGE), paging->tables.pool, PAGE);
    send_all(c, ICR_START_UP | (uint32_t)(low / PAGE));
    (void)paging_rights(paging, low, PAGE, PAGE_WRITE);
    return NULL;
}

static const char *start_why_not(const struct cores *c, unsigned i)
{
    if (!cores_reachable(c->list.id[i], c->given.irq->lapic.x2apic))
        return "its APIC id needs x2APIC, which is not available here";
    if (has_begun(c, c->list.id[i]) && !c->lost)
        return "it started, and did not arrive in time";
    return c->lost ? c->lost : "it did not answer INIT and start-up";
}

const struct core_origin core_started = {
    .refused = start_obstacle,
    .bring = start_bring,
    .why_not = start_why_not,
    .join_apic = follow_boot_apic,
    .mask = start_mask,
    .stop = start_stop,
    .give_up = start_give_up,
};
