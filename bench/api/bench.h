/*
 * Declares a row: one BENCH() in one file under bench/suites/. The macro puts a pointer to the
 * description into the section `baretick_rows` (a pointer, because compilers pad structs in a
 * section); registry.c collects and sorts them.
 */
#ifndef BENCH_API_BENCH_H
#define BENCH_API_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "bench/api/bench_curve.h"
#include "bench/api/platform.h"
#include "bench/api/unit.h"
#include "lib/config/choices.h"
#include "lib/cpu/cpu.h"
#include "lib/cpu/features.h"
#include "lib/curve/limit_program.h"
#include "lib/object/elf.h"

struct team; /* bench/kinds/team.h */
struct kind; /* bench/api/kind.h */
struct object;

struct vtable {
    void (*first)(struct object *);
    void (*method)(struct object *); /* the rows with a virtual call call this */
};

/*
 * The data that every body works on, in the data buffer. Before each placement all of it is zeroed
 * and `room` is set; the contents of the room are kept. A body in C receives the object's address;
 * one in NASM finds it in the register OBJECT, and the offsets in bench/engine/unit.inc.
 */
struct object {
    uint64_t counter; /* ++*x increments it */
    void *room;       /* for the row's use, on a page boundary: OBJECT_ROOM bytes, or room_bytes of
                         the row if that is more */
    uint64_t arg; /* the row's `arg`, or the argument of a user row that has arguments; else 0 */
    const struct vtable *vtable; /* a virtual call goes through it */
    void *slot;                  /* the GOT slot of PLT-style and GOT calls */
    struct vtable table;         /* a vtable in data, for bodies in NASM */
};
#define OBJECT_ROOM (512u << 10)

/*
 * A body in C: does n operations on the object. n is never 0; it is `ops` or twice that.
 * method=adaptive and single-stepping use any number that the row's `grain` and `most_ops` allow
 * (bench_can_do). Single-stepping and a trace also use multiples of its `step_ops`.
 * It returns 0. Another value means that an operation failed, or that this body cannot do n
 * operations: the window is counted in `errors` and its ticks are excluded.
 */
typedef int (*body_fn)(uint64_t n, struct object *o);

/* The contents of a row's windows. */
enum form {
    FORM_NONE,     /* the row has no windows: its kind measures it in another way */
    FORM_EMPTY,    /* nothing: the bare window */
    FORM_LOOP,     /* `unit` in a loop of `ops` iterations; the empty loop is subtracted */
    FORM_STRAIGHT, /* `ops` copies of `unit`; the empty window is subtracted */
    FORM_FUNCTION, /* a call of `function`(ops); a call of `empty_function`(ops) is subtracted */
};

/* Requirements of a row that some platforms do not meet. */
enum need {
    NEED_RING0 = 1, /* privileged instructions, MSRs */
};

#define BENCH_FEATURES 4 /* the most features that a row needs, and a FEATURE_NONE */

/* The functions of a row of FORM_FUNCTION. */
enum bench_code_field {
    BENCH_CODE_FUNCTION,
    BENCH_CODE_EMPTY,
    BENCH_CODE_SETUP,
    BENCH_CODE_CHECK,
    BENCH_CODE_BEFORE,
    BENCH_CODE_FIELDS
};
/* The places of these functions in a user object (bench/objects). */
struct bench_code {
    const struct elf *elf;
    bool user;                             /* it is not the program's own */
    struct elf_spot at[BENCH_CODE_FIELDS]; /* section 0: the row does not have this function */
    double truth;                          /* as `truth` below; 0: not known */
    const char *args_of; /* the row's name without the argument "/8"; NULL: it has no argument */
    uint32_t arg;
};

/* Rows that differ in one thing. If there are many, they are columns of one table
 * (bench/output/grouped.h). */
#define BENCH_COLUMNS 6
struct bench_family {
    const char *head[BENCH_COLUMNS]; /* of each column, at most two words; NULL ends the list */
};

/* The measurement of a row of kind_limit at each count (lib/curve/limit_program.h), and the rule
 * that finds its steps (lib/curve/curve_steps.h). */
struct bench_limit {
    enum limits_kind kind;
    unsigned param;              /* the kind's */
    uint32_t first, most, apart; /* the counts; apart 0: two per octave */
    const char *of;              /* what is counted, in words */
    const char *unit;            /* the unit of a limit, in words */
    uint32_t per;                /* a limit is a count divided by this; 0: by 1 */
    double within, rise;         /* for curve_steps_find(), if `leaves` is 0; rise 0: the usual */
    double leaves;               /* for curve_steps_find() */
    uint32_t ms;                 /* the time that it may take on a core */
};

/* Gaps that a row of kind_watch causes itself: the core is held up for `us` microseconds, every
 * `every_us`. us 0: no gaps. */
#define BENCH_GAP_TRAINS 2
struct bench_gaps {
    struct bench_gap_train {
        uint32_t every_us, us;
    } train[BENCH_GAP_TRAINS];
};

/* What the cores of a row of kind_team do (bench/kinds/team.h). */
struct bench_team_row {
    void (*meet)(struct team *c);
};

#define BENCH_TOUCHES 5 /* the most MSRs that a row touches, and a 0 */

/* The steps of the small C program that method=plain shows in a table, and their names there. */
#define C_STEP_NAMES(WORD)                                                                         \
    WORD(C_BASELINE, "baseline")                                                                   \
    WORD(C_DO_NOTHING, "do_nothing") WORD(C_DO_SOMETHING, "do_something")
enum c_step { C_STEP_NAMES(WORD_ID) C_STEPS };

/* The windows of a row. */
struct bench_window {
    enum form form;
    /* For FORM_EMPTY, and rows with `own_recipe`, whose code takes a reading as this recipe does.
     * All others use the recipe that recipe= selects. */
    enum recipe recipe;
    bool own_recipe;
    bool callee_apart; /* see `callee`: it is on a separate page, not just before the window */

    /* FORM_LOOP and FORM_STRAIGHT: pieces in NASM (bench/api/unit.h). */
    const struct unit *unit;   /* one operation; NULL: an empty one */
    const struct unit *callee; /* the unit calls it; NULL: it calls nothing */
    const struct unit *stub;   /* code between the two (a PLT entry), or NULL */
    /* Runs before the first reading of each of its windows, also of the empty body. It gives
     * registers or flags a history that differs from the usual one (docs/window.md "The history of
     * registers and flags"). NULL: the usual history. */
    const struct unit *history;
    /* Runs after the second reading of each of its windows, and undoes what `history` did. It
     * preserves rax and rdx. */
    const struct unit *after;

    /* FORM_FUNCTION */
    uint32_t grain;    /* both functions accept only multiples of it; 0: any n */
    uint32_t most_ops; /* both functions accept no n above this; 0: no limit */
    /* Least number of operations to single-step (bench/engine/stepped.h), if a number below it
     * executes as much per operation as all others do on average; 0: a grain. */
    uint32_t step_ops;

    /* The most windows of each kind, in one round, for a row whose windows take long; samples= may
     * reduce it. Other methods refuse the row. 0: no limit. */
    uint32_t most_windows;
    /* When a window begins, no cache holds the row's room, the object, or the writable data of the
     * row's C functions. Their code stays in the caches. */
    bool cold;
    bool not_doubled; /* doubling the body makes no sense: the figure is body minus empty body */
};

/* What a row needs; a row that lacks something is unsupported, with the reason (engine_lacks in
 * bench/engine/context.h). */
struct bench_needs {
    uint32_t platform;                         /* NEED_*, or-ed */
    enum cpu_feature features[BENCH_FEATURES]; /* of the CPU; FEATURE_NONE ends the list */
    enum platform_device device;               /* the row finds its place in the object's `arg` */
    /* Called where the row lacks none of these. Returns what else this core lacks, or NULL. */
    const char *(*lacks)(const struct cpu *cpu);
    /* The CPU or a hypervisor may refuse, by #UD or #GP, an instruction that CPUID reports. The row
     * is then unsupported; any other row would have failed. */
    bool may_be_refused;
    /* The MSRs that the row changes and restores: the platform checks that (platform.h). 0 ends the
     * list. Not those that cannot be read, or that change by themselves. */
    uint32_t touches[BENCH_TOUCHES];
    uint32_t room_bytes; /* of the object's room that the row works on */
};

/* How it is proved that a row did its work. */
struct bench_proof {
    bool errors_are_wrong; /* FORM_FUNCTION: one failed operation fails the row */
    bool may_be_elided;    /* an elided operation is expected, and is not a failure */
    /* The instructions of an operation depend on its placement or on chance. The stepped ones are
     * not those of the figure, so the row has no IPC. */
    bool varies;
    /* Why single-stepping cannot count its operations; NULL: it can. Its check must prove that it
     * did them. */
    const char *not_stepped;
    /*
     * The fewest instructions that an operation executes, not counting those of the empty body. A
     * row that executes fewer has not done its work, and fails (docs/checks.md "Elided work"). 0:
     * not declared, see bench_least_instructions().
     */
    double least_instructions;
    /* Core cycles per operation, documented for this CPU; 0: not known. */
    double (*truth)(const struct cpu *cpu);
};

/* How a row is shown next to others. */
struct bench_shown {
    /* The table that shows the row with similar ones (NULL: no table), its line there, one for each
     * `at`, and its column. */
    const struct bench_family *family;
    const char *line;
    unsigned column;
    const char *compared_with; /* row of this suite that the report compares this one with */
    /*
     * The count that an operation goes up to; the row's name ends in it: "_8". Rows whose names
     * differ only in it are one series. The report says from which count on the series costs less
     * than the rows that it is compared with. 0: not in a series.
     */
    uint32_t at;
    const char *base_unit; /* the unit that an operation processes, singular: "byte" */
    uint32_t base_per_op;  /* number of these units per operation */
    /* The row has the code of the row that it is compared with, moved by this many bytes within a
     * cache line. The report says whether this CPU is sensitive to that. 0: other code. */
    uint32_t moved_bytes;
    /* The step of the C program (method=plain, bench/result/probe.h) that calls the row's function.
     * C_BASELINE, 0: not called there. */
    enum c_step c_step;
};

/*
 * One row. BENCH() sets suite and name. Every row has what, window.form or kind, and ops; the other
 * fields may be left out, and are then 0, false or NULL.
 */
struct bench {
    /*
     * The code comes first: the suites' object holds only the fields before `suite`
     * (scripts/build/thin_suites). The functions of FORM_FUNCTION are placed for each placement,
     * and so are setup, check and before of such a row (bench/engine/compiled.h). Data that they
     * share outside the object may be static.
     */
    body_fn function;       /* FORM_FUNCTION */
    body_fn empty_function; /* the same loop without the operation; NULL: the empty window */
    /* Called before the first window of each placement; the object is zeroed. */
    void (*setup)(struct object *o);
    /*
     * Called after the last window of each placement. Returns NULL if `operations` operations left
     * the required results in the object. Otherwise returns what is wrong, and the row fails.
     */
    const char *(*check)(const struct object *o, uint64_t operations);
    /* FORM_FUNCTION: called in each window, also of the empty body, before the first reading. */
    void (*before)(struct object *o);

    const char *suite, *name;
    const char *former_suite; /* the suite's former name, which suite= still accepts, or NULL */
    const char *what;         /* one operation, in words, for `list` */
    const struct kind *kind;  /* bench/kinds/kinds.h; NULL: the engine's windows */
    const void *of;           /* what it measures, as its kind declares it: struct bench_curve .. */
    uint32_t ops;             /* operations per window */
    uint32_t arg; /* for setup and check, and a FIXUP_ARG of its units: an MSR, a leaf of CPUID */
    bool on_request;               /* runs only when suite= names its suite without a wildcard */
    bool faults_outside;           /* its setup is not guarded: suite provoke shows what happens */
    const struct bench_code *code; /* of a user row, in place of the functions */
    struct bench_window window;
    struct bench_needs needs;
    struct bench_proof proof;
    struct bench_shown shown;
    /* The parts that bench= selects instead of the row, and the name of one of them. Returns
     * whether a comma-separated list of patterns selects any. */
    bool (*has_part)(const char *patterns);
    const char *part;
};

#define BENCH_CODE_BYTES 40
_Static_assert(offsetof(struct bench, suite) == BENCH_CODE_BYTES, "scripts/build/thin_suites");

/* Returns what a row of kind_curve, kind_shared_curve or kind_forward measures. */
static inline const struct bench_curve *bench_curve(const struct bench *b)
{
    return b->of;
}

/* Returns the milliseconds that it may take. */
static inline unsigned bench_curve_ms(const struct bench *b)
{
    return bench_curve(b)->ms;
}

/* Returns what a row of kind_limit measures. */
static inline const struct bench_limit *bench_limit(const struct bench *b)
{
    return b->of;
}

/* Returns whether the engine takes the row's windows; any other kind limits its own time. */
static inline bool bench_has_windows(const struct bench *b)
{
    return b->window.form != FORM_NONE;
}

static inline bool bench_is_bare(const struct bench *b)
{
    return b->window.form == FORM_EMPTY;
}

static inline bool bench_is_loop(const struct bench *b)
{
    return b->window.form == FORM_LOOP;
}

static inline bool bench_is_straight(const struct bench *b)
{
    return b->window.form == FORM_STRAIGHT;
}

static inline bool bench_is_function(const struct bench *b)
{
    return b->window.form == FORM_FUNCTION;
}

/* Returns whether its windows have a body. */
static inline bool bench_has_body(const struct bench *b)
{
    return b->window.form > FORM_EMPTY;
}

/* Returns whether the body does as many operations as its caller asks for. */
static inline bool bench_takes_count(const struct bench *b)
{
    return bench_is_loop(b) || bench_is_function(b);
}

/* Returns whether an empty body is subtracted. For FORM_FUNCTION. */
static inline bool bench_has_empty(const struct bench *b)
{
    return b->code ? b->code->at[BENCH_CODE_EMPTY].section != 0 : b->empty_function != NULL;
}

/* Returns whether the same loop without the operation is subtracted. */
static inline bool bench_has_empty_loop(const struct bench *b)
{
    return bench_takes_count(b) && (!bench_is_function(b) || bench_has_empty(b));
}

static inline uint64_t bench_grain(const struct bench *b)
{
    return b->window.grain ? b->window.grain : 1;
}

/* The same for single-stepping and traces, which take no window's figure. */
static inline uint64_t bench_step_grain(const struct bench *b)
{
    return b->window.step_ops ? b->window.step_ops : bench_grain(b);
}

/* Returns whether the row's bodies can do n operations in one call. Nothing may call them with
 * another n: a body that does not support n can access memory past its data. */
static inline bool bench_can_do(const struct bench *b, uint64_t n)
{
    return n > 0 && n % bench_grain(b) == 0 && (b->window.most_ops == 0 || n <= b->window.most_ops);
}

/* Returns the declared minimum. A built-in row without one needs one instruction if it has a check.
 * 0: the body must execute more than the empty body. That also holds for user rows without one: an
 * instruction of vector code may do several operations. */
static inline double bench_least_instructions(const struct bench *b)
{
    return b->proof.least_instructions > 0 || b->code || !b->check ? b->proof.least_instructions
                                                                   : 1;
}

/*
 * BENCH(suite, name, .what = "...", .form = FORM_..., .ops = ..., further fields of struct bench);
 * suite and name are words without quotes.
 */
#define BENCH(suite_, name_, ...)                                                                  \
    static const struct bench bench_##suite_##_##name_ = {                                         \
        .suite = #suite_, .name = #name_, __VA_ARGS__};                                            \
    static const struct bench *row_##suite_##_##name_                                              \
        __attribute__((used, section("baretick_rows"))) = &bench_##suite_##_##name_

#endif
