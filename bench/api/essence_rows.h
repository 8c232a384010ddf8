/*
 * The rows whose figures the essence shows. bench/suites/essence_rows.c declares them, next to the
 * suites that have them; bench/essence lays them out and knows no suite by name.
 */
#ifndef BENCH_API_ESSENCE_ROWS_H
#define BENCH_API_ESSENCE_ROWS_H

/* Ways of calling, each by a line of the matrix, and its columns. */
#define ESSENCE_WAYS  5
#define ESSENCE_FORMS 4

/* A place in the essence; those of the matrix way by way. */
enum essence_row {
    ESSENCE_WINDOW, /* the empty window of the recipe in use: a median, gross */
    ESSENCE_NOTHING,
    ESSENCE_CALLS,
    /* Two pairs, each compared with each other. */
    ESSENCE_RANDOM = ESSENCE_CALLS + ESSENCE_WAYS * ESSENCE_FORMS,
    ESSENCE_TURN,
    ESSENCE_COLD,
    ESSENCE_WARM,
    ESSENCE_PINGPONG, /* rows of several cores: ticks, and ns where they are known */
    ESSENCE_SKEW,
    ESSENCE_WAKE,
    ESSENCE_IPI,
    ESSENCE_ROWS
};

struct essence_name {
    const char *suite;
    const char *name; /* of the window: a prefix, which the name of the recipe follows */
};

/* The row at each place. */
extern const struct essence_name essence_names[ESSENCE_ROWS];
/* The headings of the matrix. */
extern const char *const essence_forms[ESSENCE_FORMS];

#endif
