/*
 * The shim's modes for ResetSystem of the runtime services that baretick gets:
 *   reset-boot-code  it continues in memory of the boot services, and resets from there
 *   reset-returns    it returns
 *   reset-faults     it executes an invalid instruction
 *   reset-hangs      it never returns
 */
#include <efi.h>

static EFI_RUNTIME_SERVICES services;

static void EFIAPI returns(EFI_RESET_TYPE type, EFI_STATUS status, UINTN size, CHAR16 *data)
{
    (void)type, (void)status, (void)size, (void)data;
}

static void EFIAPI faults(EFI_RESET_TYPE type, EFI_STATUS status, UINTN size, CHAR16 *data)
{
    (void)type, (void)status, (void)size, (void)data;
    __asm__ volatile("ud2");
}

static void EFIAPI hangs(EFI_RESET_TYPE type, EFI_STATUS status, UINTN size, CHAR16 *data)
{
    (void)type, (void)status, (void)size, (void)data;
    for (;;) {
    }
}

/* Writes "mov rax, ResetSystem; jmp rax" (SDM volume 2: REX.W B8+0, FF /4) to such memory. */
static EFI_RESET_SYSTEM in_boot_code(EFI_SYSTEM_TABLE *real)
{
    EFI_PHYSICAL_ADDRESS page = 0xffffffff;
    UINT64 to = (UINT64)(UINTN)real->RuntimeServices->ResetSystem;
    UINT8 *at;

    real->BootServices->AllocatePages(AllocateMaxAddress, EfiBootServicesCode, 1, &page);
    at = (UINT8 *)(UINTN)page;
    at[0] = 0x48;
    at[1] = 0xb8;
    for (unsigned i = 0; i < 8; i++) {
        at[2 + i] = (UINT8)(to >> 8 * i);
    }
    at[10] = 0xff;
    at[11] = 0xe0;
    return (EFI_RESET_SYSTEM)(void *)at;
}

/* Returns the runtime services for baretick. */
EFI_RUNTIME_SERVICES *shim_reset(EFI_SYSTEM_TABLE *real, BOOLEAN (*mode)(const char *))
{
    services = *real->RuntimeServices;
    if (mode("reset-boot-code")) {
        services.ResetSystem = in_boot_code(real);
    } else if (mode("reset-returns")) {
        services.ResetSystem = (EFI_RESET_SYSTEM)(void *)returns;
    } else if (mode("reset-faults")) {
        services.ResetSystem = (EFI_RESET_SYSTEM)(void *)faults;
    } else if (mode("reset-hangs")) {
        services.ResetSystem = (EFI_RESET_SYSTEM)(void *)hangs;
    }
    return &services;
}
