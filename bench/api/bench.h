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

/*
 * What every body works on; it stands at the start of the data buffer. NASM bodies find it in r12
 * and know these offsets (bench/registers.inc).
 */
struct crowd;
struct object;
struct vtable {
    void (*first)(struct object *);
    void (*method)(struct object *);
};
struct object {
    uint64_t counter;            /* what ++*x counts */
    const struct vtable *vtable; /* what a virtual call goes through */
    void *slot;                  /* the GOT slot of PLT-style and GOT calls */
    struct vtable table;         /* a vtable in data, for bodies that are generated */
    void *room;                  /* OBJECT_ROOM bytes on a page boundary, for the row's own use */
};
#define OBJECT_ROOM (512u << 10)

/* A body in C: n operations on the object; 0, or the operation failed (counted, its sample
 * omitted). */
typedef int (*body_fn)(uint64_t n, struct object *o);

enum form {
    FORM_EMPTY,    /* nothing at all: the bare window */
    FORM_LOOP,     /* `unit` once in a loop of `ops` turns; the empty loop is subtracted */
    FORM_STRAIGHT, /* `ops` copies of `unit`; the empty window is subtracted */
    FORM_FUNCTION, /* a call of `function`(ops); a call of `empty_function`(ops) is subtracted */
    FORM_CORES,    /* no windows: `meet` brings the plan's cores together (bench/cores/crowd.h) */
    FORM_WATCH,    /* no windows: each core watches for gaps (bench/cores/gaps.h) */
};

/* What a row can need of its platform (platform.h, lacks). */
enum need {
    NEED_RING0 = 1, /* privileged instructions, MSRs */
};

/* What `base` counts. */
enum base_unit { BASE_BYTE, BASE_ELEMENT };

/* One a row, and there are many: small numbers share words. */
struct bench {
    const char *suite, *name;
    const char *what; /* one operation, in words, for `list` */

    enum form form : 3;
    enum recipe recipe : 4; /* EMPTY: the window's; all others use the one that recipe= selects */
    bool callee_apart : 1;  /* the callee on a page of its own, not behind the window */
    bool cold : 1;          /* no cache holds room's bytes, nor the object, when a window begins */
    bool single : 1;        /* twice the body means nothing here: body - empty is all there is */
    bool on_request : 1;    /* runs only when suite= names the suite without a wildcard */
    bool errors_are_wrong : 1; /* one failed operation fails the row */
    uint32_t room : 20;        /* bytes of the object's room that the row works on */
    uint32_t needs : 4;        /* NEED_*: what not every platform has */
    enum base_unit base_unit : 4;
    uint32_t ops : 24;  /* operations a window */
    uint32_t base;      /* base units an operation; 0: nobody counts them */
    float floor;        /* core cycles an operation that any CPU must spend; 0: none */
    const char *beside; /* row of this suite that the report sets this one against, or NULL */

    union {
        struct {                       /* LOOP and STRAIGHT */
            const struct unit *unit;   /* one operation; NULL: an empty one */
            const struct unit *callee; /* what the unit calls, or NULL */
            const struct unit *stub;   /* what stands between (PLT), or NULL */
        };
        struct { /* FUNCTION */
            body_fn function;
            body_fn empty_function; /* NULL: the empty window is subtracted */
        };
        void (*meet)(struct crowd *c); /* CORES */
    };

    /* Core cycles an operation, documented; 0: not for this CPU. */
    double (*truth)(const struct cpu *cpu);
    /* Before the first window; the object is zeroed. May be NULL. */
    void (*setup)(struct object *o);
    /* After the last: did `operations` operations leave what they must? NULL, or what is wrong. */
    const char *(*check)(const struct object *o, uint64_t operations);
};

#define BENCH(suite_, name_, ...)                                                                  \
    static const struct bench bench_##suite_##_##name_ = {                                         \
        .suite = #suite_, .name = #name_, __VA_ARGS__};                                            \
    static const struct bench *row_##suite_##_##name_                                              \
        __attribute__((used, section("baretick_rows"))) = &bench_##suite_##_##name_

#endif
