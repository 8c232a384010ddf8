/*
 * The shim's modes for the screen. Each changes how the Graphics Output Protocol describes it, in
 * the firmware's structures:
 *   gop-4k      the mode of 3840x2160 pixels, set by the firmware
 *   gop-xga     that of 1024x768
 *   gop-narrow  640x480 of the pixels are shown, in lines as long as before
 *   gop-short   a framebuffer too small for the mode, by one byte
 *   gop-tiny    32x32 pixels, which no text fits
 *   gop-far     a framebuffer at 20 TiB, which QEMU's emulated CPUs cannot address
 */
#include <efi.h>

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
    if (mode("gop-short")) {
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

void shim_gop(EFI_SYSTEM_TABLE *real, BOOLEAN (*mode)(const char *))
{
    static EFI_GUID guid = EFI_GRAPHICS_OUTPUT_PROTOCOL_GUID;
    EFI_HANDLE *handles;
    UINTN n;

    if (EFI_ERROR(real->BootServices->LocateHandleBuffer(ByProtocol, &guid, NULL, &n, &handles))) {
        return;
    }
    for (UINTN i = 0; i < n; i++) {
        EFI_GRAPHICS_OUTPUT_PROTOCOL *gop;
        if (!EFI_ERROR(real->BootServices->HandleProtocol(handles[i], &guid, (void **)&gop))) {
            change(gop, mode);
        }
    }
    real->BootServices->FreePool(handles);
}
