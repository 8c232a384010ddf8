/*
 * docs/method.md "Coverage" over the launches that scripts/silicon made, and the kappa that they
 * fit. Standard input: the number of launches and of rows; then, launch by launch, row by row, a
 * line of
 *   rounds sd-over-them theta points [at half share]...
 * (placements where there is one round)
 * with `nan` for what is not known and points 0 for a row without a figure. Standard output: one
 * JSON object; "rows" holds each row's own coverage and kappa. Exit 1: the input is not that.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "lib/stats/coverage.h"
#include "lib/stats/estimate.h"

#define MOST 10000 /* launches, rows */
#define SEED 1

struct table {
    size_t launches, count;
    struct coverage_row *rows;  /* rows[launch * count + row] */
    struct estimate *estimates; /* likewise */
};

static void *room(size_t n, size_t size)
{
    void *p = calloc(n, size);
    if (!p) {
        fprintf(stderr, "coverage: no memory for %zu figures\n", n);
        exit(1);
    }
    return p;
}

static bool read_row(struct coverage_row *row, struct estimate *e)
{
    if (scanf("%zu %lf %lf %zu", &e->placements, &e->s, &e->theta, &row->points) != 4 ||
        row->points > MODES_MOST)
        return false;
    for (size_t i = 0; i < row->points; i++) {
        struct coverage_point *p = &row->point[i];
        if (scanf("%lf %lf %lf", &p->at, &p->half, &p->share) != 3)
            return false;
    }
    return true;
}

static bool read_table(struct table *t)
{
    if (scanf("%zu %zu", &t->launches, &t->count) != 2 || t->launches > MOST || t->count > MOST)
        return false;
    size_t n = t->launches * t->count;
    t->rows = room(n, sizeof *t->rows);
    t->estimates = room(n, sizeof *t->estimates);
    for (size_t i = 0; i < n; i++)
        if (!read_row(&t->rows[i], &t->estimates[i]))
            return false;
    return true;
}

static void number(const char *name, double v, const char *end)
{
    if (isfinite(v))
        printf("\"%s\":%.6f%s", name, v, end);
    else
        printf("\"%s\":null%s", name, end);
}

/* One row of all launches, as a table of its own. */
static void judge_row(const struct table *t, size_t row, double *scratch)
{
    struct coverage_row *rows = room(t->launches, sizeof *rows);
    struct estimate *estimates = room(t->launches, sizeof *estimates);
    size_t known = 0;
    for (size_t l = 0; l < t->launches; l++) {
        rows[l] = t->rows[l * t->count + row];
        if (rows[l].points)
            estimates[known++] = t->estimates[l * t->count + row];
    }
    struct coverage c = coverage(rows, t->launches, 1, SEED, scratch);
    printf("%s{", row ? "," : "");
    number("share", c.share, ",");
    number("kappa", estimate_kappa(estimates, known), "}");
    free(rows);
    free(estimates);
}

int main(void)
{
    struct table t;
    if (!read_table(&t)) {
        fprintf(stderr, "coverage: standard input is no table of launches and rows\n");
        return 1;
    }
    double *scratch = room(COVERAGE_SCRATCH(t.launches), sizeof *scratch);
    struct coverage c = coverage(t.rows, t.launches, t.count, SEED, scratch);
    printf("{");
    number("pairs", c.pairs, ",");
    number("share", c.share, ",");
    number("se", c.se, ",");
    printf("\"fails\":%s,\"rows\":[", c.fails ? "true" : "false");
    for (size_t i = 0; i < t.count; i++)
        judge_row(&t, i, scratch);
    printf("]}\n");
    return 0;
}
