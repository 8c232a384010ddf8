#include "bench/engine/pace.h"
#include "bench/engine/gate.h"
#include "bench/api/tsc.h"
#include "lib/cpu/tsc_rate.h"

#define LOOKS_A_SECOND 10 /* a key press takes effect within 0.1 s */
#define SHOWS_A_SECOND 2  /* a line takes 7 ms on a serial port at 115200 baud */

void pace_init(struct pace *pace, const struct platform *p, const struct engine *e)
{
    *pace = (struct pace){
        .p = p,
        .hz = run_has_hz(&e->facts) ? (uint64_t)e->facts.tsc_hz : TSC_HZ_MAX,
        .looked = tsc_now(),
        .shown = tsc_now(),
    };
}

bool pace_look(struct pace *pace)
{
    uint64_t before = pace->p->smis ? pace->p->smis() : 0;

    if (!pace->stopped && pace->p->stop_key(pace->p))
        pace->stopped = true;
    pace->smis += pace->p->smis ? pace->p->smis() - before : 0;
    pace->looked = tsc_now();
    return !pace->stopped;
}

bool pace_go_on(const struct engine *e)
{
    struct pace *pace = e->pace;

    if (!pace)
        return true;
    bool looks = !e->gate || e->gate->place == 0;
    if (looks && tsc_now() - pace->looked >= pace->hz / LOOKS_A_SECOND)
        return pace_look(pace);
    return !pace->stopped;
}

void pace_show(const struct engine *e, double done)
{
    struct pace *pace = e->pace;

    if (!pace || !pace->show || (e->gate && e->gate->place > 0))
        return;
    if (tsc_now() - pace->shown < pace->hz / SHOWS_A_SECOND)
        return;
    pace->show(pace->ctx, done);
    pace->shown = tsc_now();
}
