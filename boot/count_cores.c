/* Counts the cores, by the MADT, or, without one, by MP services, while the firmware is alive: the
 * arena needs room for them. The kernel makes the list of cores later. */
#include "boot/boot.h"
#include "boot/mp_services.h"
#include "lib/firmware/acpi.h"
#include "lib/firmware/acpi_madt.h"

static void ask_mp_services(struct boot *b)
{
    struct handoff *h = b->handoff;
    struct mp_services *mp = mp_services(b);
    UINTN n = 0, enabled = 0;

    if (!mp || EFI_ERROR(mp->count(mp, &n, &enabled)))
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

/* Returns the number of startable cores in the MADT; 0: no MADT. */
static unsigned ask_madt(const struct boot *b)
{
    struct madt *madt = boot_alloc(b, sizeof(*madt)); /* too large for this stack */
    struct boot_acpi tables;
    unsigned n = 0;

    boot_acpi(b, &tables);
    struct acpi_table table = acpi_find(&tables.acpi, "APIC");
    if (madt && table.bytes && acpi_madt(&table, madt))
        n = madt->cpus_enabled;
    boot_free(b, madt);
    return n;
}

static void find_low_pages(struct boot *b)
{
    EFI_PHYSICAL_ADDRESS at = LOW_END - 1;

    /* A block at 0 is not used: page 0 stays unmapped, so that NULL faults. */
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
