#include "kernel/report/machine_facts.h"
#include "bench/api/tsc.h"
#include "kernel/cpu/instructions.h"
#include "kernel/cpu/msr.h"
#include "kernel/cpu/registers.h"
#include "lib/text/fmt.h"

#define MONOTONIC_RUN 10000

static void judge(struct report *r, const char *name, bool pass, const char *detail)
{
    report_selftest(r, name, pass ? SELFTEST_PASS : SELFTEST_FAIL, detail);
}

static void test_interrupts(const struct machine *m, struct report *r)
{
    char detail[96];
    unsigned stuck = m->irq.ioapic_stuck + m->irq.lvt_stuck;
    bool enabled = read_rflags() & RFLAGS_IF;

    fmt_buf(detail, sizeof detail, "IF is %s, %u sources still open after masking",
            enabled ? "SET" : "clear", stuck);
    judge(r, "interrupts", !enabled && stuck == 0, detail);
}

static void test_fixup(struct report *r)
{
    uint64_t value;
    bool there = mem_read(0, &value);

    judge(r, "fixup", !there,
          there ? "address 0 can be read: it should not be mapped"
                : "a read of address 0 faulted and was survived");
}

static void test_monotonic(struct report *r)
{
    char detail[96];
    unsigned back = 0;
    uint64_t last = tsc_now();

    for (unsigned i = 0; i < MONOTONIC_RUN; i++) {
        uint64_t now = tsc_now();
        back += now < last;
        last = now;
    }
    fmt_buf(detail, sizeof detail, "%u of %u fenced TSC readings were below the previous one", back,
            MONOTONIC_RUN);
    judge(r, "tsc_monotonic", back == 0, detail);
}

static void test_sources(const struct machine *m, const struct run_facts *run, struct report *r)
{
    unsigned known = 0;
    char detail[96];

    for (unsigned i = 0; i < CLOCK_VOTERS; i++)
        known += m->clock.source[i].known;
    fmt_buf(detail, sizeof detail, "%u sources, the farthest %u ppm from %s", known,
            (unsigned)(m->clock.worst_ppm + 0.5),
            m->clock.hz ? clock_source_names[m->clock.used] : "none");
    if (known < 2)
        report_selftest(r, "tsc_sources", SELFTEST_NOT_JUDGED, "fewer than two sources answer");
    else if (run->execution == EXEC_EMULATED)
        report_selftest(r, "tsc_sources", SELFTEST_NOT_JUDGED, detail);
    else
        judge(r, "tsc_sources", m->clock.agree, detail);
}

static void test_memory(const struct machine *m, struct report *r)
{
    bool wp = read_cr0() & CR0_WP;

    judge(r, "protection", wp && m->paging.tables.nx,
          wp && m->paging.tables.nx ? "code is read-only, data is not executable"
                                    : "this CPU has no NX, or CR0.WP is clear");
}

struct calls {
    unsigned n, core; /* number of calls, and the core of the last one */
};

static void note_call(void *ctx, unsigned core)
{
    struct calls *calls = ctx;

    calls->n++;
    calls->core = core_current()->index == core ? core : 0;
}

/* Calls each core that came up once, while all others, including this one, sleep. */
static void test_cores(const struct machine *m, const struct platform *platform, struct report *r)
{
    const struct platform_cores *c = platform->cores;
    unsigned usable = 0, right = 0;
    char detail[128];

    if (!c) {
        report_selftest(r, "cores", SELFTEST_NOT_JUDGED,
                        m->cores.why_alone ? m->cores.why_alone : "there is one core only");
        return;
    }
    for (unsigned i = 1; i < c->count; i++) {
        struct calls calls = {0};
        if (c->facts[i].why_not)
            continue;
        usable++;
        right += !c->run(platform, i, note_call, &calls) && calls.n == 1 && calls.core == i;
    }
    fmt_buf(detail, sizeof detail, "%u of %u other cores did what they were called for, once",
            right, usable);
    judge(r, "cores", right == usable && usable > 0, detail);
}

/* Reports the sources of deadlines; each was tested when the machine was taken over. */
static void test_deadline(const struct machine *m, struct report *r)
{
    char detail[400];
    struct sink_buf text;
    unsigned work = 0;

    sink_buf_init(&text, detail, sizeof detail);
    for (unsigned i = 0; i < DEADLINE_SOURCES; i++) {
        const struct deadline_source *s = deadline_source_of(&m->deadlines, i);
        work += !s->why_not;
        fmt(&text.sink, "%s%s %s%s", i ? "; " : "", s->name, s->why_not ? "not: " : "ends a loop",
            s->why_not ? s->why_not : "");
    }
    report_selftest(r, "deadline", work ? SELFTEST_PASS : SELFTEST_NOT_JUDGED, detail);
    if (!work)
        report_event(r, "warning",
                     "no source can end a row that does not return: deadline= has no effect");
}

void selftest_machine(const struct platform *platform, const struct machine *m,
                      const struct run_facts *run, struct report *r)
{
    test_interrupts(m, r);
    test_memory(m, r);
    test_fixup(r);
    test_monotonic(r);
    test_sources(m, run, r);
    test_cores(m, platform, r);
    test_deadline(m, r);
}
