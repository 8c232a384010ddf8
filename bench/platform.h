/*
 * What a machine gives the benchmark: a small core that every platform has, and capabilities that
 * may be missing. kernel/platform.c implements it for the bare machine, tests/hosted/ for a Linux
 * process.
 */
#ifndef BENCH_PLATFORM_H
#define BENCH_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "bench/timer.h"
#include "lib/cpu.h"
#include "lib/options.h"
#include "lib/sink.h"

struct json;

/* The code buffer and, behind it, the data buffer stand at the same virtual address on every
 * platform, within the reach of a rel32 of each other. */
#define PLATFORM_CODE_VA   0x100000000000ull
#define PLATFORM_CODE_SIZE (1u << 20)
#define PLATFORM_DATA_VA   (PLATFORM_CODE_VA + (16u << 20))
#define PLATFORM_DATA_SIZE (1u << 20)

struct platform {
    const char *name; /* "uefi", "hosted" */
    const struct cpu *cpu;

    uint8_t *code; /* PLATFORM_CODE_VA; writable between code_write() and code_exec() only, */
    uint8_t *data; /* executable otherwise; data is always writable, never executable */
    void (*code_write)(void);
    void (*code_exec)(void);

    uint64_t *memory; /* bench_memory_need() words, touched, so that no page of it is missing */

    timer_source *clock; /* enum clock_id */
    timer_source *cycle; /* enum cycle_id */

    struct sink *out;
    bool (*key)(void); /* somebody pressed a key on the console (never waits) */
    void (*row)(const char *suite,
                const char *name); /* what a fault report should name; NULL, NULL: none */
    /* What spoils a block, so far: NMIs and machine checks; in a process, moves to another CPU. */
    uint64_t (*nmis)(void);
    /* Adds to the record of the row that row() named last what befell it; NULL: nothing to add. */
    void (*row_record)(struct json *j);
    /* Why a row with these needs (bench.h) cannot run here; NULL: it can. */
    const char *(*lacks)(unsigned needs);
};

/* Words of memory that a run with these options uses. */
size_t bench_memory_need(const struct options *o);

#endif
