/*
 * The place of a logical CPU: package, core, thread, core type. CPUID tells each CPU its own APIC
 * id and the fields of that id, so every CPU must read its own (topology_place). All of them
 * together give the machine's shape (topology_count): counts in CPUID are those of possible ids,
 * not of existing CPUs.
 *
 * Sources, in order of preference: leaf 1Fh, leaf 0Bh (Intel SDM vol. 3A section 9.9.1,
 * "Hierarchical Mapping of Shared Resources"; AMD APM vol. 3 E.3.9), AMD leaf 8000_0008 with
 * 8000_001E (E.4.7, E.4.15), leaf 1 with leaf 4 (SDM vol. 3A section 9.9.3).
 */
#ifndef LIB_CPU_TOPOLOGY_H
#define LIB_CPU_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lib/cpu/caches.h"
#include "lib/cpu/cpu.h"
#include "lib/cpu/mtrr.h"
#include "lib/firmware/acpi_tables.h"

/* Intel leaf 1Ah EAX[31:24]: 40h Core, 20h Atom; AMD leaf 8000_0026 EBX[31:28]: 0, 1. */
enum core_type { CORE_TYPE_UNKNOWN, CORE_TYPE_PERFORMANCE, CORE_TYPE_EFFICIENCY, CORE_TYPES };

struct core_place {
    uint32_t apic_id;    /* the x2APIC id if the CPU has one: may be above 255 */
    uint32_t package;    /* the id's upper bits: not dense */
    uint32_t module;     /* AMD family 15h: cores that share a front end; else the core */
    uint32_t core;       /* within the package, not dense */
    uint32_t thread;     /* within the core */
    enum core_type type; /* UNKNOWN if the CPU does not report it, as before hybrid parts */
    int node;            /* of memory, by AMD's leaf 8000_001E; -1: the CPU does not report it */
    unsigned caches;     /* of a CPU with core types; else 0 */
    struct cache cache[CACHES_MAX];
};

/* Fills in the CPU that this CPUID belongs to; `c` is its decoded CPUID. */
void topology_place(struct core_place *p, const struct cpu *c, cpuid_fn cpuid, void *ctx);

struct topology {
    uint32_t logical_cpus; /* distinct APIC ids */
    uint32_t packages, modules, cores;
    uint32_t threads_per_core; /* the maximum of all cores */
    struct {
        uint32_t cores, logical_cpus;
        unsigned caches; /* of the first of these CPUs */
        struct cache cache[CACHES_MAX];
        uint32_t shared_by[CACHES_MAX]; /* CPUs, this one included; 0: not known */
    } type[CORE_TYPES];
};

/* Counts over n CPUs in any order; duplicates count once. Time grows with
 * n^2. */
void topology_count(struct topology *t, const struct core_place *cpus, size_t n);

/* Returns the number of distinct APIC ids that differ from `id` only in the lowest `bits`. */
uint32_t topology_sharing(const struct core_place *cpus, size_t n, uint32_t id, unsigned bits);

extern const char *const core_type_names[CORE_TYPES];

/*
 * The cores of a machine, and the offsets between their TSCs in ticks: the arithmetic of
 * kernel/cores/smp.h. Integers only, no hardware.
 */

/* The cores in the firmware's tables: the MADT (lib/firmware/acpi_tables.h), or the answer of MP
 * services in the same form. */
struct cores_known {
    const struct madt_cpu *cpu;
    unsigned cpus;
    unsigned empty, left_out; /* further entries, not usable and usable (struct madt) */
    /* All cores that MP services know, if `cpu` is the MADT; mets 0: some are not known. */
    const struct madt_cpu *met;
    unsigned mets;
};

/* The result for the entries. */
struct cores_list {
    uint32_t *id;         /* APIC ids: the boot core's first, then in the table's order, which
                           * operating systems use for numbering */
    unsigned count, room; /* of id; room is at least 1 */
    bool boot_listed;     /* the table lists the boot core as usable */
    unsigned disabled;    /* entries without a present core (including online-capable ones) */
    unsigned duplicates;  /* entries with the id of an earlier one */
    unsigned invalid;     /* usable, but no core has such an id ... */
    uint32_t invalid_id;  /* ... as the first of them */
    unsigned left_out;    /* usable, but beyond `room` */
};

/*
 * The caller sets `l->id` and `l->room`; the rest is filled. Firmware lists cores that do not exist
 * with uninitialised ids. An id is invalid if it has more than 20 bits, since the 16 upper ones of
 * these become a logical id (SDM vol. 3A section 11.12.10.2), or if MP services do not know it.
 * They are asked only if they know another core than the boot core, and if both tables agree on the
 * boot core and on each id that MP services call usable: some firmware gives indices instead.
 */
void cores_list(struct cores_list *l, const struct cores_known *known, uint32_t boot_id);

/* Returns the index of an APIC id in the list; `count` if it is not there. */
unsigned cores_find(const struct cores_list *l, uint32_t id);

/* Return whether the core with this id can be sent interrupts, and whether some core of the list
 * needs x2APIC for that. Without x2APIC, 255 means all cores, and higher ids do not fit (Intel SDM
 * vol. 3A section 11.6.1). */
static inline bool cores_reachable(uint32_t id, bool x2apic)
{
    return x2apic || id < 255;
}

static inline bool cores_need_x2apic(const struct cores_list *l)
{
    for (unsigned i = 0; i < l->count; i++)
        if (!cores_reachable(l->id[i], false))
            return true;
    return false;
}

/*
 * Compares two TSCs through a shared cache line: the boot core reads t0, the other core answers
 * with its own time, the boot core reads t1. The other's reading lies between the two, so the
 * shortest round gives the smallest error.
 */
struct tsc_offset {
    unsigned rounds;
    int64_t ahead;  /* ticks that the other core is ahead */
    uint64_t error; /* plus or minus, ticks */
};
static inline void tsc_offset_add(struct tsc_offset *o, uint64_t t0, uint64_t other, uint64_t t1)
{
    uint64_t round = t1 - t0, error = round - round / 2;

    if (o->rounds++ > 0 && error >= o->error)
        return;
    o->error = error;
    o->ahead = (int64_t)(other - (t0 + round / 2));
}

/* CPUID feature words that may differ between cores of one machine (kernel/cores/smp.c has the
 * leaves). */
enum { CORES_FEATURE_WORDS = 8 };
struct core_features {
    uint32_t word[CORES_FEATURE_WORDS];
};
extern const char *const cores_feature_names[CORES_FEATURE_WORDS]; /* "1.ECX", ... */

/* Writes "CPUID 7.EBX 00000010 here only, 00000400 on the boot core only"; several separated by ";
 * ", truncated to size. Returns false and empty text if they are equal. */
bool cores_differ_features(const struct core_features *boot, const struct core_features *here,
                           char *text, size_t size);

/* Writes what differs from the boot core: "default type, fixed ranges, variable range 3". Returns
 * false and empty text if they are equal. */
bool cores_differ_mtrr(const struct mtrr *boot, const struct mtrr *here, char *text, size_t size);

#endif
