/*
 * XCR0: which vector registers instructions may use. Firmware enables none beyond SSE; a person's
 * own code may have AVX and AVX-512. Sources: Intel SDM vol. 1 section 13.3 (bits of XCR0, which go
 * together), vol. 2A CPUID leaf 0Dh; AMD APM vol. 2 section 11.5.2 is the same.
 */
#ifndef KERNEL_CPU_XSTATE_H
#define KERNEL_CPU_XSTATE_H

#include <stdint.h>

#define XCR0_X87    (1ull << 0)
#define XCR0_SSE    (1ull << 1)
#define XCR0_AVX    (1ull << 2)
#define XCR0_AVX512 (7ull << 5) /* opmask, ZMM_Hi256, Hi16_ZMM: all or none, and with AVX only */

/* Of what a CPU supports (CPUID 0Dh, EDX:EAX) what is enabled: not AMX, whose tiles have to be
 * given back, nor what protects memory. */
static inline uint64_t xstate_wanted(uint64_t supported)
{
    uint64_t wanted = XCR0_X87 | (supported & XCR0_SSE);

    if (!(supported & XCR0_SSE) || !(supported & XCR0_AVX))
        return wanted;
    wanted |= XCR0_AVX;
    return (supported & XCR0_AVX512) == XCR0_AVX512 ? wanted | XCR0_AVX512 : wanted;
}

/* Whether this CPU has XCR0 at all. */
int xstate_exists(void);
/* Both need CR4.OSXSAVE. */
uint64_t xcr0_read(void);
void xcr0_write(uint64_t v);
/* Zeroes the upper halves of vector registers, where AVX is enabled: while they are in use, SSE
 * instructions wait for each other or run slowly (Intel Optimization manual section 15.3). */
void xstate_zero_uppers(void);
/* CR4.OSXSAVE, and what is wanted of XCR0; nothing where there is none. */
void xstate_enable(void);

#endif
