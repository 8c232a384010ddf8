/* Ticks in the units that a report gives them in. */
#ifndef BENCH_SHOW_UNITS_H
#define BENCH_SHOW_UNITS_H

#include "bench/measure/context.h"
#include "bench/measure/cycle.h"

static inline bool units_are_instructions(const struct engine *e)
{
    return e->execution == EXEC_INSTRUCTIONS;
}

/* In the table's unit: ticks, or instructions. */
static inline double units_of(const struct engine *e, double ticks)
{
    return units_are_instructions(e) ? ticks / (double)e->ticks_per_instruction : ticks;
}

static inline bool units_have_ns(const struct engine *e)
{
    return !units_are_instructions(e) && engine_has_hz(e);
}

static inline double units_ns(const struct engine *e, double ticks)
{
    return ticks * 1e9 / e->tsc_hz;
}

/* Instructions of one operation: as they were counted in its windows, or in those that were
 * stepped. UNKNOWN: in neither. */
double units_instructions(const struct engine *e, const struct row *row);

/* Instructions of a core cycle; UNKNOWN where either figure is, or the cycles' may be zero, or the
 * loop hides some of them. */
double units_ipc(const struct engine *e, const struct row *row);

/* Whether the row's figure is above its error of zero, as far as one is known. */
bool units_above_zero(const struct engine *e, const struct row *row);

/* The clock that the core ran at during a row. */
static inline bool units_have_core_hz(const struct engine *e, const struct row *row)
{
    return e->execution == EXEC_SILICON && cycle_known(e) && engine_has_hz(e) &&
           row->cycles_per_tick > 0;
}

static inline double units_core_hz(const struct engine *e, const struct row *row)
{
    return row->cycles_per_tick * e->tsc_hz;
}

#endif
