/* The firmware's memory map, and the blocks of memory for the kernel and the benchmark. */
#include "bench/api/kind.h"
#include "bench/api/registry.h"
#include "bench/run/run.h"
#include "boot/boot.h"
#include "lib/cpu/caches.h"
#include "lib/curve/sizes.h"
#include "lib/text/fmt.h"

/* --- the map ---------------------------------------------------------------------------------- */

/* Spare bytes, over a page: allocating the buffer adds entries, and so does every later step. */
#define SPARE 8192
/* The map can grow between asking for its size and reading it. */
#define TRIES 8

/* Reads the map into a new buffer of this size. */
static EFI_STATUS read_into(struct memmap *m, UINTN room)
{
    /* No descriptor is shorter; descriptor_size is not known before the first reading. */
    UINTN entries = room / sizeof(EFI_MEMORY_DESCRIPTOR);
    EFI_STATUS status;

    memmap_close(m);
    status = m->bs->AllocatePool(EfiLoaderData, room, (void **)&m->bytes);
    if (!EFI_ERROR(status))
        status =
            m->bs->AllocatePool(EfiLoaderData, entries * sizeof(*m->region), (void **)&m->region);
    if (EFI_ERROR(status))
        return status;
    m->room = room;
    return memmap_refresh(m);
}

EFI_STATUS memmap_open(struct memmap *m, EFI_BOOT_SERVICES *bs)
{
    EFI_STATUS status = EFI_BUFFER_TOO_SMALL;

    *m = (struct memmap){.bs = bs};
    /* If the buffer is too small, `size` becomes the required size. */
    for (int i = 0; i < TRIES && status == EFI_BUFFER_TOO_SMALL; i++)
        status = read_into(m, m->size + SPARE);
    /* If the buffer was just large enough, the map has no room to grow. */
    if (!EFI_ERROR(status) && m->room - m->size < SPARE / 2)
        status = read_into(m, m->size + 2 * SPARE);
    if (!EFI_ERROR(status) && m->descriptor_size < sizeof(EFI_MEMORY_DESCRIPTOR))
        status = EFI_INCOMPATIBLE_VERSION;
    return status;
}

void memmap_close(struct memmap *m)
{
    if (m->bytes)
        m->bs->FreePool(m->bytes);
    if (m->region)
        m->bs->FreePool(m->region);
    m->bytes = NULL;
    m->region = NULL;
}

/* Returns the index-th descriptor; NULL after the last. */
static const EFI_MEMORY_DESCRIPTOR *descriptor(const struct memmap *m, uint32_t index)
{
    if (index >= m->size / m->descriptor_size)
        return NULL;
    return (const EFI_MEMORY_DESCRIPTOR *)(const void *)(m->bytes + index * m->descriptor_size);
}

void memmap_hand_over(const struct memmap *m, struct handoff *h)
{
    const EFI_MEMORY_DESCRIPTOR *d;

    h->region = m->region;
    h->regions = 0;
    h->memory_total = 0;
    h->descriptor_size = (uint32_t)m->descriptor_size;
    for (uint32_t i = 0; (d = descriptor(m, i)); i++) {
        struct memory_region r = {
            .type = d->Type,
            .start = d->PhysicalStart,
            .size = d->NumberOfPages << EFI_PAGE_SHIFT,
            .attribute = d->Attribute,
        };

        if (region_is_ram(&r))
            h->memory_total += r.size;
        h->region[h->regions++] = r;
    }
}

/* --- the memory that kernel/ and bench/ need -------------------------------------------------- */

/* One bit per cache line takes 1/512 of the area, which has whole pages. */
#define AREA_PARTS 512
#define AREA_MORE  (4ull << 20)

/* Returns the bytes of the area for curves over sizes. cores: that measure one of them at once. */
static uint64_t area_need(unsigned cores)
{
    struct cache cache[CACHES_MAX];
    struct cpu cpu;

    cpu_decode(&cpu, cpuid_here, NULL);
    unsigned n = caches_decode(cache, &cpu, cpuid_here, NULL);
    uint64_t wanted = sizes_wanted(caches_largest(cache, n)) * caches_domains(cache, n, cores);
    return (wanted + wanted / AREA_PARTS + AREA_MORE) & ~(AREA_MORE - 1);
}

static struct handoff_rows needs_of(const struct options *o, unsigned cores)
{
    struct handoff_rows needs = {.data = registry_data_size()};
    struct core_list named;
    bool right = core_list_parse(&named, o->cores);
    unsigned at_it = right ? core_list_count(&named, cores) : 1,
             meet = right ? core_list_meet(&named, cores) : 1;
    size_t n;
    const struct bench *const *all = registry(&n);

    for (size_t i = 0; i < n; i++) {
        bool selected = registry_selects(o, all[i]);
        needs.rows += selected ? at_it : 0;
        const struct kind *kind = all[i]->kind;
        if (!selected || !kind)
            continue;
        uint64_t area = kind->needs_area ? area_need(kind->conducted ? meet : 1) : 0;
        needs.area = area > needs.area ? area : needs.area;
        needs.pairs += kind->pairs ? kind->pairs(meet) : 0;
    }
    return needs;
}

/* Returns the bytes of arena that kernel/ and bench/ need for the handoff's options, number of
 * cores and memory map. A borrowed machine also needs room for the log. Fills h->needs. */
static uint64_t arena_need(struct handoff *h)
{
    const struct options *o = &h->options;
    unsigned cores = h->cores;

    h->needs = needs_of(o, cores);
    uint64_t need = arena_stack_cost(KERNEL_STACK_SIZE) + core_cost(0) + paging_cost(h) +
                    arena_cost(sizeof(struct madt)) + cores_cost(h) +
                    arena_cost(cores * sizeof(struct controls)) +
                    (h->framebuffer.size ? screen_cost() : 0) +
                    arena_cost(bench_memory_need(o, cores) * sizeof(uint64_t));

    if (h->borrowed)
        need += machine_log_cost(h) + arena_cost(sizeof(struct irq_opened));
    return need;
}

/* --- the blocks ------------------------------------------------------------------------------- */

/* Below 4 GiB if there is room: the first CR3 of a starting core has 32 bits. */
static EFI_STATUS allocate_arena(const struct boot *b, UINTN pages, EFI_PHYSICAL_ADDRESS *at)
{
    EFI_STATUS status;

    *at = 0xffffffff;
    status = b->bs->AllocatePages(AllocateMaxAddress, EfiLoaderData, pages, at);
    if (EFI_ERROR(status))
        status = b->bs->AllocatePages(AllocateAnyPages, EfiLoaderData, pages, at);
    return status;
}

static uint64_t largest_free(const struct handoff *h)
{
    uint64_t largest = 0;

    for (uint32_t i = 0; i < h->regions; i++)
        if (h->region[i].type == REGION_FREE && h->region[i].size > largest)
            largest = h->region[i].size;
    return largest;
}

/* Writes the error: what takes the memory, how much is free, and what to change. */
static void say_too_little(struct boot *b, uint64_t need, EFI_STATUS status)
{
    const struct handoff *h = b->handoff;
    bool together = h->options.share == SHARE_TOGETHER;
    struct sink *error = boot_error(b);

    fmt(error, "memory: samples=%u on a machine with %u cores", h->options.samples, h->cores);
    if (together)
        fmt(error, ", with buffers for each of cores=%s,", h->options.cores);
    fmt(error, " needs %lu KiB in one piece; the largest free piece has %lu KiB. Lower samples=%s ",
        (unsigned long)(need / 1024), (unsigned long)(largest_free(h) / 1024),
        together ? ", name fewer cores," : "");
    fmt(error, "or add memory (the firmware says: ");
    boot_status(error, status);
    fmt(error, ")");
}

/* The area takes at most 1/AREA_SHARE of the largest free block: a firmware that gets its machine
 * back needs memory too. */
#define AREA_SHARE 2
#define AREA_LEAST (1ull << 20)
#define AREA_ALIGN (2ull << 20)

/* Halves the size until the firmware has a block of this size. The parts of the block before and
 * after the aligned area stay allocated with it, so that one call frees all of it. */
static void allocate_area(struct boot *b)
{
    struct handoff *h = b->handoff;
    uint64_t most = largest_free(h) / AREA_SHARE & ~(AREA_ALIGN - 1);
    uint64_t size = h->needs.area < most ? h->needs.area : most;

    for (; size >= AREA_LEAST; size = size / 2 & ~(EFI_PAGE_SIZE - 1ull)) {
        UINTN pages = (size + AREA_ALIGN) >> EFI_PAGE_SHIFT;
        EFI_PHYSICAL_ADDRESS at;
        if (EFI_ERROR(b->bs->AllocatePages(AllocateAnyPages, EfiLoaderData, pages, &at)))
            continue;
        b->area = at;
        b->area_pages = pages;
        h->area = (at + AREA_ALIGN - 1) & ~(AREA_ALIGN - 1);
        h->area_size = size;
        return;
    }
}

bool boot_arena(struct boot *b)
{
    struct handoff *h = b->handoff;
    uint64_t need = arena_need(h);
    UINTN pages = (need + EFI_PAGE_SIZE - 1) >> EFI_PAGE_SHIFT;
    EFI_PHYSICAL_ADDRESS at;
    EFI_STATUS status = allocate_arena(b, pages, &at);

    if (!EFI_ERROR(status)) {
        h->arena = at;
        h->arena_size = (uint64_t)pages << EFI_PAGE_SHIFT;
        allocate_area(b);
        return true;
    }
    say_too_little(b, need, status);
    return false;
}
