/*
 * The shim's modes for ResetSystem of the runtime services that baretick gets:
 *   reset-boot-code  it continues in memory of the boot services, and resets from there
 *   reset-returns    it returns
 *   reset-faults     it executes an invalid instruction
 *   reset-hangs      it never returns
 * and bmc-watchdog: the operating system's watchdog of QEMU's BMC runs, for 20 s.
 */
#include <efi.h>

/* IPMI 2.0 section 9: KCS at QEMU's ports, and its codes. */
enum { KCS_DATA = 0xca2, KCS_STATUS = 0xca3, OBF = 1, IBF = 2 };
enum { WRITE_START = 0x61, WRITE_END = 0x62, READ_NEXT = 0x68 };

static UINT8 in8(UINT16 port)
{
    UINT8 v;

    __asm__ volatile("inb %1, %0" : "=a"(v) : "Nd"(port));
    return v;
}

static void kcs_write(UINT16 port, UINT8 v)
{
    __asm__ volatile("outb %0, %1" : : "a"(v), "Nd"(port));
    while (in8(KCS_STATUS) & IBF) {
    }
}

/* Sends a request and drops its answer. */
static void ipmi(const UINT8 *request, UINTN n)
{
    kcs_write(KCS_STATUS, WRITE_START);
    for (UINTN i = 0; i < n; i++) {
        if (i + 1 == n) {
            kcs_write(KCS_STATUS, WRITE_END);
        }
        kcs_write(KCS_DATA, request[i]);
    }
    while (in8(KCS_STATUS) >> 6 == 1) {
        (void)in8(KCS_DATA);
        kcs_write(KCS_DATA, READ_NEXT);
    }
    (void)in8(KCS_DATA);
}

/* Section 27: it resets the machine after 200 tenths of a second. */
static void start_bmc_watchdog(void)
{
    /* 44h: for an operating system; QEMU returns bit 6, "it runs", only as it was set here. */
    static const UINT8 set[] = {6 << 2, 0x24, 0x44, 1, 0, 0x10, 200, 0};
    static const UINT8 begin[] = {6 << 2, 0x22};

    ipmi(set, sizeof set);
    ipmi(begin, sizeof begin);
}

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
    if (mode("bmc-watchdog")) {
        start_bmc_watchdog();
    }
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
