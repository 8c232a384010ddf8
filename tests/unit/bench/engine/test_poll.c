/* What a long row checks between its blocks: keys, and its progress. */
#include "tests/unit/linked_tsc.h"
#include "tests/unit/cmocka_unit.h"
#include "bench/engine/barrier.h"
#include "bench/engine/poll.h"

static uint64_t now;

uint64_t tsc_now(void)
{
    return now;
}

#define HZ 1000000000

static bool pressed;
static unsigned looks, shows;
static uint64_t smis;
static double shown;

static bool stop_key(const struct platform *p)
{
    looks++;
    smis += 3; /* an SMI handler that plays the keyboard */
    return pressed;
}

static uint64_t count_smis(void)
{
    return smis;
}

static void show(void *ctx, double done)
{
    assert_ptr_equal(ctx, &shown);
    shows++;
    shown = done;
}

static const struct platform platform = {.user.stop_key = stop_key, .events.smis = count_smis};
static struct poll poll;
static struct engine engine;

static void start(void)
{
    now = 5000;
    pressed = false;
    looks = shows = 0;
    smis = 0;
    engine = (struct engine){.p = &platform, .facts.tsc_hz = HZ, .poll = &poll};
    poll_init(&poll, &platform, &engine);
    poll.show = show;
    poll.ctx = &shown;
}

BEFORE_EACH(start);

TEST(keys_are_looked_at_ten_times_a_second)
{
    for (unsigned ms = 0; ms < 1000; ms++, now += HZ / 1000)
        assert_true(poll_go_on(&engine));
    assert_in_range(looks, 8, 10);
    assert_int_equal(poll_smis(&engine), smis);
}

TEST(a_key_ends_the_row)
{
    pressed = true;
    assert_true(poll_go_on(&engine)); /* not yet looked */
    now += HZ;
    assert_false(poll_go_on(&engine));
    pressed = false;
    now += HZ;
    assert_false(poll_go_on(&engine));
    assert_false(poll_now(&poll));
}

/* If cores measure together, the first one checks, and all see the result. */
TEST(one_core_looks_at_the_keys_for_all)
{
    struct gate first = {.place = 0}, second = {.place = 1};
    struct engine other = engine;

    engine.gate = &first;
    other.gate = &second;
    pressed = true;
    now += HZ;
    assert_true(poll_go_on(&other));
    assert_int_equal(looks, 0);
    assert_false(poll_go_on(&engine));
    assert_false(poll_go_on(&other));
    assert_int_equal(looks, 1);
}

TEST(progress_is_shown_once_or_twice_a_second)
{
    for (unsigned ms = 0; ms < 1000; ms++, now += HZ / 1000)
        poll_show(&engine, ms / 1000.0);
    assert_in_range(shows, 1, 2);
    assert_true(shown > 0.4 && shown < 1);
    /* If several run, only the first shows its progress. */
    struct gate gate = {.place = 1};
    engine.gate = &gate;
    now += HZ;
    shows = 0;
    poll_show(&engine, 0.5);
    assert_int_equal(shows, 0);
    gate.place = 0;
    poll_show(&engine, 0.5);
    assert_int_equal(shows, 1);
}

TEST(without_a_pace_no_key_or_smi_counter_is_read)
{
    engine.poll = NULL;
    now += HZ;
    assert_true(poll_go_on(&engine));
    poll_show(&engine, 0.5);
    assert_int_equal(poll_smis(&engine), 0);
    assert_int_equal(looks + shows, 0);
}
