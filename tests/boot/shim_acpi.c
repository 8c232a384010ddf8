/*
 * The shim's modes for ACPI tables: no-rsdp, rsdp-nowhere, rsdp-badsum, rsdp-rev0, madt-lies,
 * madt-hidden and no-reset-reg. shim.c describes them.
 */
#include <efi.h>

static BOOLEAN (*has)(const char *mode);
static void (*fail)(const char *why);
static UINT8 rsdp[36] __attribute__((aligned(16)));

static BOOLEAN same_guid(const EFI_GUID *a, const EFI_GUID *b)
{
    const UINT64 *x = (const void *)a, *y = (const void *)b;

    return x[0] == y[0] && x[1] == y[1];
}

static void fix_checksum(UINT8 *bytes, UINTN n, UINTN at)
{
    UINT8 sum = 0;

    bytes[at] = 0;
    for (UINTN i = 0; i < n; i++) {
        sum += bytes[i];
    }
    bytes[at] = (UINT8)-sum;
}

/* Makes the RSDP that the modes ask for from the real one. ACPI 6.5, 5.2.5.3: checksum at 8,
 * revision at 15. */
static void *other_rsdp(const UINT8 *found)
{
    if (has("rsdp-nowhere")) {
        return (void *)0x7ffffffff000ull;
    }
    for (UINTN i = 0; i < sizeof rsdp; i++) {
        rsdp[i] = found[i];
    }
    if (has("rsdp-badsum")) {
        rsdp[8]++;
    }
    if (has("rsdp-rev0")) {
        for (UINTN i = 20; i < sizeof rsdp; i++) {
            rsdp[i] = 0xff;
        }
        rsdp[15] = 0;
        fix_checksum(rsdp, 20, 8);
    }
    return rsdp;
}

static UINT32 get32(const UINT8 *at)
{
    return *(const UINT32 *)(const void *)at; /* any alignment is allowed here */
}

/* ACPI 6.5, 5.2.8: pointers of 8 bytes from offset 36. `signature`: as a number. */
static UINT8 *table_of(const UINT8 *found, UINT32 signature)
{
    UINT8 *xsdt = *(UINT8 *const *)(const void *)(found + 24);

    for (UINT32 at = 36; at < get32(xsdt + 4); at += 8) {
        UINT8 *table = *(UINT8 *const *)(void *)(xsdt + at);
        if (get32(table) == signature) {
            return table;
        }
    }
    fail("no such table");
    return NULL;
}

/* ACPI 6.5, 5.2.12: the entries begin at 44. */
static void change_madt(UINT8 *table)
{
    UINT32 length = get32(table + 4), entry = 44;

    if (has("madt-hidden")) {
        table[0] = 'X';
    } else {
        while (entry + table[entry + 1] < length) {
            entry += table[entry + 1];
        }
        table[entry + 1] = 0xff;
    }
    fix_checksum(table, length, 9);
}

/* ACPI 6.5, table 5.10: RESET_REG_SUP is bit 10 of the flags at offset 112. */
static void change_fadt(UINT8 *table)
{
    table[113] &= (UINT8)~4;
    fix_checksum(table, get32(table + 4), 9);
}

UINTN shim_acpi(const EFI_SYSTEM_TABLE *real, BOOLEAN (*mode)(const char *),
                void (*fail_with)(const char *), EFI_CONFIGURATION_TABLE *config, UINTN most)
{
    static const EFI_GUID acpi1 = ACPI_TABLE_GUID, acpi2 = ACPI_20_TABLE_GUID;
    BOOLEAN other = mode("rsdp-nowhere") || mode("rsdp-badsum") || mode("rsdp-rev0");
    UINTN n = 0;

    has = mode;
    fail = fail_with;
    for (UINTN i = 0; i < real->NumberOfTableEntries && n < most; i++) {
        EFI_CONFIGURATION_TABLE t = real->ConfigurationTable[i];
        BOOLEAN first = same_guid(&t.VendorGuid, &acpi1), second = same_guid(&t.VendorGuid, &acpi2);
        if ((first || second) && has("no-rsdp")) {
            continue;
        }
        if (first && other) {
            continue;
        }
        if (second && other) {
            t.VendorTable = other_rsdp(t.VendorTable);
        }
        if (second && (has("madt-lies") || has("madt-hidden"))) {
            change_madt(table_of(t.VendorTable, 0x43495041)); /* "APIC" */
        }
        if (second && has("no-reset-reg")) {
            change_fadt(table_of(t.VendorTable, 0x50434146)); /* "FACP" */
        }
        config[n++] = t;
    }
    return n;
}
