/*
 * What a machine gives the benchmark: a small core that every platform has, and capabilities that
 * may be missing. kernel/platform.c implements it for the bare machine, hosted/ for a Linux
 * process.
 */
#ifndef BENCH_API_PLATFORM_H
#define BENCH_API_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "bench/api/step.h"
#include "bench/api/timer.h"
#include "lib/config/options.h"
#include "lib/cpu/cpu.h"
#include "lib/cpu/steps.h"
#include "lib/cpu/topology.h"
#include "lib/text/sink.h"

struct json;
struct platform;

/* What one core says of itself, beside the boot core. Texts are kept as long as the platform. */
struct core_facts {
    uint32_t apic_id;
    uint32_t package, core, thread; /* by CPUID on the core itself */
    const char *type;               /* "performance", "efficiency"; NULL: not a hybrid CPU */
    uint32_t microcode;             /* revision; 0: unknown */
    bool has_tsc_adjust;
    int64_t tsc_adjust;          /* IA32_TSC_ADJUST */
    int64_t tsc_offset;          /* ticks ahead of the boot core's, ... */
    uint64_t tsc_offset_error;   /* ... give or take */
    const char *mtrr, *features; /* what differs from the boot core; NULL: nothing */
    const char *why_not;         /* did not come up, or faulted: why; NULL: usable */
};

/* The other cores. A core that is not called executes nothing. */
struct platform_cores {
    unsigned count;                 /* entries of facts; 0 is the boot core */
    const struct core_facts *facts; /* why_not can change from one call to the next */
    /* Where each stands; one that did not come up stands where the boot core does. */
    const struct core_place *place;
    const char *parked; /* "hlt", "mwait": effective */
    /*
     * fn(ctx, i) on core i while every other core, the caller's included, executes nothing; i = 0
     * is a plain call. Called on the boot core only. NULL; or why it could not be called, or the
     * fault that it met: then fn did not return.
     */
    const char *(*run)(const struct platform *p, unsigned i, void (*fn)(void *ctx, unsigned core),
                       void *ctx);
    /*
     * The same on all n cores of the list at once, 0 among them or not; with share=together each
     * has a code and a data buffer of its own at the usual addresses (run() has one for all).
     * Returns when all are back.
     */
    const char *(*together)(const struct platform *p, const unsigned *list, unsigned n,
                            void (*fn)(void *ctx, unsigned core), void *ctx);
    /*
     * What a signal from the boot core to core i takes, its TSC's offset taken off: from waking it
     * where it is parked, or from sending it an interrupt while it runs, to the first instruction
     * that it executes for it. False: it did not answer in a bounded time. NULL: not possible here.
     */
    bool (*wake)(const struct platform *p, unsigned i, int64_t *ticks);
    bool (*ipi)(const struct platform *p, unsigned i, int64_t *ticks);
};

/* Whether a core was throttled while a row was measured. */
enum throttled { THROTTLED_UNKNOWN, THROTTLED_NO, THROTTLED_YES };

/* How a guarded call ended. */
enum guard_end {
    GUARD_CAME_BACK,
    GUARD_FAULT,    /* an exception, or in a process a signal that stands for one */
    GUARD_DEADLINE, /* its row has used up deadline= */
    GUARD_STOPPED   /* a person stops the run */
};
struct guard_ended {
    enum guard_end by;
    uint64_t at;   /* of the instruction that it stood at */
    char what[96]; /* of a fault: "#UD invalid opcode (vector 6)", in a process "SIGILL" */
    char changed
        [160]; /* state that it left changed: "CR4 (OSFXSR cleared), the GS base"; empty: none */
};

/* The code buffer and, after it, the data buffer are at the same virtual address on every platform,
 * within the reach of a rel32 of each other. */
#define PLATFORM_CODE_VA   0x100000000000ull
#define PLATFORM_CODE_SIZE (1u << 20)
#define PLATFORM_DATA_VA   (PLATFORM_CODE_VA + (16u << 20))
#define PLATFORM_DATA_SIZE (1u << 20) /* at the least: registry_data_size() */

#define PLATFORM_KEPT 7 /* words that tell what happened during a row */

/* What those words mean: for a row's lines in the table, for its record, and for the essence. NULL:
 * nothing to add. */
struct platform_kept {
    void (*show)(const uint64_t *kept, struct sink *out);
    void (*record)(const uint64_t *kept, struct json *j);
    enum throttled (*throttled)(const uint64_t *kept);
};

/* Functions that need no more than the core that runs them take no platform. */
struct platform {
    const char *name; /* "uefi", "hosted" */
    void *context;    /* its own; what `clock` and `cycle` are called with */
    const struct cpu *cpu;

    uint8_t *code; /* PLATFORM_CODE_VA; writable between code_write() and code_exec() only, */
    uint8_t *data; /* executable otherwise; data is always writable, never executable */
    void (*code_write)(const struct platform *p);
    void (*code_exec)(const struct platform *p);

    /*
     * bench_memory_need() words, touched, so that no page of it is missing. All cores see it as it
     * is; of what is written elsewhere, a core that was called together with others may have a
     * copy of its own, which is lost when it returns.
     */
    uint64_t *memory;

    timer_source *clock; /* enum clock_id */
    timer_source *cycle; /* enum cycle_id */
    /* Returns the running core's counter of retired instructions, not started; NULL: not
     * available, *why is the reason. */
    struct timer *(*retired)(void *context, const char **why);

    struct sink *out;
    /* Whether a person has asked for the end of the run (never waits), and by which keys that is
     * done, for messages. */
    bool (*stop_key)(const struct platform *p);
    const char *stop_keys;
    /* Lets a person see what was written to `live` of the report; on any core. */
    void (*show)(const struct platform *p);
    /*
     * Around a row's windows, on the core that runs them: a fault report names the row, and what
     * happens to the core is counted for it. Slow work (painting a screen) is done in row_begin(),
     * since between the two nothing but the row runs. `ran`: ticks of the TSC that the row has
     * taken before, in earlier rounds; its deadline comes that much earlier.
     */
    void (*row_begin)(const struct platform *p, const char *suite, const char *name, uint64_t ran);
    void (*row_end)(const struct platform *p);
    /* The row that has begun may take this many milliseconds more than others: deadline= counts
     * from there. */
    void (*row_longer)(const struct platform *p, unsigned ms);
    /*
     * fn(ctx), between row_begin() and row_end() on the core that runs it, which must come back
     * before the row has lasted for deadline= seconds, all its rounds together, and whose faults
     * are survived. True: it came back. False: it was left in the middle, *ended says why, and what
     * it held is the caller's to put right. Calls are not nested. Of the core's state, what no
     * window puts back (window.h) is as at row_begin() when it returns: segments, and in ring 0
     * control and debug registers. ended->changed says what was not.
     */
    bool (*guarded)(void (*fn)(void *ctx), void *ctx, struct guard_ended *ended);
    /*
     * Calls entry(argument, code) on the core that runs, within guarded(), and counts the
     * instructions between two addresses by their traps, into *s, whose upper part the caller has
     * set: from the first trap to `back`, after which the rest runs freely, as it does after `most`
     * traps. A guarded() that does not come back leaves no stepping behind. NULL: not possible
     * here.
     */
    struct step_result (*step)(struct steps *s, step_entry *entry, const void *code,
                               const uint64_t argument[STEP_ARGUMENTS]);
    uint64_t text, text_size;   /* the program's own code, which may be read */
    uint64_t image, image_size; /* where the program lies, which can be anywhere; 0: as linked */
    /* What spoils a block, so far: NMIs and machine checks; in a process, moves to another CPU. */
    uint64_t (*nmis)(void);
    uint64_t (*own_nmis)(void); /* that the deadline's own timers sent; NULL: they send none */
    /* Timer interrupts so far, cheap enough to be read around each window; NULL: none can come. */
    uint64_t (*timer_interrupts)(void);
    uint64_t (*smis)(void); /* on this core so far; NULL: not counted here */
    /* Adds what happened to the core between the last row_begin() and row_end() there to
     * kept[PLATFORM_KEPT], which is all zero before a row's first round. NULL: nothing is kept. */
    void (*row_keep)(const struct platform *p, unsigned core, uint64_t *kept);
    struct platform_kept kept;
    /* Why a row with these needs (bench.h) cannot run on this platform; NULL: it can. */
    const char *(*lacks)(unsigned needs);
    const struct platform_cores *cores; /* NULL: only the one that runs */
};

/* Words of memory that a run with these options uses on a machine with at most this number of
 * cores. */
size_t bench_memory_need(const struct options *o, unsigned cores);

#endif
