#include "lib/stats/estimate.h"
#include "lib/stats/mathx.h"
#include "lib/stats/stats.h"

#define STUDENT  0.99  /* confidence of intervals by Student's t: docs/figure.md */
#define NOMINAL  0.995 /* its two-sided quantile */
#define DIFFER   0.95  /* of rounds that do not differ, 5% are judged to differ */
#define PI       3.14159265358979324
#define RHO_MOST 0.95 /* keeps the factor on se below 6.3 */

static double body(const struct estimate_blocks *k, size_t i)
{
    if (!k->b2)
        return k->b[i] - k->e[i];
    return k->b2[i] - k->b[i] - (k->e2 ? k->e2[i] - k->e[i] : 0);
}

/* The divisor of a body: the ruler's growth, or 1 for an answer in ticks. */
static double unit(const struct estimate_blocks *k, size_t i, bool ruler)
{
    return ruler ? k->r2[i] - k->r[i] : 1;
}

struct sums {
    double body, unit;
};

static struct sums sum(const struct estimate_blocks *k, bool ruler)
{
    struct sums all = {0, 0};

    for (size_t i = 0; i < k->m; i++) {
        all.body += body(k, i);
        all.unit += unit(k, i, ruler);
    }
    return all;
}

/* The factor from blocks to one operation. */
static double scale(const struct estimate_blocks *k, bool ruler)
{
    return (ruler ? (double)k->adds : 1) / (double)k->ops;
}

struct estimate_part estimate_stream(const struct lag1 *values)
{
    struct estimate_part part = {values->all.n ? values->all.mean : UNKNOWN, UNKNOWN, 0};

    if (values->all.n < 2)
        return part;
    part.se = moments_sd(&values->all) / mathx_sqrt((double)values->all.n);
    if (values->all.n > 2)
        part.rho = lag1_correlation(values);
    double rho = part.rho < RHO_MOST ? part.rho : RHO_MOST;
    if (rho > 0)
        part.se *= mathx_sqrt((1 + rho) / (1 - rho));
    return part;
}

static struct estimate_part jackknife(const struct estimate_blocks *k, bool ruler)
{
    struct estimate_part part = {UNKNOWN, UNKNOWN, 0};
    struct sums all = sum(k, ruler);
    struct lag1 pseudo = {0};
    double m = (double)k->m;

    if (!(all.unit > 0))
        return part;
    part.value = scale(k, ruler) * all.body / all.unit;
    if (k->m < 2)
        return part;

    for (size_t i = 0; i < k->m; i++) {
        double left = all.unit - unit(k, i, ruler);
        if (!(left > 0)) /* one block is the whole ruler: its spread is not known */
            return part;
        double without = scale(k, ruler) * (all.body - body(k, i)) / left;
        lag1_add(&pseudo, m * part.value - (m - 1) * without);
    }
    struct estimate_part spread = estimate_stream(&pseudo);
    part.se = spread.se;
    part.rho = spread.rho;
    return part;
}

struct estimate_placement estimate_placement(const struct estimate_blocks *blocks)
{
    struct estimate_placement p = {.cycles = {UNKNOWN, UNKNOWN, 0}};

    p.ticks = jackknife(blocks, false);
    if (blocks->r && blocks->r2)
        p.cycles = jackknife(blocks, true);
    return p;
}

/* Returns the first block whose ruler is used for block i, which is in the middle if possible. */
static size_t first_ruler(size_t i, size_t m)
{
    size_t from = i < ESTIMATE_RULERS / 2 ? 0 : i - ESTIMATE_RULERS / 2;
    size_t last = m > ESTIMATE_RULERS ? m - ESTIMATE_RULERS : 0;

    return from < last ? from : last;
}

void estimate_block_values(const struct estimate_blocks *blocks, double *out)
{
    bool ruler = blocks->r && blocks->r2;
    size_t rulers = blocks->m < ESTIMATE_RULERS ? blocks->m : ESTIMATE_RULERS;

    for (size_t i = 0; i < blocks->m; i++) {
        size_t from = first_ruler(i, blocks->m);
        double units = 0;
        for (size_t j = from; j < from + rulers; j++)
            units += unit(blocks, j, ruler);
        out[i] = scale(blocks, ruler) * body(blocks, i) / (units / (double)rulers);
    }
}

static unsigned id_of(const struct estimate_taken *part, bool round)
{
    return round ? part->round : part->placement;
}

static void means(const struct estimate_taken *part, size_t parts, bool round, double *mean,
                  size_t n)
{
    for (size_t i = 0; i < n; i++)
        mean[i] = UNKNOWN;
    for (size_t from = 0, end; from < parts; from = end) {
        struct moments all = {0};
        unsigned id = id_of(&part[from], round);
        for (end = from; end < parts && id_of(&part[end], round) == id; end++)
            if (is_known(part[end].value))
                moments_add(&all, part[end].value);
        if (all.n && id < n)
            mean[id] = all.mean;
    }
}

void estimate_by_placement(const struct estimate_taken *part, size_t parts, double *mean, size_t n)
{
    means(part, parts, false, mean, n);
}

void estimate_by_round(const struct estimate_taken *part, size_t parts, double *mean, size_t n)
{
    means(part, parts, true, mean, n);
}

double estimate_placement_se(const struct estimate_taken *part, size_t parts, size_t *m)
{
    double sum = 0;
    size_t placements = 0;

    *m = 0;
    for (size_t from = 0, end; from < parts; from = end) {
        double squares = 0, only = 0;
        size_t known = 0, blocks = 0;
        for (end = from; end < parts && part[end].placement == part[from].placement; end++) {
            if (!is_known(part[end].value))
                continue;
            squares += part[end].se * part[end].se;
            only = part[end].se;
            blocks += part[end].m;
            known++;
        }
        if (known == 0)
            continue;
        sum += known > 1 ? mathx_sqrt(squares) / (double)known : only;
        *m = blocks - (known - 1);
        placements++;
    }
    return placements ? sum / (double)placements : UNKNOWN;
}

/* Parts by their rounds. */
struct by_round {
    struct moments all;
    double within; /* the sum of squares within rounds */
    double rounds;
};

static void add_round(const struct estimate_taken *part, size_t from, size_t end,
                      struct by_round *b)
{
    struct moments round = {0};

    for (size_t i = from; i < end; i++)
        if (is_known(part[i].value)) {
            moments_add(&round, part[i].value);
            moments_add(&b->all, part[i].value);
        }
    if (round.n == 0)
        return;
    b->rounds++;
    if (round.n > 1)
        b->within += moments_variance(&round) * (double)(round.n - 1);
}

bool estimate_rounds_differ(const struct estimate_taken *part, size_t parts)
{
    struct by_round b = {.within = 0};

    for (size_t from = 0, end; from < parts; from = end) {
        for (end = from; end < parts && part[end].round == part[from].round; end++)
            ;
        add_round(part, from, end, &b);
    }
    double n = (double)b.all.n, df1 = b.rounds - 1, df2 = n - b.rounds;
    if (df1 < 1 || df2 < b.rounds || !(b.within > 0))
        return false;
    double between = moments_variance(&b.all) * (n - 1) - b.within;
    return between / df1 / (b.within / df2) > dist_f(DIFFER, df1, df2);
}

static struct moments of_known(const double *value, size_t n)
{
    struct moments all = {0};

    for (size_t i = 0; i < n; i++)
        if (is_known(value[i]))
            moments_add(&all, value[i]);
    return all;
}

/* The error from drawing n values in the difference of two boots' means; UNKNOWN for one. */
static double drawn(const struct moments *all)
{
    if (all->n < 2)
        return UNKNOWN;
    double n = (double)all->n;
    return dist_t(NOMINAL, n - 1) * moments_sd(all) * mathx_sqrt(2 / n);
}

/* The same for the difference of their medians. The median of two is their mean. */
static double drawn_median(const struct moments *all)
{
    return drawn(all) * (all->n > 2 ? mathx_sqrt(PI / 2) : 1);
}

/* The known figures of the placements in ascending order; at least one. */
struct ordered {
    const double *x;
    size_t n;
};

static void take_ranks(const struct estimate_found *f, const struct ordered *o, struct estimate *e)
{
    double se = mathx_larger(f->se, f->finest);

    e->by = ESTIMATE_RANKS;
    e->confidence = ranks_confidence(o->n, e->rank);
    e->median_confidence = ranks_median_confidence(o->n, e->rank);
    e->within = is_known(se) ? mathx_sqrt(PI / (double)o->n) * se : 0;
    e->lo = o->x[e->rank - 1] - e->within;
    e->hi = o->x[o->n - e->rank] + e->within;
}

/* Widens the interval by ranks so that it contains that of the rounds. */
static void take_rounds(const struct moments *rounds, struct estimate *e)
{
    double half = drawn(rounds);

    e->by = ESTIMATE_ROUNDS;
    e->confidence = STUDENT;
    e->median_confidence = UNKNOWN;
    e->lo = e->theta - mathx_larger(e->theta - e->lo, half);
    e->hi = e->theta + mathx_larger(e->hi - e->theta, half);
}

static void take_student(const struct estimate_found *f, const struct moments *placements,
                         const struct moments *rounds, struct estimate *e)
{
    bool one = placements->n < 2;
    double own = one ? estimate_half(f->se, f->m) * mathx_sqrt(2) : drawn_median(placements);
    double half = mathx_larger(own, drawn(rounds));

    e->by = one ? ESTIMATE_BLOCKS : ESTIMATE_PLACEMENTS;
    e->confidence = STUDENT;
    e->lo = e->theta - half;
    e->hi = e->theta + half;
}

static struct ordered in_order(const struct estimate_found *f, double *scratch, double *middle)
{
    struct ordered o = {scratch, 0};

    for (size_t i = 0; i < f->placements; i++)
        if (is_known(f->theta[i]))
            scratch[o.n++] = f->theta[i];
    *middle = o.n ? median(scratch, o.n) : UNKNOWN; /* sorts them */
    return o;
}

struct estimate estimate_over(const struct estimate_found *f, double *scratch)
{
    struct moments placements = of_known(f->theta, f->placements);
    struct moments rounds = of_known(f->round, f->rounds);
    struct estimate e = {
        .placements = (size_t)placements.n,
        .rounds = (size_t)rounds.n,
        .mean = placements.n ? placements.mean : UNKNOWN,
        .s = moments_sd(&placements),
        .between = moments_sd(&rounds),
        .rank = ranks_for((size_t)placements.n, ESTIMATE_LEVEL),
        .median_confidence = UNKNOWN,
        .within = UNKNOWN,
    };
    struct ordered ordered = in_order(f, scratch, &e.theta);

    if (e.rank > 0)
        take_ranks(f, &ordered, &e);
    else
        take_student(f, &placements, &rounds, &e);
    if (e.rank > 0 && f->rounds_differ)
        take_rounds(&rounds, &e);
    return e;
}

static unsigned percent(double confidence)
{
    return (unsigned)(confidence * 100 + 0.5);
}

unsigned estimate_percent(const struct estimate *e)
{
    if (e->by == ESTIMATE_METHOD)
        return 0;
    return percent(e->by == ESTIMATE_RANKS || e->by == ESTIMATE_ROUNDS ? ESTIMATE_LEVEL : STUDENT);
}

unsigned estimate_percent_of(size_t placements)
{
    return percent(ranks_for(placements, ESTIMATE_LEVEL) > 0 ? ESTIMATE_LEVEL : STUDENT);
}

double estimate_side(const struct estimate *e, double at)
{
    return at < e->theta ? e->theta - e->lo : e->hi - e->theta;
}

double estimate_longer_side(const struct estimate *e)
{
    return mathx_larger(e->hi - e->theta, e->theta - e->lo);
}

double estimate_half(double se, size_t m)
{
    return m > 1 ? dist_t(NOMINAL, (double)m - 1) * se : UNKNOWN;
}

/* --- intervals by order statistics ------------------------------------------------------------ */

double ranks_confidence(size_t n, size_t k)
{
    size_t j = (n + 1) / 2;
    double p = 1, below = 0; /* p: probability that exactly i of the x lie below y(j) */

    for (size_t t = 0; t < j; t++)
        p *= (double)(n - t) / (double)(2 * n - t);
    for (size_t i = 0; i < k; i++) {
        below += p;
        p *= (double)(i + j) / (double)(i + 1) * (double)(n - i) / (double)(2 * n - i - j);
    }
    return 1 - 2 * below;
}

double ranks_median_confidence(size_t n, size_t k)
{
    double p = 1, below = 0;

    for (size_t i = 0; i < n; i++)
        p /= 2;
    for (size_t i = 0; i < k; i++) {
        below += p;
        p *= (double)(n - i) / (double)(i + 1);
    }
    return 1 - 2 * below;
}

size_t ranks_for(size_t n, double confidence)
{
    size_t k = 0;

    while (k < n / 2 && ranks_confidence(n, k + 1) >= confidence)
        k++;
    return k;
}
