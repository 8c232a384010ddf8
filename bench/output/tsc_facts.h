/*
 * Reports the TSC in the head: its frequency, the source of it, the deviation of other sources, its
 * step, and the frequencies that CPU and firmware state. The same on every platform; only the
 * sources differ.
 */
#ifndef BENCH_OUTPUT_TSC_FACTS_H
#define BENCH_OUTPUT_TSC_FACTS_H

#include "bench/api/report.h"
#include "bench/result/facts.h"
#include "lib/cpu/tsc_rate.h"
#include "lib/firmware/smbios.h"
#include "lib/stats/clock_rate.h"
#include "lib/text/json.h"

struct tsc_facts {
    uint64_t hz;                       /* 0: not known */
    const struct clock_result *source; /* the last one is stated by the CPU */
    const char *const *names;
    unsigned sources, used;         /* `used` is undefined if hz is 0 */
    enum tsc_rate_source stated_by; /* how the CPU states it */
    const struct tsc_clock *judged; /* whether the sources agree; NULL: not judged */
    bool has_adjust;
    int64_t adjust; /* IA32_TSC_ADJUST */
    /* From SMBIOS; NULL: not available. */
    const struct smbios_processors *processors;
};

/* Writes lines of the head, and below them the stated frequencies. */
void tsc_facts_show(const struct tsc_facts *t, const struct run_facts *run, struct sink *out);
/* Writes the object "tsc", with the array "speeds" in it. */
void tsc_facts_record(const struct tsc_facts *t, const struct run_facts *run, struct json *j);
/* Warns if the CPU states a frequency that differs from the measured one. */
void tsc_facts_warn(const struct tsc_facts *t, struct report *r);

#endif
