#include "kernel/cpu/paging.h"
#include "bench/api/platform.h"
#include "kernel/cpu/cpu_setup.h"

#define PAGE       ARENA_PAGE
#define ONE_MIB    (1ull << 20)
#define ONE_GIB    (1ull << 30)
#define FOUR_GIB   (1ull << 32)
#define LARGE_PAGE (2ull << 20)

#define FRAMEBUFFER_MAX (1ull << 30) /* no mode needs more: a larger size is a firmware bug */

/* Ranges with separate rights, in addition to those of the memory map: image 4, buffers 4, stacks,
 * framebuffer, devices. */
#define RANGES 64
/* Ranges by which the memory map may grow until it is final. */
#define RANGES_SPARE 16

#define SWAP_PAGES 2

/* From linker.ld. */
extern uint8_t _text[] HIDDEN, _etext[] HIDDEN, _data[] HIDDEN, _edata[] HIDDEN;

static uint64_t page_down(uint64_t at)
{
    return at & ~(PAGE - 1);
}

static uint64_t page_up(uint64_t at)
{
    return page_down(at + PAGE - 1);
}

/* The cores' memory is contiguous, so each of its large pages is split once for all guard pages in
 * it. */
static unsigned guard_tables(unsigned cores)
{
    return (unsigned)(cores * core_cost(CORE_STACK_SIZE) / LARGE_PAGE) + 2;
}

bool paging_reaches(uint64_t limit, uint64_t start, uint64_t size)
{
    uint64_t end = start + size;

    return end > start && end <= limit &&
           (end <= PLATFORM_CODE_VA || start >= PAGING_WINDOW(PAGING_WINDOWS));
}

/* Returns whether the part of a region above 4 GiB is mapped. */
static bool is_mapped(const struct memory_region *r)
{
    return region_is_ram(r) || r->attribute & REGION_RUNTIME;
}

/* Finds the firmware's next code and data, from region *i on: adjacent regions are one range. Some
 * firmware has code in regions for data, and calls code of its boot services to reset the machine;
 * the region with ResetSystem counts whatever its type. */
static bool next_of_firmware(const struct handoff *h, uint32_t *i, uint64_t *start, uint64_t *end)
{
    *end = 0;
    for (; *i < h->regions; ++*i) {
        const struct memory_region *r = &h->region[*i];
        bool firmware = (r->type >= REGION_BOOT_CODE && r->type <= REGION_RUNTIME_DATA) ||
                        h->reset_system - r->start < r->size;
        if (*end && (!firmware || r->start != *end))
            return true;
        if (firmware && !*end)
            *start = r->start;
        if (firmware)
            *end = r->start + r->size;
    }
    return *end != 0;
}

/* Counts the tables of ranges that are mapped one by one: regions above 4 GiB, and the firmware's
 * code and data. `spare`: more such regions, small ones. Machines have memory with large gaps,
 * which cost nothing. */
static unsigned pool_pages(const struct handoff *h, unsigned spare)
{
    unsigned ranges = RANGES + spare;
    uint64_t tables = 0; /* of their inner parts; pagetable_need() counts those of their ends */
    uint64_t start, end;

    for (uint32_t i = 0; i < h->regions; i++) {
        const struct memory_region *r = &h->region[i];
        bool above = r->start + r->size > FOUR_GIB;
        ranges += above;
        if (above && is_mapped(r) && paging_reaches(1ull << PAGING_PHYS_BITS, r->start, r->size))
            tables += r->size / ONE_GIB + r->size / (512 * ONE_GIB);
    }
    for (uint32_t i = 0; next_of_firmware(h, &i, &start, &end);)
        ranges++;
    /* Assumes no 1 GiB pages: MTRRs may forbid them anywhere. */
    return pagetable_need(FOUR_GIB, false, ranges) + (unsigned)tables + guard_tables(h->cores);
}

uint64_t paging_cost(const struct handoff *h)
{
    return (pool_pages(h, RANGES_SPARE + h->needs.areas) +
            h->needs.areas * area_map_tables(h->needs.area)) *
               PAGE +
           PLATFORM_CODE_SIZE + h->needs.data + SWAP_PAGES * PAGE;
}

static bool identity(struct paging *p, uint64_t start, uint64_t end, unsigned rights)
{
    start = page_down(start);
    return pagetable_map(&p->tables, start, start, page_up(end) - start, rights);
}

static bool map_memory(struct paging *p)
{
    const struct handoff *h = p->handoff;

    if (!identity(p, 0, FOUR_GIB, PAGE_WRITE) || !pagetable_unmap(&p->tables, 0, PAGE))
        return false;
    for (uint32_t i = 0; i < h->regions; i++) {
        const struct memory_region *r = &h->region[i];
        uint64_t start = r->start < FOUR_GIB ? FOUR_GIB : r->start, end = r->start + r->size;
        bool device = r->type == REGION_MMIO || r->type == REGION_MMIO_PORTS;
        if (end <= start || !is_mapped(r))
            continue;
        if (!paging_reaches(p->phys_limit, start, end - start))
            p->regions_left_out++;
        else if (!identity(p, start, end, PAGE_WRITE | (device ? PAGE_UC : 0)))
            return false;
    }
    return true;
}

static bool map_image(struct paging *p)
{
    const struct handoff *h = p->handoff;

    return identity(p, h->image_base, h->image_base + h->image_size, 0) &&
           identity(p, (uint64_t)_text, (uint64_t)_etext, PAGE_EXEC) &&
           identity(p, (uint64_t)_data, (uint64_t)_edata, PAGE_WRITE);
}

static bool map_framebuffer(struct paging *p, bool pat)
{
    const struct framebuffer *f = &p->handoff->framebuffer;

    if (!f->address || f->size > FRAMEBUFFER_MAX ||
        !paging_reaches(p->phys_limit, f->address, f->size) ||
        memory_is_ram(p->handoff, f->address, f->size))
        return true;
    p->framebuffer =
        identity(p, f->address, f->address + f->size, PAGE_WRITE | (pat ? PAGE_WC : PAGE_UC));
    return p->framebuffer;
}

static bool map_buffers(struct paging *p)
{
    struct pagetable *t = &p->tables;

    return pagetable_unmap(t, p->code.phys, PLATFORM_CODE_SIZE) &&
           pagetable_map(t, PLATFORM_CODE_VA, p->code.phys, PLATFORM_CODE_SIZE, PAGE_EXEC) &&
           pagetable_map(t, PLATFORM_DATA_VA, p->data, p->handoff->needs.data, PAGE_WRITE) &&
           pagetable_map(t, PAGING_SWAP_VA, p->swap, PAGE, 0);
}

static bool map_areas(struct paging *p)
{
    const struct handoff *h = p->handoff;
    bool good = true;

    for (unsigned i = 0; i < h->areas && good; i++)
        good = area_map_init(&p->area[i], i, &p->tables, h->area[i].at, h->area[i].size,
                             p->phys_limit);
    return good;
}

static void load_tables(const struct paging *p)
{
    uint64_t cr4 = read_cr4();

    cpu_setup_paging();
    write_cr3(p->tables.pool_phys);
    /* Global entries survive a change of CR3, but not one of CR4.PGE (SDM vol. 3A section
     * 4.10.4.1). */
    write_cr4(cr4 ^ CR4_PGE);
    write_cr4(cr4 & ~CR4_PGE);
}

const char *paging_init(struct paging *p, const struct handoff *h, struct arena *a,
                        const struct cpu *cpu, const struct mtrr *mtrr, const struct core *core)
{
    unsigned levels = read_cr4() & CR4_LA57 ? 5 : 4;
    unsigned pages = pool_pages(h, 0);
    uint64_t guard;

    for (unsigned i = 0; i < h->areas; i++)
        pages += area_map_tables(h->area[i].size);
    void *pool = arena_take(a, pages * PAGE);

    *p = (struct paging){.handoff = h};
    p->code = (struct code_buffer){(uint64_t)arena_take(a, PLATFORM_CODE_SIZE), PLATFORM_CODE_SIZE};
    p->data = (uint64_t)arena_take(a, h->needs.data);
    p->swap = (uint64_t)arena_take(a, SWAP_PAGES * PAGE);
    if (!pool || !p->code.phys || !p->data || !p->swap)
        return "page tables: the arena is too small";
    p->phys_limit = paging_limit(cpu);
    if (!paging_reaches(p->phys_limit, h->arena, h->arena_size))
        return "page tables: the firmware put the program's memory where they cannot map it";

    pagetable_init(&p->tables, pool, (uint64_t)pool, pages, levels, cpu->page_1g, cpu->nx, mtrr);
    (void)arena_kernel_stack(h, &guard);
    if (!map_memory(p) || !map_framebuffer(p, cpu->pat) || !map_image(p) || !map_buffers(p) ||
        !map_areas(p) || !pagetable_unmap(&p->tables, guard, PAGE) || !paging_core(p, core))
        return "page tables: more ranges in the memory map than the tables have room for";
    load_tables(p);
    p->loaded = true;
    return NULL;
}

bool paging_rights(struct paging *p, uint64_t at, uint64_t size, unsigned rights)
{
    if (!identity(p, at, at + size, rights))
        return false;
    for (uint64_t page = page_down(at); page < at + size; page += PAGE)
        invlpg(page);
    return true;
}

void paging_firmware(struct paging *p)
{
    uint64_t start, end;

    if (!p->loaded)
        return;
    for (uint32_t i = 0; next_of_firmware(p->handoff, &i, &start, &end);)
        if (paging_reaches(p->phys_limit, start, end - start))
            (void)identity(p, start ? start : PAGE, end, PAGE_WRITE | PAGE_EXEC);
    write_cr3(p->tables.pool_phys);
}

void paging_swap(struct paging *p, uint64_t number)
{
    uint64_t page = p->swap + number % SWAP_PAGES * PAGE;

    *(volatile uint64_t *)page = number;
    /* The entry exists already: changing it takes no page and cannot fail. */
    (void)pagetable_map(&p->tables, PAGING_SWAP_VA, page, PAGE, 0);
    invlpg(PAGING_SWAP_VA);
}

static bool guard_stacks(struct paging *p, const struct core *core)
{
    for (unsigned i = 0; i < CORE_GUARDS; i++) {
        if (!core->guard[i])
            continue;
        if (!pagetable_unmap(&p->tables, core->guard[i], PAGE))
            return false;
        invlpg(core->guard[i]);
    }
    return true;
}

bool paging_core(struct paging *p, const struct core *core)
{
    uint64_t stack = core->guard[IST_DOUBLE_FAULT - 1] + PAGE;

    return guard_stacks(p, core) &&
           paging_rights(p, (uint64_t)core, PAGE, PAGE_EXEC | PAGE_WRITE) &&
           paging_rights(p, stack, IST_STACK_SIZE, PAGE_EXEC | PAGE_WRITE);
}

volatile void *paging_map_mmio(void *paging, uint64_t address, uint64_t size)
{
    struct paging *p = paging;

    if (address < ONE_MIB || !paging_reaches(p->phys_limit, address, size) ||
        memory_is_ram(p->handoff, address, size))
        return NULL;
    return paging_rights(p, address, size, PAGE_WRITE | PAGE_UC) ? (volatile void *)address : NULL;
}

/* The root, the level-4 table with five levels, one table of each of levels 3 and 2, and level-1
 * tables: one per 2 MiB of the buffers, which lie 16 MiB apart. */
static unsigned own_tables(const struct handoff *h)
{
    return 5 + (unsigned)((h->needs.data + LARGE_PAGE - 1) / LARGE_PAGE);
}

uint64_t paging_own_cost(const struct handoff *h)
{
    return arena_cost(sizeof(struct pagetable)) + own_tables(h) * PAGE + PLATFORM_CODE_SIZE +
           h->needs.data;
}

bool paging_own(struct paging *p, struct arena *a, struct core *core)
{
    const struct handoff *h = p->handoff;
    struct pagetable *t = arena_take(a, sizeof(*t));
    void *pool = arena_take(a, own_tables(h) * PAGE);
    uint64_t code = (uint64_t)arena_take(a, PLATFORM_CODE_SIZE);
    uint64_t data = (uint64_t)arena_take(a, h->needs.data);

    if (!t || !pool || !code || !data ||
        !pagetable_fork(t, &p->tables, pool, (uint64_t)pool, own_tables(h), PLATFORM_CODE_VA) ||
        !pagetable_map(t, PLATFORM_CODE_VA, code, PLATFORM_CODE_SIZE, PAGE_EXEC) ||
        !pagetable_map(t, PLATFORM_DATA_VA, data, h->needs.data, PAGE_WRITE))
        return false;
    core->code = (struct code_buffer){code, PLATFORM_CODE_SIZE};
    core->tables = t;
    return true;
}

void paging_use(const struct paging *p, const struct core *core, bool own)
{
    /* A load of CR3 flushes all entries that are not global; none are (SDM vol. 3A section
     * 4.10.4.1). */
    write_cr3(own && core->tables ? core->tables->pool_phys : p->tables.pool_phys);
}

/* Whose tables are loaded: the core's own, or the shared ones. */
struct loaded {
    struct pagetable *tables;
    struct code_buffer *code;
};

static struct loaded loaded_by(struct paging *p)
{
    struct core *core = core_current();

    return core->tables && read_cr3() == core->tables->pool_phys
               ? (struct loaded){core->tables, &core->code}
               : (struct loaded){&p->tables, &p->code};
}

static void code_rights(const struct loaded *l, uint64_t bytes, unsigned rights)
{
    /* The entries exist already: changing them takes no page and cannot fail. */
    (void)pagetable_map(l->tables, PLATFORM_CODE_VA, l->code->phys, bytes, rights);
    for (uint64_t at = 0; at < bytes; at += PAGE)
        invlpg(PLATFORM_CODE_VA + at);
}

void paging_code(struct paging *p, uint64_t executable)
{
    struct loaded l = loaded_by(p);

    code_rights(&l, l.code->executable, PAGE_WRITE);
    l.code->executable = page_up(executable);
    code_rights(&l, l.code->executable, PAGE_EXEC);
}
