/*
 * Declares user rows in a relocatable object. The object needs nothing but this header, which
 * includes no other file of the project and may be copied freely. C11 and C++17; baretick.inc is
 * the same for NASM.
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
 * docs/own-code.md explains the next steps.
 */
#ifndef BARETICK_H
#define BARETICK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Version of struct baretick_row. */
#define BARETICK_VERSION 1

/* The section that holds a pointer to each row of an object. */
#define BARETICK_SECTION "baretick_rows_v1"

/*
 * The data that bodies work on. Before each placement the counter is 0 and `room` is set; the
 * contents of the room are kept.
 */
struct baretick_object {
    uint64_t counter; /* baretick_counted() compares it with the number of operations */
    void *room;       /* the row's `room` bytes, on a page boundary */
    uint64_t arg;     /* the argument, if the row has `args` */
};

/*
 * A body does n operations and returns 0. Another value means that an operation failed; the row
 * then fails. n is never 0, and is a multiple of the row's `grain`.
 */
typedef int (*baretick_body)(uint64_t n, struct baretick_object *o);

enum baretick_needs {
    BARETICK_RING0 = 1, /* privileged instructions: the Linux program leaves the row out */
};

enum baretick_flag {
    BARETICK_NOT_DOUBLED = 1,   /* doubling the operations makes no sense: method=doubled uses n =
                               * ops, stepping uses n = grain if the row declares one */
    BARETICK_COLD = 2,          /* no cache holds room, counter or data when a window begins */
    BARETICK_MAY_BE_ELIDED = 4, /* an elided operation is expected, and is not a failure */
    BARETICK_MAY_VANISH = BARETICK_MAY_BE_ELIDED, /* the former name */
};

#define BARETICK_ARGS_LIST 16

/*
 * The arguments of a row, at most 32. The row is measured with each, as row "name/8" and so on, and
 * the report fits the growth of the cost. One of:
 *   .args = {.from = 8, .to = 8192, .multiply = 8}   8, 64, 512, 4096, 8192: `from`, the powers of
 *                                                    `multiply` between the two, and `to`
 *   .args = {.from = 10, .to = 40, .step = 10}       10, 20, 30, 40: always includes `to`
 *   .args = {.list = {3, 5, 7}}                      these values; a 0 ends the list
 */
struct baretick_args {
    uint32_t from, to;
    uint32_t multiply; /* 2 or more */
    uint32_t step;
    uint32_t list[BARETICK_ARGS_LIST];
};

/* One row. Unused fields are 0 or NULL. C++ requires the fields in this order. */
struct baretick_row {
    uint32_t version;  /* BARETICK_VERSION */
    uint32_t size;     /* sizeof(struct baretick_row) */
    const char *suite; /* NULL: the object's file name without .o */
    const char *name;  /* suite and name: letters, digits, _ and -, at most 40 */
    const char *what;  /* one operation, in words; at most 100 bytes */
    baretick_body body;
    baretick_body empty; /* the same loop without the operation; its time is subtracted. NULL: the
                            time of the bare window is subtracted */
    uint32_t ops;        /* operations per window: 1 to 1,000,000, in whole grains */
    uint32_t grain;      /* bodies accept only multiples of it; 0: any number */
    uint32_t most_ops; /* bodies accept no number above this; 0: no limit. At least 2 * ops, or ops
                          if the body is not doubled */
    uint32_t room;     /* bytes: at most BARETICK_ROOM_MOST */
    uint32_t needs;    /* enum baretick_needs, or-ed */
    uint32_t flags;    /* enum baretick_flag, or-ed */
    /* Called before the first window of each placement. */
    void (*setup)(struct baretick_object *o);
    /* Called after its last window. Returns NULL, or what is wrong with the operations' results. */
    const char *(*check)(const struct baretick_object *o, uint64_t operations);
    double floor; /* not used: a former time limit, kept for the layout of older objects */
    double truth; /* documented core cycles per operation on this CPU; below 1e18 */
    union {
        const char *compared_with; /* name of the row in its suite that it is compared with */
        const char *beside;        /* the former name */
    };
    const char *unit;  /* the unit that an operation processes, singular: "byte" */
    uint32_t units;    /* number of these units per operation */
    uint32_t reserved; /* 0 */
    /* Fewest instructions that an operation executes, not counting those of `empty`. A row below it
     * fails: its work is elided. 0: not declared; the body must execute more than `empty`. The
     * struct of older objects ends before this field. */
    double least_instructions;
    /* Runs in each window before the first reading of the TSC: its time is not measured. The body
     * sees what it leaves in rcx, r8 to r11, vector registers, memory and caches. NULL: not called.
     * The struct of older objects ends before this field. */
    void (*before)(struct baretick_object *o);
    /* Values that the row's functions find in o->arg. `compared_with` then names the other row with
     * the same argument, and `units` is the number per 1 of the argument. The struct of older
     * objects ends before this field. */
    struct baretick_args args;
};

#define BARETICK_ROOM_MOST (8u << 20)

/* --- barriers for the optimiser; none of these emits an instruction --------------------------- */

/*
 * BARETICK_KEEP(x) makes the compiler compute x each time. BARETICK_HIDE(x) makes it assume that
 * the variable x has another value from here on. Both accept any type except volatile ones and
 * bit-fields: copy these to a variable first. Floating point and vectors of 16 bytes and more stay
 * in vector registers. Structs and arrays, of which all elements count, go through memory;
 * BARETICK_KEEP needs a struct to be a variable.
 */
/* Given a choice of operand locations, clang always uses memory, so each type names one.
 * __builtin_classify_type returns 8 for floating point, 5 for pointers and arrays, and a class
 * outside 1 to 14 for vectors. */
#define BARETICK_IN_VECTOR(x)                                                                      \
    (__builtin_classify_type(x) == 8                                                               \
         ? sizeof(x) <= 8                                                                          \
         : (__builtin_classify_type(x) < 0 || __builtin_classify_type(x) > 14) && sizeof(x) >= 16)
#define BARETICK_IN_GENERAL(x)                                                                     \
    (__builtin_classify_type(x) >= 0 && __builtin_classify_type(x) < 8 && sizeof(x) <= 8 &&        \
     !BARETICK_IS_ARRAY(x))
#ifdef __cplusplus
extern "C++" {
template <class T> struct baretick_type {
    enum { is_array = 0, is_const = 0, is_volatile = 0 };
};
template <class T, size_t N> struct baretick_type<T[N]> : baretick_type<T> {
    enum { is_array = 1 };
};
template <class T, size_t N> struct baretick_type<const T[N]> : baretick_type<const T> {
    enum { is_array = 1 };
};
template <class T> struct baretick_type<const T> : baretick_type<T> {
    enum { is_const = 1 };
};
template <class T> struct baretick_type<volatile T> {
    enum { is_array = 0, is_const = 0, is_volatile = 1 };
};
#define BARETICK_IS_ARRAY(x) (baretick_type<T>::is_array)
#define BARETICK_NOT_VOLATILE                                                                      \
    static_assert(!baretick_type<T>::is_volatile, "copy a volatile object to a variable first")
template <class T> static inline __attribute__((always_inline)) void baretick_keep(const T &x)
{
    BARETICK_NOT_VOLATILE;
    if constexpr (BARETICK_IN_VECTOR(x))
        __asm__ volatile("" : : "x"(x));
    else if constexpr (BARETICK_IN_GENERAL(x))
        __asm__ volatile("" : : "r"(x));
    else
        __asm__ volatile("" : : "m"(x));
}
template <class T> static inline __attribute__((always_inline)) void baretick_hide(T &x)
{
    BARETICK_NOT_VOLATILE;
    static_assert(!baretick_type<T>::is_const, "BARETICK_HIDE needs a variable that is not const");
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
/* The branches not taken are compiled too, so they need an operand of a type that fits. */
#define BARETICK_PICK(is, x, other) __builtin_choose_expr(is, x, other)
/* An operand of a comma becomes a pointer if it is an array. */
#define BARETICK_IS_ARRAY(x)                                                                       \
    (!__builtin_types_compatible_p(__typeof__(x), __typeof__(((void)0, (x)))))
#define BARETICK_IS_CONST(x) (__builtin_types_compatible_p(__typeof__(&(x)), const __typeof__(x) *))
#define BARETICK_KEEP(x)                                                                           \
    do {                                                                                           \
        if (BARETICK_IN_VECTOR(x))                                                                 \
            __asm__ volatile("" : : "x"(BARETICK_PICK(BARETICK_IN_VECTOR(x), (x), 0.0)));          \
        else if (BARETICK_IN_GENERAL(x))                                                           \
            __asm__ volatile("" : : "r"(BARETICK_PICK(BARETICK_IN_GENERAL(x), (x), 0)));           \
        else if (BARETICK_IS_ARRAY(x))                                                             \
            __asm__ volatile("" : : "m"(BARETICK_PICK(BARETICK_IS_ARRAY(x), (x), *(char *)8)));    \
        else                                                                                       \
            __asm__ volatile("" : : "rm"(x));                                                      \
    } while (0)
#define BARETICK_HIDE(x)                                                                           \
    do {                                                                                           \
        _Static_assert(!BARETICK_IS_CONST(x), "BARETICK_HIDE needs a variable that is not const"); \
        if (BARETICK_IN_VECTOR(x))                                                                 \
            __asm__ volatile("" : "+x"(*BARETICK_PICK(BARETICK_IN_VECTOR(x), &(x), (double *)8))); \
        else if (BARETICK_IN_GENERAL(x))                                                           \
            __asm__ volatile("" : "+r"(*BARETICK_PICK(BARETICK_IN_GENERAL(x), &(x), (long *)8)));  \
        else                                                                                       \
            __asm__ volatile("" : "+m"(x));                                                        \
    } while (0)
#endif
/* The compiler assumes that memory was read and changed. ESCAPE includes the memory at address p,
 * even if that is a local array. */
#define BARETICK_CLOBBER() __asm__ volatile("" : : : "memory")
#define BARETICK_ESCAPE(p) __asm__ volatile("" : : "r"(p) : "memory")

/* --- declaring rows --------------------------------------------------------------------------- */

/* Checks that each operation added 1 to the counter. */
static inline const char *baretick_counted(const struct baretick_object *o, uint64_t operations)
{
    return o->counter == operations ? NULL : "the counter is not the number of operations";
}

/* C++17 compilers warn of designated initialisers and of omitted fields. */
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
 * One operation is the block that follows. It is placed in a loop of `ops` iterations per window;
 * the same loop without it is subtracted. It may use `o`. It must BARETICK_KEEP each result that it
 * does not store. The loop's own instructions overlap with an operation that waits for the previous
 * one: put several links of a chain into one block (docs/own-code.md, "What is subtracted").
 * Further fields, from `grain` on, may follow.
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
 * The same for a block that may `break`. The block is the last argument, because `break` cannot
 * leave a function's body. A `break` ends the operation and runs the statement onbreak_, which may
 * be empty. fields_: further fields in parentheses, or (). The block may also use `n`, the number
 * of remaining operations.
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

/* The loop around a block, and the same loop without the block. */
#define BARETICK_LOOPS(body_, empty_, onbreak_, ...)                                               \
    static int body_(uint64_t n, struct baretick_object *o)                                        \
    {                                                                                              \
        for (; n; n--) {                                                                           \
            int baretick_broke = 1;                                                                \
            BARETICK_HIDE(n); /* keeps the compiler from unrolling one of the two */               \
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
