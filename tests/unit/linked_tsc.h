/*
 * bench/api/tsc.h as functions, which a test can define. The units of bench/ are
 * compiled with this for the unit tests; linked_tsc.c and linked_chain.c have the real ones for
 * tests that define none.
 */
#ifndef TESTS_UNIT_LINKED_TSC_H
#define TESTS_UNIT_LINKED_TSC_H

#define BENCH_API_TSC_H

#include <stdbool.h>
#include <stdint.h>

uint64_t tsc_now(void);
uint64_t tsc_unfenced(void);
uint64_t tsc_now_xfence(bool is_lfence);
uint64_t tsc_now_rdtscp(void);
void chain_adds(uint32_t adds);

#endif
