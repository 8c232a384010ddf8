/* The result of suite `insn` on one core: the forms, and the measurements of their tests. */
#ifndef BENCH_RESULT_INSN_H
#define BENCH_RESULT_INSN_H

#include <stdbool.h>
#include <stdint.h>
#include "bench/result/outcome.h"
#include "lib/insn/program.h"
#include "lib/stats/shift.h"

#define INSN_PLACES 8 /* most placements of a test ... */
#define INSN_AFTER  3 /* ... and with the other history of registers (lib/insn/put.h) */

/* One test, measured at several placements: a cell of the table. */
struct insn_cell {
    struct insn_test_id id;
    uint8_t taken;             /* placements so far */
    uint8_t ended;             /* enum guard_end, if it was ended: it is not run again */
    uint8_t shared;            /* a bit for each placement: the core was shared meanwhile */
    uint16_t copies;           /* in a window, or in a group of a mix; 0: not chosen yet */
    uint8_t blockers;          /* in a group of a mix; of a test of slots, fillers per copy */
    uint16_t iterations;       /* of the loop; 0: a straight line */
    uint8_t after_taken;       /* placements with the other history */
    float after[INSN_AFTER];   /* their figures */
    float cycles[INSN_PLACES]; /* of a copy with the steps of its chain; slots; a mix's score */
};
_Static_assert(INSN_PLACES <= 8, "`shared` has a bit for each placement");
_Static_assert(INSN_PLACES <= AGREE_MOST, "agree() takes them");

/* One form. */
struct insn_row {
    uint16_t form; /* index in the table of lib/insn */
    uint8_t decoration;
    uint8_t values; /* enum insn_values */
    uint8_t why;    /* enum insn_why: INSN_RUNS if it is run */
    uint8_t lacks;  /* for INSN_CPU_LACKS, the enum insn_feature */
    uint8_t fault;  /* number of its last fault in `fault`; 0: none */
    uint8_t cells;
    bool reached;   /* it was run at least once */
    uint32_t first; /* of its cells */
};

#define INSN_FAULTS 16 /* different texts that are kept */

struct insn_table {
    struct outcome out;   /* each form has its own reason */
    struct insn_row *row; /* the links, then the selected forms */
    unsigned rows;
    unsigned links; /* rows that measure the links' own cost */
    struct insn_cell *cell;
    unsigned cells;
    unsigned run;          /* forms that are run */
    unsigned pairs;        /* latencies among the cells of forms */
    uint64_t limit, ticks; /* the time budget, and the time used */
    unsigned passes;       /* complete ones */
    bool out_of_time;      /* the budget ended before the passes did */
    bool exact;            /* instructions are counted: each form ran a few times */
    char fault[INSN_FAULTS + 1][96];
    uint8_t link_row[LINKS];       /* 1 + the row that measures the link; 0: it is not measured */
    uint8_t blocker_row[BLOCKERS]; /* the same of blockers */
    uint8_t filler_row[FILLERS];   /* ... and of fillers */
    uint8_t filler;                /* enum insn_filler: the one that is used */
    uint64_t blocks, shared;       /* judged by the witness */
};

/* Returns whether a cell takes another placement: it has fewer than the most, or shared ones. */
bool insn_has_room(const struct insn_cell *cell);

/* Adds a placement. If the cell has the most, an exclusive one replaces a shared one. */
void insn_add_place(struct insn_cell *cell, double value, bool shared);

/* Writes the form's name, with its values if they are not the usual ones: "div r64 [slow]". */
void insn_row_name(const struct insn_row *row, struct sink *out);

static inline bool insn_was_run(const struct insn_row *row)
{
    return row->why == INSN_RUNS && row->reached;
}

static inline const struct insn_cell *insn_cells_of(const struct insn_table *t,
                                                    const struct insn_row *row)
{
    return t->cell + row->first;
}

/*
 * Returns the figure of a cell, in core cycles, or instructions if these are counted: without the
 * steps of its chain. *at_most: the figure is an upper bound, because some steps of the chain
 * cannot be separated and are included, or because the range reaches 0.
 */
struct agreed insn_figure(const struct insn_table *t, const struct insn_row *row,
                          const struct insn_cell *cell, bool *at_most);

/* The same with the other history of registers, if both are settled and differ; else UNKNOWN. */
struct agreed insn_after(const struct insn_table *t, const struct insn_row *row,
                         const struct insn_cell *cell);

/* Returns whether another placement with the other history is useful: no placement has it so far,
 * or those that have it all differ from the figure. */
bool insn_wants_after(const struct insn_table *t, const struct insn_row *row,
                      const struct insn_cell *cell);

/* Returns the throughput of a form's independent copies: the fastest of a loop and straight code,
 * with and without dependencies that are broken. */
struct agreed insn_throughput_of(const struct insn_table *t, const struct insn_row *row);

/* Returns copies and fillers of a test of the row's issue slots. No copies: its throughput is not
 * known yet, or it takes longer than the most fillers. */
struct insn_ratio insn_filling_of(const struct insn_table *t, const struct insn_row *row);

/* Returns the issue slots of a copy, by the exclusive placements: a neighbour takes slots. UNKNOWN
 * if copies may take longer than the fillers of the other slots, or if it was not measured. */
struct agreed insn_slots(const struct insn_table *t, const struct insn_row *row);

/* Returns the figure of the row's test of this kind; UNKNOWN if it has no such test. */
struct agreed insn_kind_of(const struct insn_table *t, const struct insn_row *row, unsigned kind);

/* Returns the throughput of a blocker, UNKNOWN if it is not measured. */
double insn_blocker_cost(const struct insn_table *t, unsigned blocker);

/* Returns the filler that takes a slot: a zeroing idiom if NOPs are faster than it, since no
 * instruction is faster than the slots that it takes. */
enum insn_filler insn_filler_of(const struct insn_table *t);

/* A bit for each blocker. */
struct insn_sharing {
    unsigned shares;    /* those that share a unit with the form, ... */
    unsigned free;      /* ... those that do not, ... */
    unsigned unsettled; /* ... and those whose placements disagree or are too few */
};

/* Returns which blockers share a unit with the form. Those that were not measured have no bit. */
struct insn_sharing insn_sharing_of(const struct insn_table *t, const struct insn_row *row);
#define INSN_MIX_PLACES 3 /* placements of a mix, of which all must agree */

/* Returns whether another placement of a mix is useful: there are too few, and all agree. */
bool insn_mix_wants(const struct insn_cell *cell);

/* Returns whether only one decoder of the core can decode the form. It then has several slots, and
 * takes a cycle or more in straight code, but much less in a loop, which comes from a micro-op
 * cache. */
bool insn_is_complex(const struct insn_table *t, const struct insn_row *row);

/* Returns the cost of a link without the form, 0 if it is not measured. */
struct agreed insn_link_cost(const struct insn_table *t, enum insn_link link);

/* Returns the number of a text in `fault` of the table. Equal texts have one number; the last
 * number is shared by all texts that do not fit. */
uint8_t insn_fault_number(struct insn_table *t, const char *text);

#endif
