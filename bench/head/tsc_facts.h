/*
 * The TSC in a report's head: its frequency, by which source, how far the others are, its step.
 * Alike on every platform, whose sources differ.
 */
#ifndef BENCH_HEAD_TSC_FACTS_H
#define BENCH_HEAD_TSC_FACTS_H

#include "bench/api/report.h"
#include "bench/model/facts.h"
#include "lib/cpu/tsc_rate.h"
#include "lib/firmware/smbios_processor.h"
#include "lib/stats/clock.h"
#include "lib/text/json.h"

struct tsc_facts {
    uint64_t hz;                       /* 0: not known */
    const struct clock_result *source; /* the last one is what the CPU states, ... */
    const char *const *names;
    unsigned sources, used;         /* `used` means nothing where hz is 0 */
    enum tsc_rate_source stated_by; /* ... by this */
    const struct tsc_clock *judged; /* whether the sources agree; NULL: not judged */
    bool has_adjust;
    int64_t adjust; /* IA32_TSC_ADJUST */
    /* Of SMBIOS; NULL: it cannot be asked. */
    const struct smbios_processors *processors;
};

/* Lines of the head; below them what CPU and firmware call their clocks (speed_show.h). */
void tsc_facts_show(const struct tsc_facts *t, const struct run_facts *run, struct sink *out);
/* The object "tsc". */
void tsc_facts_record(const struct tsc_facts *t, const struct run_facts *run, struct json *j);
/* A warning where the CPU states another frequency than was measured. */
void tsc_facts_warn(const struct tsc_facts *t, struct report *r);

#endif
