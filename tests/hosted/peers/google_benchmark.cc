// The published harness that Debian has, asked what baretick is asked: chains of adds and of imuls,
// whose cost is known, a call, and a body from which the compiler took the work. scripts/silicon
// runs it.
#include <benchmark/benchmark.h>

#define REPEAT(count, text) ".rept " count "\n\t" text "\n\t.endr"

static void add(benchmark::State &state)
{
    unsigned x = 1;
    for (auto _ : state)
        __asm__ volatile(REPEAT("500", "add %0, %0") : "+r"(x) : : "cc");
}
BENCHMARK(add);

static void imul(benchmark::State &state)
{
    unsigned x = 3;
    for (auto _ : state)
        __asm__ volatile(REPEAT("500", "imul %0, %0") : "+r"(x) : : "cc");
}
BENCHMARK(imul);

static __attribute__((noinline)) void callee()
{
    __asm__ volatile("");
}

static void direct(benchmark::State &state)
{
    for (auto _ : state)
        for (int i = 0; i < 1000; i++)
            callee();
}
BENCHMARK(direct);

static void empty(benchmark::State &state)
{
    unsigned x = 1;
    for (auto _ : state)
        x += x; // nobody looks at x
}
BENCHMARK(empty);

BENCHMARK_MAIN();
