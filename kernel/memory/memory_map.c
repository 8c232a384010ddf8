#include "kernel/memory/memory_map.h"
#include "lib/text/mem.h"

#define FOUR_GIB (1ull << 32)

/* ACPI 6.5 section 5.2.5.1: the BIOS read-only memory space. */
#define BIOS_START 0xe0000ull
#define BIOS_END   0x100000ull

/* --- the arena -------------------------------------------------------------------------------- */

uint64_t arena_kernel_stack(const struct handoff *h, uint64_t *guard)
{
    *guard = h->arena;
    return h->arena + arena_stack_cost(KERNEL_STACK_SIZE);
}

void *arena_take(struct arena *a, uint64_t bytes)
{
    uint64_t at = a->next;

    /* The first comparison prevents an overflow when a huge size is rounded up. */
    if (bytes > a->end - at || arena_cost(bytes) > a->end - at)
        return NULL;
    a->next += arena_cost(bytes);
    memset((void *)at, 0, bytes);
    return (void *)at;
}

/* --- the memory map --------------------------------------------------------------------------- */

bool region_is_ram(const struct memory_region *r)
{
    return (r->type >= REGION_LOADER_CODE && r->type <= REGION_FREE) || r->type == REGION_ACPI ||
           r->type == REGION_ACPI_NVS;
}

bool memory_is_ram(const struct handoff *h, uint64_t start, uint64_t size)
{
    if (start + size < start)
        return true;
    for (uint32_t i = 0; i < h->regions; i++) {
        const struct memory_region *r = &h->region[i];
        if (region_is_ram(r) && start < r->start + r->size && r->start < start + size)
            return true;
    }
    return false;
}

/* Loader and boot services have memory, and so have unknown types. */
static const char *taken_by(const struct memory_region *r)
{
    static const char *const others[] = {
        [REGION_RESERVED] = "memory that the firmware reserves",
        [REGION_RUNTIME_CODE] = "the firmware's own memory",
        [REGION_RUNTIME_DATA] = "the firmware's own memory",
        [REGION_UNUSABLE] = "memory that is broken",
        [REGION_ACPI] = "memory of the ACPI tables",
        [REGION_ACPI_NVS] = "memory of the ACPI tables",
        [REGION_PERSISTENT] = "persistent memory",
    };

    if (r->type == REGION_MMIO || r->type == REGION_MMIO_PORTS)
        return NULL;
    return r->type <= REGION_PERSISTENT && others[r->type] ? others[r->type] : "RAM";
}

const char *memory_taken(void *handoff, uint64_t start, uint64_t size, bool named)
{
    const struct handoff *h = handoff;

    for (uint32_t i = 0; i < h->regions; i++) {
        const struct memory_region *r = &h->region[i];
        bool meets = start - r->start < r->size || r->start - start < size;
        if (meets && taken_by(r) && !(named && r->type == REGION_RESERVED))
            return taken_by(r);
    }
    return NULL;
}

static bool readable(const struct memory_region *r)
{
    return region_is_ram(r) || (r->type == REGION_RESERVED && r->start + r->size <= FOUR_GIB);
}

bool memory_is_readable(const struct handoff *h, uint64_t start, uint64_t size)
{
    uint64_t at = start, end = start + size;

    if (end < start)
        return false;
    /* A table may span several regions; each iteration of the outer loop reaches at least one
     * more. */
    for (uint32_t round = 0; round <= h->regions && at < end; round++) {
        uint64_t before = at;
        for (uint32_t i = 0; i < h->regions; i++) {
            const struct memory_region *r = &h->region[i];
            if (readable(r) && at >= r->start && at - r->start < r->size)
                at = r->start + r->size;
        }
        if (at == before)
            return false;
    }
    return at >= end;
}

/* Returns the readable bytes at a physical address; NULL: they are not. Page 0 is not mapped. */
static const void *readable_at(void *handoff, uint64_t address, size_t n)
{
    bool bios = address >= BIOS_START && address < BIOS_END && n <= BIOS_END - address;

    if (address >= ARENA_PAGE && (bios || memory_is_readable(handoff, address, n)))
        return (const void *)address;
    return NULL;
}

struct physmem memory_physical(struct handoff *h)
{
    return (struct physmem){readable_at, h};
}
