/*
 * Words of the declarations in fields.def: the members of objects that several records have. For
 * files that include a .def, see lib/text/fields.h.
 */
#ifndef BENCH_API_DECLARE_H
#define BENCH_API_DECLARE_H

#include "lib/text/fields.h"

/* One declaration per line, as in fields.def. */
/* clang-format off */

/* Timers of struct timer_choice *choice that were asked for and do not start. */
#define REFUSED(path, there, meaning, choice) \
    BEGIN_EACH(path, there, meaning, unsigned i = 0; i < choice->refusals; i++) \
    FIELD(path "[].name", STRING, "", PRESENT, "name of the timer, as in the option", \
          choice->refusal[i].name) \
    FIELD(path "[].why", STRING, "", PRESENT, "why it does not start", choice->refusal[i].why) \
    END_EACH

/* What struct witness_facts *w knows. */
#define WITNESS(path) \
    FIELD(path ".why", STRING, "", ABSENT("where it runs", w->why_not), \
          "why the witness does not run here", w->why_not) \
    FIELD(path ".nops_per_cycle", NUMBER, "", \
          ABSENT("with `why`, and if no width was found: the core may have been shared all the " \
                 "time", witness_knows_width(w)), "the width of the core", 1 / w->best, 3) \
    FIELD(path ".blocks", INTEGER, "", WITHOUT("why", !w->why_not), "blocks judged so far", \
          w->blocks) \
    FIELD(path ".shared_blocks", INTEGER, "", WITHOUT("why", !w->why_not), \
          "of these, the shared ones", w->shared) \
    FIELD(path ".shared", NUMBER, "", \
          ABSENT("without `blocks`, and if that is 0", !w->why_not && w->blocks), \
          "the proportion of shared blocks", witness_share(w), 4) \
    FIELD(path ".gave_up", BOOLEAN, "", ONLY("it did", !w->why_not && w->gave_up), \
          "the probe repeated shared blocks for about a second, then gave up", true)

/* Windows of one kind, with every method. F: FIELD, or DECLARE if a function writes them. */
#define EXTREMES(F, path, least, greatest, average, deviation) \
    F(path ".min", INTEGER, "ticks", NEEDED, "the smallest window", least) \
    F(path ".max", INTEGER, "ticks", NEEDED, "the largest window", greatest) \
    F(path ".mean", NUMBER, "ticks", PRESENT, "mean of the windows", average, 4) \
    F(path ".sd", NUMBER, "ticks", ABSENT("with one window", true), "standard deviation, n-1", \
      deviation, 4)

/* With method=doubled in addition: `p25`, "the first quartile", and these of struct statistics. */
#define QUARTILE "the first quartile; quantiles are Hyndman and Fan's type 7"
#define QUANTILES(F, path, of, width) \
    F(path ".median", NUMBER, "ticks", WITH("p25", true), "the second quartile", of->median, 2) \
    F(path ".p75", NUMBER, "ticks", WITH("p25", true), "the third quartile", of->p75, 2) \
    F(path ".p99", NUMBER, "ticks", WITH("p25", true), "the 99th percentile", of->p99, 2) \
    F(path ".mad", NUMBER, "ticks", WITH("p25", true), \
      "median of the distances from the median, not scaled", of->mad, 2) \
    F(path ".bin", INTEGER, "ticks", \
      ONLY("there are several rounds and too many different values", width > 1), \
      "width of the bins of `hist`, from which quantiles and `mad` are computed: they are " \
      "too low by less than this", width)

/* With method=kbest in addition, of struct method_side. */
#define SMALLEST(F, path, of, subtracted) \
    F(path ".kbest", INTEGER, "ticks", ABSENT("unless the method is `kbest`", true), \
      "the smallest window", of->kbest.smallest[0]) \
    F(path ".converged", BOOLEAN, "", WITH("kbest", true), "the K smallest lie within epsilon", \
      of->kbest.converged) \
    F(path ".timer_interrupts", INTEGER, "", \
      ONLY("`compensate=on` with `kbest`, in a process", subtracted), \
      "timer interrupts that were subtracted from the windows, including those of the " \
      "warm-up", of->interrupts) \
    F(path ".min_as_read", INTEGER, "ticks", WITH("timer_interrupts", subtracted), \
      "the smallest window, including its timer interrupts", of->least_as_read)

/* With method=ensembles in addition: `ensembles`, and these of struct ensemble_result. */
#define COMPLETE "number of complete ensembles"
#define ENSEMBLES(F, path, of) \
    F(path ".range_of_minima", INTEGER, "ticks", WITH("ensembles", true), \
      "the largest minus the smallest of the ensembles' minima", of->range_of_minima) \
    F(path ".largest_deviation", INTEGER, "ticks", WITH("ensembles", true), \
      "max - min of the widest ensemble", of->largest_deviation) \
    F(path ".mean_variance", NUMBER, "ticks^2", WITH("ensembles", true), \
      "mean of the ensembles' variances", of->mean_variance, 4) \
    F(path ".variance_of_variances", NUMBER, "ticks^4", \
      ABSENT("with fewer than 2 ensembles", true), "variance of the ensembles' variances", \
      of->variance_of_variances, 4) \
    F(path ".variance_of_minima", NUMBER, "ticks^2", WITH("variance_of_variances", true), \
      "variance of the ensembles' minima", of->variance_of_minima, 4) \
    F(path ".variance_of_means", NUMBER, "ticks^2", WITH("variance_of_variances", true), \
      "variance of the ensembles' means", of->variance_of_means, 6) \
    F(path ".variance_f", NUMBER, "", ABSENT("with fewer than 2 ensembles, and for 0/0", true), \
      "variance of the variances / (8 mean variance^2 / (N - 1)): 1 if the noise has an " \
      "exponential distribution", of->variance_f, 4) \
    F(path ".variance_f_bound", NUMBER, "", WITH("variance_of_variances", true), \
      "its 99.9% bound", of->variance_f_bound, 4) \
    F(path ".f", NUMBER, "", ABSENT("with fewer than 2 ensembles, and for 0/0", true), \
      "variance of the means / (mean variance / N)", of->f, 4) \
    F(path ".f_bound", NUMBER, "", WITH("variance_of_variances", true), "its 99.9% bound", \
      of->f_bound, 4) \
    F(path ".lag1", NUMBER, "", WITH("ensembles", true), \
      "correlation of consecutive windows in an ensemble", of->lag1, 6) \
    F(path ".lag1_bound", NUMBER, "", WITH("variance_of_variances", true), "its 99.9% bound", \
      of->lag1_bound, 6) \
    F(path ".ergodic", BOOLEAN, "", WITH("ensembles", true), \
      "minima, variances, means and correlation are within their bounds, see " \
      "[literature.md](literature.md#ensembles)", of->ergodic)

/* One part of a sweep over offsets: of struct sweep sweep[], and of struct row *row. */
#define SWEEP(path, part) \
    FIELD(path ".min", NUMBER, "core cycles", PRESENT, \
          "the lowest cost of an operation; in instructions where those are counted", \
          sweep[part].min, 4) \
    FIELD(path ".median", NUMBER, "core cycles", PRESENT, "the median of the costs", \
          sweep[part].median, 4) \
    FIELD(path ".max", NUMBER, "core cycles", NEEDED, "the highest cost", sweep[part].max, 4) \
    FIELD(path ".best", INTEGER, "bytes", NEEDED, "the offset with the lowest cost", \
          sweep[part].best * layout_part_step[part]) \
    FIELD(path ".worst", INTEGER, "bytes", NEEDED, "the offset with the highest cost", \
          sweep[part].worst * layout_part_step[part]) \
    FIELD(path ".step_bytes", INTEGER, "bytes", PRESENT, "from one offset to the next", \
          layout_part_step[part]) \
    LIST(path ".cycles", ARRAY(NUMBER | NOTHING), "core cycles", NEEDED, "each offset's figure", \
         unsigned i = 0; i < LAYOUT_OFFSETS; i++, \
         row->spread.theta[part * LAYOUT_OFFSETS + i], 4)

/* The effects of the system on a process while it measured: hosted/platform/process_events.c writes
 * them. F: FIELD there, DECLARE elsewhere. */
#define PROCESS(F, path) \
    F(path ".voluntary_switches", INTEGER, "", PRESENT, \
      "times that the process gave the CPU up", kept[EVENTS_VOLUNTARY]) \
    F(path ".involuntary_switches", INTEGER, "", PRESENT, \
      "times that the system took the CPU away from it", kept[EVENTS_INVOLUNTARY]) \
    F(path ".page_faults", INTEGER, "", PRESENT, "page faults", kept[EVENTS_FAULTS]) \
    F(path ".migrations", INTEGER, "", PRESENT, "moves to another CPU", kept[EVENTS_MIGRATIONS]) \
    F(path ".steal_ms", NUMBER, "ms", \
      ABSENT("if the system does not report it", !kept[EVENTS_NO_STEAL]), \
      "time that the hypervisor gave to others", (double)kept[EVENTS_STEAL_MS]) \
    F(path ".away_ms", NUMBER, "ms", PRESENT, \
      "time without the CPU, whichever program had it, by the CPU time of the process. A " \
      "system that does not know its hypervisor counts stolen time as time of the process", \
      (double)kept[EVENTS_AWAY_NS] / 1e6, 3)

/* The fields that the record of every curve, limit, map and watch begins with: those of struct
 * outcome. */
#define RESULT(path, of) \
    FIELD(path ".suite", STRING, "", NEEDED, "suite of " of, out->bench->suite) \
    FIELD(path ".name", STRING, "", NEEDED, "name of " of, out->bench->name) \
    FIELD(path ".core", INTEGER, "", NEEDED, \
          "index of the core that measured it; of several cores, the first one", out->core)
#define STATUS(path) \
    FIELD(path ".status", STRING, "", NEEDED, "as in a row", record_status[out->status]) \
    FIELD(path ".why", STRING, "", ONLY("`status` is not `ok`", true), "the reason", out->why)

/* The events on a core while it measured something other than a row: of struct outcome *out, and
 * of struct run_facts *run. */
#define EVENTS(path, measured) \
    FIELD(path ".smis", INTEGER, "", ONLY("SMIs are counted", run->counts_smis), \
          "SMIs while " measured, out->smis) \
    FIELD(path ".nmis", INTEGER, "", PRESENT, "NMIs and machine checks", out->nmis) \
    WRITTEN_BY(if (run->kept->record) run->kept->record(out->kept, j)) \
    DECLARE(path ".throttled", BOOLEAN, "", ONLY("a CPU with Intel's thermal status"), \
          "as in a row") \
    DECLARE(path ".throttled_by", ARRAY(STRING), "", ONLY("it was throttled"), "as in a row") \
    DECLARE(path ".process", OBJECT, "", ABSENT("where booted"), \
          "what the system did meanwhile, as in a row") \
    PROCESS(DECLARE, path ".process")

/* clang-format on */

#endif
