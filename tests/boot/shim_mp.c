/*
 * The shim's modes for EFI_MP_SERVICES_PROTOCOL (PI specification 1.7, volume 2, section 13.4), in
 * the firmware's structure:
 *   mp-watch   saves each core's private state before baretick's procedure and compares it after
 *              it (on the boot core before and after baretick); prints the result with the
 *              differences; then sends all cores into another procedure
 *   mp-none    refuses every procedure on all cores, and on single ones after the first
 *   mp-busy    refuses every procedure on all cores, since another runs there
 *   mp-missing   removes the protocol
 *   mp-less    the cores with odd APIC ids return without running the procedure
 *   mp-late    other cores start the procedure some milliseconds late, and check then whether the
 *              boot core's table of interrupts still has baretick's entry for NMIs; prints the
 *              result
 */
#include <efi.h>

#define CORES          16
#define LAPIC          0xfee00000ull
#define CR4_OSXSAVE    (1ull << 18)
#define RFLAGS_CHECKED 0x244600ull /* IF, DF, NT, AC and ID: SDM vol. 1 section 3.4.3 */

typedef VOID(EFIAPI *procedure)(VOID *argument);
struct mp {
    EFI_STATUS(EFIAPI *count)(struct mp *self, UINTN *processors, UINTN *enabled);
    VOID *information;
    EFI_STATUS(EFIAPI *start_all)
    (struct mp *self, procedure to, BOOLEAN one_by_one, EFI_EVENT done, UINTN us, VOID *argument,
     UINTN **failed);
    EFI_STATUS(EFIAPI *start_one)
    (struct mp *self, procedure to, UINTN which, EFI_EVENT done, UINTN us, VOID *argument,
     BOOLEAN *finished);
};

static const char *const names[] = {
    "cr0",   "cr3",   "cr4",   "cr8",    "dr7",    "rflags", "gdtr",  "gdt",  "idtr",
    "idt",   "cs",    "ss",    "ds",     "es",     "fs",     "gs",    "efer", "pat",
    "fsb",   "gsb",   "apic",  "mcgctl", "mc0ctl", "mc1ctl", "mxcsr", "xcr0", "spurious",
    "timer", "lint0", "lint1", "error",  "perf",   "thermal"};
#define FACTS (sizeof names / sizeof names[0])
#define IDT   9 /* among them */

#define LATE_TICKS 20000000 /* milliseconds, whatever the TSC's rate */

static struct {
    UINT64 before[FACTS], after[FACTS];
    UINT8 came, back, guarded;
} core[CORES];
static BOOLEAN (*is)(const char *);
static struct mp *services;
static EFI_STATUS(EFIAPI *start_all)(struct mp *, procedure, BOOLEAN, EFI_EVENT, UINTN, VOID *,
                                     UINTN **);
static EFI_STATUS(EFIAPI *start_one)(struct mp *, procedure, UINTN, EFI_EVENT, UINTN, VOID *,
                                     BOOLEAN *);
static procedure real_procedure;
static UINT32 again, started;
static struct gate {
    UINT64 low, high;
} firmware_nmi;

static UINT64 rdmsr(UINT32 msr)
{
    UINT32 lo, hi;

    __asm__ volatile("rdmsr" : "=a"(lo), "=d"(hi) : "c"(msr));
    return (UINT64)hi << 32 | lo;
}

static UINT32 apic_id(void)
{
    UINT32 a = 1, b, c = 0, d;

    __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
    return b >> 24;
}

static UINT64 lapic(UINT32 offset)
{
    return *(volatile UINT32 *)(LAPIC + offset);
}

static void look(UINT64 *v)
{
    static const UINT32 msr[] = {0xc0000080, 0x277, 0xc0000100, 0xc0000101,
                                 0x1b,       0x17b, 0x400,      0x404};
    static const UINT32 register_of[] = {0xf0, 0x320, 0x350, 0x360, 0x370, 0x340, 0x330};

    struct {
        UINT16 limit;
        UINT64 base;
    } __attribute__((packed)) table;
    UINT32 mxcsr, lo = 0, hi = 0;
    UINT64 cr4;
#define PUT(instruction)                                                                           \
    do {                                                                                           \
        UINT64 x;                                                                                  \
        __asm__ volatile(instruction : "=r"(x));                                                   \
        *v++ = x;                                                                                  \
    } while (0)
    __asm__ volatile("mov %%cr4, %0" : "=r"(cr4));
    PUT("mov %%cr0, %0");
    PUT("mov %%cr3, %0");
    PUT("mov %%cr4, %0");
    PUT("mov %%cr8, %0");
    PUT("mov %%dr7, %0");
    PUT("pushfq; pop %0");
    v[-1] &= RFLAGS_CHECKED;
    __asm__ volatile("sgdt %0" : "=m"(table));
    *v++ = table.limit;
    *v++ = table.base;
    __asm__ volatile("sidt %0" : "=m"(table));
    *v++ = table.limit;
    *v++ = table.base;
    PUT("mov %%cs, %0");
    PUT("mov %%ss, %0");
    PUT("mov %%ds, %0");
    PUT("mov %%es, %0");
    PUT("mov %%fs, %0");
    PUT("mov %%gs, %0");
    for (UINTN i = 0; i < sizeof msr / sizeof msr[0]; i++) {
        *v++ = rdmsr(msr[i]);
    }
    __asm__ volatile("stmxcsr %0" : "=m"(mxcsr));
    *v++ = mxcsr;
    if (cr4 & CR4_OSXSAVE) {
        __asm__ volatile("xgetbv" : "=a"(lo), "=d"(hi) : "c"(0));
    }
    *v++ = (UINT64)hi << 32 | lo;
    for (UINTN i = 0; i < sizeof register_of / sizeof register_of[0]; i++) {
        *v++ = lapic(register_of[i]);
    }
}

/* Values that no core has by default, so that a default is not mistaken for a restored value. */
static void unusual(void)
{
    __asm__ volatile("wrmsr" : : "c"(0x404), "a"(0), "d"(0)); /* MC1_CTL; QEMU accepts 0 or ~0 */
    *(volatile UINT32 *)(LAPIC + 0xf0) = 0x1ff;               /* spurious: enabled */
    *(volatile UINT32 *)(LAPIC + 0x330) = 0x40;               /* thermal: unmasked; never raised */
}

/* Returns the NMI entry of the table that the firmware had loaded on the boot core. */
static struct gate boot_nmi(void)
{
    return ((volatile struct gate *)core[0].before[IDT])[2];
}

static BOOLEAN comes_late_and_guarded(void)
{
    UINT64 began = __builtin_ia32_rdtsc();

    while (__builtin_ia32_rdtsc() - began < LATE_TICKS) {
        __builtin_ia32_pause();
    }
    return boot_nmi().low != firmware_nmi.low;
}

static VOID EFIAPI watched(VOID *argument)
{
    UINT32 id = apic_id();

    if (id >= CORES) {
        return;
    }
    unusual();
    look(core[id].before);
    core[id].came = 1;
    if (is("mp-late")) {
        core[id].guarded = comes_late_and_guarded();
    }
    if (!is("mp-less") || id % 2 == 0) {
        real_procedure(argument);
    }
    look(core[id].after);
    core[id].back = 1;
}

static VOID EFIAPI count_again(VOID *argument)
{
    (void)argument;
    __atomic_add_fetch(&again, 1, __ATOMIC_SEQ_CST);
}

static EFI_STATUS EFIAPI start_watched(struct mp *self, procedure to, BOOLEAN one_by_one,
                                       EFI_EVENT done, UINTN us, VOID *argument, UINTN **failed)
{
    if (is("mp-none") || is("mp-busy")) {
        return is("mp-busy") ? EFI_NOT_READY : EFI_UNSUPPORTED;
    }
    real_procedure = to;
    return start_all(self, watched, one_by_one, done, us, argument, failed);
}

/* For mp-none: refuses the procedure on the second of the other cores. */
static EFI_STATUS EFIAPI refuse_second(struct mp *self, procedure to, UINTN which, EFI_EVENT done,
                                       UINTN us, VOID *argument, BOOLEAN *finished)
{
    return which < 2 ? start_one(self, to, which, done, us, argument, finished) : EFI_DEVICE_ERROR;
}

/* Returns the second of the current hour. */
static UINT32 second(EFI_SYSTEM_TABLE *real)
{
    EFI_TIME now = {0};

    real->RuntimeServices->GetTime(&now, NULL);
    return now.Minute * 60u + now.Second;
}

static void say_number(UINT32 n, void (*say)(const char *))
{
    char number[] = {(char)('0' + n / 10 % 10), (char)('0' + n % 10), 0};

    say(number);
}

static void remove_services(EFI_BOOT_SERVICES *bs, EFI_GUID *guid)
{
    EFI_HANDLE handle;
    UINTN size = sizeof handle;

    /* On one handle, as the firmware installs it. */
    if (!EFI_ERROR(bs->LocateHandle(ByProtocol, guid, NULL, &size, &handle)) &&
        !EFI_ERROR(bs->HandleProtocol(handle, guid, (void **)&services))) {
        bs->UninstallProtocolInterface(handle, guid, services);
    }
    services = NULL;
}

void shim_mp(EFI_SYSTEM_TABLE *real, BOOLEAN (*mode)(const char *))
{
    static EFI_GUID guid = {
        0x3fdda605, 0xa76e, 0x4f46, {0xad, 0x29, 0x12, 0xf4, 0x53, 0x1b, 0x3d, 0x08}};

    is = mode;
    if (mode("mp-missing")) {
        remove_services(real->BootServices, &guid);
        return;
    }
    if ((!mode("mp-watch") && !mode("mp-busy") && !mode("mp-none") && !mode("mp-less") &&
         !mode("mp-late")) ||
        EFI_ERROR(real->BootServices->LocateProtocol(&guid, NULL, (void **)&services))) {
        return;
    }
    start_all = services->start_all;
    services->start_all = start_watched;
    start_one = services->start_one;
    services->start_one = mode("mp-none") ? refuse_second : start_one;
    look(core[0].before);
    firmware_nmi = boot_nmi();
    started = second(real);
}

static void tell(UINT32 id, void (*say)(const char *))
{
    BOOLEAN same = TRUE;

    say("\r\nshim: core ");
    say_number(id, say);
    if (!core[id].back) {
        say(" did not come back");
        return;
    }
    for (UINTN i = 0; i < FACTS; i++) {
        if (core[id].before[i] != core[id].after[i]) {
            say(same ? " differs in " : " ");
            say(names[i]);
            same = FALSE;
        }
    }
    say(same ? " has all as before" : "");
    if (is("mp-late") && id > 0) {
        say(core[id].guarded ? ", came guarded" : ", came unguarded");
    }
}

void shim_mp_after(EFI_SYSTEM_TABLE *real, void (*say)(const char *))
{
    if (!services) {
        return;
    }
    say("\r\nshim: seconds: ");
    say_number((second(real) + 3600 - started) % 3600, say);
    look(core[0].after);
    core[0].came = core[0].back = 1;
    for (UINT32 id = 0; id < CORES; id++) {
        if (core[id].came) {
            tell(id, say);
        }
    }
    EFI_STATUS status = start_all(services, count_again, FALSE, NULL, 0, NULL, NULL);
    if (EFI_ERROR(status)) {
        say("\r\nshim: MP services fail");
        return;
    }
    say("\r\nshim: MP services continue, cores: ");
    say_number(again, say);
}
