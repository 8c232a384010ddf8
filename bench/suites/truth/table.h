/*
 * Latencies on which manufacturers and literature agree, by core, for the rows of suite `truth`. In
 * core cycles, from the first operand (for `load`: the address) to the result. 0: the core is
 * unknown or masked (cpu_model_is_masked), or the sources disagree; the row is then shown, but not
 * judged.
 *
 * Sources: Agner Fog, "Instruction tables" (imul, cmov, lea, rotates); Intel 64 and IA-32
 * Architectures Optimization Reference Manual, the cache parameters of each core (load, L1 hit by a
 * plain register); AMD Software Optimization Guides for families 10h, 15h, 16h, 17h, 19h and 1Ah.
 */
#ifndef BENCH_SUITES_TRUTH_TABLE_H
#define BENCH_SUITES_TRUTH_TABLE_H

#include "lib/cpu/cpu.h"

double truth_simple(const struct cpu *cpu); /* add, neg, ror r32,imm8: operations of one ALU */
double truth_lea(const struct cpu *cpu);    /* lea r32,[r+r] */
double truth_cmov(const struct cpu *cpu);   /* cmovz r32,r32 */
double truth_imul(const struct cpu *cpu);   /* imul r32,r32 */
double truth_imul64(const struct cpu *cpu); /* imul r64,r64 */
double truth_load(const struct cpu *cpu);   /* mov r64,[r64], L1 hit, the address itself loaded */

#endif
