/*
 * The kind windows: recorded blocks, judged by the program's own witness (lib/stats/witness_rule.h)
 * and turned into a figure by its own path (bench/engine/row_figure.h); one object per launch and
 * body.
 */
#include <stdlib.h>
#include "lib/text/decimal.h"
#include "lib/stats/mathx.h"
#include "lib/text/fmt.h"
#include "hosted/replay/replay.h"
#include "hosted/replay/windows_figure.h"
#include "hosted/replay/windows_pass.h"

/* A figure should be judged if an eighth of its passes were exclusive. The limit is a tenth, so
 * that a small difference in the count of exclusive passes does not lose a figure at an eighth. */
#define LEAST_EXCLUSIVE   0.1
#define FEWEST_EXCLUSIVE  4
#define FEWEST_PLACEMENTS 2

/* --- figures ---------------------------------------------------------------------------------- */

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
        if (!windows_is_of(p, first))
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

static void tell_why(struct json *j, const char *why, const struct windows_figure *f)
{
    char text[120];

    if (why == NULL && f->known == 0)
        why = "no pass has all of its blocks";
    if (why == NULL && f->exclusive >= FEWEST_EXCLUSIVE && f->cycles.placements < FEWEST_PLACEMENTS)
        why = "all passes between two exclusive readings of the witness are of one placement";
    if (why == NULL) {
        fmt_buf(text, sizeof text,
                "too few passes lie between two exclusive readings of the witness: %zu of %zu",
                f->exclusive, f->known);
        why = text;
    }
    json_str(j, "why", why);
}

/* False: out of memory. */
static bool show_figure(const struct windows_run *run, struct pass *first, struct sink *out,
                        const char *file)
{
    struct json j;
    struct found found = find_blocks(run, first);
    const char *why = cannot_judge(&found);
    struct windows_figure f = {.cycles = {.theta = UNKNOWN, .lo = UNKNOWN, .hi = UNKNOWN}};

    if (why == NULL && !windows_figure(run, first, found.e2 > 0, &f))
        return false;
    for (struct pass *p = first; p < run->pass + run->passes; p++)
        p->shown = p->shown || windows_is_of(p, first);
    json_line_begin(&j, out);
    json_str(&j, "file", file);
    json_u64(&j, "launch", first->launch);
    json_str(&j, "body", run->text.body[first->body]);
    json_f64(&j, "cycles", f.cycles.theta, 5);
    json_f64(&j, "lo", f.cycles.lo, 5);
    json_f64(&j, "hi", f.cycles.hi, 5);
    json_f64(&j, "shared", f.known ? 1 - (double)f.exclusive / (double)f.known : UNKNOWN, 4);
    json_bool(&j, "judged", is_judged(&f));
    if (!is_judged(&f))
        tell_why(&j, why, &f);
    json_line_end(&j);
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
