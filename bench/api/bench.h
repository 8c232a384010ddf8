/*
 * How a benchmark is declared: one BENCH() in one file under bench/suites/. The macro puts a
 * pointer to the description into the section `baretick_rows` (a pointer, since compilers pad
 * structs in a section); registry.c collects and sorts them.
 */
#ifndef BENCH_API_BENCH_H
#define BENCH_API_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "bench/api/unit.h"
#include "lib/config/recipe.h"
#include "lib/cpu/cpu.h"
#include "lib/object/elf.h"

struct crowd; /* bench/cores/crowd.h */
struct object;

struct vtable {
    void (*first)(struct object *);
    void (*method)(struct object *); /* what the rows with a virtual call go to */
};

/*
 * What every body works on. It stands in the data buffer. Before each placement all of it is
 * zeroed, and `room` is set; what the room holds stays as it was. A body in C gets the object's
 * address, one in NASM finds it in the register OBJECT, and the offsets in bench/window/unit.inc.
 */
struct object {
    uint64_t counter; /* what ++*x counts */
    void *room;       /* for the row's own use, on a page boundary: OBJECT_ROOM bytes, or as many as
                         the row asks for beyond that */
    uint64_t arg;     /* of an object's row that has arguments; else 0 */
    const struct vtable *vtable; /* what a virtual call goes through */
    void *slot;                  /* the GOT slot of PLT-style and GOT calls */
    struct vtable table;         /* a vtable in data, for bodies in NASM */
};
#define OBJECT_ROOM (512u << 10)

/*
 * A body in C: does n operations on the object; n is never 0. It is `ops` or twice that;
 * method=adaptive and single-stepping ask for any number that the row's `grain` and `most_ops`
 * allow (bench_can_do), the latter and a trace also for multiples of its `step_ops`.
 * It returns 0. Anything else says that an operation failed, or that n is a number that this body
 * cannot do: the window is counted in `errors`, its ticks are left out.
 */
typedef int (*body_fn)(uint64_t n, struct object *o);

/* What a row's windows are made of. */
enum form {
    FORM_EMPTY,    /* nothing: the bare window */
    FORM_LOOP,     /* `unit` once in a loop of `ops` turns; the empty loop is subtracted */
    FORM_STRAIGHT, /* `ops` copies of `unit`; the empty window is subtracted */
    FORM_FUNCTION, /* a call of `function`(ops); a call of `empty_function`(ops) is subtracted */
    FORM_CORES,    /* no windows: `meet` brings the run's cores together (bench/cores/crowd.h) */
    FORM_WATCH,    /* no windows: each core watches for gaps (bench/cores/gaps.h) */
};

/* What a row can need that not every platform or CPU has (engine_lacks in
 * bench/context/context.h). */
enum need {
    NEED_RING0 = 1, /* privileged instructions, MSRs */
    NEED_BMI2 = 2,  /* SHLX and its like */
};

/* The functions of a row of FORM_FUNCTION. */
enum bench_code_field {
    BENCH_CODE_FUNCTION,
    BENCH_CODE_EMPTY,
    BENCH_CODE_SETUP,
    BENCH_CODE_CHECK,
    BENCH_CODE_BEFORE,
    BENCH_CODE_FIELDS
};
/* Where they are, of a row that came with an object of a person's own (bench/objects). */
struct bench_code {
    const struct elf *elf;
    struct elf_spot at[BENCH_CODE_FIELDS]; /* section 0: the row has none */
    double truth;                          /* as `truth` below; 0: not known */
    const char *args_of; /* the name, "/8" taken off, of one of a row's arguments; NULL: of none */
    uint32_t arg;
};

/* Rows that differ in one thing: where there are many, they are columns of a table
 * (bench/show/grouped.h). */
#define BENCH_COLUMNS 6
struct bench_family {
    const char *head[BENCH_COLUMNS]; /* of each column, at most two words; NULL: no more */
};

/* The steps of the small C program whose table method=plain shows. */
enum c_step { C_BASELINE, C_DO_NOTHING, C_DO_SOMETHING, C_STEPS };

/*
 * One row. suite and name come from BENCH(); every row has what, form and ops; all else may be left
 * out, and is then 0, false or NULL.
 */
struct bench {
    /*
     * Code, first of all: of a row, the suites' object has only what is before `suite`
     * (scripts/thin_suites). The functions of FORM_FUNCTION are placed anew for each placement, as
     * are setup, check and before of such a row (bench/place/compiled.h). What they share besides
     * the object may be static.
     */
    body_fn function;       /* FORM_FUNCTION */
    body_fn empty_function; /* the same loop without the operation; NULL: the empty window */
    /* Before the first window of each placement; the object is zeroed. */
    void (*setup)(struct object *o);
    /*
     * After the last window of each placement: did `operations` operations leave in the object what
     * they must? NULL, or what is wrong; then the row fails.
     */
    const char *(*check)(const struct object *o, uint64_t operations);
    /* FORM_FUNCTION: in each window, ahead of the first reading, what is subtracted included. */
    void (*before)(struct object *o);

    const char *suite, *name;
    const char *former_suite; /* the suite's former name, which suite= still accepts, or NULL */
    const char *what;         /* one operation, in words, for `list` */
    enum form form;
    uint32_t ops;    /* operations a window */
    uint32_t needs;  /* NEED_*, or-ed */
    bool on_request; /* runs only when suite= names its suite without a wildcard */

    /* FORM_EMPTY; all others use the recipe that recipe= selects. */
    enum recipe recipe;

    /* FORM_LOOP and FORM_STRAIGHT: pieces in NASM (bench/api/unit.h). */
    const struct unit *unit;   /* one operation; NULL: an empty one */
    const struct unit *callee; /* what the unit calls, or NULL */
    const struct unit *stub;   /* what stands between the two (a PLT's entry), or NULL */
    bool callee_apart;         /* the callee on a page of its own, not just before the window */
    /* Runs ahead of the first reading of each of its windows, what is subtracted included: gives
     * registers or flags another history than all other bodies find (docs/method.md "The history of
     * registers and flags"). NULL: theirs. */
    const struct unit *history;

    /* FORM_FUNCTION */
    const struct bench_code *code; /* of a row that is not the program's own, in place of the two */
    bool errors_are_wrong;         /* one failed operation fails the row */
    uint32_t grain;                /* both take n in multiples of it only; 0: any n; ... */
    uint32_t most_ops;             /* ... and no n above this; 0: no limit */
    /* Operations that are single-stepped at the least (bench/check/steps.h), where fewer than a
     * grain execute what all others do on average; 0: a grain. */
    uint32_t step_ops;

    /* FORM_CORES */
    void (*meet)(struct crowd *c);

    bool faults_outside; /* its setup is not guarded: suite provoke shows what a fault does then */
    uint32_t room_bytes; /* of the object's room that the row works on */
    /* No cache holds them when a window begins, nor the object, nor writable data of its C
     * functions; their code stays in the caches. */
    bool cold;
    bool not_doubled; /* twice the body means nothing here: body minus empty is all there is */

    /*
     * The fewest instructions that an operation executes, those of what is subtracted taken off. A
     * row that executes fewer has not done its work, and fails (docs/method.md "Elided work"). 0:
     * not declared, see bench_least_instructions().
     */
    double least_instructions;
    bool may_vanish; /* that nothing is left of an operation is its point, and no failure */
    /* Core cycles an operation, documented for this CPU; 0: not known. */
    double (*truth)(const struct cpu *cpu);
    /* The table that it stands in with its like (NULL: in none), its line there, one for each `at`,
     * and its column. */
    const struct bench_family *family;
    const char *line;
    unsigned column;
    const char *beside; /* row of this suite that the report sets this one against */
    /*
     * The count that an operation goes up to, in which the row's name ends: "_8". Rows whose names
     * are alike but for it are one series; the report tells from which count on it costs less than
     * the rows that it stands beside. 0: of no series.
     */
    uint32_t at;
    const char *base_unit; /* what an operation goes through, singular: "byte" */
    uint32_t base_per_op;  /* how many of them */
    /* The code of the row that it is compared with, moved by this many bytes within a cache line:
     * the report says whether this CPU is sensitive to that. 0: other code. */
    uint32_t moved_bytes;
    /* The step of the C program (method=plain, bench/model/ahead.h) that calls the row's function.
     * C_BASELINE, 0: none. */
    enum c_step c_step;
};

#define BENCH_CODE_BYTES 40
_Static_assert(offsetof(struct bench, suite) == BENCH_CODE_BYTES, "scripts/thin_suites");

/* Whether a body's loop without its operation is subtracted, of FORM_FUNCTION. */
static inline bool bench_has_empty(const struct bench *b)
{
    return b->code ? b->code->at[BENCH_CODE_EMPTY].section != 0 : b->empty_function != NULL;
}

static inline uint64_t bench_grain(const struct bench *b)
{
    return b->grain ? b->grain : 1;
}

/* The same where it is stepped or traced, and no window's figure is taken. */
static inline uint64_t bench_step_grain(const struct bench *b)
{
    return b->step_ops ? b->step_ops : bench_grain(b);
}

/* Whether the row's bodies can do n operations in one call. Nothing may call them with another n:
 * one that is not made for it can run past its data. */
static inline bool bench_can_do(const struct bench *b, uint64_t n)
{
    return n > 0 && n % bench_grain(b) == 0 && (b->most_ops == 0 || n <= b->most_ops);
}

/* What is asked of a row of the program's own that does not declare it: one instruction where it
 * has a check. 0: the body must execute more than what is subtracted. So must bodies of a person's
 * own: one instruction of vector code may do several operations. */
static inline double bench_least_instructions(const struct bench *b)
{
    return b->least_instructions > 0 || b->code || !b->check ? b->least_instructions : 1;
}

/*
 * BENCH(suite, name, .what = "...", .form = FORM_..., .ops = ..., further fields of struct bench);
 * Suite and name are words without quotes.
 */
#define BENCH(suite_, name_, ...)                                                                  \
    static const struct bench bench_##suite_##_##name_ = {                                         \
        .suite = #suite_, .name = #name_, __VA_ARGS__};                                            \
    static const struct bench *row_##suite_##_##name_                                              \
        __attribute__((used, section("baretick_rows"))) = &bench_##suite_##_##name_

#endif
