/*
 * Keeping the optimiser away from what a benchmark works on. None of these is an instruction; what
 * they cost is what the optimiser could have done without them, and what they are used on has to
 * be in a register. Rows keep_cost, hide_cost and clobber_cost of suite `compiler` measure it; its
 * rows *_trap show what the compiler does where one of them is missing.
 *
 * x is an integer or a pointer of at most 8 bytes, and not volatile.
 */
#ifndef BENCH_API_KEEP_H
#define BENCH_API_KEEP_H

/*
 * x has been computed, each time. Without it a value that nothing uses is not computed: a loop of
 * loads becomes no loop at all, and a sum that only its end uses is computed from the number of
 * turns (gcc: where the terms are all alike; clang: also where they grow evenly).
 */
#define BENCH_KEEP(x) __asm__ volatile("" : : "r"(x))

/*
 * x, a variable, may have another value from here on. Without it a look-up, a call or a division
 * whose operands do not change happens once for the whole loop, or while compiling; a divisor that
 * is known becomes a multiplication, a multiplication by the loop's variable an addition.
 */
#define BENCH_HIDE(x) __asm__ volatile("" : "+r"(x))

/*
 * First in each turn of a measured loop, of n turns to go: the loop stays one of single turns.
 * Without it gcc 13 and later unroll a small loop at -O2, so that the empty loop, which is
 * subtracted, costs less than the loop of the body.
 */
#define BENCH_TURN(n) BENCH_HIDE(n)

/*
 * Memory may have been read and changed. Without it only the last of several stores to one
 * place is made, what was stored is not loaded again, and nothing is loaded twice. It does not
 * reach registers, nor local variables whose address was never given away.
 */
#define BENCH_CLOBBER() __asm__ volatile("" : : : "memory")

/*
 * Memory may have been read and changed, at address p too: a clobber that reaches the local array
 * at p. Without it an array that is filled and never read is not filled.
 */
#define BENCH_ESCAPE(p) __asm__ volatile("" : : "r"(p) : "memory")

#endif
