#include "lib/firmware/numa.h"
#include "lib/text/bytes.h"
#include "lib/text/mem.h"

/* --- nodes ------------------------------------------------------------------------------------ */

static int find(const struct numa *n, uint32_t domain)
{
    for (unsigned i = 0; i < n->nodes; i++)
        if (n->domain[i] == domain)
            return (int)i;
    return NUMA_NONE;
}

int numa_add(struct numa *n, uint32_t domain)
{
    unsigned at = n->nodes;
    int known = find(n, domain);

    if (known != NUMA_NONE)
        return known;
    if (n->nodes == NUMA_NODES) {
        n->left_out++;
        return NUMA_NONE;
    }
    for (n->nodes++; at > 0 && n->domain[at - 1] > domain; at--)
        n->domain[at] = n->domain[at - 1];
    n->domain[at] = domain;
    return (int)at;
}

int numa_of_cpu(const struct numa *n, uint32_t id)
{
    for (unsigned i = 0; i < n->cpus; i++)
        if (n->cpu[i].id == id)
            return n->cpu[i].node;
    return NUMA_NONE;
}

uint64_t numa_part(const struct numa *n, unsigned i, uint64_t at, uint64_t *bytes)
{
    const struct numa_range *r = &n->range[i];
    uint64_t end = at + *bytes, range_end = r->base + r->bytes;
    uint64_t from = at > r->base ? at : r->base, to = end < range_end ? end : range_end;

    *bytes = from < to ? to - from : 0;
    return from;
}

int numa_of_memory(const struct numa *n, uint64_t at)
{
    for (unsigned i = 0; i < n->ranges; i++)
        if (at - n->range[i].base < n->range[i].bytes)
            return n->range[i].node;
    return NUMA_NONE;
}

void numa_count(struct numa *n, uint64_t at, uint64_t bytes)
{
    for (unsigned i = 0; i < n->ranges; i++) {
        uint64_t part = bytes;
        (void)numa_part(n, i, at, &part);
        n->bytes[n->range[i].node] += part;
    }
}

/* --- SRAT ------------------------------------------------------------------------------------- */

static void add_cpu(struct numa *n, uint32_t id, int node)
{
    if (n->cpus == NUMA_CPUS) {
        n->left_out++;
        return;
    }
    n->cpu[n->cpus++] = (struct numa_cpu){id, node};
    n->cpus_of[node]++;
}

/* A range that leaves the address space ends with it. */
static void add_range(struct numa *n, const struct srat_entry *e, int node)
{
    uint64_t most = UINT64_MAX - e->base;

    if (e->non_volatile || e->length == 0)
        return;
    if (n->ranges == NUMA_RANGES) {
        n->left_out++;
        return;
    }
    n->range[n->ranges++] = (struct numa_range){e->base, e->length < most ? e->length : most, node};
}

/* Returns whether an entry before this one has its domain: then that one was counted. */
static bool is_repeated(const struct acpi_table *srat, const struct srat *at,
                        const struct srat_entry *e)
{
    struct srat s;
    struct srat_entry other;

    (void)srat_open(&s, srat);
    while (srat_next(&s, &other) && s.walk.at < at->walk.at)
        if (other.enabled && other.domain == e->domain)
            return true;
    return false;
}

/* Adds the domains of all entries, so that the nodes have their numbers. */
static void add_nodes(struct numa *n, const struct acpi_table *srat)
{
    struct srat s;
    struct srat_entry e;

    if (srat_open(&s, srat))
        while (srat_next(&s, &e))
            if (e.enabled && (find(n, e.domain) != NUMA_NONE || !is_repeated(srat, &s, &e)))
                (void)numa_add(n, e.domain);
    n->error = s.error;
}

static void add_entries(struct numa *n, const struct acpi_table *srat)
{
    struct srat s;
    struct srat_entry e;

    if (!srat_open(&s, srat))
        return;
    while (srat_next(&s, &e)) {
        int node = e.enabled ? find(n, e.domain) : NUMA_NONE;
        if (node == NUMA_NONE)
            continue;
        if (e.what == SRAT_CORE)
            add_cpu(n, e.id, node);
        else
            add_range(n, &e, node);
    }
}

/* --- SLIT ------------------------------------------------------------------------------------- */

#define SLIT_DOMAINS 36 /* table 5.58: the number of domains, and after it their matrix */
#define SLIT_MATRIX  44
#define OWN          10 /* the distance of a domain to itself */

static void read_distances(struct numa *n, const struct acpi_table *slit)
{
    const char *name = "SLIT";

    if (!acpi_long_enough(slit, name, SLIT_MATRIX, &n->error))
        return;
    uint64_t domains = le64(slit->bytes + SLIT_DOMAINS), room = slit->length - SLIT_MATRIX;
    uint64_t least = n->domain[n->nodes - 1] + 1ull, most = least;
    while ((most + 1) * (most + 1) <= room)
        most++;
    if (domains < least || domains > most || domains > room / domains) {
        acpi_wrong(&n->error, name, SLIT_DOMAINS, "number of domains", domains, least, most);
        return;
    }
    for (unsigned a = 0; a < n->nodes; a++)
        for (unsigned b = 0; b < n->nodes; b++) {
            uint64_t from = n->domain[a], to = n->domain[b];
            uint8_t d = slit->bytes[SLIT_MATRIX + from * domains + to];
            if (d < OWN || (a == b && d != OWN)) {
                acpi_wrong(&n->error, name, (uint32_t)(SLIT_MATRIX + from * domains + to),
                           "distance", d, OWN, a == b ? OWN : UINT8_MAX);
                return;
            }
            n->distance[a][b] = d;
        }
    n->has_distances = true;
}

bool numa_read(struct numa *n, const struct acpi_table *srat, const struct acpi_table *slit)
{
    memset(n, 0, sizeof *n);
    add_nodes(n, srat);
    if (n->nodes == 0)
        return false;
    n->from = "srat";
    add_entries(n, srat);
    if (slit->bytes)
        read_distances(n, slit);
    return true;
}
