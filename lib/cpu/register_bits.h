/*
 * Names the bits that differ between two values of a control register, for the message about a row
 * that changed one. Sources: Intel SDM vol. 3A sections 2.2.1 (EFER) and 2.5 (CR0, CR4), vol. 1
 * section 13.3 (XCR0); AMD APM vol. 2 section 3.1.7 (bits of EFER that Intel does not have).
 */
#ifndef LIB_CPU_REGISTER_BITS_H
#define LIB_CPU_REGISTER_BITS_H

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

#endif
