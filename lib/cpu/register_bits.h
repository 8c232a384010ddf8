/*
 * Names the bits that differ between two values of a control register, for the message about a row
 * that changed one. Sources: Intel SDM vol. 3A sections 2.2.1 (EFER) and 2.5 (CR0, CR4), vol. 1
 * section 13.3 (XCR0); AMD APM vol. 2 section 3.1.7 (bits of EFER that Intel does not have).
 */
#ifndef LIB_CPU_REGISTER_BITS_H
#define LIB_CPU_REGISTER_BITS_H

#include <stdbool.h>
#include <stdint.h>
#include "lib/text/sink.h"

struct register_bit {
    uint8_t bit;
    const char *name; /* NULL: the end of the list */
};
extern const struct register_bit register_cr0[], register_cr4[], register_efer[], register_xcr0[];

/* Writes "CR4 (OSFXSR cleared, PGE set)"; a bit without a name is "bit 40 set". `bits` NULL: only
 * the name. */
void register_difference(const char *name, const struct register_bit *bits, uint64_t was,
                         uint64_t now, struct sink *out);

/*
 * Temporary changes of MSRs: remember, replace bits, read back, restore. Pure: the accesses come as
 * functions, which return false if the access faults. A hypervisor may also ignore a write, so only
 * what reads back has been written.
 */
struct msr_access {
    void *ctx;
    bool (*read)(void *ctx, uint32_t msr, uint64_t *v);
    bool (*write)(void *ctx, uint32_t msr, uint64_t v);
};

struct msr_kept {
    uint32_t msr;
    uint64_t was;
};

/* Remembers an MSR. False: it cannot be read, and nothing is remembered. */
bool msr_keep(struct msr_kept *k, const struct msr_access *a, uint32_t msr);

/* Replaces the bits of `mask` in a remembered MSR. False: it faulted or does not read back. */
bool msr_change(const struct msr_kept *k, const struct msr_access *a, uint64_t mask, uint64_t bits);

/* Restores the remembered value. False: it does not read back. */
bool msr_put_back(const struct msr_kept *k, const struct msr_access *a);

#endif
