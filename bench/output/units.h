/* Converts ticks to the units of the report. */
#ifndef BENCH_OUTPUT_UNITS_H
#define BENCH_OUTPUT_UNITS_H

#include "bench/result/facts.h"
#include "bench/result/cycles.h"

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

#endif
