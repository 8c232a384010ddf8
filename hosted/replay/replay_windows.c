/*
 * The kind windows: recorded blocks, judged by the program's own witness (lib/stats/witness_rule.h)
 * and turned into a figure by its own path (bench/engine/row_figure.h); one object per launch and
 * body.
 */
#include <stdlib.h>
#include "lib/text/fields.h"
#include "bench/engine/cut.h"
#include "bench/engine/row_figure.h"
#include "lib/text/decimal.h"
#include "lib/stats/mathx.h"
#include "lib/text/fmt.h"
#include "hosted/replay/replay.h"

/* A figure should be judged if an eighth of its passes were exclusive. The limit is a tenth, so
 * that a small difference in the count of exclusive passes does not lose a figure at an eighth. */
#define LEAST_EXCLUSIVE   0.1
#define FEWEST_EXCLUSIVE  4
#define FEWEST_PLACEMENTS 2

/* --- the figure of recorded passes, by the engine's own path: each pass is a block of its
 * placement, and each placement is a part --- */

struct windows_figure {
    size_t known;           /* passes with all of their blocks */
    size_t exclusive;       /* those of them that are not shared */
    struct estimate cycles; /* core cycles per operation */
};

static const enum windows_kind recorded[KINDS] = {
    [KIND_EMPTY] = WINDOWS_E,   [KIND_EMPTY2] = WINDOWS_E2, [KIND_RULER] = WINDOWS_R,
    [KIND_RULER2] = WINDOWS_R2, [KIND_BODY] = WINDOWS_B,    [KIND_BODY2] = WINDOWS_B2};

/* The state of the engine while it measures a row. */
struct made {
    struct sampler sampler;
    struct gathered gathered;
    struct row_figure_means means;
    struct bench bench;
    uint64_t *scratch;
};

/* Returns whether a pass belongs to the same launch and body. */
static bool is_of(const struct pass *p, const struct pass *first)
{
    return p->launch == first->launch && p->body == first->body;
}

static size_t passes_of(const struct windows_run *run, const struct pass *first)
{
    size_t n = 0;

    for (const struct pass *p = first; p < run->pass + run->passes; p++)
        n += is_of(p, first);
    return n;
}

/* Cuts the memory for n passes of up to n placements; returns its words. */
static size_t divide(struct made *m, uint64_t *memory, size_t n)
{
    struct gathered *g = &m->gathered;
    struct cut c = {memory, 0};
    size_t taken = cut_words(n * sizeof *g->ruler);
    size_t part = row_figure_part_need(n), row = row_figure_need(n, (unsigned)n);

    for (unsigned k = 0; k < KINDS; k++)
        m->sampler.block[k] = cut(&c, cut_words(n * sizeof *m->sampler.block[k]));
    g->ticks = cut(&c, n);
    g->ruler = cut(&c, taken);
    g->counter = cut(&c, taken);
    g->all = cut(&c, taken);
    g->halves = cut(&c, n * cut_words(sizeof *g->halves));
    g->level = cut(&c, cut_words(n * sizeof *g->level));
    g->value = cut(&c, n);
    g->placement = cut(&c, cut_words(n * sizeof *g->placement));
    m->means.theta = cut(&c, n);
    m->means.round = cut(&c, 1);
    m->scratch = cut(&c, part > row ? part : row);
    return c.used;
}

/* Adds a pass to the current part. The engine's rulers have more adds: the recorded ones are made
 * as long as these. */
static void add_pass(struct made *m, const struct pass *p)
{
    for (unsigned k = 0; k < KINDS; k++) {
        bool ruler = k == KIND_RULER || k == KIND_RULER2;
        double ticks =
            windows_mean(p, recorded[k]) * (ruler ? RULER_ADDS / (double)WINDOWS_ADDS : 1);
        m->sampler.block[k][m->sampler.span.blocks] =
            (struct block){.shared = p->shared, .cycles_per_tick = UNKNOWN, .ticks = ticks};
        if (!is_known(ticks))
            continue;
        m->gathered.sum[k] += ticks;
        m->gathered.kept[k]++;
    }
    m->sampler.span.blocks++;
}

static bool is_first_of_placement(const struct pass *first, const struct pass *p)
{
    for (const struct pass *q = first; q < p; q++)
        if (is_of(q, first) && q->placement == p->placement)
            return false;
    return true;
}

/* Gathers the passes of p's placement as one part. */
static void add_placement(struct made *m, const struct windows_run *run, const struct pass *first,
                          const struct pass *p)
{
    struct part_place at = {.placement = m->means.placements++};

    m->sampler.span.blocks = 0;
    for (const struct pass *q = p; q < run->pass + run->passes; q++)
        if (is_of(q, first) && q->placement == p->placement)
            add_pass(m, q);
    row_figure_part(&m->sampler, &m->bench, &at, CYCLES_RULER, &m->gathered, m->scratch);
}

/* Computes the figure of all passes of first's launch and body; `first` is the first of them. loop:
 * the body is a loop, so that the empty loops are subtracted. False: out of memory. */
static bool find_figure(const struct windows_run *run, const struct pass *first, bool loop,
                        struct windows_figure *figure)
{
    struct made m = {.bench = {.ops = loop ? WINDOWS_ITERATIONS : WINDOWS_OPS},
                     .means = {.rounds = 1}};
    size_t n = passes_of(run, first);
    uint64_t *memory = calloc(divide(&m, NULL, n), sizeof *memory);

    if (memory == NULL)
        return false;
    divide(&m, memory, n);
    for (unsigned k = 0; k < KINDS; k++)
        m.gathered.used[k] = m.sampler.used[k] = loop || k > KIND_EMPTY2;
    for (const struct pass *p = first; p < run->pass + run->passes; p++)
        if (is_of(p, first) && is_first_of_placement(first, p))
            add_placement(&m, run, first, p);
    figure->known = m.gathered.whole;
    figure->exclusive = m.gathered.exclusive;
    figure->cycles =
        row_figure(&m.gathered, &m.bench, run->step, CYCLES_RULER, &m.means, m.scratch).cycles;
    free(memory);
    return true;
}

/* --- whether it is judged --------------------------------------------------------------------- */

/* Returns whether E is an empty loop, not the empty window: an iteration takes at least a core
 * cycle. */
static bool is_empty_loop(const struct pass *p)
{
    double c = (windows_mean(p, WINDOWS_R2) - windows_mean(p, WINDOWS_R)) / WINDOWS_ADDS;
    double window = 2 * windows_mean(p, WINDOWS_R) - windows_mean(p, WINDOWS_R2);

    return windows_mean(p, WINDOWS_E) - window > c * WINDOWS_ITERATIONS / 2;
}

/* Number of passes of a launch and body that are complete, have an E, an E2, an E of a loop. */
struct found {
    size_t whole, e, e2, empty_loops;
};

static struct found find_blocks(const struct windows_run *run, const struct pass *first)
{
    struct found f = {0};

    for (const struct pass *p = first; p < run->pass + run->passes; p++) {
        if (!is_of(p, first))
            continue;
        f.whole += p->n[WINDOWS_R] && p->n[WINDOWS_R2] && p->n[WINDOWS_B] && p->n[WINDOWS_B2];
        f.e += p->n[WINDOWS_E] > 0;
        f.e2 += p->n[WINDOWS_E2] > 0;
        f.empty_loops += is_empty_loop(p);
    }
    return f;
}

/* Returns why it has no figure, whatever the neighbours; NULL: it has one. */
static const char *cannot_judge(const struct found *f)
{
    if (f->whole == 0)
        return "no pass from witness to witness has all of R, R2, B and B2";
    if (f->e == 0)
        return "it has no E, so a loop cannot be distinguished from straight code";
    return f->e2 == 0 && 2 * f->empty_loops > f->e ? "by its E it is a loop, and it has no E2"
                                                   : NULL;
}

/* Returns whether the figure is that of an exclusive core. */
static bool is_judged(const struct windows_figure *f)
{
    return f->exclusive >= FEWEST_EXCLUSIVE && f->cycles.placements >= FEWEST_PLACEMENTS &&
           (double)f->exclusive >= LEAST_EXCLUSIVE * (double)f->known;
}

/* Returns why it is not judged, maybe in `text`. */
static const char *why_not_judged(const struct windows_figure *f, char *text, size_t size)
{
    if (f->known == 0)
        return "no pass has all of its blocks";
    if (f->exclusive >= FEWEST_EXCLUSIVE && f->cycles.placements < FEWEST_PLACEMENTS)
        return "all passes between two exclusive readings of the witness are of one placement";
    fmt_buf(text, size,
            "too few passes lie between two exclusive readings of the witness: %zu of %zu",
            f->exclusive, f->known);
    return text;
}

/* False: out of memory. */
static bool show_figure(const struct windows_run *run, struct pass *first, struct sink *out,
                        const char *file)
{
    struct json line, *j = &line;
    struct found found = find_blocks(run, first);
    const char *why = cannot_judge(&found);
    struct windows_figure f = {.cycles = {.theta = UNKNOWN, .lo = UNKNOWN, .hi = UNKNOWN}};
    char text[120];

    if (why == NULL && !find_figure(run, first, found.e2 > 0, &f))
        return false;
    for (struct pass *p = first; p < run->pass + run->passes; p++)
        p->shown = p->shown || is_of(p, first);
    if (why == NULL && !is_judged(&f))
        why = why_not_judged(&f, text, sizeof text);
    json_line_begin(j, out);
    FIELD("windows.file", STRING, "", PRESENT, "the recording", file)
    FIELD("windows.launch", INTEGER, "", PRESENT, "number of the launch", first->launch)
    FIELD("windows.body", STRING, "", PRESENT, "name of the body", run->text.body[first->body])
    FIELD("windows.cycles", NUMBER, "core cycles", ABSENT("if it is not known", true),
          "cost of an operation", f.cycles.theta, 5)
    FIELD("windows.lo", NUMBER, "core cycles", ABSENT("if it is not known", true),
          "lower end of the 99% interval for another launch", f.cycles.lo, 5)
    FIELD("windows.hi", NUMBER, "core cycles", ABSENT("if it is not known", true), "its upper end",
          f.cycles.hi, 5)
    FIELD("windows.shared", NUMBER, "", ONLY("there are passes with all of their blocks", f.known),
          "share of the passes that are not between two exclusive readings of the witness",
          1 - (double)f.exclusive / (double)f.known, 4)
    FIELD("windows.judged", BOOLEAN, "", PRESENT, "the figure is that of an exclusive core",
          is_judged(&f))
    FIELD("windows.why", STRING, "", ABSENT("if it is judged", !is_judged(&f)),
          "why it is not judged", why)
    json_line_end(j);
    return true;
}

static bool show_figures(const struct windows_run *run, struct sink *out, const char *file)
{
    bool enough = true;

    for (size_t i = 0; enough && i < run->passes; i++)
        if (!run->pass[i].shown)
            enough = show_figure(run, &run->pass[i], out, file);
    return enough;
}

/* --- one recording ---------------------------------------------------------------------------- */

enum replay_status replay_windows(struct sink *out, struct sink *said, const char *file,
                                  const uint8_t *bytes, size_t n)
{
    struct windows_run run;
    struct json j;
    char error[200];
    bool good = windows_open(&run, file, bytes, n, said, error, sizeof error);
    enum replay_status status = run.text.refused > 0 ? REPLAY_REFUSED_LINES : REPLAY_DONE;

    if (good && !show_figures(&run, out, file)) {
        good = false;
        fmt_buf(error, sizeof error, "out of memory");
    }
    if (!good) {
        JSON_PUT_LINE(&j, out, JSON_IS("file", file), JSON_IS("error", error));
        fmt(said, "replay: %s: %s\n", file, error);
        status = REPLAY_REFUSED_FILE;
    }
    windows_close(&run);
    return status;
}
