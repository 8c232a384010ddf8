/*
 * The kind windows: recorded blocks, judged by the program's own witness (lib/stats/witness.h) and
 * turned into a figure by its own estimator (lib/stats/estimate.h); one object per launch and body.
 */
#include <stdlib.h>
#include "lib/decimal/json_f64.h"
#include "lib/stats/estimate.h"
#include "lib/stats/known.h"
#include "lib/text/fmt.h"
#include "hosted/replay/replay.h"
#include "hosted/replay/windows_pass.h"

/* A figure should be judged if an eighth of its passes were quiet. The limit is a tenth, so that a
 * small difference in the count of quiet passes does not lose a figure at an eighth. */
#define LEAST_QUIET       0.1
#define FEWEST_QUIET      4
#define FEWEST_PLACEMENTS 2

/* --- figures ---------------------------------------------------------------------------------- */

/* Arrays for the means of all passes, one per kind, and for the placements. */
struct room {
    double *mean[WINDOWS_KINDS];
    struct estimate_taken *part;
    double *theta, *scratch;
};

/* Whether E is an empty loop, not the empty window: an iteration takes at least a core cycle. */
static bool is_empty_loop(const struct pass *p)
{
    double c = (windows_mean(p, WINDOWS_R2) - windows_mean(p, WINDOWS_R)) / WINDOWS_ADDS;
    double window = 2 * windows_mean(p, WINDOWS_R) - windows_mean(p, WINDOWS_R2);

    return windows_mean(p, WINDOWS_E) - window > c * WINDOWS_TURNS / 2;
}

/* Number of passes of a launch and body that are complete, have an E, an E2, an E of a loop. */
struct found {
    size_t whole, e, e2, empty_loops;
};

static struct found find_blocks(const struct windows_run *run, const struct pass *first)
{
    struct found f = {0};

    for (const struct pass *p = first; p < run->pass + run->passes; p++) {
        if (p->launch != first->launch || p->body != first->body)
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
        return "it has no E, so that a loop cannot be told from straight code";
    return f->e2 == 0 && 2 * f->empty_loops > f->e ? "by its E it is a loop, and it has no E2"
                                                   : NULL;
}

struct found_figure {
    size_t known, quiet; /* passes with all of their blocks; those of them that are not shared */
    bool judged;         /* enough were quiet: the figure is that of an exclusive core */
    struct estimate cycles;
};

static bool is_of(const struct pass *p, const struct pass *first)
{
    return p->launch == first->launch && p->body == first->body;
}

static bool is_whole(const struct pass *p, bool loop)
{
    static const enum windows_kind needed[] = {WINDOWS_B,  WINDOWS_B2, WINDOWS_R,
                                               WINDOWS_R2, WINDOWS_E,  WINDOWS_E2};

    for (unsigned i = 0; i < (loop ? 6 : 4); i++)
        if (p->n[needed[i]] == 0)
            return false;
    return true;
}

/* Returns the complete passes of one placement, in the engine's form of blocks. */
static struct estimate_blocks blocks_of(const struct windows_run *run, const struct pass *of,
                                        bool loop, bool shared_too, struct room *room)
{
    struct estimate_blocks b = {.ops = loop ? WINDOWS_TURNS : WINDOWS_OPS, .adds = WINDOWS_ADDS};

    for (const struct pass *p = of; p < run->pass + run->passes; p++) {
        if (!is_of(p, of) || p->placement != of->placement || !is_whole(p, loop) ||
            (p->shared && !shared_too))
            continue;
        for (unsigned k = 0; k < WINDOWS_KINDS; k++)
            room->mean[k][b.m] = windows_mean(p, k);
        b.m++;
    }
    b.b = room->mean[WINDOWS_B];
    b.b2 = room->mean[WINDOWS_B2];
    b.e = loop ? room->mean[WINDOWS_E] : NULL;
    b.e2 = loop ? room->mean[WINDOWS_E2] : NULL;
    b.r = room->mean[WINDOWS_R];
    b.r2 = room->mean[WINDOWS_R2];
    return b;
}

static bool is_first_of_placement(const struct windows_run *run, const struct pass *first,
                                  const struct pass *p)
{
    for (const struct pass *q = first; q < p && q < run->pass + run->passes; q++)
        if (is_of(q, first) && q->placement == p->placement)
            return false;
    return true;
}

/* Each placement is a separate part and round. *passes gets the number of passes used. */
static struct estimate figure_of(const struct windows_run *run, const struct pass *first, bool loop,
                                 bool shared_too, struct room *room, size_t *passes)
{
    struct estimate_found found = {.theta = room->theta, .finest = 0};
    unsigned n = 0;

    *passes = 0;
    for (const struct pass *p = first; p < run->pass + run->passes; p++) {
        if (!is_of(p, first) || !is_first_of_placement(run, first, p))
            continue;
        struct estimate_blocks b = blocks_of(run, p, loop, shared_too, room);
        if (b.m == 0)
            continue;
        struct estimate_part part = estimate_placement(&b).cycles;
        room->part[n] = (struct estimate_taken){n, 0, b.m, part.value, part.se};
        *passes += b.m;
        n++;
    }
    found.placements = n;
    estimate_by_placement(room->part, n, room->theta, n);
    found.se = estimate_placement_se(room->part, n, &found.m);
    return estimate_over(&found, room->scratch);
}

/* Widens the interval so that it contains the results of both states. */
static void hold_both(struct estimate *quiet, const struct estimate *all)
{
    if (!(quiet->lo <= all->lo))
        quiet->lo = all->lo;
    if (!(quiet->hi >= all->hi))
        quiet->hi = all->hi;
}

static struct found_figure find_figure(const struct windows_run *run, const struct pass *first,
                                       bool loop, struct room *room)
{
    struct found_figure f;
    struct estimate all = figure_of(run, first, loop, true, room, &f.known);

    f.cycles = figure_of(run, first, loop, false, room, &f.quiet);
    f.judged = f.quiet >= FEWEST_QUIET && f.cycles.placements >= FEWEST_PLACEMENTS &&
               (double)f.quiet >= LEAST_QUIET * (double)f.known;
    if (!f.judged)
        f.cycles.theta = all.theta;
    if (2 * f.quiet < f.known)
        hold_both(&f.cycles, &all);
    return f;
}

static void tell_why(struct json *j, const char *why, const struct found_figure *f)
{
    char text[120];

    if (why == NULL && f->known == 0)
        why = "no pass has all of its blocks";
    if (why == NULL && f->quiet >= FEWEST_QUIET && f->cycles.placements < FEWEST_PLACEMENTS)
        why = "all passes between two quiet witnesses are of one placement";
    if (why == NULL) {
        fmt_buf(text, sizeof text, "too few passes stand between two quiet witnesses: %zu of %zu",
                f->quiet, f->known);
        why = text;
    }
    json_str(j, "why", why);
}

static void show_figure(const struct windows_run *run, struct pass *first, struct room *room,
                        struct sink *out, const char *file)
{
    struct json j;
    struct found found = find_blocks(run, first);
    const char *why = cannot_judge(&found);
    struct found_figure f = {.cycles = {.theta = UNKNOWN, .lo = UNKNOWN, .hi = UNKNOWN}};

    if (why == NULL)
        f = find_figure(run, first, found.e2 > 0, room);
    for (struct pass *p = first; p < run->pass + run->passes; p++)
        p->shown = p->shown || is_of(p, first);
    json_line_begin(&j, out);
    json_str(&j, "file", file);
    json_u64(&j, "launch", first->launch);
    json_str(&j, "body", run->text.body[first->body]);
    json_f64(&j, "cycles", f.cycles.theta, 5);
    json_f64(&j, "lo", f.cycles.lo, 5);
    json_f64(&j, "hi", f.cycles.hi, 5);
    json_f64(&j, "shared", f.known ? 1 - (double)f.quiet / (double)f.known : UNKNOWN, 4);
    json_bool(&j, "judged", f.judged);
    if (!f.judged)
        tell_why(&j, why, &f);
    json_line_end(&j);
}

static bool show_figures(const struct windows_run *run, struct sink *out, const char *file)
{
    size_t n = run->passes ? run->passes : 1, kinds = WINDOWS_KINDS;
    double *numbers = malloc((kinds + 2) * n * sizeof *numbers);
    struct room room = {.part = malloc(n * sizeof *room.part)};
    bool enough = numbers != NULL && room.part != NULL;

    for (size_t k = 0; enough && k < kinds; k++)
        room.mean[k] = numbers + k * n;
    room.theta = enough ? numbers + kinds * n : NULL;
    room.scratch = enough ? room.theta + n : NULL;
    for (size_t i = 0; enough && i < run->passes; i++)
        if (!run->pass[i].shown)
            show_figure(run, &run->pass[i], &room, out, file);
    free(room.part);
    free(numbers);
    return enough;
}

/* --- one recording ---------------------------------------------------------------------------- */

static void refuse(struct sink *out, const char *file, const char *why)
{
    struct json j;

    json_line_begin(&j, out);
    json_str(&j, "file", file);
    replay_error(&j, "%s", why);
    json_line_end(&j);
}

enum replay_status replay_windows(struct sink *out, struct sink *said, const char *file,
                                  const uint8_t *bytes, size_t n)
{
    struct windows_run run = {.passes = 0};
    char error[200];
    bool good = windows_text_parse(&run.text, file, bytes, n, said, error, sizeof error);
    enum replay_status status = run.text.refused > 0 ? REPLAY_REFUSED_LINES : REPLAY_DONE;

    if (good) {
        good = windows_find_passes(&run) && show_figures(&run, out, file);
        fmt_buf(error, sizeof error, "out of memory");
    }
    if (!good) {
        refuse(out, file, error);
        fmt(said, "replay: %s: %s\n", file, error);
        status = REPLAY_REFUSED_FILE;
    }
    free(run.pass);
    windows_text_free(&run.text);
    return status;
}
