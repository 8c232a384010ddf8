#include "bench/kinds/exchange.h"
#include "bench/api/tsc.h"
#include "lib/text/mem.h"

#define ROUND_TRIPS     100  /* per batch: about 20 us between two distant cores */
#define ROUND_TRIPS_FEW 4    /* if each round trip costs an emulator a core switch */
#define LOOKS_PER_TIME  1024 /* polls per reading of the time, which is slow */

void exchange_init(struct exchange *x, bool stamped, bool silicon, uint64_t patience)
{
    memset(x, 0, sizeof *x);
    x->round_trips = silicon ? ROUND_TRIPS : ROUND_TRIPS_FEW;
    x->stamped = stamped;
    x->yield = !silicon;
    x->patience = patience;
    x->ahead_most = INT64_MAX;
    x->ahead_least = INT64_MIN;
}

/* Waits for the ball. Uses no PAUSE at first: it can take longer than the transfer. */
static bool await_ball(const struct exchange *x, uint64_t ball)
{
    uint64_t began = tsc_now();

    for (uint64_t looks = 1; atomic_load_explicit(&x->ball, memory_order_acquire) != ball;
         looks++) {
        if (x->yield || looks > LOOKS_PER_TIME)
            __builtin_ia32_pause();
        if (looks % LOOKS_PER_TIME == 0 && tsc_now() - began > x->patience)
            return false;
    }
    return true;
}

static void move(struct exchange *x, uint64_t ball)
{
    atomic_store_explicit(&x->ball, ball, memory_order_release);
}

static void second(struct exchange *x)
{
    uint64_t all = (uint64_t)EXCHANGE_BATCHES * x->round_trips, i = 0;

    for (; i < all && await_ball(x, 2 * i + 1); i++) {
        if (x->stamped)
            x->stamp = tsc_now();
        move(x, 2 * i + 2);
    }
    x->moves[1] = i;
}

/* Updates the bounds: the second moved after `sent` and before `back` of the first's TSC. */
static void bound(struct exchange *x, uint64_t sent, uint64_t back)
{
    int64_t most = (int64_t)(x->stamp - sent), least = (int64_t)(x->stamp - back);

    x->ahead_most = most < x->ahead_most ? most : x->ahead_most;
    x->ahead_least = least > x->ahead_least ? least : x->ahead_least;
    x->backwards += most < 0;
}

static bool round_trip(struct exchange *x, uint64_t i)
{
    uint64_t sent = x->stamped ? tsc_now() : 0;

    move(x, 2 * i + 1);
    if (!await_ball(x, 2 * i + 2))
        return false;
    if (x->stamped)
        bound(x, sent, tsc_now());
    return true;
}

static void first(struct exchange *x)
{
    uint64_t i = 0;

    for (unsigned batch = 0; batch < EXCHANGE_BATCHES; batch++) {
        uint64_t began = tsc_now(), until = i + x->round_trips;
        while (i < until && round_trip(x, i))
            i++;
        x->ticks[batch] = tsc_now() - began;
        if (i < until)
            break;
    }
    x->moves[0] = i;
}

void exchange_play(struct exchange *x, unsigned side)
{
    if (side == 0)
        first(x);
    else
        second(x);
}

bool exchange_complete(const struct exchange *x)
{
    uint64_t all = (uint64_t)EXCHANGE_BATCHES * x->round_trips;

    return x->moves[0] == all && x->moves[1] == all && x->ball == 2 * all;
}
