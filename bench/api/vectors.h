/* The vectors that instructions may use: the CPU has them, and the system has enabled their state.
 * Source: Intel SDM vol. 2A CPUID, vol. 1 section 13.3 (XCR0). */
#ifndef BENCH_API_VECTORS_H
#define BENCH_API_VECTORS_H

#include "bench/api/platform.h"

/* Returns XCR0; 0 if CPUID leaf 1 ECX[27] does not report that XGETBV may be executed. */
static inline uint64_t vectors_xcr0(uint32_t leaf_1_ecx)
{
    uint32_t low, high;

    if (!(leaf_1_ecx & 1u << 27))
        return 0;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t)high << 32 | low;
}

/* Returns the bits of the running core's vectors: 128, 256 with AVX, 512 with AVX-512F. */
static inline unsigned vectors_bits(const struct platform *p)
{
    const uint64_t avx = 0x6, avx512 = 0xe6; /* SSE and AVX; also masks and upper vectors */
    uint32_t leaf_1 = p->cpuid(NULL, 1, 0).ecx;
    uint64_t xcr0 = vectors_xcr0(leaf_1);

    if (!(leaf_1 & 1u << 28) || (xcr0 & avx) != avx)
        return 128;
    if (p->cpuid(NULL, 0, 0).eax < 7 || !(p->cpuid(NULL, 7, 0).ebx & 1u << 16))
        return 256;
    return (xcr0 & avx512) == avx512 ? 512 : 256;
}

#endif
