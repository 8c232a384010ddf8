/* Ticks in the units that a report gives them in. */
#ifndef BENCH_SHOW_UNITS_H
#define BENCH_SHOW_UNITS_H

#include "bench/model/facts.h"
#include "bench/model/cycles.h"

static inline bool units_are_instructions(const struct run_facts *run)
{
    return run->execution == EXEC_INSTRUCTIONS;
}

/* In the table's unit: ticks, or instructions. */
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

/* Instructions of one operation: as they were counted in its windows, or in those that were
 * stepped. UNKNOWN: in neither. */
double units_instructions(const struct run_facts *run, const struct row *row);

/* Instructions of a core cycle; UNKNOWN where either figure is, or the cycles' may be zero, or the
 * loop hides some of them. */
double units_ipc(const struct run_facts *run, const struct row *row);

/* Whether the row's figure is above its error of zero, as far as one is known. */
bool units_above_zero(const struct run_facts *run, const struct row *row);

/* The clock that the core ran at during a row. */
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
