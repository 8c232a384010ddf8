/*
 * Memory types according to the MTRRs, to avoid large pages that span two types. Integers only: may
 * be used before SSE is enabled.
 * Source: Intel SDM vol. 3A section 12.11, AMD APM vol. 2 section 7.7 (the same registers).
 */
#ifndef LIB_CPU_MTRR_H
#define LIB_CPU_MTRR_H

#include <stdbool.h>
#include <stdint.h>

#define MTRR_VARIABLE_MAX 32
#define MTRR_FIXED        11

struct mtrr {
    bool enabled;       /* MTRRdefType[11]; false: everything is UC */
    bool fixed_enabled; /* MTRRdefType[10] and MTRRcap[8] */
    uint8_t default_type;
    unsigned variables; /* MTRRcap[7:0]; those beyond MTRR_VARIABLE_MAX are ignored */
    struct {
        uint64_t base, mask; /* PHYSBASEn, PHYSMASKn as read */
    } variable[MTRR_VARIABLE_MAX];
    uint64_t fixed[MTRR_FIXED]; /* 64K_00000, 16K_80000, 16K_A0000, 4K_C0000 .. 4K_F8000 as read */
    uint32_t phys_bits;
    uint64_t tom2; /* AMD: memory from 4 GiB to this address is write-back (SYSCFG[22]); else 0 */
};

/*
 * Returns the effective type of an address: 0 UC, 1 WC, 4 WT, 5 WP, 6 WB. Overlaps follow the
 * manual: UC wins, WT with WB is WT. Overlaps that it leaves undefined, and reserved types, are UC.
 * TOM2 replaces only the default type, as on the CPU.
 */
uint8_t mtrr_type(const struct mtrr *m, uint64_t address);
/*
 * Returns true if [start, start + size) has one type; size is a power of two and start is aligned
 * to it. If a variable range's mask has holes (no such machine is known), a block that lies partly
 * in it is not uniform, whatever its types.
 */
bool mtrr_uniform(const struct mtrr *m, uint64_t start, uint64_t size);

#endif
