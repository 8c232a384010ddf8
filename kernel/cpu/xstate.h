/*
 * XCR0: which vector registers instructions may use. Firmware enables none beyond SSE; user objects
 * may use AVX and AVX-512. Sources: Intel SDM vol. 1 section 13.3 (bits of XCR0 and their valid
 * combinations), vol. 2A CPUID leaf 0Dh; AMD APM vol. 2 section 11.5.2 is the same.
 */
#ifndef KERNEL_CPU_XSTATE_H
#define KERNEL_CPU_XSTATE_H

#include <stdint.h>

#define XCR0_X87    (1ull << 0)
#define XCR0_SSE    (1ull << 1)
#define XCR0_AVX    (1ull << 2)
#define XCR0_AVX512 (7ull << 5) /* opmask, ZMM_Hi256, Hi16_ZMM: all or none, and only with AVX */

/* Returns the bits to enable of those that the CPU supports (CPUID 0Dh, EDX:EAX): not AMX, whose
 * tiles must be released, nor memory protection. */
static inline uint64_t xstate_wanted(uint64_t supported)
{
    uint64_t wanted = XCR0_X87 | (supported & XCR0_SSE);

    if (!(supported & XCR0_SSE) || !(supported & XCR0_AVX))
        return wanted;
    wanted |= XCR0_AVX;
    return (supported & XCR0_AVX512) == XCR0_AVX512 ? wanted | XCR0_AVX512 : wanted;
}

/* Returns whether this CPU has XCR0. */
int xstate_exists(void);
/* Both need CR4.OSXSAVE. */
uint64_t xcr0_read(void);
void xcr0_write(uint64_t v);
/* Zeroes the upper halves of vector registers if AVX is enabled: while they are in use, SSE
 * instructions depend on each other or run slowly (Intel Optimization manual section 15.3). */
void xstate_zero_uppers(void);
/* Sets CR4.OSXSAVE and the bits of xstate_wanted() in XCR0. Does nothing if the CPU has no XCR0. */
void xstate_enable(void);

#endif
