#include <string.h>
#include "lib/firmware/acpi.h"
#include "lib/firmware/acpi_tables.h"
#include "lib/firmware/serial_place.h"
#include "lib/text/fmt.h"
#include "lib/text/str.h"
#include "hosted/replay/replay.h"

/* Returns the error, which is written after the entries before it; NULL: none. */
static const char *error(const struct acpi_error *e)
{
    return e->text[0] != '\0' ? e->text : NULL;
}

static void space(struct json *j, const struct acpi_gas *g)
{
    static const char *const names[] = {"mmio", "io", "pci_config"};
    const char *name = g->space < sizeof names / sizeof *names ? names[g->space] : NULL;

    JSON_PUT(j, JSON_IS("space", name), JSON_IF(name == NULL, "space", g->space));
}

/* --- MADT ------------------------------------------------------------------------------------- */

static void decode_madt(struct json *j, const struct acpi_table *t)
{
    static struct madt m;

    acpi_madt(t, &m);
    JSON_EACH(j, "cpus", i, m.cpus,
              JSON_PUT_OBJECT(
                  j, NULL, JSON_IS("apic_id", m.cpu[i].id), JSON_IS("enabled", m.cpu[i].enabled),
                  JSON_IS("online_capable", m.cpu[i].online_capable),
                  JSON_IS("x2apic", m.cpu[i].x2apic), JSON_IS("duplicate", m.cpu[i].duplicate)));
    JSON_PUT(j, JSON_NONZERO("cpus_left_out", m.cpus_left_out), JSON_IS("enabled", m.cpus_enabled),
             JSON_IS("duplicates", m.duplicates), JSON_IS("lapic_address", m.lapic_address));
    JSON_EACH(j, "ioapics", i, m.ioapics,
              JSON_PUT_OBJECT(j, NULL, JSON_IS("id", m.ioapic[i].id),
                              JSON_IS("address", m.ioapic[i].address),
                              JSON_IS("gsi_base", m.ioapic[i].gsi_base)));
    JSON_PUT(j, JSON_NONZERO("ioapics_left_out", m.ioapics_left_out), JSON_IS("pcat", m.pcat),
             JSON_IS("error", error(&m.error)));
}

/* --- FADT, HPET ------------------------------------------------------------------------------- */

static void decode_fadt(struct json *j, const struct acpi_table *t)
{
    struct fadt f;

    if (acpi_fadt(t, &f)) {
        JSON_PUT(j, JSON_IS("hw_reduced", f.hw_reduced),
                 JSON_NONZERO("pm_timer_port", f.pm_timer_port),
                 JSON_IF(f.pm_timer_port != 0, "pm_timer_bits", f.pm_timer_bits));
        if (f.has_reset)
            JSON_OBJECT_OF(
                j, "reset", space(j, &f.reset),
                JSON_PUT(j, JSON_IS("address", f.reset.address), JSON_IS("value", f.reset_value)));
        JSON_PUT(j, JSON_NONZERO("pm1a_cnt", f.pm1a_cnt));
    }
    JSON_PUT(j, JSON_IS("error", error(&f.error)));
}

/* Decodes the block id: HPET 1.0a section 2.3.4, general capabilities, the low half. The period is
 * in the high half, which no table has. */
static void decode_hpet(struct json *j, const struct acpi_table *t)
{
    struct hpet_table h;

    if (acpi_hpet(t, &h))
        JSON_PUT(j, JSON_NONZERO("address", h.address), JSON_IS("min_tick", h.min_tick),
                 JSON_IS("number", h.number), JSON_IS("vendor", h.id >> 16),
                 JSON_IS("comparators", (h.id >> 8 & 0x1f) + 1),
                 JSON_IS("counter_bits", h.id & 1u << 13 ? 64 : 32),
                 JSON_BOOL("legacy_route", h.id & 1u << 15));
    JSON_PUT(j, JSON_IS("error", error(&h.error)));
}

/* --- SPCR, DBG2 ------------------------------------------------------------------------------- */

/* Width and stride in bytes. Address 0 means that there is no port. */
static void uart(struct json *j, const struct acpi_uart *u)
{
    JSON_PUT(j, JSON_IS("kind", u->kind), JSON_IS("subtype", u->subtype),
             JSON_BOOL("present", u->gas.address != 0));
    if (u->gas.address == 0)
        return;
    space(j, &u->gas);
    JSON_PUT(j, JSON_IS("address", u->gas.address), JSON_IS("width", u->width),
             JSON_IS("stride", u->stride));
}

static void decode_spcr(struct json *j, const struct acpi_table *t)
{
    struct spcr s;

    if (acpi_spcr(t, &s)) {
        uart(j, &s.uart);
        JSON_PUT(j, JSON_NONZERO("baud", s.baud),
                 JSON_IF(s.baud == 0 && s.baud_as_is, "baud_as_is", s.baud_as_is),
                 JSON_IF(s.baud == 0 && !s.baud_as_is, "baud_code", s.baud_code),
                 JSON_NONZERO("clock_hz", s.clock_hz));
        if (s.has_pci)
            JSON_PUT_OBJECT(j, "pci", JSON_IS("vendor_id", s.pci_vendor),
                            JSON_IS("device_id", s.pci_device_id),
                            JSON_IS("segment", s.pci_segment), JSON_IS("bus", s.pci_bus),
                            JSON_IS("device", s.pci_device), JSON_IS("function", s.pci_function));
    }
    JSON_PUT(j, JSON_IS("error", error(&s.error)));
}

static void dbg2_port(struct json *j, const struct dbg2_port *p)
{
    static const char *const types[] = {"serial", "1394", "usb", "net"}; /* from PORT_SERIAL on */
    const char *type =
        p->type >= PORT_SERIAL && p->type <= PORT_NET ? types[p->type - PORT_SERIAL] : NULL;
    bool decoded = p->type == PORT_SERIAL && p->registers != 0;
    char name[256];
    bool whole = p->name_length == 0 || str_copy(name, sizeof name, p->name, p->name_length);

    JSON_PUT(j, JSON_IS("type", type), JSON_IF(type == NULL, "type", p->type));
    if (decoded)
        uart(j, &p->uart);
    JSON_PUT(j, JSON_IF(!decoded, "subtype", p->subtype), JSON_IS("registers", p->registers),
             JSON_IF(p->name_length != 0 && !whole, "name_cut", (bool)true),
             JSON_IF(p->name_length != 0, "name", name));
}

static void decode_dbg2(struct json *j, const struct acpi_table *t)
{
    struct dbg2 d;

    acpi_dbg2(t, &d);
    JSON_EACH(j, "ports", i, d.ports, JSON_OBJECT_OF(j, NULL, dbg2_port(j, &d.port[i])));
    JSON_PUT(j, JSON_NONZERO("ports_left_out", d.ports_left_out),
             JSON_IS("error", error(&d.error)));
}

/* --- SRAT ------------------------------------------------------------------------------------- */

/* Reads the next enabled entry of that kind whose domain is at least this. */
static bool next_of(struct srat *s, struct srat_entry *e, int what, uint64_t domain)
{
    while (srat_next(s, e))
        if ((int)e->what == what && e->enabled && e->domain >= domain)
            return true;
    return false;
}

/* Finds the lowest domain from *domain on that has such an entry. False: no domain has. */
static bool next_domain(const struct acpi_table *t, int what, uint64_t *domain)
{
    struct srat s;
    struct srat_entry e;
    uint64_t lowest = UINT64_MAX;

    if (srat_open(&s, t))
        while (next_of(&s, &e, what, *domain))
            lowest = e.domain < lowest ? e.domain : lowest;
    *domain = lowest;
    return lowest != UINT64_MAX;
}

static void srat_element(struct json *j, const struct srat_entry *e)
{
    if (e->what == SRAT_CORE)
        JSON_PUT(j, JSON_IS(NULL, e->id));
    else
        JSON_PUT_OBJECT(j, NULL, JSON_IS("base", e->base), JSON_IS("length", e->length),
                        JSON_IS("hot_plug", e->hot_plug), JSON_IS("non_volatile", e->non_volatile));
}

static void srat_elements(struct json *j, const struct acpi_table *t, int what, uint64_t domain)
{
    struct srat s;
    struct srat_entry e;

    if (srat_open(&s, t))
        while (next_of(&s, &e, what, domain))
            if (e.domain == domain)
                srat_element(j, &e);
}

/* Writes the enabled entries of one kind, domain by domain. */
static void srat_domains(struct json *j, const struct acpi_table *t, int what, const char *elements)
{
    for (uint64_t domain = 0; next_domain(t, what, &domain); domain++)
        JSON_OBJECT_OF(j, NULL, JSON_PUT(j, JSON_IS("domain", domain)),
                       JSON_ARRAY_OF(j, elements, srat_elements(j, t, what, domain)));
}

static void decode_srat(struct json *j, const struct acpi_table *t)
{
    struct srat s;
    struct srat_entry e;
    uint64_t disabled[2] = {0, 0};

    if (srat_open(&s, t))
        while (srat_next(&s, &e))
            disabled[e.what] += !e.enabled;
    JSON_ARRAY_OF(j, "cores", srat_domains(j, t, SRAT_CORE, "apic_ids"));
    JSON_PUT(j, JSON_IS("cores_disabled", disabled[SRAT_CORE]));
    JSON_ARRAY_OF(j, "memory", srat_domains(j, t, SRAT_MEMORY, "ranges"));
    JSON_PUT(j, JSON_IS("memory_disabled", disabled[SRAT_MEMORY]),
             JSON_IS("error", error(&s.error)));
}

/* --- all of them ------------------------------------------------------------------------------ */

static const struct {
    const char *signature, *name;
    void (*decode)(struct json *j, const struct acpi_table *t);
} tables[] = {
    {"APIC", "MADT", decode_madt}, {"FACP", "FADT", decode_fadt}, {"HPET", "HPET", decode_hpet},
    {"SPCR", "SPCR", decode_spcr}, {"DBG2", "DBG2", decode_dbg2}, {"SRAT", "SRAT", decode_srat},
};

void replay_acpi(struct json *j, const char *signature, const uint8_t *bytes, size_t n)
{
    struct acpi_table t;
    struct acpi_error e;
    size_t i = 0;

    while (memcmp(tables[i].signature, signature, 4) != 0)
        i++;
    if (!acpi_table_take(&t, bytes, n, tables[i].signature, tables[i].name, &e)) {
        JSON_PUT(j, JSON_IS("error", error(&e)));
        return;
    }
    JSON_PUT(j, JSON_IS("revision", t.bytes[ACPI_HEADER_REVISION]));
    tables[i].decode(j, &t);
}

void replay_acpi_tables(struct json *j, const struct acpi *a)
{
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        struct acpi_table t = acpi_find(a, tables[i].signature);
        if (t.bytes != NULL)
            JSON_OBJECT_OF(j, tables[i].name,
                           replay_acpi(j, tables[i].signature, t.bytes, t.length));
    }
}
