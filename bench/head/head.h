/*
 * The head of a report as far as it is the same on every platform: which program this is, what
 * executes it and how far its figures can be trusted, the CPU, the settings. What only one platform
 * knows it adds itself (kernel/report/facts.c, hosted/platform/facts.c). Each pair says the same,
 * once for people and once as members of the `run` record.
 */
#ifndef BENCH_HEAD_HEAD_H
#define BENCH_HEAD_HEAD_H

#include "bench/api/report.h"
#include "bench/model/facts.h"
#include "bench/model/probe.h"
#include "lib/cpu/cpu_facts.h"
#include "lib/text/json.h"
#include "lib/text/sink.h"

/* The line of name, version, build and compiler. */
void head_version(struct sink *out);
/* The same, and what a figure below counts. */
void head_show(const struct run_facts *run, const struct probe *p, struct sink *out);
/* version, build, platform, execution, unit, ticks_per_instruction or ticks_per_cycle. */
void head_record(const struct run_facts *run, const struct probe *p, struct json *j);

/* What the platform's CPU says of itself; `rdmsr` NULL: its MSRs cannot be read. `others`: all CPUs
 * of the machine are among the platform's cores. */
void head_read_cpu(struct cpu_facts *f, const struct platform *p, uint32_t microcode, bool others,
                   const struct cpu_source *source);
/* Brand, family, model, microcode, hypervisor, `note` behind its name; then the lines of
 * lib/cpu/cpu_facts.h. */
void head_show_cpu(const struct cpu_facts *f, const char *note, struct sink *out);
/* The object "cpu", with `lfence` in it (kernel/cpu/lfence.h has the values), virtualised,
 * hypervisor, topology, caches, tlbs, mitigations. */
void head_record_cpu(const struct cpu_facts *f, const char *lfence, struct json *j);

/* "2596.123 MHz" */
void head_mhz(struct sink *out, double hz);

/* Which clock ns and seconds rest on, where cycles come from, and why not from those ahead of it in
 * clock= and cycle=. */
void head_show_timers(const struct run_facts *run, struct sink *out);
/* clock, clock_refused, clock_tsc_hz: the TSC's frequency by that clock, its error; then those of
 * bench/head/cycle_show.h. */
void head_record_timers(const struct run_facts *run, struct json *j);
/* A warning where none serves. */
void head_warn_timers(const struct run_facts *run, struct report *r);
/* Words that were given and that method= has no use for: a warning each. */
void head_warn_words(const struct run_facts *run, struct report *r);

/* The recipe in use, LFENCE's state, the options; `from` names their sources. */
void head_show_settings(const struct run_facts *run, const char *lfence, const char *from,
                        struct sink *out);
/* recipe, options, options_from. */
void head_record_settings(const struct run_facts *run, const char *from, struct json *j);

#endif
