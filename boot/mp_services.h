/* The used part of EFI_MP_SERVICES_PROTOCOL, which GNU-EFI does not declare. Source: PI
 * specification 1.7, volume 2, section 13.4. */
#ifndef BOOT_MP_SERVICES_H
#define BOOT_MP_SERVICES_H

#include "boot/boot.h"

struct processor_information {
    uint64_t id; /* APIC id */
    uint32_t flags;
    uint32_t package, core, thread;
    uint32_t extended[6]; /* only written on request; not used */
};
enum { PROCESSOR_ENABLED = 1 << 1, PROCESSOR_HEALTHY = 1 << 2 };

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
};

/* Returns the protocol. NULL: the firmware does not have it. */
struct mp_services *mp_services(const struct boot *b);

#endif
