#include "bench/output/kinds_show.h"
#include "lib/text/str.h"

double quiet_us(const struct quiet *q, unsigned k, double ticks)
{
    const struct run_facts *run = q->cores->facts[k];

    return run_has_hz(run) ? ticks * 1e6 / run->tsc_hz : UNKNOWN;
}

double quiet_watched(const struct watch *w)
{
    uint64_t all = w->ended - w->began;

    return all > w->gaps.watched ? (double)w->gaps.watched / (double)all : 1;
}

bool quiet_exceeds(const struct quiet *q, unsigned k)
{
    uint32_t most = q->cores->facts[k]->o->gaps_max;
    double us = quiet_us(q, k, (double)q->watch[k].gaps.longest.ticks);

    return most > 0 && is_known(us) && us > most;
}

const char *quiet_causes(const struct run_facts *run)
{
    if (run->execution == EXEC_INSTRUCTIONS)
        return "the emulator, which runs the cores in turn; instructions are counted";
    if (run->execution == EXEC_EMULATED)
        return "the emulator and the system that it runs on";
    if (str_eq(run->platform, "hosted"))
        return "SMIs, a hypervisor, and the operating system: its interrupts and other programs";
    return "SMIs and a hypervisor; interrupts are masked";
}

static enum quiet_result judge(const struct quiet *q, unsigned watched)
{
    const struct run_facts *run = q->cores->facts[0];

    if (run->o->gaps_max == 0)
        return QUIET_NOT_ASKED;
    for (unsigned k = 0; k < q->cores->all; k++)
        if (q->watch[k].began && quiet_exceeds(q, k))
            return QUIET_FAIL;
    if (!q->complete || watched < q->cores->all || !run_has_hz(run))
        return QUIET_NOT_JUDGED;
    return QUIET_PASS;
}

struct quiet_sum quiet_sum(const struct quiet *q)
{
    struct quiet_sum s = {.least_watched = 1};

    for (unsigned k = 0; k < q->cores->all; k++) {
        const struct watch *w = &q->watch[k];
        double wait = gaps_wait(&w->gaps, QUIET_SHARE), share = quiet_watched(w);
        if (!w->began)
            continue;
        if (s.cores++ == 0) {
            s.longest = s.wait = k;
            s.wait_ticks = wait;
        }
        if (w->gaps.longest.ticks > q->watch[s.longest].gaps.longest.ticks)
            s.longest = k;
        if (wait > s.wait_ticks) {
            s.wait = k;
            s.wait_ticks = wait;
        }
        s.least_watched = share < s.least_watched ? share : s.least_watched;
    }
    s.result = judge(q, s.cores);
    return s;
}
