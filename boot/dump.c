/*
 * Answers `dump`: a recording of the machine for a bug report, as records `machine`, on the serial
 * port and on the volume or server that the program came from. The firmware is alive throughout and
 * nothing is taken over, so this also works on a machine that a run does not survive.
 *
 * The lines are those of tests/replay/cpuid; hosted/replay/replay.h describes them. They have no
 * serial number, UUID or asset tag, and of ACPI only tables that this program decodes: others can
 * have licence keys.
 */
#include "bench/api/report.h"
#include "boot/boot.h"
#include "build_id.h"
#include "kernel/cpu/msr.h"
#include "lib/cpu/recording.h"
#include "lib/firmware/smbios.h"
#include "lib/text/fmt.h"
#include "lib/text/mem.h"

#define LOG_RECORDS  (4u << 20) /* a machine of 1024 cores takes 1 MiB */
#define LOG_TEXT     (2u * REPORT_LOG_END)
#define TABLE_MOST   (64u << 10) /* bytes of an ACPI table; a MADT of 4096 cores has fewer */
#define SMBIOS_MOST  (1u << 20)
#define LINE_BYTES   32
#define CORE_TIME_US 2000000

struct dump {
    struct boot *b;
    struct report report;
    struct report_machine lines;
    struct sink *out; /* those lines */
    struct report_log log;
    struct serial serial;
    struct sink both; /* the serial port and the log */
    struct recorded_leaves first, other;
    uint64_t smbios_at;   /* the structures that are recorded; 0: none */
    uint32_t smbios_size; /* their bytes */
    unsigned cpus;
};

/* Begins a step: if the machine hangs in it, the firmware's console names it. That console may be
 * on the same serial line, so no record is open then. */
static void step(struct dump *d, const char *what)
{
    report_machine_end(&d->lines);
    serial_flush(&d->serial);
    fmt(&d->b->conout.sink, "baretick: dump: %s\n", what);
}

/* --- CPUs ------------------------------------------------------------------------------------- */

/* Runs on another core. */
static void look_there(void *dump)
{
    struct dump *d = dump;

    recording_leaves(&d->other, cpuid_here, NULL);
}

static void record_other(void *dump)
{
    struct dump *d = dump;

    recording_cpuid(d->out, d->cpus++, &d->other, &d->first);
}

static void cpus(struct dump *d)
{
    EFI_STATUS status;

    step(d, "CPUID of the boot core");
    recording_leaves(&d->first, cpuid_here, NULL);
    recording_cpuid(d->out, d->cpus++, &d->first, NULL);
    step(d, "CPUID of the other cores");
    status = boot_each_core(d->b, CORE_TIME_US, look_there, record_other, d);
    if (EFI_ERROR(status)) {
        d->b->keep_memory = true; /* that core may still write to it */
        fmt(d->out, "# not all cores were recorded: MP services: ");
        boot_status(d->out, status);
        fmt(d->out, "\n");
    }
    fmt(d->out, "# logical_cpus_recorded: %u\n", d->cpus);
}

/* No firmware code runs meanwhile, and a #GP is survived. */
static void msrs(struct dump *d)
{
    struct boot_hold held;
    struct cpu cpu;

    step(d, "MSRs");
    cpu_decode(&cpu, cpuid_here, NULL);
    held = boot_hold(d->b);
    boot_guard(d->b);
    recording_msrs(d->out, &cpu, cpuid_here, NULL, msr_here.read, NULL);
    boot_unguard(d->b);
    boot_unhold(d->b, held);
}

/* --- the firmware's tables -------------------------------------------------------------------- */

static size_t zeros_at(const uint8_t *bytes, size_t n)
{
    size_t zeros = 0;

    while (zeros < n && bytes[zeros] == 0)
        zeros++;
    return zeros;
}

static void memory(struct dump *d, uint64_t address, const uint8_t *bytes, size_t n)
{
    for (size_t at = 0, part; at < n; at += part) {
        part = zeros_at(bytes + at, n - at);
        if (part >= LINE_BYTES) {
            fmt(d->out, "zeros %llx %zx\n", (unsigned long long)(address + at), part);
            continue;
        }
        part = n - at < LINE_BYTES ? n - at : LINE_BYTES;
        fmt(d->out, "bytes %llx ", (unsigned long long)(address + at));
        for (size_t i = 0; i < part; i++)
            fmt(d->out, "%02x", bytes[at + i]);
        fmt(d->out, "\n");
    }
}

/* The tables that some part of the program decodes, or that describe what its figures depend on. */
static bool is_decoded(const uint8_t *signature)
{
    static const char *const known[] = {"APIC", "FACP", "HPET", "SPCR", "DBG2", "SRAT", "SLIT",
                                        "MCFG", "WDAT", "WDDT", "HMAT", "WAET", "SPMI"};

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (memcmp(signature, known[i], 4) == 0)
            return true;
    return false;
}

/* Writes a table, whether it is valid or not; only the header of one that is not decoded. */
static void table(struct dump *d, const struct physmem *mem, uint64_t address, bool root)
{
    const uint8_t *p = mem->at(mem->ctx, address, ACPI_HEADER_SIZE), *whole;
    uint32_t length;

    if (!p) {
        fmt(d->out, "# a table at %llx, which is not in memory\n", (unsigned long long)address);
        return;
    }
    memcpy(&length, p + ACPI_HEADER_LENGTH, sizeof length);
    whole =
        length <= TABLE_MOST && (root || is_decoded(p)) ? mem->at(mem->ctx, address, length) : NULL;
    if (!whole || length < ACPI_HEADER_SIZE) {
        fmt(d->out, "# only the header of a table of %u bytes:\n", length);
        length = ACPI_HEADER_SIZE;
    }
    memory(d, address, p, length);
}

/* ACPI 6.5 section 5.2.5.3: 20 bytes, or 36 from revision 2 on. */
static void rsdp(struct dump *d, const struct physmem *mem, uint64_t address)
{
    const uint8_t *p = mem->at(mem->ctx, address, 20);
    size_t n = p && p[15] >= 2 && mem->at(mem->ctx, address, 36) ? 36 : 20;

    fmt(d->out, "rsdp %llx\n", (unsigned long long)address);
    if (p)
        memory(d, address, p, n);
}

/* Of the DSDT, which the root table does not name, the header and what _S5_ is. */
static void sleep_types(struct dump *d, const struct physmem *mem, struct acpi_table t)
{
    uint64_t address = (uintptr_t)t.bytes; /* identity-mapped */

    if (t.bytes)
        table(d, mem, address, false);
    for (uint32_t i = ACPI_HEADER_SIZE; t.bytes && i + LINE_BYTES <= t.length; i++)
        if (memcmp(t.bytes + i, "_S5_", 4) == 0)
            memory(d, address + i, t.bytes + i, LINE_BYTES);
}

static void acpi(struct dump *d)
{
    struct boot_acpi tables;
    const struct acpi *a = &tables.acpi;
    uint64_t root = 0;

    step(d, "ACPI tables");
    boot_acpi(d->b, &tables);
    if (!d->b->handoff->rsdp) {
        fmt(d->out, "# the firmware names no ACPI tables\n");
        return;
    }
    rsdp(d, &tables.memory, d->b->handoff->rsdp);
    if (a->present)
        root = (uint64_t)(uintptr_t)a->root.bytes; /* identity-mapped */
    if (root)
        table(d, &tables.memory, root, true);
    else
        fmt(d->out, "# the RSDP or the root table is not valid\n");
    for (uint32_t i = 0; i < acpi_entries(a); i++)
        table(d, &tables.memory, acpi_entry(a, i), false);
    sleep_types(d, &tables.memory, acpi_dsdt(a));
}

/* Writes a copy, without what identifies the machine. */
static void smbios_at(struct dump *d, const char *word, uint64_t entry, size_t entry_bytes)
{
    struct physmem mem = memory_physical(d->b->handoff);
    const uint8_t *p = entry ? mem.at(mem.ctx, entry, entry_bytes) : NULL;
    uint64_t address;
    uint32_t n;
    uint8_t *copy;
    bool placed;

    if (!p)
        return;
    fmt(d->out, "%s %llx\n", word, (unsigned long long)entry);
    memory(d, entry, p, entry_bytes);
    placed = smbios_place(&mem, entry, &address, &n);
    /* Both entry points can name the same structures. */
    if (placed && address == d->smbios_at && n <= d->smbios_size)
        return;
    copy = placed && n <= SMBIOS_MOST ? boot_alloc(d->b, n) : NULL;
    if (!copy) {
        fmt(d->out, "# its structures are not valid, or too large\n");
        return;
    }
    memcpy(copy, mem.at(mem.ctx, address, n), n);
    smbios_anonymise(copy, n);
    memory(d, address, copy, n);
    d->smbios_at = address;
    d->smbios_size = n;
    boot_free(d->b, copy);
}

/* DSP0134 3.7 sections 5.2.1 and 5.2.2: the sizes of the entry points. */
static void smbios(struct dump *d)
{
    const struct handoff *h = d->b->handoff;

    step(d, "SMBIOS");
    smbios_at(d, "smbios3", h->smbios3, 0x18);
    smbios_at(d, "smbios", h->smbios, 0x1f);
}

/* --- memory, PCI ------------------------------------------------------------------------------ */

static void regions(struct dump *d)
{
    const struct handoff *h = d->b->handoff;

    step(d, "memory map");
    for (uint32_t i = 0; i < h->regions; i++)
        fmt(d->out, "memory %u %llx %llx %llx\n", h->region[i].type,
            (unsigned long long)h->region[i].start, (unsigned long long)h->region[i].size,
            (unsigned long long)h->region[i].attribute);
    if (h->framebuffer.size)
        fmt(d->out, "# framebuffer: %llx, %llu bytes, %ux%u, %u pixels per line\n",
            (unsigned long long)h->framebuffer.address, (unsigned long long)h->framebuffer.size,
            h->framebuffer.width, h->framebuffer.height, h->framebuffer.pixels_per_line);
    else
        fmt(d->out, "# framebuffer: none %s\n", h->screen_refused);
}

/* Writes the ids of one function: registers 0, 8 and 2Ch (PCI 3.0 section 6.1). */
static void function(struct dump *d, EFI_PCI_IO_PROTOCOL *io)
{
    UINTN segment, bus, device, number;
    uint32_t id, class, subsystem;

    if (EFI_ERROR(io->GetLocation(io, &segment, &bus, &device, &number)) ||
        EFI_ERROR(io->Pci.Read(io, EfiPciIoWidthUint32, 0, 1, &id)) ||
        EFI_ERROR(io->Pci.Read(io, EfiPciIoWidthUint32, 8, 1, &class)) ||
        EFI_ERROR(io->Pci.Read(io, EfiPciIoWidthUint32, 0x2c, 1, &subsystem)))
        return;
    fmt(d->out, "pci %04lx %02lx %02lx %lx %04x %04x %08x %08x\n", (unsigned long)segment,
        (unsigned long)bus, (unsigned long)device, (unsigned long)number, id & 0xffff, id >> 16,
        class, subsystem);
}

static void pci(struct dump *d)
{
    static const EFI_GUID guid = EFI_PCI_IO_PROTOCOL_GUID;
    EFI_GUID copy = guid; /* GNU-EFI's prototypes take no const */
    EFI_HANDLE *handles = NULL;
    UINTN n = 0;

    step(d, "PCI functions");
    if (EFI_ERROR(d->b->bs->LocateHandleBuffer(ByProtocol, &copy, NULL, &n, &handles))) {
        fmt(d->out, "# the firmware lists no PCI functions\n");
        return;
    }
    for (UINTN i = 0; i < n; i++) {
        EFI_PCI_IO_PROTOCOL *io = boot_protocol(d->b, handles[i], &guid);
        if (io)
            function(d, io);
    }
    boot_free(d->b, handles);
}

/* --- all of it -------------------------------------------------------------------------------- */

static void head(struct dump *d)
{
    const struct handoff *h = d->b->handoff;
    struct cpu cpu;

    cpu_decode(&cpu, cpuid_here, NULL);
    fmt(d->out, "# source: the word dump of baretick %s\n", BARETICK_VERSION);
    if (d->b->once) /* by which `baretick once --result` finds it */
        fmt(d->out, "# once: %u\n", d->b->once);
    fmt(d->out, "# name: %s\n", cpu.brand);
    if (cpu.hypervisor)
        fmt(d->out, "# hypervisor: %s\n", cpu.hypervisor_id);
    fmt(d->out, "# firmware: %s revision %x, UEFI %u.%u\n", h->firmware_vendor,
        h->firmware_revision, h->uefi_revision >> 16, (h->uefi_revision & 0xffff) / 10);
}

static void write_both(struct sink *self, const char *bytes, size_t n)
{
    struct dump *d = (struct dump *)((char *)self - offsetof(struct dump, both));

    d->log.sink.write(&d->log.sink, bytes, n);
    d->serial.sink.write(&d->serial.sink, bytes, n);
}

static void record(struct dump *d)
{
    d->both = (struct sink){write_both};
    fmt(&d->serial.sink, "\r\n"); /* the firmware's console may have left an incomplete line */
    report_init(&d->report, &d->both, FORMAT_JSONL);
    report_machine_begin(&d->lines, &d->report);
    d->out = &d->lines.sink;
    head(d);
    cpus(d);
    acpi(d);
    smbios(d);
    regions(d);
    pci(d);
    msrs(d); /* last: reading one is what can stop a machine */
    report_machine_end(&d->lines);
    report_log_end(&d->log);
    if (d->log.records.lost)
        report_eventf(&d->report, "warning", "%llu records did not fit into the file's %u MiB",
                      (unsigned long long)d->log.records.lost, LOG_RECORDS >> 20);
    report_end(&d->report, false);
    serial_flush(&d->serial);
}

/* Writes the file, and where the recording is, on the firmware's console. Returns whether it is
 * anywhere. */
static bool keep(struct dump *d)
{
    struct boot *b = d->b;
    bool kept;

    b->handoff->log = &d->log;
    kept = boot_report(b);
    b->handoff->log = NULL;
    fmt(&b->conout.sink, "baretick: dump: %u lines of %u cores%s\n", d->lines.all, d->cpus,
        d->serial.on ? ", also on the serial port" : "");
    return kept || d->serial.on;
}

bool boot_dump(struct boot *b, enum status *status)
{
    struct dump *d = boot_alloc(b, sizeof *d + LOG_RECORDS + LOG_TEXT);

    if (!d) {
        fmt(boot_error(b), "dump: no memory for it: %u MiB", LOG_RECORDS >> 20);
        return false;
    }
    memset(d, 0, sizeof *d);
    d->b = b;
    d->serial = boot_serial(b);
    report_log_init(&d->log, (char *)(d + 1), LOG_RECORDS, (char *)(d + 1) + LOG_RECORDS, LOG_TEXT);
    record(d);
    *status = keep(d) ? STATUS_SUCCESS : STATUS_NO_REPORT;
    serial_release(&d->serial);
    if (!b->keep_memory)
        boot_free(b, d);
    return true;
}
