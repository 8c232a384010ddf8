/* Allocates the one block of memory for the kernel and the benchmark. */
#include "boot/boot.h"
#include "kernel/entry.h"
#include "kernel/memory/memory_map.h"
#include "lib/text/fmt.h"

/* Below 4 GiB if there is room: the first CR3 of a starting core has 32 bits. */
static EFI_STATUS allocate(const struct boot *b, UINTN pages, EFI_PHYSICAL_ADDRESS *at)
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
void boot_area(struct boot *b)
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
    uint64_t need = kernel_arena_need(h);
    UINTN pages = (need + EFI_PAGE_SIZE - 1) >> EFI_PAGE_SHIFT;
    EFI_PHYSICAL_ADDRESS at;
    EFI_STATUS status = allocate(b, pages, &at);

    if (!EFI_ERROR(status)) {
        h->arena = at;
        h->arena_size = (uint64_t)pages << EFI_PAGE_SHIFT;
        return true;
    }
    say_too_little(b, need, status);
    return false;
}
