#include <string.h>
#include "lib/firmware/acpi.h"
#include "lib/firmware/acpi_tables.h"
#include "lib/firmware/serial_place.h"
#include "lib/text/fmt.h"
#include "lib/text/str.h"
#include "hosted/replay/replay.h"

/* Writes the error after the entries before it. */
static void error(struct json *j, const struct acpi_error *e)
{
    if (e->text[0] != '\0')
        json_str(j, "error", e->text);
}

static void space(struct json *j, const struct acpi_gas *g)
{
    static const char names[][11] = {"mmio", "io", "pci_config"};

    if (g->space < sizeof names / sizeof names[0])
        json_str(j, "space", names[g->space]);
    else
        json_u64(j, "space", g->space);
}

/* --- MADT ------------------------------------------------------------------------------------- */

static void madt_cpu(struct json *j, const struct madt_cpu *c)
{
    JSON_PUT_OBJECT(j, NULL, JSON_IS("apic_id", c->id), JSON_IS("enabled", c->enabled),
                    JSON_IS("online_capable", c->online_capable), JSON_IS("x2apic", c->x2apic),
                    JSON_IS("duplicate", c->duplicate));
}

static void decode_madt(struct json *j, const struct acpi_table *t)
{
    static struct madt m;

    acpi_madt(t, &m);

    json_array(j, "cpus");
    for (unsigned i = 0; i < m.cpus; i++)
        madt_cpu(j, &m.cpu[i]);
    json_close(j);
    JSON_PUT(j, JSON_NONZERO("cpus_left_out", m.cpus_left_out), JSON_IS("enabled", m.cpus_enabled),
             JSON_IS("duplicates", m.duplicates), JSON_IS("lapic_address", m.lapic_address));
    json_array(j, "ioapics");
    for (unsigned i = 0; i < m.ioapics; i++)
        JSON_PUT_OBJECT(j, NULL, JSON_IS("id", m.ioapic[i].id),
                        JSON_IS("address", m.ioapic[i].address),
                        JSON_IS("gsi_base", m.ioapic[i].gsi_base));
    json_close(j);
    JSON_PUT(j, JSON_NONZERO("ioapics_left_out", m.ioapics_left_out), JSON_IS("pcat", m.pcat));
    error(j, &m.error);
}

/* --- FADT, HPET ------------------------------------------------------------------------------- */

static void decode_fadt(struct json *j, const struct acpi_table *t)
{
    struct fadt f;

    if (acpi_fadt(t, &f)) {
        JSON_PUT(j, JSON_IS("hw_reduced", f.hw_reduced),
                 JSON_NONZERO("pm_timer_port", f.pm_timer_port),
                 JSON_IF(f.pm_timer_port != 0, "pm_timer_bits", f.pm_timer_bits));
        if (f.has_reset) {
            json_object(j, "reset");
            space(j, &f.reset);
            JSON_PUT(j, JSON_IS("address", f.reset.address), JSON_IS("value", f.reset_value));
            json_close(j);
        }
        JSON_PUT(j, JSON_NONZERO("pm1a_cnt", f.pm1a_cnt));
    }
    error(j, &f.error);
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
    error(j, &h.error);
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

static void spcr_pci(struct json *j, const struct spcr *s)
{
    JSON_PUT_OBJECT(j, "pci", JSON_IS("vendor_id", s->pci_vendor),
                    JSON_IS("device_id", s->pci_device_id), JSON_IS("segment", s->pci_segment),
                    JSON_IS("bus", s->pci_bus), JSON_IS("device", s->pci_device),
                    JSON_IS("function", s->pci_function));
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
            spcr_pci(j, &s);
    }
    error(j, &s.error);
}

static void dbg2_port(struct json *j, const struct dbg2_port *p)
{
    static const char types[][7] = {"serial", "1394", "usb", "net"}; /* from PORT_SERIAL on */
    char name[256];

    json_object(j, NULL);
    if (p->type >= PORT_SERIAL && p->type <= PORT_NET)
        json_str(j, "type", types[p->type - PORT_SERIAL]);
    else
        json_u64(j, "type", p->type);
    if (p->type == PORT_SERIAL && p->registers != 0)
        uart(j, &p->uart);
    else
        json_u64(j, "subtype", p->subtype);
    json_u64(j, "registers", p->registers);
    if (p->name_length != 0) {
        if (!str_copy(name, sizeof name, p->name, p->name_length))
            json_bool(j, "name_cut", true);
        json_str(j, "name", name);
    }
    json_close(j);
}

static void decode_dbg2(struct json *j, const struct acpi_table *t)
{
    struct dbg2 d;

    acpi_dbg2(t, &d);
    json_array(j, "ports");
    for (unsigned i = 0; i < d.ports; i++)
        dbg2_port(j, &d.port[i]);
    json_close(j);
    if (d.ports_left_out != 0)
        json_u64(j, "ports_left_out", d.ports_left_out);
    error(j, &d.error);
}

/* --- SRAT ------------------------------------------------------------------------------------- */

/* Returns whether an enabled entry of that kind has a domain >= *domain, which then gets the lowest
 * one. */
static bool next_domain(const struct acpi_table *t, int what, uint64_t *domain)
{
    struct srat s;
    struct srat_entry e;
    uint64_t lowest = UINT64_MAX;

    if (srat_open(&s, t))
        while (srat_next(&s, &e))
            if ((int)e.what == what && e.enabled && e.domain >= *domain && e.domain < lowest)
                lowest = e.domain;
    *domain = lowest;
    return lowest != UINT64_MAX;
}

static void srat_element(struct json *j, const struct srat_entry *e)
{
    if (e->what == SRAT_CORE) {
        json_u64(j, NULL, e->id);
        return;
    }
    JSON_PUT_OBJECT(j, NULL, JSON_IS("base", e->base), JSON_IS("length", e->length),
                    JSON_IS("hot_plug", e->hot_plug), JSON_IS("non_volatile", e->non_volatile));
}

/* Writes enabled entries of one kind, domain by domain. */
static void by_domain(struct json *j, const struct acpi_table *t, int what, const char *name,
                      const char *elements)
{
    json_array(j, name);
    for (uint64_t domain = 0; next_domain(t, what, &domain); domain++) {
        struct srat s;
        struct srat_entry e;
        json_object(j, NULL);
        json_u64(j, "domain", domain);
        json_array(j, elements);
        if (srat_open(&s, t))
            while (srat_next(&s, &e))
                if ((int)e.what == what && e.enabled && e.domain == domain)
                    srat_element(j, &e);
        json_close(j);
        json_close(j);
    }
    json_close(j);
}

static void decode_srat(struct json *j, const struct acpi_table *t)
{
    struct srat s;
    struct srat_entry e;
    uint64_t disabled[2] = {0, 0};

    if (srat_open(&s, t))
        while (srat_next(&s, &e))
            disabled[e.what] += !e.enabled;
    by_domain(j, t, SRAT_CORE, "cores", "apic_ids");
    json_u64(j, "cores_disabled", disabled[SRAT_CORE]);
    by_domain(j, t, SRAT_MEMORY, "memory", "ranges");
    json_u64(j, "memory_disabled", disabled[SRAT_MEMORY]);
    error(j, &s.error);
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
        error(j, &e);
        return;
    }
    json_u64(j, "revision", t.bytes[ACPI_HEADER_REVISION]);
    tables[i].decode(j, &t);
}
