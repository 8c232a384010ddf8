#include "boot/network/service.h"

#define TICKS_A_SECOND 10000000ull /* of SetTimer: 100 ns */

/* Finds the driver on the device, at the longest part of the program's path that has it. */
static EFI_SERVICE_BINDING *find(struct network *n, EFI_GUID guid)
{
    EFI_DEVICE_PATH *path = n->path;
    EFI_HANDLE handle;

    if (EFI_ERROR(n->bs->LocateDevicePath(&guid, &path, &handle)))
        return NULL;
    return network_protocol(n, handle, guid);
}

/* Starts the network device of a loader such as iPXE, if the firmware's drivers on it did not: iPXE
 * that uses the firmware's own device sends their packets then, but gives them none. Source: UEFI
 * 2.10 section 24.1. */
static void start_device(struct network *n)
{
    static const EFI_GUID guid = EFI_SIMPLE_NETWORK_PROTOCOL_GUID;
    EFI_SIMPLE_NETWORK *device = network_protocol(n, n->device, guid);

    if (!n->from_loader || !device)
        return;
    if (device->Mode->State == EfiSimpleNetworkStopped)
        device->Start(device);
    if (device->Mode->State == EfiSimpleNetworkStarted)
        device->Initialize(device, 0, 0);
}

static bool open_events(struct service *s, unsigned seconds)
{
    EFI_BOOT_SERVICES *bs = s->n->bs;

    return !EFI_ERROR(bs->CreateEvent(0, 0, NULL, NULL, &s->done)) &&
           !EFI_ERROR(bs->CreateEvent(EVT_TIMER, 0, NULL, NULL, &s->timer)) &&
           !EFI_ERROR(bs->SetTimer(s->timer, TimerRelative, seconds * TICKS_A_SECOND));
}

static bool open_child(struct service *s, EFI_GUID protocol)
{
    if (EFI_ERROR(s->binding->CreateChild(s->binding, &s->child))) {
        s->child = NULL;
        return false;
    }
    s->protocol = network_protocol(s->n, s->child, protocol);
    return s->protocol != NULL;
}

bool service_open(struct service *s, struct network *n, EFI_GUID binding, EFI_GUID protocol,
                  unsigned seconds, struct network_failure *f)
{
    *s = (struct service){.n = n};
    if (!n->path || !n->from.has_address) {
        f->what = "the program was not loaded from a network over IPv4";
        return false;
    }
    s->binding = find(n, binding);
    if (!s->binding) { /* a loader such as iPXE has its own drivers: start the firmware's on it */
        n->bs->ConnectController(n->device, NULL, NULL, TRUE);
        s->binding = find(n, binding);
    }
    if (!s->binding) {
        f->what = "the firmware has no driver for this protocol on the network device";
        return false;
    }
    start_device(n);
    if (open_events(s, seconds) && open_child(s, protocol))
        return true;
    f->what = "the firmware's driver for this protocol cannot be opened";
    service_close(s);
    return false;
}

void service_close(struct service *s)
{
    EFI_BOOT_SERVICES *bs = s->n->bs;

    if (s->child)
        s->binding->DestroyChild(s->binding, s->child);
    if (s->timer)
        bs->CloseEvent(s->timer);
    if (s->done)
        bs->CloseEvent(s->done);
}

bool service_wait(struct service *s, service_poll poll)
{
    EFI_BOOT_SERVICES *bs = s->n->bs;

    while (bs->CheckEvent(s->done) == EFI_NOT_READY) {
        if (bs->CheckEvent(s->timer) == EFI_SUCCESS)
            return false;
        poll(s->protocol);
    }
    return true;
}
