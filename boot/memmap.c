#include "boot/boot.h"
#include "kernel/memory/memory_map.h"

/* Spare bytes, over a page: allocating the buffer adds entries, and so does every later step. */
#define SPARE 8192
/* The map can grow between asking for its size and reading it. */
#define TRIES 8

EFI_STATUS memmap_refresh(struct memmap *m)
{
    UINT32 version;

    m->size = m->room;
    return m->bs->GetMemoryMap(&m->size, (EFI_MEMORY_DESCRIPTOR *)(void *)m->bytes, &m->key,
                               &m->descriptor_size, &version);
}

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
