/*
 * Computes docs/coverage.md "Coverage" over launches that scripts/silicon made, or recorded ones.
 * Standard input: the numbers of launches and of rows; then, by launch and row, a line
 *     figure lo hi
 * with `nan` for unknown values. With the argument `placements` the first line also has the numbers
 * of placements and of rounds, and a line is
 *     the placements' figures, round by round
 * from which figure and interval are computed as for a row, without an error within placements.
 * Standard output: one JSON object: pairs, share, se and fails of all rows together, and "rows"
 * with share, se and fails of each, for `placements` also least, most (figures) and half (the
 * median over launches of half the interval). Exit 1: the input has another form.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lib/stats/coverage.h"
#include "lib/stats/estimate.h"
#include "lib/stats/stats.h"

#define MOST            10000 /* launches, rows */
#define PLACEMENTS_MOST 1000
#define SEED            1

struct table {
    size_t launches, count;
    size_t placements, rounds; /* placements 0: the lines have figures and intervals */
    struct coverage_row *rows; /* rows[launch * count + row] */
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

static bool read_interval(struct coverage_row *row)
{
    return scanf("%lf %lf %lf", &row->figure, &row->lo, &row->hi) == 3;
}

static bool read_placements(struct coverage_row *row, size_t n, size_t rounds)
{
    double theta[PLACEMENTS_MOST], round[PLACEMENTS_MOST], scratch[PLACEMENTS_MOST];
    struct estimate_taken part[PLACEMENTS_MOST];

    for (size_t i = 0; i < n; i++) {
        if (scanf("%lf", &theta[i]) != 1)
            return false;
        part[i] = (struct estimate_taken){(unsigned)i, (unsigned)(i * rounds / n), 1, theta[i], 0};
    }
    estimate_by_round(part, n, round, rounds);
    const struct estimate_found found = {.theta = theta,
                                         .placements = n,
                                         .round = round,
                                         .rounds = rounds,
                                         .rounds_differ = estimate_rounds_differ(part, n)};
    struct estimate e = estimate_over(&found, scratch);
    *row = (struct coverage_row){e.theta, e.lo, e.hi};
    return true;
}

static bool read_table(struct table *t, bool placements)
{
    if (scanf("%zu %zu", &t->launches, &t->count) != 2 || t->launches > MOST || t->count > MOST)
        return false;
    if (placements && (scanf("%zu %zu", &t->placements, &t->rounds) != 2 ||
                       t->placements > PLACEMENTS_MOST || t->rounds > t->placements || !t->rounds))
        return false;
    size_t n = t->launches * t->count;
    t->rows = room(n, sizeof *t->rows);
    for (size_t i = 0; i < n; i++)
        if (!(placements ? read_placements(&t->rows[i], t->placements, t->rounds)
                         : read_interval(&t->rows[i])))
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

static void judgement(const struct coverage *c)
{
    number("share", c->share, ",");
    number("se", c->se, ",");
    printf("\"fails\":%s", c->fails ? "true" : "false");
}

static void describe(const struct coverage_row *rows, size_t launches)
{
    double *half = room(launches, sizeof *half), least = INFINITY, most = -INFINITY;
    size_t n = 0;

    for (size_t l = 0; l < launches; l++) {
        if (!isfinite(rows[l].figure))
            continue;
        half[n++] = (rows[l].hi - rows[l].lo) / 2;
        least = rows[l].figure < least ? rows[l].figure : least;
        most = rows[l].figure > most ? rows[l].figure : most;
    }
    printf(",");
    number("least", least, ",");
    number("most", most, ",");
    number("half", n ? median(half, n) : NAN, "");
    free(half);
}

/* Returns one row of all launches as a separate table. */
static void judge_row(const struct table *t, size_t row, double *scratch)
{
    struct coverage_row *rows = room(t->launches, sizeof *rows);

    for (size_t l = 0; l < t->launches; l++)
        rows[l] = t->rows[l * t->count + row];
    struct coverage c = coverage(rows, t->launches, 1, COVERAGE_ROW, SEED, scratch);
    printf("%s{", row ? "," : "");
    judgement(&c);
    if (t->placements)
        describe(rows, t->launches);
    printf("}");
    free(rows);
}

int main(int argc, char **argv)
{
    struct table t = {0};

    if (!read_table(&t, argc > 1 && strcmp(argv[1], "placements") == 0)) {
        fprintf(stderr, "coverage: standard input is no table of launches and rows\n");
        return 1;
    }
    double *scratch = room(COVERAGE_SCRATCH(t.launches), sizeof *scratch);
    struct coverage c = coverage(t.rows, t.launches, t.count, COVERAGE_POOLED, SEED, scratch);
    printf("{");
    number("pairs", c.pairs, ",");
    judgement(&c);
    printf(",\"rows\":[");
    for (size_t i = 0; i < t.count; i++)
        judge_row(&t, i, scratch);
    printf("]}\n");
    return 0;
}
