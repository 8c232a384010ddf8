/*
 * The shim's modes for the screen. Each changes how the Graphics Output Protocol describes it, in
 * the firmware's structures:
 *   gop-4k      the mode of 3840x2160 pixels, set by the firmware
 *   gop-xga     that of 1024x768
 *   gop-narrow  640x480 of the pixels are shown, in lines as long as before
 *   gop-short   a framebuffer too small for the mode, by one byte
 *   gop-in-ram  the same, and its memory is RAM
 *   gop-decoy   a second card, which the firmware lists first and does not use for its console
 *   gop-tiny    32x32 pixels, which no text fits
 *   gop-far     a framebuffer at 20 TiB, which QEMU's emulated CPUs cannot address
 */
#include <efi.h>

static EFI_GUID guid = EFI_GRAPHICS_OUTPUT_PROTOCOL_GUID;
static EFI_BOOT_SERVICES *services;
static EFI_LOCATE_HANDLE_BUFFER locate;
static EFI_HANDLE decoy;

static void set(EFI_GRAPHICS_OUTPUT_PROTOCOL *gop, UINT32 width, UINT32 height)
{
    for (UINT32 i = 0; i < gop->Mode->MaxMode; i++) {
        EFI_GRAPHICS_OUTPUT_MODE_INFORMATION *info;
        UINTN size;
        if (!EFI_ERROR(gop->QueryMode(gop, i, &size, &info)) &&
            info->HorizontalResolution == width && info->VerticalResolution == height) {
            gop->SetMode(gop, i);
            return;
        }
    }
}

/* Returns memory for a screen of 4 MiB. */
static UINT64 memory(EFI_MEMORY_TYPE type)
{
    EFI_PHYSICAL_ADDRESS at = 0xffffffff;

    return services->AllocatePages(AllocateMaxAddress, type, 1024, &at) ? 0 : at;
}

static EFI_STATUS EFIAPI decoy_first(EFI_LOCATE_SEARCH_TYPE how, EFI_GUID *guid, void *key,
                                     UINTN *n, EFI_HANDLE **handles)
{
    EFI_STATUS status = locate(how, guid, key, n, handles);

    for (UINTN i = 0; !EFI_ERROR(status) && i < *n; i++) {
        if ((*handles)[i] == decoy) {
            (*handles)[i] = (*handles)[0];
            (*handles)[0] = decoy;
        }
    }
    return status;
}

/* Adds a card like this one, with other memory that is not RAM. */
static void add_decoy(EFI_BOOT_SERVICES *baretick, const EFI_GRAPHICS_OUTPUT_PROTOCOL *gop)
{
    static EFI_GRAPHICS_OUTPUT_PROTOCOL_MODE mode;
    static EFI_GRAPHICS_OUTPUT_PROTOCOL copy;

    mode = *gop->Mode;
    mode.FrameBufferBase = memory(EfiReservedMemoryType);
    copy = *gop;
    copy.Mode = &mode;
    services->InstallProtocolInterface(&decoy, &guid, EFI_NATIVE_INTERFACE, &copy);
    locate = baretick->LocateHandleBuffer;
    baretick->LocateHandleBuffer = decoy_first;
}

static void change(EFI_GRAPHICS_OUTPUT_PROTOCOL *gop, BOOLEAN (*mode)(const char *))
{
    EFI_GRAPHICS_OUTPUT_MODE_INFORMATION *info = gop->Mode->Info;

    if (mode("gop-4k")) {
        set(gop, 3840, 2160);
    }
    if (mode("gop-xga")) {
        set(gop, 1024, 768);
    }
    if (mode("gop-narrow")) {
        info->HorizontalResolution = 640;
        info->VerticalResolution = 480;
    }
    if (mode("gop-in-ram")) {
        gop->Mode->FrameBufferBase = memory(EfiLoaderData);
    }
    if (mode("gop-short") || mode("gop-in-ram")) {
        gop->Mode->FrameBufferSize =
            (UINTN)info->PixelsPerScanLine * info->VerticalResolution * 4 - 1;
    }
    if (mode("gop-far")) {
        gop->Mode->FrameBufferBase = 20ull << 40;
    }
    if (mode("gop-tiny")) {
        info->HorizontalResolution = 32;
        info->VerticalResolution = 32;
    }
}

/* `baretick`: the boot services that it gets. */
void shim_gop(EFI_SYSTEM_TABLE *real, EFI_BOOT_SERVICES *baretick, BOOLEAN (*mode)(const char *))
{
    EFI_GRAPHICS_OUTPUT_PROTOCOL *gop = NULL;
    EFI_HANDLE *handles;
    UINTN n;

    services = real->BootServices;
    if (EFI_ERROR(real->BootServices->LocateHandleBuffer(ByProtocol, &guid, NULL, &n, &handles))) {
        return;
    }
    for (UINTN i = 0; i < n; i++) {
        if (!EFI_ERROR(real->BootServices->HandleProtocol(handles[i], &guid, (void **)&gop))) {
            change(gop, mode);
        }
    }
    if (gop && mode("gop-decoy")) {
        add_decoy(baretick, gop);
    }
    real->BootServices->FreePool(handles);
}
