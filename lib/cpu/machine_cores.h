/*
 * The cores of a machine, and the offsets between their TSCs in ticks: the arithmetic of
 * kernel/cores/smp.h. Integers only, no hardware.
 */
#ifndef LIB_CPU_MACHINE_CORES_H
#define LIB_CPU_MACHINE_CORES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lib/cpu/mtrr.h"
#include "lib/firmware/acpi_madt.h"

/* The cores in the firmware's tables: the MADT (lib/firmware/acpi_madt.h), or the answer of MP
 * services in the same form. */
struct cores_known {
    const struct madt_cpu *cpu;
    unsigned cpus;
};

/* The result for the entries. */
struct cores_list {
    uint32_t *id;         /* APIC ids: the boot core's first, then in the table's order, which
                           * operating systems use for numbering */
    unsigned count, room; /* of id; room is at least 1 */
    bool boot_listed;     /* the table lists the boot core as usable */
    unsigned disabled;    /* entries without a present core (including online-capable ones) */
    unsigned duplicates;  /* entries with the id of an earlier one */
    unsigned left_out;    /* usable, but beyond `room` */
};

/* The caller sets `l->id` and `l->room`; the rest is filled. */
void cores_list(struct cores_list *l, const struct cores_known *known, uint32_t boot_id);

/* Returns the index of an APIC id in the list; `count` if it is not there. */
unsigned cores_find(const struct cores_list *l, uint32_t id);

/* Return whether some core of the list needs x2APIC to be sent interrupts, and whether the core
 * with this id can be sent interrupts. Without x2APIC, 255 means all cores, and higher ids do not
 * fit (Intel SDM vol. 3A section 11.6.1). */
bool cores_need_x2apic(const struct cores_list *l);
bool cores_reachable(uint32_t id, bool x2apic);

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
void tsc_offset_add(struct tsc_offset *o, uint64_t t0, uint64_t other, uint64_t t1);

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
