/*
 * How many cores the machine has, while firmware can still be asked: by the MADT, or, where there
 * is none, by MP services (PI specification 1.7, volume 2, section 13.4), which GNU-EFI does not
 * declare. Who they are is for the kernel to work out; the arena must have room for them now.
 */
#include "boot/boot.h"
#include "kernel/acpi_mem.h"
#include "lib/acpi.h"

struct processor_information {
    uint64_t id;
    uint32_t flags;
    uint32_t package, core, thread;
    uint32_t extended[6]; /* written by firmware that was asked for it, which we do not */
};
enum { PROCESSOR_ENABLED = 1 << 1, PROCESSOR_HEALTHY = 1 << 2 };

struct mp_services {
    EFI_STATUS(EFIAPI *count)(struct mp_services *self, UINTN *processors, UINTN *enabled);
    EFI_STATUS(EFIAPI *information)
    (struct mp_services *self, UINTN which, struct processor_information *p);
};

static void ask_mp_services(struct boot *b)
{
    static const EFI_GUID guid = {
        0x3fdda605, 0xa76e, 0x4f46, {0xad, 0x29, 0x12, 0xf4, 0x53, 0x1b, 0x3d, 0x08}};
    struct handoff *h = b->handoff;
    struct mp_services *mp = NULL;
    EFI_GUID copy = guid;
    UINTN n = 0, enabled = 0;

    if (EFI_ERROR(b->bs->LocateProtocol(&copy, NULL, (void **)&mp)) || !mp ||
        EFI_ERROR(mp->count(mp, &n, &enabled)))
        return;
    for (UINTN i = 0; i < n && h->mp_cpus < MADT_CPU_MAX; i++) {
        struct processor_information p = {0};
        if (EFI_ERROR(mp->information(mp, i, &p)))
            continue;
        struct madt_cpu *cpu = &h->mp_cpu[h->mp_cpus++];
        *cpu = (struct madt_cpu){.id = (uint32_t)p.id};
        cpu->enabled = (p.flags & PROCESSOR_ENABLED) && (p.flags & PROCESSOR_HEALTHY);
        for (unsigned k = 0; k + 1 < h->mp_cpus; k++)
            cpu->duplicate = cpu->duplicate || h->mp_cpu[k].id == cpu->id;
        cpu->usable = cpu->enabled && !cpu->duplicate;
        h->cores += cpu->usable;
    }
}

/* Entries of the MADT that can be started; 0: there is no MADT. */
static unsigned ask_madt(const struct boot *b)
{
    struct madt *madt = boot_alloc(b, sizeof(*madt)); /* too large for this stack */
    struct acpi_mem memory;
    struct acpi acpi;
    unsigned n = 0;

    acpi_mem_init(&memory, b->handoff);
    acpi_open(&acpi, &memory.mem, b->handoff->rsdp);
    struct acpi_table table = acpi_find(&acpi, "APIC");
    if (madt && table.bytes && acpi_madt(&table, madt))
        n = madt->cpus_enabled;
    boot_free(b, madt);
    return n;
}

static void find_low_pages(struct boot *b)
{
    EFI_PHYSICAL_ADDRESS at = LOW_END - 1;

    /* A page at 0 is none of ours: what is there stays unmapped, so that NULL faults. */
    if (!EFI_ERROR(b->bs->AllocatePages(AllocateMaxAddress, EfiLoaderData, LOW_PAGES, &at)))
        b->handoff->low_page = at;
}

void boot_cores(struct boot *b)
{
    struct handoff *h = b->handoff;
    unsigned listed;

    ask_mp_services(b);
    listed = ask_madt(b);
    if (listed > 0)
        h->cores = listed;
    if (h->cores == 0)
        h->cores = 1;
    if (h->cores > 1)
        find_low_pages(b);
}
