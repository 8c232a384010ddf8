#include "bench/result/insn.h"
#include "lib/insn/form.h"
#include "lib/stats/mathx.h"
#include "lib/text/fmt.h"
#include "lib/text/str.h"

void insn_row_name(const struct insn_row *row, struct sink *out)
{
    insn_name(insn_form(row->form), row->decoration, out);
    fmt(out, "%s", insn_values_of[row->values].name);
}

/* Copies the exclusive placements. Returns their number. */
static size_t exclusive_of(const struct insn_cell *c, double exclusive[INSN_PLACES])
{
    size_t n = 0;

    for (unsigned i = 0; i < c->taken; i++)
        if (!(c->shared >> i & 1))
            exclusive[n++] = c->cycles[i];
    return n;
}

/* Returns the figure of the exclusive placements. If these are too few, returns the least of all
 * placements, because a neighbour mostly makes a figure larger. It is not settled: placements next
 * to one neighbour can agree with each other, and be wrong by 20% and more. */
static struct agreed of_cell(const struct insn_cell *c)
{
    double exclusive[INSN_PLACES], all[INSN_PLACES];
    size_t n = exclusive_of(c, exclusive);

    if (n >= AGREE_LEAST)
        return agree(exclusive, n);
    for (unsigned i = 0; i < c->taken; i++)
        all[i] = c->cycles[i];
    struct agreed a = agree_least(all, c->taken);
    a.settled = false;
    return a;
}

bool insn_has_room(const struct insn_cell *cell)
{
    return cell->taken < INSN_PLACES || cell->shared;
}

void insn_add_place(struct insn_cell *cell, double value, bool shared)
{
    unsigned at = 0;

    if (cell->taken < INSN_PLACES) {
        at = cell->taken++;
    } else {
        while (at < INSN_PLACES && !(cell->shared >> at & 1))
            at++;
        if (shared || at == INSN_PLACES)
            return;
    }
    cell->cycles[at] = (float)value;
    cell->shared = (uint8_t)((cell->shared & ~(1u << at)) | (unsigned)shared << at);
}

/* Returns the figure of the fastest placements if they do not agree: at some placements a core
 * assigns ports badly. */
static struct agreed fastest_of(const struct insn_cell *c)
{
    double exclusive[INSN_PLACES];
    size_t n = exclusive_of(c, exclusive);
    struct agreed a = of_cell(c), least = agree_least(exclusive, n);

    return !a.settled && least.settled ? least : a;
}

/* TEST alone cannot form a chain: the row of LINK_TEST is a chain of TEST and CMOVZ. */
struct agreed insn_link_cost(const struct insn_table *t, enum insn_link link)
{
    static const struct agreed nothing = {.settled = true};
    unsigned row = t->link_row[link];

    if (row == 0)
        return nothing;
    struct agreed a = of_cell(insn_cells_of(t, &t->row[row - 1]));
    if (link == LINK_TEST)
        a = agree_minus(a, insn_link_cost(t, LINK_CMOVZ));
    return is_known(a.value) ? a : nothing;
}

/* Moves between register files take at least one cycle. Nothing is known of stores and loads, which
 * some CPUs forward in no time. */
static bool is_crossing(unsigned link)
{
    switch (link) {
    case LINK_MOVQ_R_X:
    case LINK_VMOVQ_R_X:
    case LINK_MOVQ_X_R:
    case LINK_VMOVQ_X_R:
    case LINK_KMOV_R_K:
    case LINK_KMOV_K_R:
    case LINK_MOVQ_R_MM:
    case LINK_MOVQ_MM_R:
        return true;
    default:
        return false;
    }
}

static double not_below_0(double v)
{
    return v < 0 ? 0 : v;
}

/* Returns an upper bound. A range that reaches 0 has its upper end: the chain took no longer than
 * its links, whose result then does not depend on the copy, or is predicted, or renamed. */
static struct agreed bound_of(struct agreed a)
{
    double value = a.lo <= 0 ? a.hi : a.value;

    return (struct agreed){not_below_0(value), not_below_0(a.lo), not_below_0(a.hi), a.settled};
}

/* Returns a cell's figure without the steps of its chain. */
static struct agreed without_steps(const struct insn_table *t, const struct insn_row *row,
                                   const struct insn_cell *cell, struct agreed a, bool *at_most)
{
    static const struct agreed one = {.value = 1, .lo = 1, .hi = 1, .settled = true};
    struct insn_test test;

    *at_most = false;
    if (cell->id.kind != INSN_TEST_LATENCY || !is_known(a.value) ||
        insn_test(&test, insn_form(row->form), row->decoration, &cell->id) != INSN_RUNS)
        return a;
    *at_most = test.at_most;
    for (unsigned i = 0; i < test.steps; i++) {
        unsigned link = test.step[i].link;
        a = agree_minus(a, is_crossing(link) ? one : insn_link_cost(t, (enum insn_link)link));
    }
    if (a.lo <= 0 || a.value <= 0)
        *at_most = true;
    return *at_most ? bound_of(a) : a;
}

struct agreed insn_figure(const struct insn_table *t, const struct insn_row *row,
                          const struct insn_cell *cell, bool *at_most)
{
    *at_most = false; /* counted instructions include those of the chain */
    return t->exact ? of_cell(cell) : without_steps(t, row, cell, of_cell(cell), at_most);
}

/* Smallest difference of two histories that is reported, in cycles: less is noise. */
#define HISTORIES_APART 0.1

static bool is_apart(struct agreed after, struct agreed usual)
{
    double apart = after.value - usual.value;

    return usual.settled && agree_differ(after, usual) &&
           (apart < 0 ? -apart : apart) > HISTORIES_APART;
}

/* Returns the figure of the placements with the other history, without the chain's steps. */
static struct agreed of_after(const struct insn_table *t, const struct insn_row *row,
                              const struct insn_cell *cell)
{
    double all[INSN_AFTER];
    bool at_most;

    for (unsigned i = 0; i < cell->after_taken; i++)
        all[i] = cell->after[i];
    struct agreed a = agree(all, cell->after_taken);
    if (cell->after_taken == 1)
        a.lo = a.hi = a.value;
    return without_steps(t, row, cell, a, &at_most);
}

struct agreed insn_after(const struct insn_table *t, const struct insn_row *row,
                         const struct insn_cell *cell)
{
    bool at_most;

    if (cell->after_taken < INSN_AFTER)
        return agree(NULL, 0);
    struct agreed a = of_after(t, row, cell);
    return agree_is_narrow(a) && is_apart(a, insn_figure(t, row, cell, &at_most)) ? a
                                                                                  : agree(NULL, 0);
}

bool insn_wants_after(const struct insn_table *t, const struct insn_row *row,
                      const struct insn_cell *cell)
{
    bool at_most;

    if (cell->after_taken == 0 || cell->after_taken == INSN_AFTER)
        return cell->after_taken == 0;
    return is_apart(of_after(t, row, cell), insn_figure(t, row, cell, &at_most));
}

struct agreed insn_throughput_of(const struct insn_table *t, const struct insn_row *row)
{
    struct agreed best = agree(NULL, 0);

    for (unsigned i = 0; i < row->cells; i++) {
        const struct insn_cell *c = insn_cells_of(t, row) + i;
        if (c->id.kind != INSN_TEST_DISTINCT && c->id.kind != INSN_TEST_BREAKS &&
            c->id.kind != INSN_TEST_STRAIGHT)
            continue;
        struct agreed a = fastest_of(c);
        if (is_known(a.value) && !(a.value >= best.value))
            best = a;
    }
    return best;
}

struct agreed insn_kind_of(const struct insn_table *t, const struct insn_row *row, unsigned kind)
{
    for (unsigned i = 0; i < row->cells; i++)
        if (insn_cells_of(t, row)[i].id.kind == kind)
            return of_cell(insn_cells_of(t, row) + i);
    return agree(NULL, 0);
}

double insn_blocker_cost(const struct insn_table *t, unsigned blocker)
{
    unsigned row = t->blocker_row[blocker];

    return row ? insn_throughput_of(t, &t->row[row - 1]).value : UNKNOWN;
}

#define FASTER 0.9 /* in figures with errors */

static double filler_cost(const struct insn_table *t, enum insn_filler f)
{
    unsigned row = t->filler_row[f];

    return row ? of_cell(insn_cells_of(t, &t->row[row - 1])).value : UNKNOWN;
}

enum insn_filler insn_filler_of(const struct insn_table *t)
{
    return filler_cost(t, FILLER_NOP) < FASTER * filler_cost(t, FILLER_ZERO) ? FILLER_ZERO
                                                                             : FILLER_NOP;
}

/* Returns how many placements say that the mix shares a unit. */
static unsigned votes_of(const struct insn_cell *c)
{
    unsigned votes = 0;

    for (unsigned i = 0; i < c->taken; i++)
        votes += c->cycles[i] >= 1;
    return votes;
}

static bool placements_agree(const struct insn_cell *c)
{
    unsigned votes = votes_of(c);

    return votes == 0 || votes == c->taken;
}

bool insn_mix_wants(const struct insn_cell *cell)
{
    return cell->taken < INSN_MIX_PLACES && placements_agree(cell);
}

struct insn_sharing insn_sharing_of(const struct insn_table *t, const struct insn_row *row)
{
    struct insn_sharing s = {0};

    for (unsigned i = 0; i < row->cells; i++) {
        const struct insn_cell *c = insn_cells_of(t, row) + i;
        unsigned bit = 1u << c->id.other;
        if (c->id.kind != INSN_TEST_MIXED || c->taken == 0)
            continue;
        if (c->taken < INSN_MIX_PLACES || !placements_agree(c))
            s.unsettled |= bit;
        else if (votes_of(c) > 0)
            s.shares |= bit;
        else
            s.free |= bit;
    }
    return s;
}

static const struct {
    struct insn_ratio filling;
    double cycles;
} fillings[] = {
#define FILLING_OF(copies, fillers, cycles) {{copies, fillers}, cycles},
    INSN_FILLING(FILLING_OF)};
#define FILLINGS (sizeof fillings / sizeof fillings[0])

struct insn_ratio insn_filling_of(const struct insn_table *t, const struct insn_row *row)
{
    double cycles = insn_throughput_of(t, row).value;
    size_t i = 0;

    while (i < FILLINGS && !(cycles <= fillings[i].cycles))
        i++;
    return i < FILLINGS ? fillings[i].filling : (struct insn_ratio){0, 0};
}

struct agreed insn_slots(const struct insn_table *t, const struct insn_row *row)
{
    unsigned enough = insn_filling_of(t, row).others;
    double exclusive[INSN_PLACES];

    for (unsigned i = 0; i < row->cells && enough > 0; i++) {
        const struct insn_cell *c = insn_cells_of(t, row) + i;
        if (c->id.kind == INSN_TEST_SLOTS && c->blockers >= enough) {
            size_t n = exclusive_of(c, exclusive);
            return agree(exclusive, n);
        }
    }
    return agree(NULL, 0);
}

/* Least cycles of a copy in straight code, least ratio of these to those in a loop, least slots. */
#define COMPLEX_CYCLES 0.9
#define COMPLEX_RATIO  1.5
#define COMPLEX_SLOTS  1.5

bool insn_is_complex(const struct insn_table *t, const struct insn_row *row)
{
    struct agreed straight = insn_kind_of(t, row, INSN_TEST_STRAIGHT),
                  loop = insn_kind_of(t, row, INSN_TEST_DISTINCT), slots = insn_slots(t, row);

    return !(insn_form(row->form)->properties & INSN_LCP) && straight.settled && loop.settled &&
           straight.value >= COMPLEX_CYCLES && straight.value >= COMPLEX_RATIO * loop.value &&
           slots.value >= COMPLEX_SLOTS;
}

uint8_t insn_fault_number(struct insn_table *t, const char *text)
{
    unsigned i = 1;

    while (i < INSN_FAULTS && t->fault[i][0] && !str_eq(t->fault[i], text))
        i++;
    if (!t->fault[i][0])
        fmt_buf(t->fault[i], sizeof t->fault[i], "%s", text);
    return (uint8_t)i;
}
