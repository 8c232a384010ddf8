/*
 * The firmware's other cores. Counts them, by the MADT, or, without one, by MP services, since the
 * arena needs room for them; the kernel makes the list of cores later. Borrows them: all start one
 * procedure before the firmware is held, and return from it before the firmware continues.
 */
#include "boot/boot.h"
#include "lib/firmware/acpi_tables.h"
#include "lib/text/fmt.h"
#include "lib/text/mem.h"

/* The firmware checks its cores by a timer, every 100 ms in EDK II; in an emulator with a slow
 * clock that takes seconds. */
#define DONE_TRIES   10000
#define DONE_STEP_US 1000

/* One second, as in the kernel (SILENCE_US in kernel/cores/lent.c). */
#define BEGIN_TRIES   1000
#define BEGIN_STEP_US 1000

#define CALL_TRIES 5

/* The used part of EFI_MP_SERVICES_PROTOCOL, which GNU-EFI does not declare. Source: PI
 * specification 1.7, volume 2, section 13.4. */
struct processor_information {
    uint64_t id; /* APIC id */
    uint32_t flags;
    uint32_t package, core, thread;
    uint32_t extended[6]; /* only written on request; not used */
};
enum { PROCESSOR_IS_BOOT = 1 << 0, PROCESSOR_ENABLED = 1 << 1, PROCESSOR_HEALTHY = 1 << 2 };

struct mp_services {
    /* Both numbers include the boot core. */
    EFI_STATUS(EFIAPI *count)(struct mp_services *self, UINTN *processors, UINTN *enabled);
    EFI_STATUS(EFIAPI *information)
    (struct mp_services *self, UINTN which, struct processor_information *p);
    /* With an event it returns at once; the event is signalled when all procedures have returned.
     * timeout_us 0: no limit. */
    EFI_STATUS(EFIAPI *start_all)
    (struct mp_services *self, void(EFIAPI *procedure)(void *argument), BOOLEAN one_by_one,
     EFI_EVENT all_done, UINTN timeout_us, void *argument, UINTN **failed);
    /* The same on one core; without an event it returns when the procedure has. */
    EFI_STATUS(EFIAPI *start_one)
    (struct mp_services *self, void(EFIAPI *procedure)(void *argument), UINTN which, EFI_EVENT done,
     UINTN timeout_us, void *argument, BOOLEAN *finished);
};

/* Returns the protocol. NULL: the firmware does not have it. */
static struct mp_services *mp_services(const struct boot *b)
{
    static const EFI_GUID guid = {
        0x3fdda605, 0xa76e, 0x4f46, {0xad, 0x29, 0x12, 0xf4, 0x53, 0x1b, 0x3d, 0x08}};
    struct mp_services *mp = NULL;
    EFI_GUID copy = guid; /* GNU-EFI's prototypes take no const */

    return EFI_ERROR(b->bs->LocateProtocol(&copy, NULL, (void **)&mp)) ? NULL : mp;
}

/* Returns the number of startable cores, with the boot core, which the list may lack; 0: the list
 * lacks all of them. */
static unsigned cores_in(const struct madt_cpu *cpu, unsigned n)
{
    unsigned usable = 0, boot = 1;

    for (unsigned i = 0; i < n; i++) {
        usable += cpu[i].usable;
        if (cpu[i].usable && cpu[i].id == core_apic_id())
            boot = 0;
    }
    usable += usable ? boot : 0;
    return usable < CORE_LIST_MAX ? usable : CORE_LIST_MAX;
}

static void ask_mp_services(struct boot *b)
{
    struct handoff *h = b->handoff;
    struct mp_services *mp = mp_services(b);
    UINTN n = 0, enabled = 0;

    if (!mp || EFI_ERROR(mp->count(mp, &n, &enabled)))
        return;
    h->mp_left_out = n > MADT_CPU_MAX ? (unsigned)(n - MADT_CPU_MAX) : 0;
    for (UINTN i = 0; i < n && i < MADT_CPU_MAX; i++) {
        struct processor_information p = {0};
        if (EFI_ERROR(mp->information(mp, i, &p))) {
            h->mp_left_out++;
            continue;
        }
        struct madt_cpu *cpu = &h->mp_cpu[h->mp_cpus++];
        *cpu = (struct madt_cpu){.id = (uint32_t)p.id};
        cpu->enabled = (p.flags & PROCESSOR_ENABLED) && (p.flags & PROCESSOR_HEALTHY);
        for (unsigned k = 0; k + 1 < h->mp_cpus; k++)
            cpu->duplicate = cpu->duplicate || h->mp_cpu[k].id == cpu->id;
        cpu->usable = cpu->enabled && !cpu->duplicate;
    }
    h->cores = cores_in(h->mp_cpu, h->mp_cpus);
}

/* Returns the number of startable cores by the MADT; 0: no MADT. Entries before an invalid
 * one are used, as by the kernel. */
static unsigned ask_madt(const struct boot *b)
{
    struct madt *madt = boot_alloc(b, sizeof(*madt)); /* too large for this stack */
    struct boot_acpi tables;
    unsigned n = 0;

    boot_acpi(b, &tables);
    struct acpi_table table = acpi_find(&tables.acpi, "APIC");
    if (madt && table.bytes) {
        (void)acpi_madt(&table, madt);
        n = cores_in(madt->cpu, madt->cpus);
    }
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

struct call {
    void (*fn)(void *ctx);
    void *ctx;
};

static void EFIAPI run_call(void *call)
{
    const struct call *c = call;

    c->fn(c->ctx);
}

/* After a timeout the procedure is terminated and the core is available again (PI 1.7 volume 2,
 * section 13.4.5). In an emulator whose cores take turns, one may not get its turn in time. */
static EFI_STATUS call_there(struct mp_services *mp, UINTN which, UINTN timeout_us,
                             struct call *call)
{
    EFI_STATUS status = EFI_TIMEOUT;

    for (unsigned i = 0; i < CALL_TRIES && status == EFI_TIMEOUT; i++)
        status = mp->start_one(mp, run_call, which, NULL, timeout_us, call, NULL);
    return status;
}

EFI_STATUS boot_each_core(const struct boot *b, UINTN timeout_us, void (*there)(void *ctx),
                          void (*here)(void *ctx), void *ctx)
{
    struct mp_services *mp = mp_services(b);
    struct call call = {there, ctx};
    UINTN n = 0, enabled = 0;
    EFI_STATUS worst = mp ? mp->count(mp, &n, &enabled) : EFI_SUCCESS;

    if (!mp)
        return b->handoff->cores > 1 ? EFI_NOT_FOUND : EFI_SUCCESS;
    for (UINTN i = 0; i < n && !EFI_ERROR(worst); i++) {
        struct processor_information p = {0};
        EFI_STATUS status = mp->information(mp, i, &p);
        /* The core that runs this, and disabled ones, are refused by start_one. */
        if (EFI_ERROR(status) || p.flags & PROCESSOR_IS_BOOT || !(p.flags & PROCESSOR_ENABLED))
            continue;
        status = call_there(mp, i, timeout_us, &call);
        if (EFI_ERROR(status)) /* it may still run: nothing that it uses is used again */
            worst = status;
        else
            here(ctx);
    }
    return worst;
}

static UINTN lent_pages(const struct boot *b)
{
    size_t cores = b->handoff->cores - 1;

    return arena_cost(sizeof(struct lent) + cores * sizeof(struct lent_core)) >> EFI_PAGE_SHIFT;
}

static void EFIAPI lend_core(void *lent)
{
    lent_serve(lent);
}

/* Returns the number of cores that the firmware starts, or the maximum if it is not known. */
static uint32_t cores_sent(const struct boot *b, struct mp_services *mp)
{
    UINTN n = 0, enabled = 0;
    uint32_t room = b->handoff->lent->room;

    if (EFI_ERROR(mp->count(mp, &n, &enabled)) || enabled == 0 || enabled > room)
        return room;
    return (uint32_t)enabled - 1;
}

/* Returns how many cores have begun the procedure and loaded our IDT. */
static uint32_t begun(const struct lent *l)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < l->room; i++)
        n += lent_state_of(&l->core[i]) != LENT_NONE;
    return n;
}

static void await_begun(const struct boot *b, struct mp_services *mp)
{
    uint32_t awaited = cores_sent(b, mp);

    for (unsigned i = 0; i < BEGIN_TRIES && begun(b->handoff->lent) < awaited; i++)
        b->bs->Stall(BEGIN_STEP_US);
}

/* Other cores start with the IDT that is loaded here, or with an older copy of the firmware's, as
 * in EDK II. Our NMI gate stays in the firmware's IDT until all have loaded another. */
static EFI_STATUS send_cores(const struct boot *b, struct mp_services *mp)
{
    EFI_STATUS status;

    traps_lend(b->traps);
    status = mp->start_all(mp, lend_core, FALSE, b->lent_done, 0, b->handoff->lent, NULL);
    traps_lend_sent(b->traps);
    if (!EFI_ERROR(status))
        await_begun(b, mp);
    traps_lend_end(b->traps);
    return status;
}

static EFI_STATUS start_lending(struct boot *b, struct mp_services *mp)
{
    EFI_PHYSICAL_ADDRESS at;
    EFI_STATUS status = b->bs->CreateEvent(0, TPL_CALLBACK, NULL, NULL, &b->lent_done);

    if (EFI_ERROR(status))
        return status;
    status = b->bs->AllocatePages(AllocateAnyPages, EfiLoaderData, lent_pages(b), &at);
    if (EFI_ERROR(status)) {
        b->bs->CloseEvent(b->lent_done);
        return status;
    }
    b->handoff->lent = (struct lent *)at;
    memset(b->handoff->lent, 0, lent_pages(b) << EFI_PAGE_SHIFT);
    b->handoff->lent->room = b->handoff->cores - 1;
    status = send_cores(b, mp);
    if (EFI_ERROR(status)) {
        b->bs->CloseEvent(b->lent_done);
        b->bs->FreePages(at, lent_pages(b));
        b->handoff->lent = NULL;
    }
    return status;
}

void boot_lend(struct boot *b)
{
    struct handoff *h = b->handoff;
    struct mp_services *mp = h->cores > 1 ? mp_services(b) : NULL;
    EFI_STATUS status = mp ? start_lending(b, mp) : EFI_SUCCESS;

    if (EFI_ERROR(status))
        boot_explain(h->lent_refused, sizeof h->lent_refused, "MP services do not lend them",
                     status);
    /* A refusal of the kind, as after ReadyToBoot, and not of this one call. */
    h->cores_busy = EFI_ERROR(status) && status != EFI_UNSUPPORTED && status != EFI_DEVICE_ERROR;
}

static bool all_are_back(const struct boot *b)
{
    for (unsigned i = 0; i < DONE_TRIES; i++) {
        if (!EFI_ERROR(b->bs->CheckEvent(b->lent_done)))
            return true;
        b->bs->Stall(DONE_STEP_US);
    }
    return false;
}

static void name_lost(struct boot *b)
{
    const struct lent *l = b->handoff->lent;

    for (uint32_t i = 0; i < l->room; i++)
        if (lent_lost(&l->core[i]))
            fmt(&b->conout.sink,
                "baretick: the core with APIC id %u did not come back; the firmware cannot use "
                "it\n",
                l->core[i].apic_id);
}

void boot_lend_end(struct boot *b)
{
    struct handoff *h = b->handoff;

    if (!h->lent)
        return;
    lent_dismiss(h->lent);
    if (all_are_back(b)) {
        b->bs->CloseEvent(b->lent_done);
        b->bs->FreePages((EFI_PHYSICAL_ADDRESS)h->lent, lent_pages(b));
    } else {
        name_lost(b);
        fmt(&b->conout.sink, "baretick: the firmware does not say that its other cores are back; "
                             "the memory that they may still use is not freed\n");
        b->keep_memory = true;
    }
    h->lent = NULL;
}
