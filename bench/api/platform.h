/*
 * The interface between the benchmark and a machine: a small set of functions that every platform
 * has, and capabilities that may be missing. kernel/platform.c implements it for the bare machine,
 * hosted/ for a Linux process.
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
#include "lib/cpu/stepping.h"
#include "lib/cpu/topology.h"
#include "lib/firmware/numa.h"
#include "lib/text/sink.h"

struct json;
struct platform;

/* Facts that a core other than the boot core reports about itself. Texts live as long as the
 * platform. */
struct core_facts {
    uint32_t apic_id;
    uint32_t package, core, thread; /* by CPUID on the core itself */
    int node;                       /* of struct numa, or by CPUID; NUMA_NONE: not known */
    const char *type;               /* "performance", "efficiency"; NULL: not a hybrid CPU */
    uint32_t microcode;             /* revision; 0: unknown */
    bool has_tsc_adjust;
    int64_t tsc_adjust;          /* IA32_TSC_ADJUST */
    bool tsc_unknown;            /* it got no CPU in time to compare its TSC */
    int64_t tsc_offset;          /* ticks ahead of the boot core's */
    uint64_t tsc_offset_error;   /* the error of tsc_offset, in ticks */
    const char *mtrr, *features; /* what differs from the boot core; NULL: nothing */
    const char *why_not;         /* why it did not start, or its fault; NULL: usable */
};

/* If all cores together were starved for less than this (platform_cores.starved), starvation is not
 * the reason why a core did not arrive in time: every limit is a second or more. */
#define PLATFORM_STARVED_NS 500000000

/* A TLB shootdown: its parts, in ticks of the boot core's TSC. */
enum platform_shootdown_part {
    PLATFORM_SHOOTDOWN_TOTAL,       /* from the first interrupt until all have acknowledged */
    PLATFORM_SHOOTDOWN_SEND,        /* until the last interrupt is sent */
    PLATFORM_SHOOTDOWN_HANDLER,     /* until the last core is in the interrupt's handler */
    PLATFORM_SHOOTDOWN_INVALIDATE,  /* INVLPG there, the mean of all cores */
    PLATFORM_SHOOTDOWN_ACKNOWLEDGE, /* from the last INVLPG until the boot core has seen it */
    PLATFORM_SHOOTDOWN_PARTS
};
struct platform_shootdown {
    uint64_t part[PLATFORM_SHOOTDOWN_PARTS];
};

/* The cores of the machine. A core that is not called executes nothing. */
struct platform_cores {
    unsigned count;                 /* entries of facts; 0 is the boot core */
    const struct core_facts *facts; /* why_not can change from one call to the next */
    /* The place of each core; a core that did not start has the place of the boot core. */
    const struct core_place *place;
    const char *parked; /* "hlt", "mwait", "deep": effective */
    /*
     * Runs fn(ctx, i) on core i while every other core, the caller's included, executes nothing;
     * i = 0 is a plain call. Called on the boot core only. Returns NULL, or why fn could not be
     * called, or the fault that it raised: then fn did not return.
     */
    const char *(*run)(const struct platform *p, unsigned i, void (*fn)(void *ctx, unsigned core),
                       void *ctx);
    /*
     * The same on all n cores of the list at once; the list may contain core 0. With share=together
     * each has separate code and data buffers at the usual addresses (with run() all share one).
     * Returns when all have returned.
     */
    const char *(*together)(const struct platform *p, const unsigned *list, unsigned n,
                            void (*fn)(void *ctx, unsigned core), void *ctx);
    /*
     * After together(): returns for how many ns its cores were ready to run without a CPU, summed
     * over the cores; *core: the one that was starved longest. NULL: a called core always runs, so
     * one that does not arrive in time is at fault.
     */
    uint64_t (*starved)(const struct platform *p, unsigned *core);
    /*
     * Measure a signal from the boot core to core i, corrected for the TSC's offset. wake() wakes
     * the parked core, ipi() sends an interrupt to the running core; *ticks ends at the first
     * instruction that core i executes for it. False: no answer in a bounded time. NULL: not
     * supported.
     */
    bool (*wake)(const struct platform *p, unsigned i, int64_t *ticks);
    bool (*ipi)(const struct platform *p, unsigned i, int64_t *ticks);
    /*
     * Changes the memory of a page and has the n cores of the list, without the boot core,
     * invalidate their translations, as often as there are entries in `shot`. Returns NULL, or why
     * not: a core did not answer, or used the old translation. NULL: not supported.
     */
    const char *(*shootdown)(const struct platform *p, const unsigned *list, unsigned n,
                             struct platform_shootdown *shot, unsigned shots);
};

/* The throttling of a core while a row was measured. */
enum throttled { THROTTLED_UNKNOWN, THROTTLED_NO, THROTTLED_YES };

/* The end of a guarded call. */
enum guard_end {
    GUARD_CAME_BACK,
    GUARD_FAULT,    /* an exception, or in a process the signal for one */
    GUARD_DEADLINE, /* its row has used up deadline= */
    GUARD_STOPPED   /* the user stopped the run */
};
struct guard_ended {
    enum guard_end by;
    uint64_t at;   /* address of the instruction at which it ended */
    char what[96]; /* of a fault: "#UD invalid opcode (vector 6)", in a process "SIGILL" */
    bool refused;  /* #UD or #GP, by which a CPU refuses an instruction; not set in a process */
    char changed
        [160]; /* state that it left changed: "CR4 (OSFXSR cleared), the GS base"; empty: none */
    bool pkru; /* it returned with PKRU changed, which has been restored */
};

/* The code buffer and, after it, the data buffer are at the same virtual address on every platform,
 * within the reach of a rel32 of each other. It is 2^46: devices of servers are below, also those
 * of CPUs with longer physical addresses, and the bare machine maps them to themselves. */
#define PLATFORM_CODE_VA   0x400000000000ull
#define PLATFORM_CODE_SIZE (1u << 20)
#define PLATFORM_DATA_VA   (PLATFORM_CODE_VA + (16u << 20))
#define PLATFORM_DATA_SIZE (1u << 20) /* minimum; registry_data_size() returns the actual size */

/* A request of a row for a large area of memory. */
struct platform_wish {
    uint64_t page; /* size of the pages: 4 KiB, 2 MiB, 1 GiB */
    uint64_t bytes;
    bool same;     /* all pages may be the same memory */
    bool code;     /* its content will be executed */
    bool shared;   /* cores that are called together access it */
    unsigned node; /* 0: that of the running core; else its number + 1 */
};
struct platform_area {
    uint8_t *at;    /* on a page boundary if not `same`; any content */
    uint64_t bytes; /* may be less than asked for, if there is less memory */
    uint64_t page;  /* size of the pages that map it */
    bool same;      /* what is at an offset from a page's `at` is in all pages */
    uint8_t *code;  /* where its content can be executed, while it is executable; NULL: nowhere */
    int node;       /* of the memory; NUMA_NONE: not known */
};

/* Devices whose place only the platform knows, and memory that a page of this size may map. */
enum platform_device {
    PLATFORM_NO_DEVICE,
    PLATFORM_PM_TIMER,
    PLATFORM_HPET,
    PLATFORM_ECAM,
    PLATFORM_PAGE_2M,
    PLATFORM_PAGE_1G
};

/* The interrupt vector of rows that load an IDT. Only the highest class, f0h to ffh, is ever let
 * through; the platform's own handler does nothing for this one. */
#define PLATFORM_ROW_VECTOR 0xf4

#define PLATFORM_KEPT 7 /* words that record the events during a row */

/* Interpret those words: for a row's lines in the table, for its record, and for the summary. NULL:
 * nothing to add. */
struct platform_kept {
    void (*show)(const uint64_t *kept, struct sink *out);
    void (*record)(const uint64_t *kept, struct json *j);
    enum throttled (*throttled)(const uint64_t *kept);
};

/* The functions below that need only the core that runs them take no platform. */

/* The code buffer, at PLATFORM_CODE_VA: writable between write() and execute(). Then at least its
 * first `bytes` are executable, and nothing that is executable is writable. */
struct platform_code {
    uint8_t *at;
    void (*write)(const struct platform *p);
    void (*execute)(const struct platform *p, size_t bytes);
};

struct platform_timers {
    timer_source *clock; /* enum clock_id */
    timer_source *cycle; /* enum cycle_id */
    /* Returns the running core's counter of retired instructions, not started. NULL: not available;
     * *why is the reason. */
    struct timer *(*retired)(void *context, const char **why);
};

struct platform_user {
    struct sink *out;
    /* Returns whether the user has asked to end the run; never waits. stop_keys names the keys for
     * this, for messages. */
    bool (*stop_key)(const struct platform *p);
    const char *stop_keys;
    /* Makes what was written to `live` of the report visible to the user; on any core. */
    void (*show)(const struct platform *p);
};

/* Called around a row's windows, on the core that runs them: a fault report names the row, and
 * events on the core are counted for it. */
struct platform_row {
    /* Does slow work (painting a screen), since until end() nothing but the row runs. `ran`: ticks
     * of the TSC that the row has used in earlier rounds; its deadline comes earlier by this. */
    void (*begin)(const struct platform *p, const char *suite, const char *name, uint64_t ran);
    void (*end)(const struct platform *p);
    /* After begin(): the row changes these MSRs and restores them; 0 ends the list. They are part
     * of the state that guarded() compares. NULL: not supported. */
    void (*touches)(const uint32_t *msr);
    /* The row begins to wait for other cores, or has ended to: what that takes does not count
     * towards deadline=. Every such wait has its own limit. NULL: it counts. */
    void (*waits)(bool waits);
    /* After end(): the ticks of the TSC since begin() that count towards deadline=. NULL: all of
     * them. */
    uint64_t (*ran)(void);
    /* Extends the deadline of the row that has begun: deadline= counts from `ms` milliseconds
     * later. */
    void (*longer)(const struct platform *p, unsigned ms);
    /* Adds the core's events between its last begin() and end() to kept[PLATFORM_KEPT], which is
     * all zero before a row's first round. NULL: nothing is kept. */
    void (*keep)(const struct platform *p, unsigned core, uint64_t *kept);
};

/* Events that spoil a block, counted on the running core. */
struct platform_events {
    uint64_t (*nmis)(void);     /* and machine checks; in a process, moves to another CPU */
    uint64_t (*own_nmis)(void); /* NMIs that the deadline's timers sent; NULL: they send none */
    /* Timer interrupts so far, cheap enough to be read around each window; NULL: no timer
     * interrupts. */
    uint64_t (*timer_interrupts)(void);
    uint64_t (*smis)(void); /* NULL: not counted */
};

struct platform_image {
    uint64_t text, text_size; /* the program's own code, which may be read */
    uint64_t base, size;      /* where the program is loaded; 0: as linked */
};

struct platform_areas {
    /* Maps an area for the running core. Every page is present. False: *why says what is missing.
     * The area is valid until free(). NULL: not supported. */
    bool (*map)(const struct platform *p, const struct platform_wish *wish,
                struct platform_area *area, const char **why);
    void (*free)(const struct platform *p, struct platform_area *area);
    /* Makes the content of an area with `code` executable, or writable again. False: *why says why
     * not. */
    bool (*execute)(const struct platform *p, const struct platform_area *area, bool execute,
                    const char **why);
};

struct platform {
    const char *name; /* "uefi", "hosted" */
    void *context;    /* private to the platform; the argument of timers.clock and timers.cycle */
    const struct cpu *cpu;
    struct platform_code code;
    uint8_t *data; /* always writable, never executable */
    /* bench_memory_need() words, touched, so that no page is missing. All cores share it. Writes
     * elsewhere by a core that was called together with others may go to a private copy, which is
     * lost when the core returns. */
    uint64_t *memory;
    struct platform_timers timers;
    struct platform_user user;
    struct platform_row row;
    struct platform_kept kept;
    struct platform_events events;
    struct platform_image image;
    struct platform_areas areas;
    /*
     * Runs fn(ctx), between row.begin() and row.end() on the core that runs it, and survives its
     * faults. fn must return before the row has lasted for deadline= seconds, all its rounds
     * together. True: it returned. False: it was aborted, *ended says why, and the caller must
     * release what it held. Calls are not nested. The core's state that no window restores
     * (window.h) is as at row.begin() when it returns: segments, and in ring 0 descriptor tables,
     * control and debug registers, and the MSRs of row.touches(). ended->changed names the state
     * that fn had changed.
     */
    bool (*guarded)(void (*fn)(void *ctx), void *ctx, struct guard_ended *ended);
    /*
     * Calls entry(argument, code) on the running core, within guarded(), and counts instructions
     * into *s by their traps, from the first trap to `back`. The caller has set the upper part of
     * *s. After `back`, or after `most` traps, the rest runs without traps. If guarded() aborts the
     * call, stepping is off afterwards. NULL: not supported.
     */
    struct step_result (*step)(struct stepping *s, step_entry *entry, const void *code,
                               const uint64_t argument[STEP_ARGUMENTS]);
    /* Returns why a row with these needs (bench.h) cannot run on this platform; NULL: it can. */
    const char *(*lacks)(unsigned needs);
    cpuid_fn cpuid; /* CPUID of the running core; it takes no context */
    /*
     * Disables the hardware prefetchers of the running core, which has this number, or restores
     * them as found. Returns their state then: "on", "off", "partly off". NULL: it is not known, or
     * they cannot be disabled; *why says why. NULL: not supported.
     */
    const char *(*prefetch)(const struct platform *p, unsigned core, bool off, const char **why);
    /* Returns where a device is: the port of the ACPI PM timer; the address of the HPET's
     * registers, or of the configuration space (ECAM) of PCI device 0:0.0; a page of free memory in
     * 2 MiB or 1 GiB, aligned, that all have its memory type. 0: not available; *why is the reason.
     * NULL: not supported. */
    uint64_t (*device)(const struct platform *p, enum platform_device device, const char **why);
    const struct numa *numa;            /* NULL: not known */
    const struct platform_cores *cores; /* NULL: only the running core */
};

/* Returns the node of a core; NUMA_NONE: not known. */
static inline int platform_node(const struct platform *p, unsigned core)
{
    return p->numa && p->cores ? p->cores->facts[core].node : NUMA_NONE;
}

/* Returns the words of memory that a run with these options uses on a machine with at most this
 * number of cores (bench/engine/plan.c). */
size_t bench_memory_need(const struct options *o, unsigned cores);

#endif
