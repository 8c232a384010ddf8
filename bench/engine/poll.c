#include "bench/engine/poll.h"
#include "bench/engine/barrier.h"
#include "bench/api/tsc.h"
#include "lib/cpu/tsc_rate.h"

#define LOOKS_A_SECOND 10 /* a key press takes effect within 0.1 s */
#define SHOWS_A_SECOND 2  /* a line takes 7 ms on a serial port at 115200 baud */

void poll_init(struct poll *poll, const struct platform *p, const struct engine *e)
{
    *poll = (struct poll){
        .p = p,
        .hz = run_has_hz(&e->facts) ? (uint64_t)e->facts.tsc_hz : TSC_HZ_MAX,
        .looked = tsc_now(),
        .shown = tsc_now(),
    };
}

bool poll_now(struct poll *poll)
{
    uint64_t before = poll->p->events.smis ? poll->p->events.smis() : 0;

    if (!poll->stopped && poll->p->user.stop_key(poll->p))
        poll->stopped = true;
    poll->smis += poll->p->events.smis ? poll->p->events.smis() - before : 0;
    poll->looked = tsc_now();
    return !poll->stopped;
}

bool poll_go_on(const struct engine *e)
{
    struct poll *poll = e->poll;

    if (!poll)
        return true;
    bool looks = !e->gate || e->gate->place == 0;
    if (looks && tsc_now() - poll->looked >= poll->hz / LOOKS_A_SECOND)
        return poll_now(poll);
    return !poll->stopped;
}

void poll_show(const struct engine *e, double done)
{
    struct poll *poll = e->poll;

    if (!poll || !poll->show || (e->gate && e->gate->place > 0))
        return;
    if (tsc_now() - poll->shown < poll->hz / SHOWS_A_SECOND)
        return;
    poll->show(poll->ctx, done);
    poll->shown = tsc_now();
}
