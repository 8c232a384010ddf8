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

bool boot_map_read(struct boot *b)
{
    struct memmap *m = &b->map;
    EFI_STATUS status = memmap_refresh(m);

    if (status == EFI_BUFFER_TOO_SMALL || (!EFI_ERROR(status) && m->room - m->size < SPARE / 2)) {
        b->handoff->regions = 0; /* they are freed with the buffer */
        memmap_close(m);
        status = memmap_open(m, b->bs);
    }
    if (!EFI_ERROR(status)) {
        memmap_hand_over(m, b->handoff);
        return true;
    }
    fmt(boot_error(b), "memory map: cannot be read: ");
    boot_status(&b->error_sink.sink, status);
    return false;
}

/* --- the memory that kernel/ and bench/ need -------------------------------------------------- */

/* One bit per cache line takes 1/512 of the area, which has whole pages. */
#define AREA_PARTS 512
#define AREA_MORE  (4ull << 20)
#define AREA_MOST  (128ull << 30) /* kernel/cpu/area_map.c has room for it */

/* Returns the bytes of the area for curves over sizes. cores: that measure one of them at once. */
static uint64_t area_need(unsigned cores)
{
    struct cache cache[CACHES_MAX];
    struct cpu cpu;

    cpu_decode(&cpu, cpuid_here, NULL);
    unsigned n = caches_decode(cache, &cpu, cpuid_here, NULL);
    uint64_t wanted = sizes_wanted(caches_largest(cache, n)) * caches_domains(cache, n, cores);
    uint64_t need = (wanted + wanted / AREA_PARTS + AREA_MORE) & ~(AREA_MORE - 1);
    return need < AREA_MOST ? need : AREA_MOST;
}

/* Returns the number of areas: of nodes with memory. */
static unsigned areas_of(const struct numa *n)
{
    unsigned areas = 0;

    for (unsigned i = 0; i < n->nodes; i++)
        areas += n->bytes[i] > 0;
    return areas < 1 ? 1 : areas < HANDOFF_AREAS ? areas : HANDOFF_AREAS;
}

/* Returns how many of these cores may be on one node. */
static unsigned cores_of_node(const struct numa *n, unsigned cores)
{
    unsigned most = 0;

    for (unsigned i = 0; i < n->nodes; i++)
        most = n->cpus_of[i] > most ? n->cpus_of[i] : most;
    return most > 0 && most < cores ? most : cores;
}

static struct handoff_rows needs_of(const struct options *o, unsigned cores,
                                    const struct numa *numa)
{
    struct handoff_rows needs = {.data = registry_data_size(), .areas = areas_of(numa)};
    struct core_list named;
    bool right = core_list_parse(&named, o->cores);
    unsigned at_it = right ? core_list_count(&named, cores) : 1,
             meet = right ? core_list_meet(&named, cores) : 1;
    unsigned each = cores_of_node(numa, meet);
    size_t n;
    const struct bench *const *all = registry(&n);

    for (size_t i = 0; i < n; i++) {
        bool selected = registry_selects(o, all[i]);
        needs.rows += selected ? at_it : 0;
        const struct kind *kind = all[i]->kind;
        if (!selected || !kind)
            continue;
        uint64_t area = kind->needs_area ? area_need(kind->conducted ? each : 1) : 0;
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

    h->needs = needs_of(o, cores, &h->numa);
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

/* A piece of free memory. */
struct piece {
    uint64_t at, bytes;
};

static void keep_larger(struct piece *largest, uint64_t at, uint64_t bytes)
{
    if (bytes > largest->bytes)
        *largest = (struct piece){at, bytes};
}

/* Returns the largest free piece of a node's memory; NUMA_NONE: of all memory. */
static struct piece largest_piece(const struct handoff *h, int node)
{
    struct piece largest = {0, 0};

    for (uint32_t i = 0; i < h->regions; i++) {
        const struct memory_region *r = &h->region[i];
        if (r->type != REGION_FREE)
            continue;
        if (node == NUMA_NONE)
            keep_larger(&largest, r->start, r->size);
        for (unsigned k = 0; k < h->numa.ranges && node != NUMA_NONE; k++) {
            uint64_t bytes = r->size, at = numa_part(&h->numa, k, r->start, &bytes);
            if (h->numa.range[k].node == node)
                keep_larger(&largest, at, bytes);
        }
    }
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
        (unsigned long)(need / 1024), (unsigned long)(largest_piece(h, NUMA_NONE).bytes / 1024),
        together ? ", name fewer cores," : "");
    fmt(error, "or add memory (the firmware says: ");
    boot_status(error, status);
    fmt(error, ")");
}

/* An area takes at most 1/AREA_SHARE of the largest free block of its node: a firmware that gets
 * its machine back needs memory too. */
#define AREA_SHARE 2
#define AREA_LEAST (1ull << 20)
#define AREA_ALIGN (2ull << 20)

static bool allocate_at(const struct boot *b, EFI_ALLOCATE_TYPE type, uint64_t at, uint64_t bytes,
                        struct handoff_area *area)
{
    EFI_PHYSICAL_ADDRESS block = at;

    area->pages = bytes >> EFI_PAGE_SHIFT;
    if (EFI_ERROR(b->bs->AllocatePages(type, EfiLoaderData, area->pages, &block)))
        return false;
    area->block = block;
    area->at = (block + AREA_ALIGN - 1) & ~(AREA_ALIGN - 1);
    return true;
}

/* Allocates a block anywhere, or at the end of a node's piece or at its beginning. The parts of the
 * block before and after the aligned area stay allocated with it, so that one call frees all. */
static bool allocate_block(const struct boot *b, const struct piece *p, struct handoff_area *area)
{
    uint64_t bytes = area->size + AREA_ALIGN;

    if (area->node == NUMA_NONE)
        return allocate_at(b, AllocateAnyPages, 0, bytes, area);
    uint64_t top = (p->at + p->bytes - bytes) & ~(EFI_PAGE_SIZE - 1ull);
    return allocate_at(b, AllocateAddress, top, bytes, area) ||
           allocate_at(b, AllocateAddress, (p->at + EFI_PAGE_SIZE - 1) & ~(EFI_PAGE_SIZE - 1ull),
                       bytes - EFI_PAGE_SIZE, area);
}

/* Halves the size until the firmware has a block of this size in the node. */
static void allocate_area(struct boot *b, int node)
{
    struct handoff *h = b->handoff;
    struct piece piece = largest_piece(h, node);
    uint64_t most = piece.bytes / AREA_SHARE & ~(AREA_ALIGN - 1);
    struct handoff_area area = {.node = node};

    if (h->areas == h->needs.areas) /* there are page tables for this number */
        return;
    area.size = h->needs.area < most ? h->needs.area : most;
    for (; area.size >= AREA_LEAST; area.size = area.size / 2 & ~(EFI_PAGE_SIZE - 1ull))
        if (allocate_block(b, &piece, &area)) {
            h->area[h->areas++] = area;
            return;
        }
}

/* Allocates an area on each node with memory, on that of the boot core first. */
static void allocate_areas(struct boot *b)
{
    const struct numa *n = &b->handoff->numa;
    int own = numa_of_cpu(n, core_apic_id());

    if (own != NUMA_NONE && numa_is_divided(n))
        allocate_area(b, own);
    for (unsigned i = 0; i < n->nodes && numa_is_divided(n); i++)
        if ((int)i != own)
            allocate_area(b, (int)i);
    if (b->handoff->areas == 0)
        allocate_area(b, NUMA_NONE);
}

/* Reads which memory and cores are near each other. */
static void read_nodes(struct boot *b)
{
    struct handoff *h = b->handoff;
    struct boot_acpi tables;

    boot_acpi(b, &tables);
    struct acpi_table srat = acpi_find(&tables.acpi, "SRAT"),
                      slit = acpi_find(&tables.acpi, "SLIT");
    if (!srat.bytes || !numa_read(&h->numa, &srat, &slit))
        return;
    for (uint32_t i = 0; i < h->regions; i++)
        if (region_is_ram(&h->region[i]))
            numa_count(&h->numa, h->region[i].start, h->region[i].size);
}

bool boot_arena(struct boot *b)
{
    struct handoff *h = b->handoff;

    read_nodes(b);
    uint64_t need = arena_need(h);
    UINTN pages = (need + EFI_PAGE_SIZE - 1) >> EFI_PAGE_SHIFT;
    EFI_PHYSICAL_ADDRESS at;
    EFI_STATUS status = allocate_arena(b, pages, &at);

    if (!EFI_ERROR(status)) {
        h->arena = at;
        h->arena_size = (uint64_t)pages << EFI_PAGE_SHIFT;
        allocate_areas(b);
        return true;
    }
    say_too_little(b, need, status);
    return false;
}
