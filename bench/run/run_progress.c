/*
 * Shows which row a run measures, how much of its time is used, and how long the rest takes:
 *
 *     memory/latency_4k: 7 of 20 s of the suite, about 41 s left in all, q or Esc stops
 *     calls/direct: row 12 of 58, round 2 of 4, about 14 s left, q or Esc stops
 *
 * The suite's seconds are shown if its rows are measured one after another. Rows that are measured
 * in rounds alternate with those of other suites, and are counted. Where instructions are counted,
 * the time is not the user's, so rows are counted too.
 */
#include "bench/api/registry.h"
#include "bench/api/tsc.h"
#include "bench/engine/budget.h"
#include "bench/engine/plan.h"
#include "bench/engine/duration.h"
#include "bench/kinds/kinds.h"
#include "bench/run/run_state.h"
#include "lib/text/fmt.h"
#include "lib/text/str.h"

#define COLUMNS    79 /* of a line */
#define NAME       40 /* of a row's name with its suite, which is cut if the line is too long */
#define NAME_LEAST 12
/* Seconds between two lines on a console on which they stay: this part of the run's time so far,
 * within these limits. */
#define STAYS_PART  20
#define STAYS_LEAST 5
#define STAYS_MOST  60

/* --- the estimate ----------------------------------------------------------------------------- */

/* Guesses the ticks of one turn of a row, on all cores. */
static double guess(const struct run *run, const struct bench *b)
{
    const struct kind *kind = kind_of(b);
    double turns = run->plan->n;

    if (kind->conducted)
        turns = run->plan->all > 1 || !kind->needs_two;
    else if (run->plan->together && bench_has_windows(b))
        turns++; /* each alone, then all at once */
    if (plan_in_rounds(run->first->facts.o, b))
        turns /= run->plan->rounds;
    return turns *
           (kind->ms ? budget_guess(&run->first->facts, kind->ms(b)) : kind->guess(run->first, b));
}

/* Guesses the ticks of stepping a row, on all cores, after its last window. */
static double guess_steps(const struct run *run, size_t index)
{
    const struct gathered *g = plan_gathered(run->plan, index, 0);

    return duration_steps(run->first, run->rows[index], g) * run->plan->n;
}

/* Returns the ticks of the current row so far, without showing. */
static double taken(const struct run *run)
{
    return (double)(tsc_now() - run->row_began - run->showing);
}

/* Returns the number of turns of a row after the current one. */
static unsigned turns_left(const struct run *run, size_t index)
{
    unsigned later = run->plan->rounds - 1 - run->plan->round;
    bool in_rounds = plan_in_rounds(run->first->facts.o, run->rows[index]);

    if (!in_rounds)
        return later > 0 || index > run->at;
    return later + (index > run->at);
}

/* Returns the work after the current turn: of all rows, or of those of the current suite. */
static struct progress_rest rest_of(const struct run *run, bool suite_only)
{
    struct progress_rest rest = {0};
    const char *suite = run->rows[run->at]->suite;

    for (size_t i = 0; i < run->n; i++) {
        const struct bench *b = run->rows[i];
        bool same = str_eq(b->suite, suite);
        if (!registry_selects(run->first->facts.o, b) || (suite_only && !same))
            continue;
        unsigned turns = turns_left(run, i);
        double known = (double)run->plan->took[i];
        rest.shown += turns > 0 || i == run->at;
        rest.steps += turns > 0 || i == run->at ? guess_steps(run, i) : 0;
        if (known > 0)
            *(i < run->at ? &rest.fresh : &rest.known) += turns * known;
        else
            *(same ? &rest.suite : &rest.other) += turns * guess(run, b);
    }
    rest.shown *= run->plan->n;
    return rest;
}

/* Returns the estimate of the remaining seconds: of the run, or of the current suite. */
static double left(const struct run *run, const struct progress_turn *turn, bool suite_only)
{
    struct progress_rest rest = rest_of(run, suite_only);

    return progress_left(&run->progress, &rest, turn) / run->first->facts.tsc_hz;
}

/* --- the line --------------------------------------------------------------------------------- */

/* The units of times that a person reads at a glance. */
static const struct scale {
    const char *name;
    double seconds, from;
} scales[] = {{"h", 3600, 10 * 3600}, {"min", 60, 600}, {"s", 1, 0}};

static const struct scale *scale_of(double seconds)
{
    const struct scale *u = scales;

    while (u->from > 0 && seconds < u->from)
        u++;
    return u;
}

static unsigned in_scale(const struct scale *u, double seconds)
{
    return (unsigned)(seconds > 0 ? seconds / u->seconds + 0.5 : 0);
}

/* Returns whether the clock is the user's. */
static bool has_time(const struct run *run)
{
    return run_has_hz(&run->first->facts) && run->first->facts.execution != EXEC_INSTRUCTIONS;
}

/* Returns whether the rows of the suite are measured one after another, for a known time. */
static bool has_suite_time(const struct run *run)
{
    const struct bench *b = run->rows[run->at];

    return has_time(run) && kind_of(b)->timed;
}

/* Writes what is done: "7 of 20 s of the suite", or "40% of row 12 of 58, round 2 of 4". */
static size_t write_done(const struct run *run, const struct progress_turn *turn, char *at,
                         size_t size)
{
    size_t used = 0;

    if (has_suite_time(run)) {
        double spent = (double)(tsc_now() - run->suite_began) / run->first->facts.tsc_hz;
        double all = spent + left(run, turn, true);
        all = all < 1 ? 1 : all;
        const struct scale *u = scale_of(all);
        return fmt_buf(at, size, "%u of %u %s of the suite", in_scale(u, spent), in_scale(u, all),
                       u->name);
    }
    if (turn->part > 0)
        used = fmt_buf(at, size, "%u%% of ", (unsigned)(100 * turn->part));
    used += fmt_buf(at + used, size - used, "row %zu of %zu", run->passed + 1, run->selected);
    if (run->plan->rounds > 1)
        used += fmt_buf(at + used, size - used, ", round %u of %u", run->plan->round + 1,
                        run->plan->rounds);
    return used;
}

/* Writes what is left: ", about 41 s left in all"; nothing if that is not known yet. */
static size_t write_left(const struct run *run, const struct progress_turn *turn, char *at,
                         size_t size)
{
    if (!has_time(run) || !progress_is_known(&run->progress, turn))
        return 0;
    double seconds = left(run, turn, false);
    const struct scale *u = scale_of(seconds);
    bool others = has_suite_time(run) && seconds > left(run, turn, true);
    return fmt_buf(at, size, ", about %u %s left%s", in_scale(u, seconds), u->name,
                   others ? " in all" : "");
}

/* The line is due on a console on which it stays. */
static bool is_due_to_stay(const struct run *run)
{
    double hz = run_limit_hz(&run->first->facts);
    double since = (double)(tsc_now() - run->stayed) / hz;
    double due = (double)(run->stayed - run->began) / hz / STAYS_PART;

    return run->stayed == 0 || since >= STAYS_MOST || (since >= STAYS_LEAST && since >= due);
}

/* part: the fraction of the current row that is done. */
void run_progress_show(struct run *run, double part)
{
    const struct bench *b = run->rows[run->at];
    const struct progress_turn turn = {guess(run, b), (double)run->plan->took[run->at], part,
                                       taken(run)};
    char name[NAME + 1], done[COLUMNS + 1], line[COLUMNS + 1];
    size_t used = write_done(run, &turn, done, sizeof done), room;

    used += write_left(run, &turn, done + used, sizeof done - used);
    used += fmt_buf(done + used, sizeof done - used, ", %s stops", run->first->p->user.stop_keys);
    fmt_buf(name, sizeof name, "%s/%s", b->suite, b->name);
    room = used + 2 + NAME_LEAST < COLUMNS ? COLUMNS - 2 - used : NAME_LEAST;
    used = fmt_buf(line, sizeof line, "%.*s: %s", (int)room, name, done);
    report_progress(run->report, line);
    if (!is_due_to_stay(run))
        return;
    uint64_t from = run->stayed = tsc_now();
    if (report_progress_stays(run->report, line))
        progress_line(&run->progress, used, (double)(tsc_now() - from));
}

/* Shows the progress within a row, between two parts, on the core that measures it. */
static void show_part(void *ctx, double part)
{
    struct run *run = ctx;
    const struct bench *b = run->rows[run->at];
    unsigned together = run->plan->together && bench_has_windows(b),
             stages = kind_of(b)->conducted ? 1 : run->plan->n + together;

    run_progress_show(run, (run->plan->stage + part) / stages);
    run->first->p->user.show(run->first->p);
}

/* --- what was done ---------------------------------------------------------------------------- */

void run_progress_begin(struct run *run)
{
    run->plan->poll->show = show_part;
    run->plan->poll->ctx = run;
    run->began = tsc_now();
}

void run_progress_suite(struct run *run)
{
    progress_suite(&run->progress);
    run->suite_began = tsc_now();
}

void run_progress_turn(struct run *run)
{
    const struct bench *b = run->rows[run->at];
    double known = (double)run->plan->took[run->at];
    double stepped = run_is_last_round(run) ? (double)plan_stepped(run->plan) : 0;
    double turn = taken(run) - stepped, guessed = guess_steps(run, run->at);

    if (known == 0)
        progress_first(&run->progress, guess(run, b), turn);
    else
        progress_again(&run->progress, known, turn);
    if (stepped > 0)
        progress_stepped(&run->progress, guessed, stepped);
    run->plan->took[run->at] = (uint64_t)(turn > 0 ? turn : 0) + 1;
}
