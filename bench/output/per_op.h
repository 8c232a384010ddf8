/* Converts ticks to the units of the report. */
#ifndef BENCH_OUTPUT_PER_OP_H
#define BENCH_OUTPUT_PER_OP_H

#include "bench/result/facts.h"
#include "bench/api/report.h"

static inline bool units_are_instructions(const struct run_facts *run)
{
    return run->execution == EXEC_INSTRUCTIONS;
}

/* Returns the unit of a window. */
static inline const char *units_window(const struct run_facts *run)
{
    return units_are_instructions(run) ? "instructions" : "ticks";
}

/* Returns the unit of an operation's cost. */
static inline const char *units_per_op(const struct run_facts *run)
{
    return run_has_cycles(run) && !units_are_instructions(run) ? "cycles" : units_window(run);
}

/* Converts ticks to the unit of a window. */
static inline double units_of(const struct run_facts *run, double ticks)
{
    return units_are_instructions(run) ? ticks / (double)run->ticks_per_instruction : ticks;
}

static inline bool units_have_ns(const struct run_facts *run)
{
    return !units_are_instructions(run) && run_has_hz(run);
}

static inline double units_ns(const struct run_facts *run, double ticks)
{
    return ticks * 1e9 / run->tsc_hz;
}

/* Returns the instructions per core cycle. UNKNOWN: either figure is not known or varies, the core
 * cycles may be zero, or the loop hides a part of them. */
double units_ipc(const struct run_facts *run, const struct row *row);

/* Returns whether the row's figure exceeds its error, if this is known. */
bool units_above_zero(const struct run_facts *run, const struct row *row);

/* Returns whether the core's frequency during a row is known. */
static inline bool units_have_core_hz(const struct run_facts *run, const struct row *row)
{
    return run->execution == EXEC_SILICON && run_has_cycles(run) && run_has_hz(run) &&
           row->cycles_per_tick > 0;
}

static inline double units_core_hz(const struct run_facts *run, const struct row *row)
{
    return row->cycles_per_tick * run->tsc_hz;
}

/* An operation's figure in the unit of the table's column. */
struct per_op {
    const char *unit; /* "cycles", "instructions", "ticks" */
    /* half: the longer side of its interval. UNKNOWN: not known, or the unit has no interval. */
    double value, half;
    unsigned percent; /* the interval's confidence; 0: no interval */
};
/* Returns the figure; all is UNKNOWN if the row has no figure. */
struct per_op per_op_of(const struct run_facts *run, const struct row_figure *h);

/* Returns why a row that passed has no figure in this unit. NULL: it has one, or lacks it by
 * design. */
const char *per_op_missing(const struct run_facts *run, const struct row *row);

/* Returns why its figure in core cycles has no interval. NULL: it has one, or there is no
 * figure. */
const char *per_op_no_interval(const struct run_facts *run, const struct row *row);

/* --- columns.c: the columns of the table, from columns.def ------------------------------------ */

/* Writes the heads and ends the line. */
void columns_heading(struct report *r, const struct run_facts *run);
/* Writes the columns of a row, as far as it has results. */
void columns_show(struct report *r, const struct run_facts *run, const struct row *row);
/* Writes the columns of ensembles; of NULL: their heads. */
void columns_ensembles(struct report *r, const struct run_facts *run,
                       const struct ensemble_result *of);

/* Writes a blank and a number; `?` if it is not known. */
void per_op_number(struct report *r, double v, int decimals, int width);

#endif
