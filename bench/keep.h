/*
 * Keeping the optimiser away from what a benchmark works on. None of these emits an instruction of its own; what they
 * cost is what the optimiser could have done without them, and rows keep_cost, hide_cost and clobber_cost of suite
 * `compiler` measure it. What gcc 12 and clang 14 do at -O2 where one is missing, rows *_trap of the same suite show:
 *
 *   BENCH_KEEP(x)     x has been computed, each time. Without it: a value that nothing uses is not computed, so a loop
 *                     of loads becomes an empty loop and then none; a sum that is used only in the end is computed
 *                     from the loop's count (gcc where the terms are alike, clang also where they grow evenly).
 *   BENCH_HIDE(x)     x, a variable, may hold another value from here on. Without it: a look-up, a call or a division
 *                     whose operands do not change runs once for the whole loop, or at compile time; a known divisor
 *                     becomes a multiplication, a multiplication by the loop's variable an addition.
 *   BENCH_CLOBBER()   Memory may have been read and changed by somebody else. Without it: of stores to one place only
 *                     the last is made, what was stored is not loaded again, and a load is not repeated. It says
 *                     nothing of registers, nor of a local variable whose address nobody has been given.
 *   BENCH_ESCAPE(p)   Somebody else has the address p, and uses it here: a clobber that takes in the local array
 *                     behind p. Without it: an array that is filled and never read is not filled.
 *
 * x: an integer or a pointer, of at most 8 bytes. It is put in a register: what was in memory is loaded.
 */
#ifndef BENCH_KEEP_H
#define BENCH_KEEP_H

#define BENCH_KEEP(x)   __asm__ volatile("" : : "r"(x))
#define BENCH_HIDE(x)   __asm__ volatile("" : "+r"(x))
#define BENCH_CLOBBER() __asm__ volatile("" : : : "memory")
#define BENCH_ESCAPE(p) __asm__ volatile("" : : "r"(p) : "memory")

#endif
