/* Gathering and exchanging, by threads in the place of cores. All on one CPU, since the TSCs of
 * some machines differ between CPUs. */
#define _GNU_SOURCE /* sched_getcpu, sched_setaffinity */
#include <pthread.h>
#include <sched.h>
#include "tests/unit/cmocka_unit.h"

#include "bench/engine/barrier.h"
#include "bench/api/tsc.h"
#include "lib/text/mem.h"
#include "bench/kinds/exchange.h"

#define PLACES   4
#define ROUNDS   50
#define PATIENCE (1ull << 40) /* ticks: minutes: enough on a busy host if another core comes */
#define IN_VAIN  30000000     /* for a core that cannot arrive, however long it takes */

static struct barrier_line line[PLACES];
static struct barrier barrier;
static _Atomic unsigned passed[PLACES];
static _Atomic unsigned early;

/* A core that leaves a round finds that all others have reached it. */
static void *gatherer(void *argument)
{
    unsigned place = (unsigned)(uintptr_t)argument;

    for (unsigned round = 1; round <= ROUNDS; round++) {
        if (barrier_pass(&barrier, place, PATIENCE) != BARRIER_GO)
            return argument;
        for (unsigned i = 0; i < PLACES; i++)
            early += atomic_load(&line[i].arrived) < round;
        passed[place]++;
    }
    barrier_leave(&barrier, place);
    return NULL;
}

TEST(all_cores_leave_each_round_together)
{
    pthread_t threads[PLACES];

    barrier_init(&barrier, line, PLACES);
    for (uintptr_t i = 0; i < PLACES; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, gatherer, (void *)i), 0);
    for (unsigned i = 0; i < PLACES; i++) {
        void *result;
        pthread_join(threads[i], &result);
        assert_null(result);
        assert_int_equal(passed[i], ROUNDS);
    }
    assert_int_equal(early, 0);
}

static void *once(void *argument)
{
    return (void *)(intptr_t)barrier_pass(&barrier, (unsigned)(uintptr_t)argument, PATIENCE);
}

/* Places 0 and 1 of three: place 2 stays away, and both are told that it was 2. Place 0 gives
 * up. */
TEST(a_place_that_stays_away_is_named_to_the_others)
{
    pthread_t other;
    void *result;

    barrier_init(&barrier, line, 3);
    assert_int_equal(pthread_create(&other, NULL, once, (void *)1), 0);
    while (!atomic_load(&line[1].arrived))
        sched_yield();
    assert_int_equal(barrier_pass(&barrier, 0, IN_VAIN), 2);
    pthread_join(other, &result);
    assert_int_equal((intptr_t)result, 2);
    /* It arrives too late: the barrier is closed. */
    assert_int_equal(barrier_pass(&barrier, 2, PATIENCE), 2);
}

TEST(a_first_place_that_stays_away_is_waited_for_within_bounds)
{
    barrier_init(&barrier, line, 2);
    uint64_t began = tsc_now();
    assert_int_equal(barrier_pass(&barrier, 1, IN_VAIN), 0);
    assert_true(tsc_now() - began >= IN_VAIN);
}

TEST(cores_that_have_left_are_not_waited_for)
{
    barrier_init(&barrier, line, 2);
    barrier_leave(&barrier, 1);
    assert_int_equal(barrier_pass(&barrier, 0, PATIENCE), BARRIER_GO);
    barrier_init(&barrier, line, 2);
    barrier_leave(&barrier, 0);
    uint64_t began = tsc_now();
    assert_int_equal(barrier_pass(&barrier, 1, PATIENCE), 0);
    assert_true(tsc_now() - began < PATIENCE);
}

/* Each core gets the moment in its own TSC. */
TEST(moments_are_shifted)
{
    barrier_init(&barrier, line, 3);
    barrier_offset(&barrier, 0, 100);
    barrier_offset(&barrier, 1, -50);
    barrier_offset(&barrier, 2, 1000);
    barrier_leave(&barrier, 1);
    barrier_leave(&barrier, 2);
    assert_int_equal(barrier_pass(&barrier, 0, PATIENCE), BARRIER_GO);
    assert_int_equal(line[1].start - line[0].start, (uint64_t)-150);
    assert_int_equal(line[2].start - line[0].start, 900);
    assert_true(tsc_now() >= line[0].start);
}

/* --- the ball --------------------------------------------------------------------------------- */

static struct exchange game;

static void *second_player(void *argument)
{
    exchange_play(&game, 1);
    return NULL;
}

static void play(bool stamped, bool silicon)
{
    pthread_t other;

    exchange_init(&game, stamped, silicon, PATIENCE);
    assert_int_equal(pthread_create(&other, NULL, second_player, NULL), 0);
    exchange_play(&game, 0);
    pthread_join(other, NULL);
    assert_true(exchange_complete(&game));
}

TEST(an_exchange_makes_every_move_of_every_batch)
{
    play(false, false);
    for (unsigned i = 0; i < EXCHANGE_BATCHES; i++)
        assert_true(game.ticks[i] > 0);
    assert_int_equal(game.moves[1], (uint64_t)EXCHANGE_BATCHES * game.round_trips);
}

/* One CPU's TSC, read by two threads: the interval must contain 0. */
TEST(clocks_are_compared)
{
    play(true, false);
    assert_true(game.ahead_least <= game.ahead_most);
    assert_true(game.ahead_least <= 0 && game.ahead_most >= 0);
    assert_int_equal(game.backwards, 0);
}

TEST(a_core_that_does_not_answer_ends_the_exchange)
{
    exchange_init(&game, false, false, IN_VAIN);
    exchange_play(&game, 0);
    assert_false(exchange_complete(&game));
    assert_int_equal(game.moves[0], 0);
    exchange_init(&game, false, false, IN_VAIN);
    exchange_play(&game, 1);
    assert_false(exchange_complete(&game));
}

static void on_one_cpu(void)
{
    cpu_set_t one;

    CPU_ZERO(&one);
    CPU_SET((unsigned)sched_getcpu(), &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
}

BEFORE_ALL(on_one_cpu);
