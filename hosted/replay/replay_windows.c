/*
 * The kind windows: recorded blocks, judged by the program's own witness (lib/stats/witness.h) and
 * brought to a figure by hosted/replay/shared.h; one object a launch and body.
 */
#include <stdlib.h>
#include "lib/decimal/json_f64.h"
#include "lib/stats/known.h"
#include "lib/stats/mathx.h"
#include "lib/stats/moments.h"
#include "hosted/replay/shared.h"
#include "lib/stats/stats.h"
#include "lib/stats/witness.h"
#include "lib/text/fmt.h"
#include "hosted/replay/replay.h"
#include "hosted/replay/windows_text.h"

/* A figure is judged where an eighth of its passes were quiet. A tenth is asked for: a
 * figure at an eighth by one count of the quiet ones is not lost by another. */
#define LEAST_QUIET 0.1
#define STEP_OF     16384 /* deltas that the step is found in, at the most */
#define WINDOW_OF   4096  /* passes that a window's own part is found in, at the most */

/* The blocks from one witness to the next, there and back. */
struct pass {
    uint32_t launch, body, placement;
    double sum[WINDOWS_KINDS];
    unsigned n[WINDOWS_KINDS];
    double r[2], r2[2];        /* the ruler's first blocks and its last */
    struct moments witness[2]; /* the windows of NOPs before it and after it, in ticks */
    double level[2], noise[2]; /* of the witnesses, core cycles a NOP */
    bool shared, shown;
};

struct windows_run {
    struct windows_text text;
    struct pass *pass;
    size_t passes, room;
    struct witness witness;
    double step;
    double window; /* what a window takes by itself, core cycles */
};

/* --- blocks to passes ------------------------------------------------------------------------- */

static struct moments undisturbed(const struct windows_block *b, double step)
{
    uint64_t sorted[WINDOWS_BLOCK], scratch[WINDOWS_BLOCK];
    struct moments kept = {0};

    for (unsigned i = 0; i < WINDOWS_BLOCK; i++)
        sorted[i] = b->ticks[i];
    stats_sort(sorted, WINDOWS_BLOCK);
    struct summary s = stats_summary(sorted, WINDOWS_BLOCK, scratch);
    double above = stats_disturbed_above(&s, step);
    for (unsigned i = 0; i < WINDOWS_BLOCK; i++)
        if ((double)b->ticks[i] <= above)
            moments_add(&kept, (double)b->ticks[i]);
    return kept;
}

static struct pass *new_pass(struct windows_run *run, const struct windows_block *b,
                             struct moments before)
{
    if (run->passes == run->room) {
        size_t room = run->room ? 2 * run->room : 64;
        struct pass *more = realloc(run->pass, room * sizeof *more);
        if (more == NULL)
            return NULL;
        run->pass = more;
        run->room = room;
    }
    struct pass *p = &run->pass[run->passes++];
    *p = (struct pass){.launch = b->launch,
                       .body = b->body,
                       .placement = b->placement,
                       .witness = {before},
                       .r = {UNKNOWN, UNKNOWN},
                       .r2 = {UNKNOWN, UNKNOWN}};
    return p;
}

static void add_block(struct pass *p, const struct windows_block *b, double mean)
{
    double *ruler = b->kind == WINDOWS_R ? p->r : b->kind == WINDOWS_R2 ? p->r2 : NULL;

    p->sum[b->kind] += mean;
    p->n[b->kind]++;
    if (ruler != NULL) {
        ruler[1] = mean;
        if (!is_known(ruler[0]))
            ruler[0] = mean;
    }
}

static double mean(const struct pass *p, enum windows_kind k)
{
    return p->n[k] ? p->sum[k] / p->n[k] : UNKNOWN;
}

/* A witness ends the pass that it follows, and begins the next. */
static bool gather_passes(struct windows_run *run)
{
    struct pass *open = NULL;
    struct moments before = {0};

    for (size_t i = 0; i < run->text.blocks; i++) {
        const struct windows_block *b = &run->text.block[i], *last = i > 0 ? b - 1 : b;
        struct moments kept = undisturbed(b, run->step);
        if (b->launch != last->launch || b->body != last->body || b->placement != last->placement ||
            b->after_refused) {
            open = NULL;
            before = (struct moments){0};
        }
        if (b->kind == WINDOWS_W) {
            if (open != NULL)
                open->witness[1] = kept;
            open = NULL;
            before = kept;
            continue;
        }
        if (open == NULL)
            open = new_pass(run, b, before);
        if (open == NULL)
            return false;
        add_block(open, b, kept.mean);
    }
    return true;
}

/* --- the witness ------------------------------------------------------------------------------ */

/* What a window takes by itself, in core cycles: what the ruler does not grow by. One number for
 * the recording, the median over passes: of one pass it is the noisiest part of a reading. */
static void find_window(struct windows_run *run)
{
    static double window[WINDOW_OF];
    size_t n = 0, every = run->passes / WINDOW_OF + 1;

    for (size_t i = 0; i < run->passes; i += every) {
        double r = mean(&run->pass[i], WINDOWS_R), r2 = mean(&run->pass[i], WINDOWS_R2);
        if (r2 > r)
            window[n++] = (2 * r - r2) / (r2 - r) * WINDOWS_ADDS;
    }
    run->window = n ? median(window, n) : UNKNOWN;
}

/* Core cycles a NOP by the ruler that stands next to it; `side` 0: before, 1: after. */
static void take_reading(struct windows_run *run, struct pass *p, unsigned side)
{
    const struct moments *nops = &p->witness[side];
    double ruler = p->r[side] + p->r2[side]; /* R has WINDOWS_ADDS, R2 twice as many */
    double c = ruler / (3 * WINDOWS_ADDS + 2 * run->window), ticks = nops->mean - run->window * c;
    bool good = nops->n > 1 && c > 0 && ticks > 0;
    /* Means of a block each: a length that lies between two steps is read as either, with half a
     * step of standard deviation at the most. What c adds is less, as the ruler is longer. */
    double error = run->step / 2 / mathx_sqrt(WINDOWS_BLOCK), part = nops->mean / ruler;

    p->level[side] = good ? ticks / c / WINDOWS_NOPS : UNKNOWN;
    p->noise[side] = good ? error * mathx_sqrt(1 + 2 * part * part) / c / WINDOWS_NOPS : 0;
    witness_add(&run->witness, p->level[side], good ? p->noise[side] / p->level[side] : 0,
                good && witness_steady(moments_sd(nops), run->step, ticks));
}

/* By the noise that a reading of the best has: one by chance too high would seem surer. */
static bool is_quiet(const struct windows_run *run, const struct pass *p, unsigned side)
{
    return witness_quiet(&run->witness, p->level[side], p->noise[side] / run->witness.best);
}

/* All readings first: what was taken under an older best is judged by the last one. */
static void judge_passes(struct windows_run *run)
{
    for (size_t i = 0; i < run->passes; i++) {
        take_reading(run, &run->pass[i], 0);
        take_reading(run, &run->pass[i], 1);
    }
    for (size_t i = 0; i < run->passes; i++) {
        struct pass *p = &run->pass[i];
        p->shared = !is_quiet(run, p, 0) || !is_quiet(run, p, 1);
    }
}

/* --- figures ---------------------------------------------------------------------------------- */

/* UNKNOWN where a block that it takes is missing. */
static double cycles_of(const struct pass *p, bool loop)
{
    double body = mean(p, WINDOWS_B2) - mean(p, WINDOWS_B);
    double ruler = mean(p, WINDOWS_R2) - mean(p, WINDOWS_R);

    if (loop)
        body -= mean(p, WINDOWS_E2) - mean(p, WINDOWS_E);
    return ruler > 0 ? body / (loop ? WINDOWS_TURNS : WINDOWS_OPS) * WINDOWS_ADDS / ruler : UNKNOWN;
}

/* Whether E is an empty loop, and not the empty window: a turn takes a core cycle at the least. */
static bool is_empty_loop(const struct pass *p)
{
    double c = (mean(p, WINDOWS_R2) - mean(p, WINDOWS_R)) / WINDOWS_ADDS;
    double window = 2 * mean(p, WINDOWS_R) - mean(p, WINDOWS_R2);

    return mean(p, WINDOWS_E) - window > c * WINDOWS_TURNS / 2;
}

/* How many passes of a launch and body are whole, have an E, an E2, an E that is a loop. */
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

/* Why it has no figure, whoever had the core; NULL: it has one. */
static const char *cannot_judge(const struct found *f)
{
    if (f->whole == 0)
        return "no pass from witness to witness has all of R, R2, B and B2";
    if (f->e == 0)
        return "it has no E, so that a loop cannot be told from straight code";
    return f->e2 == 0 && 2 * f->empty_loops > f->e ? "by its E it is a loop, and it has no E2"
                                                   : NULL;
}

static void tell_why(struct json *j, const char *why, const struct shared_figure *f)
{
    char text[120];

    if (why == NULL && f->values == 0)
        why = "no pass has all of its blocks";
    if (why == NULL && f->quiet >= SHARED_FEWEST && f->placements < SHARED_PLACEMENTS)
        why = "all passes between two quiet witnesses are of one placement";
    if (why == NULL) {
        fmt_buf(text, sizeof text, "too few passes stand between two quiet witnesses: %zu of %zu",
                f->quiet, f->values);
        why = text;
    }
    json_str(j, "why", why);
}

struct figures {
    struct shared_value *value;
    double *scratch;
};

static void show_figure(const struct windows_run *run, struct pass *first,
                        const struct figures *room, struct sink *out, const char *file)
{
    struct json j;
    struct found found = find_blocks(run, first);
    const char *why = cannot_judge(&found);
    size_t n = 0;

    for (struct pass *p = first; p < run->pass + run->passes; p++)
        if (p->launch == first->launch && p->body == first->body) {
            double cycles = why == NULL ? cycles_of(p, found.e2 > 0) : UNKNOWN;
            room->value[n++] = (struct shared_value){cycles, p->placement, p->shared};
            p->shown = true;
        }
    struct shared_figure f = shared_figure(room->value, n, LEAST_QUIET, room->scratch);
    json_line_begin(&j, out);
    json_str(&j, "file", file);
    json_u64(&j, "launch", first->launch);
    json_str(&j, "body", run->text.body[first->body]);
    json_f64(&j, "cycles", f.theta, 5);
    json_f64(&j, "lo", f.lo, 5);
    json_f64(&j, "hi", f.hi, 5);
    json_f64(&j, "shared", f.share, 4);
    json_bool(&j, "judged", f.judged);
    if (!f.judged)
        tell_why(&j, why, &f);
    json_line_end(&j);
}

static bool show_figures(const struct windows_run *run, struct sink *out, const char *file)
{
    size_t n = run->passes ? run->passes : 1;
    struct figures room = {malloc(n * sizeof *room.value), malloc(2 * n * sizeof *room.scratch)};
    bool enough = room.value != NULL && room.scratch != NULL;

    for (size_t i = 0; enough && i < run->passes; i++)
        if (!run->pass[i].shown)
            show_figure(run, &run->pass[i], &room, out, file);
    free(room.value);
    free(room.scratch);
    return enough;
}

/* --- one recording ---------------------------------------------------------------------------- */

/* Of the TSC, in the empty windows and the rulers. */
static double find_step(const struct windows_text *t)
{
    static uint64_t deltas[STEP_OF];
    size_t n = 0;

    for (size_t i = 0; i < t->blocks && n + WINDOWS_BLOCK <= STEP_OF; i++)
        if (t->block[i].kind != WINDOWS_W && t->block[i].kind < WINDOWS_B)
            for (unsigned k = 0; k < WINDOWS_BLOCK; k++)
                deltas[n++] = t->block[i].ticks[k];
    return n ? stats_step(deltas, n) : 1;
}

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
        run.step = find_step(&run.text);
        good = gather_passes(&run);
        find_window(&run);
        judge_passes(&run);
        good = good && show_figures(&run, out, file);
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
