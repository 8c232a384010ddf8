/*
 * A benchmark of your own, as a relocatable object: this header is all that it needs. It stands
 * alone (C11, C++17; baretick.inc has the same for NASM), and is copied freely.
 *
 *   #include "baretick.h"
 *
 *   BARETICK_STATEMENT(mine, increment, "++*x", 1000, .check = baretick_counted)
 *   {
 *       o->counter++;
 *   }
 *
 *   gcc -O2 -fPIE -ffreestanding -c mine.c
 *
 * docs/own-code.md goes on from there.
 */
#ifndef BARETICK_H
#define BARETICK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of struct baretick_row. */
#define BARETICK_VERSION 1

/* The section that has a pointer to each row of an object. */
#define BARETICK_SECTION "baretick_rows_v1"

/*
 * What bodies work on. Before each placement the counter is 0 and `room` is set; what stands in
 * the room stays as it was.
 */
struct baretick_object {
    uint64_t counter; /* what baretick_counted() looks at */
    void *room;       /* the row's `room` bytes, on a page boundary */
    uint64_t arg;     /* the argument, of a row that has `args` */
};

/*
 * A body does n operations and returns 0; another value says that one failed, and fails the row. n
 * is never 0, and is a multiple of the row's `grain`.
 */
typedef int (*baretick_body)(uint64_t n, struct baretick_object *o);

enum baretick_needs {
    BARETICK_RING0 = 1, /* privileged instructions: the row is left out in a process */
};

enum baretick_flag {
    BARETICK_NOT_DOUBLED = 1, /* twice the operations mean nothing: method=doubled has n = ops,
                               * stepping has n = grain where the row names one */
    BARETICK_COLD = 2,        /* no cache has room, counter or data when a window begins */
    BARETICK_MAY_VANISH = 4,  /* that nothing is left of an operation is its point, no failure */
};

#define BARETICK_ARGS_LIST 16

/*
 * The arguments of a row: it is measured with each, as row "name/8" and so on, at most 32, and the
 * report has a fit of the growth. One of:
 *   .args = {.from = 8, .to = 8192, .multiply = 8}   8, 64, 512, 4096, 8192: `from`, the powers of
 *                                                    `multiply` between the two, and `to`
 *   .args = {.from = 10, .to = 40, .step = 10}       10, 20, 30, 40: `to` in any case
 *   .args = {.list = {3, 5, 7}}                      these; a 0 ends the list
 */
struct baretick_args {
    uint32_t from, to;
    uint32_t multiply; /* 2 or more */
    uint32_t step;
    uint32_t list[BARETICK_ARGS_LIST];
};

/* One row. What is not used is 0 or NULL. C++ wants the fields in this order. */
struct baretick_row {
    uint32_t version;  /* BARETICK_VERSION */
    uint32_t size;     /* sizeof(struct baretick_row) */
    const char *suite; /* NULL: the object's file name without .o */
    const char *name;  /* suite and name: letters, digits, _ and -, at most 40 */
    const char *what;  /* one operation, in words; at most 100 bytes */
    baretick_body body;
    baretick_body empty; /* the same loop without the operation; its time is subtracted. NULL: the
                            bare window's is */
    uint32_t ops;        /* operations a window: 1 to 1,000,000, in whole grains */
    uint32_t grain;      /* bodies take multiples of it only; 0: any number */
    uint32_t most_ops;   /* ... and no more than this; 0: no limit. At least 2 * ops, or ops where
                            the body is not doubled */
    uint32_t room;       /* bytes: at most BARETICK_ROOM_MOST */
    uint32_t needs;      /* enum baretick_needs, or-ed */
    uint32_t flags;      /* enum baretick_flag, or-ed */
    /* Before the first window of each placement. */
    void (*setup)(struct baretick_object *o);
    /* After its last one: NULL, or what is wrong with what the operations left behind. */
    const char *(*check)(const struct baretick_object *o, uint64_t operations);
    double floor;       /* not used: was a limit of time, and has its place for older objects */
    double truth;       /* documented core cycles of one, on the CPU that it runs on; below 1e18 */
    const char *beside; /* name of the row in its suite that it is set against */
    const char *unit;   /* what an operation goes through, singular: "byte" */
    uint32_t units;     /* how many of them */
    uint32_t reserved;  /* 0 */
    /* Fewest instructions that an operation executes, those of `empty` taken off: a row below it
     * fails, its work is gone. 0: not declared; the body must execute more than `empty`. The struct
     * of older objects ends before it. */
    double least_instructions;
    /* Runs in each window, ahead of the first reading of the TSC: its time is not measured. What it
     * leaves in rcx, r8 to r11, in vector registers, memory and caches the body finds. NULL: none.
     * The struct of older objects ends before it. */
    void (*before)(struct baretick_object *o);
    /* Values that the row's functions find in o->arg. `beside` is then the other row with the same
     * argument, and `units` are those for each 1 of it. The struct of older objects ends before it.
     */
    struct baretick_args args;
};

#define BARETICK_ROOM_MOST (8u << 20)

/* --- keeping the optimiser away; none of these is an instruction ------------------------------ */

/*
 * BARETICK_KEEP(x): x has been computed, each time. BARETICK_HIDE(x): x, a variable, may have
 * another value from here on. Both take any type but volatile ones: copy a volatile object to a
 * variable first. Floating point and vectors stay in vector registers, structs go through memory; a
 * struct to be kept is a variable.
 */
/* Of several places clang always takes memory, so each type names its own. By
 * __builtin_classify_type 8 is floating point, and any class outside 1 to 14 is a vector. */
#define BARETICK_IN_VECTOR(x)                                                                      \
    (__builtin_classify_type(x) == 8                                                               \
         ? sizeof(x) <= 8                                                                          \
         : __builtin_classify_type(x) < 0 || __builtin_classify_type(x) > 14)
#define BARETICK_IN_GENERAL(x) (__builtin_classify_type(x) < 8 && sizeof(x) <= 8)
#ifdef __cplusplus
extern "C++" {
template <class T> static inline __attribute__((always_inline)) void baretick_keep(const T &x)
{
    if constexpr (BARETICK_IN_VECTOR(x))
        __asm__ volatile("" : : "x"(x));
    else if constexpr (BARETICK_IN_GENERAL(x))
        __asm__ volatile("" : : "r"(x));
    else
        __asm__ volatile("" : : "m"(x));
}
template <class T> static inline __attribute__((always_inline)) void baretick_hide(T &x)
{
    if constexpr (BARETICK_IN_VECTOR(x))
        __asm__ volatile("" : "+x"(x));
    else if constexpr (BARETICK_IN_GENERAL(x))
        __asm__ volatile("" : "+r"(x));
    else
        __asm__ volatile("" : "+m"(x));
}
}
#define BARETICK_KEEP(x) baretick_keep(x)
#define BARETICK_HIDE(x) baretick_hide(x)
#else
/* What is not taken is compiled nevertheless, with a type that the place takes. */
#define BARETICK_PICK(is, x, other) __builtin_choose_expr(is, x, other)
#define BARETICK_KEEP(x)                                                                           \
    do {                                                                                           \
        if (BARETICK_IN_VECTOR(x))                                                                 \
            __asm__ volatile("" : : "x"(BARETICK_PICK(BARETICK_IN_VECTOR(x), (x), 0.0)));          \
        else if (BARETICK_IN_GENERAL(x))                                                           \
            __asm__ volatile("" : : "r"(BARETICK_PICK(BARETICK_IN_GENERAL(x), (x), 0)));           \
        else                                                                                       \
            __asm__ volatile("" : : "rm"(x));                                                      \
    } while (0)
#define BARETICK_HIDE(x)                                                                           \
    do {                                                                                           \
        if (BARETICK_IN_VECTOR(x))                                                                 \
            __asm__ volatile("" : "+x"(*BARETICK_PICK(BARETICK_IN_VECTOR(x), &(x), (double *)8))); \
        else if (BARETICK_IN_GENERAL(x))                                                           \
            __asm__ volatile("" : "+r"(*BARETICK_PICK(BARETICK_IN_GENERAL(x), &(x), (long *)8)));  \
        else                                                                                       \
            __asm__ volatile("" : "+m"(x));                                                        \
    } while (0)
#endif
/* Memory may have been read and changed; at address p too, even where that is a local array. */
#define BARETICK_CLOBBER() __asm__ volatile("" : : : "memory")
#define BARETICK_ESCAPE(p) __asm__ volatile("" : : "r"(p) : "memory")

/* --- declaring rows --------------------------------------------------------------------------- */

/* The work was done: each operation added 1 to the counter. */
static inline const char *baretick_counted(const struct baretick_object *o, uint64_t operations)
{
    return o->counter == operations ? NULL : "the counter is not the number of operations";
}

/* C++17 takes names of fields, and fields that are left out, with a warning. */
#ifdef __cplusplus
#define BARETICK_FIELDS_BEGIN                                                                      \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wpragmas\"")                 \
        _Pragma("GCC diagnostic ignored \"-Wpedantic\"")                                           \
            _Pragma("GCC diagnostic ignored \"-Wc++20-extensions\"")                               \
                _Pragma("GCC diagnostic ignored \"-Wmissing-field-initializers\"")
#define BARETICK_FIELDS_END _Pragma("GCC diagnostic pop")
#else
#define BARETICK_FIELDS_BEGIN
#define BARETICK_FIELDS_END
#endif

/*
 * BARETICK_ROW(suite, name, "what", fields of struct baretick_row, in their order);
 * suite and name are words without quotes.
 */
#define BARETICK_ROW(suite_, name_, what_, ...)                                                    \
    BARETICK_FIELDS_BEGIN                                                                          \
    static const struct baretick_row baretick_##suite_##_##name_ = {                               \
        .version = BARETICK_VERSION,                                                               \
        .size = sizeof(struct baretick_row),                                                       \
        .suite = #suite_,                                                                          \
        .name = #name_,                                                                            \
        .what = what_,                                                                             \
        __VA_ARGS__};                                                                              \
    BARETICK_FIELDS_END                                                                            \
    static const struct baretick_row *const baretick_at_##suite_##_##name_                         \
        __attribute__((used, section(BARETICK_SECTION))) = &baretick_##suite_##_##name_

/*
 * One operation is the block that follows. It stands in a loop, of which a window has `ops` turns;
 * the same loop without it is subtracted. It may use `o`. What it computes and does not store it
 * must BARETICK_KEEP. The loop runs beside an operation that waits for the one before: of a chain
 * put several into the block (docs/own-code.md, "What is subtracted"). Further fields, from `grain`
 * on, may follow.
 */
#define BARETICK_STATEMENT(suite_, name_, what_, ops_, ...)                                        \
    static inline __attribute__((always_inline)) void baretick_once_##suite_##_##name_(            \
        struct baretick_object *o);                                                                \
    BARETICK_LOOPS(baretick_body_##suite_##_##name_, baretick_empty_##suite_##_##name_, ,          \
                   baretick_once_##suite_##_##name_(o))                                            \
    BARETICK_ROW(suite_, name_, what_, .body = baretick_body_##suite_##_##name_,                   \
                 .empty = baretick_empty_##suite_##_##name_, .ops = (ops_), __VA_ARGS__);          \
    static inline __attribute__((always_inline)) void baretick_once_##suite_##_##name_(            \
        __attribute__((unused)) struct baretick_object *o)

/*
 * The same of a block that may `break`, which is the last argument, since no function's body can be
 * left by that word. A `break` ends the operation, and onbreak_ is run, a statement that may be
 * left empty. fields_: further fields in parentheses, or (). The block may also use `n`, the
 * operations to go.
 *
 *   BARETICK_BREAKABLE(mine, search, "a search", 1000, (.check = mine_check), o->counter++, {
 *       if (mine_found(o))
 *           break;
 *       mine_go_on(o);
 *   });
 */
#define BARETICK_BREAKABLE(suite_, name_, what_, ops_, fields_, onbreak_, ...)                     \
    BARETICK_LOOPS(baretick_body_##suite_##_##name_, baretick_empty_##suite_##_##name_, onbreak_,  \
                   __VA_ARGS__)                                                                    \
    BARETICK_ROW(suite_, name_, what_, .body = baretick_body_##suite_##_##name_,                   \
                 .empty = baretick_empty_##suite_##_##name_, .ops = (ops_),                        \
                 BARETICK_FIELDS fields_)
#define BARETICK_FIELDS(...) __VA_ARGS__

/* The loop of a block, and the same one without it. */
#define BARETICK_LOOPS(body_, empty_, onbreak_, ...)                                               \
    static int body_(uint64_t n, struct baretick_object *o)                                        \
    {                                                                                              \
        for (; n; n--) {                                                                           \
            int baretick_broke = 1;                                                                \
            BARETICK_HIDE(n); /* or the compiler unrolls one of the two loops */                   \
            for (; baretick_broke; baretick_broke = 0) {                                           \
                __VA_ARGS__;                                                                       \
            }                                                                                      \
            if (baretick_broke) {                                                                  \
                onbreak_;                                                                          \
            }                                                                                      \
            BARETICK_CLOBBER();                                                                    \
        }                                                                                          \
        (void)o;                                                                                   \
        return 0;                                                                                  \
    }                                                                                              \
    static int empty_(uint64_t n, struct baretick_object *o)                                       \
    {                                                                                              \
        (void)o;                                                                                   \
        for (; n; n--) {                                                                           \
            BARETICK_HIDE(n);                                                                      \
            BARETICK_CLOBBER();                                                                    \
        }                                                                                          \
        return 0;                                                                                  \
    }

#ifdef __cplusplus
}
#endif

#endif
