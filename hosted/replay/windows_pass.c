#include "hosted/replay/replay.h"
#include <stdlib.h>
#include <string.h>
#include "hosted/replay/text_line.h"
#include "lib/stats/mathx.h"
#include "lib/text/fmt.h"

#define SAID        20    /* refused lines that are named */
#define BODIES_MOST 1000  /* a recording has about ten, so a linear search is fast */
#define STEP_OF     16384 /* maximum number of deltas from which the step is found */
#define WINDOW_OF   4096  /* maximum number of passes from which the window's own cost is found */

/* --- the text --------------------------------------------------------------------------------- */

static const char *body_word(struct windows_text *t, struct line *l, uint32_t *body)
{
    struct line w = line_word(l);

    if (line_length(w) == 0 || line_length(w) >= WINDOWS_BODY)
        return "the body is not a name of 1 to 31 bytes";
    for (const uint8_t *at = w.at; at < w.end; at++)
        if (*at < '!' || *at > '~')
            return "the body's name has a byte that is not printable ASCII";
    for (*body = 0; *body < t->bodies; ++*body)
        if (line_is(w, t->body[*body]))
            return NULL;
    if (t->bodies == BODIES_MOST)
        return "more than 1000 bodies";
    char(*more)[WINDOWS_BODY] = array_grow(t->body, t->bodies, sizeof *more);
    if (more == NULL)
        return "out of memory";
    t->body = more;
    memcpy(t->body[t->bodies], w.at, line_length(w));
    t->body[t->bodies++][line_length(w)] = '\0';
    return NULL;
}

static bool kind_word(struct line *l, enum windows_kind *kind)
{
    static const char *const kinds[WINDOWS_KINDS] = {"W", "E", "E2", "R", "R2", "B", "B2"};
    struct line w = line_word(l);

    for (unsigned k = 0; k < WINDOWS_KINDS; k++)
        if (line_is(w, kinds[k])) {
            *kind = (enum windows_kind)k;
            return true;
        }
    return false;
}

static const char *block_line(struct windows_text *t, struct line l)
{
    struct windows_block b;
    uint64_t launch, microseconds, placement;

    if (!line_number(&l, 10, UINT32_MAX, &launch) ||
        !line_number(&l, 10, UINT64_MAX, &microseconds))
        return "launch and microseconds must be decimal numbers";
    const char *wrong = body_word(t, &l, &b.body);
    if (wrong != NULL)
        return wrong;
    if (!line_number(&l, 10, UINT32_MAX, &placement))
        return "the placement must be a decimal number";
    if (!kind_word(&l, &b.kind))
        return "the kind must be W, E, E2, R, R2, B or B2";
    for (unsigned i = 0; i < WINDOWS_BLOCK; i++)
        if (!line_number(&l, 10, WINDOWS_TICKS_MOST, &b.ticks[i]))
            return "sixteen decimal numbers of ticks, each below 2^48, must follow the kind";
    if (line_length(line_word(&l)) > 0)
        return "more than sixteen numbers follow the kind";
    b.launch = (uint32_t)launch;
    b.placement = (uint32_t)placement;
    struct windows_block *more = array_grow(t->block, t->blocks, sizeof *more);
    if (more == NULL)
        return "out of memory";
    t->block = more;
    t->block[t->blocks++] = b;
    return NULL;
}

static void refuse(struct windows_text *t, const char *file, unsigned number_of, const char *why,
                   struct sink *said)
{
    if (t->refused++ < SAID)
        fmt(said, "replay: %s: line %u: %s\n", file, number_of, why);
}

/* Takes all lines that are not blank or comments. Returns the number of lines of the text. */
static unsigned take_lines(struct windows_text *t, const char *file, const uint8_t *text, size_t n,
                           struct sink *said, char *error, size_t size)
{
    const uint8_t *end = text + n;
    unsigned number_of = 0;
    bool after_refused = false;
    struct line l;

    while (line_next(&text, end, &l)) {
        struct line first = l, word = line_word(&first);
        number_of++;
        if (line_length(word) == 0 || *word.at == '#')
            continue;
        const char *wrong = block_line(t, l);
        if (wrong == NULL)
            t->block[t->blocks - 1].after_refused = after_refused;
        else
            refuse(t, file, number_of, wrong, said);
        if (wrong != NULL && t->refused == 1)
            fmt_buf(error, size, "line %u: %s", number_of, wrong);
        after_refused = wrong != NULL;
    }
    return number_of;
}

static bool read_text(struct windows_text *t, const char *file, const uint8_t *text, size_t n,
                      struct sink *said, char *error, size_t size)
{
    unsigned lines = take_lines(t, file, text, n, said, error, size);

    if (t->refused > 0)
        fmt(said, "replay: %s: %zu of %u lines were refused%s\n", file, t->refused, lines,
            t->blocks > 0 ? "; the others are judged" : "");
    else if (t->blocks == 0)
        fmt_buf(error, size, "line %u: the text ends without a block", lines);
    return t->blocks > 0;
}

/* --- blocks to passes ------------------------------------------------------------------------- */

static struct moments undisturbed(const struct windows_block *b, double step)
{
    uint64_t sorted[WINDOWS_BLOCK], scratch[WINDOWS_BLOCK];
    struct moments kept = {0};

    for (unsigned i = 0; i < WINDOWS_BLOCK; i++)
        sorted[i] = b->ticks[i];
    stats_sort(sorted, WINDOWS_BLOCK);
    struct statistics s = stats_of(sorted, WINDOWS_BLOCK, scratch);
    double above = stats_disturbed_above(&s, step);
    for (unsigned i = 0; i < WINDOWS_BLOCK; i++)
        if ((double)b->ticks[i] <= above)
            moments_add(&kept, (double)b->ticks[i]);
    return kept;
}

static struct pass *new_pass(struct windows_run *run, const struct windows_block *b,
                             struct moments before)
{
    struct pass *more = array_grow(run->pass, run->passes, sizeof *more);

    if (more == NULL)
        return NULL;
    run->pass = more;
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

/* A block of the witness ends a pass and begins the next one. */
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

/* Finds the cost of the window itself, in core cycles: the constant part of the ruler. One number
 * for the recording, the median over passes, since it is the noisiest part of a reading. */
static void find_window(struct windows_run *run)
{
    static double window[WINDOW_OF];
    size_t n = 0, every = run->passes / WINDOW_OF + 1;

    for (size_t i = 0; i < run->passes; i += every) {
        double r = windows_mean(&run->pass[i], WINDOWS_R),
               r2 = windows_mean(&run->pass[i], WINDOWS_R2);
        if (r2 > r)
            window[n++] = (2 * r - r2) / (r2 - r) * WINDOWS_ADDS;
    }
    run->window = n ? median(window, n) : UNKNOWN;
}

/* Takes a reading: core cycles per NOP by the adjacent ruler; `side` 0: before, 1: after. */
static void take_reading(struct windows_run *run, struct pass *p, unsigned side)
{
    const struct moments *nops = &p->witness[side];
    double ruler = p->r[side] + p->r2[side]; /* R has WINDOWS_ADDS, R2 twice as many */
    double c = ruler / (3 * WINDOWS_ADDS + 2 * run->window), ticks = nops->mean - run->window * c;
    bool good = nops->n > 1 && c > 0 && ticks > 0;
    /* Each mean is that of a block: a length between two steps reads as either, with a standard
     * deviation of at most half a step. The error of c is smaller, since the ruler is longer. */
    double error = run->step / 2 / mathx_sqrt(WINDOWS_BLOCK), part = nops->mean / ruler;

    p->level[side] = good ? ticks / c / WINDOWS_NOPS : UNKNOWN;
    p->noise[side] = good ? error * mathx_sqrt(1 + 2 * part * part) / c / WINDOWS_NOPS : 0;
    witness_add(&run->witness, p->level[side], good ? p->noise[side] / p->level[side] : 0,
                good && witness_steady(moments_sd(nops), run->step, ticks));
}

/* Uses the noise of a reading at the best: too high a reading would seem more precise. */
static bool is_exclusive(const struct windows_run *run, const struct pass *p, unsigned side)
{
    return witness_is_exclusive(&run->witness, p->level[side], p->noise[side] / run->witness.best);
}

/* Takes all readings first, so that the final best judges all of them. */
static void judge_passes(struct windows_run *run)
{
    for (size_t i = 0; i < run->passes; i++) {
        take_reading(run, &run->pass[i], 0);
        take_reading(run, &run->pass[i], 1);
    }
    for (size_t i = 0; i < run->passes; i++) {
        struct pass *p = &run->pass[i];
        p->shared = !is_exclusive(run, p, 0) || !is_exclusive(run, p, 1);
    }
}

/* The TSC's step, from the empty windows and the rulers. */
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

/* --- a recording ------------------------------------------------------------------------------ */

bool windows_open(struct windows_run *run, const char *file, const uint8_t *text, size_t n,
                  struct sink *said, char *error, size_t size)
{
    *run = (struct windows_run){.passes = 0};
    if (!read_text(&run->text, file, text, n, said, error, size))
        return false;
    run->step = find_step(&run->text);
    if (!gather_passes(run)) {
        fmt_buf(error, size, "out of memory");
        return false;
    }
    find_window(run);
    judge_passes(run);
    return true;
}

void windows_close(struct windows_run *run)
{
    free(run->pass);
    free(run->text.block);
    free(run->text.body);
    *run = (struct windows_run){.passes = 0};
}
