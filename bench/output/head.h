/*
 * Writes the part of a report's head that is the same on every platform: the program, the execution
 * and how far its figures can be trusted, the CPU, the settings. A platform adds its own facts
 * (kernel/report/machine_facts.c, hosted/platform/process_facts.c). Each pair of functions writes
 * the same facts, to the table and as members of the `run` record. After it: the self-tests, and
 * the linearity.
 */
#ifndef BENCH_OUTPUT_HEAD_H
#define BENCH_OUTPUT_HEAD_H

#include "bench/api/report.h"
#include "bench/result/facts.h"
#include "bench/result/probe.h"
#include "lib/cpu/cpu_facts.h"
#include "lib/text/json.h"
#include "lib/text/sink.h"

/* Writes a line with name, version, build and compiler. */
void head_version(struct sink *out);
/* The same, and what the figures below count. */
void head_show(const struct run_facts *run, const struct probe *p, struct sink *out);
/* Writes version, build, licence, platform, execution, unit, ticks_per_instruction or
 * ticks_per_cycle. */
void head_record(const struct run_facts *run, const struct probe *p, struct json *j);

/* Reads the facts of the platform's CPU; `rdmsr` NULL: its MSRs cannot be read. `others`: all CPUs
 * of the machine are among the platform's cores. */
void head_read_cpu(struct cpu_facts *f, const struct platform *p, uint32_t microcode, bool others,
                   const struct cpu_source *source);
/* Writes brand, family, model, microcode, hypervisor with `note`; then lib/cpu/cpu_facts.h's lines.
 */
void head_show_cpu(const struct cpu_facts *f, const char *note, struct sink *out);
/* Writes the object "cpu", with `lfence` in it (kernel/cpu/msr.h has the values),
 * virtualised, hypervisor, topology, caches, tlbs, mitigations. */
void head_record_cpu(const struct cpu_facts *f, const char *lfence, struct json *j);

/* Writes "2596.123 MHz". */
void head_mhz(struct sink *out, double hz);

/* Writes the clock for ns and seconds, the source of core cycles, and why those before them in
 * clock= and cycle= are not used. */
void head_show_timers(const struct run_facts *run, struct sink *out);
/* The same, with the counter next to the ruler, and what compensate=on found. */
void head_record_timers(const struct run_facts *run, struct json *j);
/* Warns of options without effect, if no clock or no source of core cycles starts, and if ns or all
 * figures can be wrong. */
void head_warn(const struct run_facts *run, struct report *r);

/* Writes the recipe in use, LFENCE's state, the options; `from` names their sources. */
void head_show_settings(const struct run_facts *run, const char *lfence, const char *from,
                        struct sink *out);
/* Writes recipe, witness, samples, options, options_from. */
void head_record_settings(const struct run_facts *run, const char *from, struct json *j);

/* --- selftests.c: every platform's; kernel/report/checks.c has those of the bare machine ---- */

/* Reports "linearity" and "core_counter", on another core with the ending "_coreN". */
void selftests_core(const struct run_facts *run, const struct probe_check *linearity,
                    const struct cycle_check *counter, struct report *r);

/* Reports "instructions", on another core "instructions_coreN", after the last row. It passes if
 * single-stepping counts known instructions, and agrees with counted instructions if there are any.
 * Reports nothing if no row was stepped. */
void selftests_steps(const struct run_facts *run, struct report *r);

/* --- selftests.c: what each recipe hides of a chain of additions of known length -------------- */

/* Writes two tables, linearity and regression, and a record of each for each recipe. */
void linearity_show(const struct run_facts *run, const struct probe *p, struct report *r);

#endif
