/*
 * Which cores a machine has, and how many ticks one's TSC is ahead of another's: the arithmetic of
 * kernel/cores/cores.h. Integers only, no hardware.
 */
#ifndef LIB_CPU_MACHINE_CORES_H
#define LIB_CPU_MACHINE_CORES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lib/cpu/mtrr.h"
#include "lib/firmware/acpi_madt.h"

/* As the firmware's tables name them: MADT (lib/firmware/acpi_madt.h), or what MP services said, in
 * that shape. */
struct cores_known {
    const struct madt_cpu *cpu;
    unsigned cpus;
};

/* What became of the entries. */
struct cores_list {
    uint32_t *id;         /* APIC ids, the boot core's first, then the table's order, which is how
                             operating systems number them */
    unsigned count, room; /* of id; room is at least 1 */
    bool boot_listed;     /* the table has the boot core, usable */
    unsigned disabled;    /* entries of no core that is there (online-capable ones too) */
    unsigned duplicates;  /* entries whose id stood before */
    unsigned left_out;    /* usable, but beyond `room` */
};

/* `l->id` and `l->room` are the caller's; all else is filled. */
void cores_list(struct cores_list *l, const struct cores_known *known, uint32_t boot_id);

/* The place of an APIC id in the list; `count` where it is not there. */
unsigned cores_find(const struct cores_list *l, uint32_t id);

/* Whether an interrupt can be sent to all of them: without x2APIC, 255 means all cores and ids
 * above do not fit (Intel SDM vol. 3A section 11.6.1). */
bool cores_need_x2apic(const struct cores_list *l);
bool cores_reachable(uint32_t id, bool x2apic);

/*
 * Two TSCs compared by sending a line to and fro: the boot core reads t0, the other answers with
 * its own time, the boot core reads t1. The other's reading lies between the two, so the quickest
 * round says most.
 */
struct tsc_offset {
    unsigned rounds;
    int64_t ahead;  /* ticks, of the other core */
    uint64_t error; /* plus or minus, ticks */
};
void tsc_offset_add(struct tsc_offset *o, uint64_t t0, uint64_t other, uint64_t t1);

/* CPUID's feature words that cores of one machine can differ in (kernel/cores/cores.c has the
 * leaves). */
enum { CORES_FEATURE_WORDS = 8 };
struct core_features {
    uint32_t word[CORES_FEATURE_WORDS];
};
extern const char *const cores_feature_names[CORES_FEATURE_WORDS]; /* "1.ECX", ... */

/* "CPUID 7.EBX 00000010 here only, 00000400 on the boot core only"; several parted by "; ", cut at
 * size. False, and empty: they are equal. */
bool cores_differ_features(const struct core_features *boot, const struct core_features *here,
                           char *text, size_t size);

/* "default type, fixed ranges, variable range 3": what is not as on the boot core. False, and
 * empty: equal. */
bool cores_differ_mtrr(const struct mtrr *boot, const struct mtrr *here, char *text, size_t size);

#endif
