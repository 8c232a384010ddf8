/*
 * The nodes of a machine: cores and memory that are near each other ("proximity domains" of ACPI,
 * NUMA nodes of Linux), and how far one node's memory is from another node's cores. Plain data,
 * from the SRAT and the SLIT (ACPI 6.5 sections 5.2.16 and 5.2.17), or from an operating system.
 */
#ifndef LIB_FIRMWARE_NUMA_H
#define LIB_FIRMWARE_NUMA_H

#include <stdbool.h>
#include <stdint.h>
#include "lib/firmware/acpi_tables.h"

#define NUMA_NODES  64 /* with memory or cores */
#define NUMA_RANGES 128
#define NUMA_CPUS   MADT_CPU_MAX
#define NUMA_NONE   (-1) /* no node, or not known */

struct numa {
    const char *from;             /* "srat", "sysfs"; NULL: the nodes are not known */
    unsigned nodes;               /* in the order of their domains */
    uint32_t domain[NUMA_NODES];  /* the number in the tables, or the system's number */
    uint64_t bytes[NUMA_NODES];   /* of memory: numa_count() */
    unsigned cpus_of[NUMA_NODES]; /* CPUs that the tables list, including absent ones */
    bool has_distances;           /* 10: the node's own memory; 20: twice the latency */
    uint8_t distance[NUMA_NODES][NUMA_NODES];
    unsigned ranges;
    struct numa_range {
        uint64_t base, bytes;
        int node;
    } range[NUMA_RANGES];
    unsigned cpus;
    struct numa_cpu {
        uint32_t id; /* APIC id, or the system's number */
        int node;
    } cpu[NUMA_CPUS];
    unsigned left_out; /* nodes, ranges and CPUs that did not fit */
    struct acpi_error error;
};

/*
 * Reads the SRAT, and the SLIT if slit->bytes is not NULL. Nodes are numbered as their domains
 * ascend. Ranges may be larger than the memory in them: some may be plugged in later. Persistent
 * memory is in no range. False,
 * with `error`: the SRAT is too short or has no usable entry, and the nodes are not known. An error
 * in the SLIT leaves the distances out.
 */
bool numa_read(struct numa *n, const struct acpi_table *srat, const struct acpi_table *slit);

/* Returns the node with this domain, which is added if it is new; NUMA_NONE: there is no room. The
 * nodes after it get the next number, so that all are added before anything refers to them. */
int numa_add(struct numa *n, uint32_t domain);

/* Returns the node of a CPU, or of the memory at an address; NUMA_NONE: in no node. */
int numa_of_cpu(const struct numa *n, uint32_t id);
int numa_of_memory(const struct numa *n, uint64_t at);

/* Adds memory to the nodes that it is in. */
void numa_count(struct numa *n, uint64_t at, uint64_t bytes);

/* Returns whether there is more than one node. */
static inline bool numa_is_divided(const struct numa *n)
{
    return n && n->from && n->nodes > 1;
}

/* Returns the part of [at, at + *bytes) that is in the i-th range, and its length in *bytes; 0
 * bytes: none. */
uint64_t numa_part(const struct numa *n, unsigned i, uint64_t at, uint64_t *bytes);

#endif
