/*
 * EFI_MP_SERVICES_PROTOCOL, which GNU-EFI does not declare: as much of it as is used. Source: PI
 * specification 1.7, volume 2, section 13.4.
 */
#ifndef BOOT_MP_SERVICES_H
#define BOOT_MP_SERVICES_H

#include "boot/boot.h"

struct processor_information {
    uint64_t id; /* APIC id */
    uint32_t flags;
    uint32_t package, core, thread;
    uint32_t extended[6]; /* written by firmware that was asked for it, which we do not */
};
enum { PROCESSOR_ENABLED = 1 << 1, PROCESSOR_HEALTHY = 1 << 2 };

struct mp_services {
    /* Both with the boot core. */
    EFI_STATUS(EFIAPI *count)(struct mp_services *self, UINTN *processors, UINTN *enabled);
    EFI_STATUS(EFIAPI *information)
    (struct mp_services *self, UINTN which, struct processor_information *p);
    /* With an event it returns at once, and the event is signalled when all procedures have
     * returned; timeout 0: never. */
    EFI_STATUS(EFIAPI *start_all)
    (struct mp_services *self, void(EFIAPI *procedure)(void *argument), BOOLEAN one_by_one,
     EFI_EVENT all_done, UINTN timeout_us, void *argument, UINTN **failed);
};

/* NULL: the firmware has none. */
struct mp_services *mp_services(const struct boot *b);

#endif
