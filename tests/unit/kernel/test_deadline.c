/* The source that must end a row ends it, and no other, whatever rows of other cores begin or end:
 * on simulated cores, APIC timers and an HPET, in a time that the test advances. */
#include "tests/unit/kernel/fake_deadline.h"

BEFORE_EACH(set_up);

static uint64_t began;

TEST(a_sleeping_core_watches)
{
    open_with(false, false, NULL, NULL);
    began = fake.tsc;
    deadline_begin(&core[0], 0);
    assert_true(core[1].watches);
    assert_int_equal(fake.started[0], 0);
    assert_in_range(shots_until_left(began, ROW), 1, 3); /* a timer thought too slow is too early */
    assert_int_equal(core[0].own_nmis, 1);
}

/* In earlier rounds. If nothing is left of the deadline, no guarded call begins. */
TEST(a_row_has_the_time_that_earlier_rounds_left)
{
    open_with(false, false, NULL, NULL);
    began = fake.tsc;
    deadline_begin(&core[0], ROW / 4 * 3);
    assert_in_range(shots_until_left(began, ROW / 4), 1, 3);
    deadline_end(&core[0]);
    deadline_begin(&core[0], ROW + 1);
    assert_true(deadline_passed(&core[0]));
    deadline_end(&core[0]);
    assert_false(deadline_passed(&core[0]));
}

/* An APIC's timer reaches 68 s here. */
TEST(a_far_deadline_takes_several_shots)
{
    open_with(false, false, NULL, NULL);
    d.row = 200 * A_SECOND;
    began = fake.tsc;
    deadline_begin(&core[0], 0);
    assert_in_range(shots_until_left(began, d.row), 3, 6);
}

TEST(an_hpet_takes_several_shots)
{
    open_with(true, false, NULL, "borrowed");
    d.row = 60 * A_SECOND;
    began = fake.tsc;
    deadline_begin(&core[0], 0);
    assert_int_equal(shots_until_left(began, d.row), 3);
    assert_int_equal(fake.started[0], 3);
    assert_int_equal(core[0].own_nmis, 3);
}

/* An HPET reaches the boot core, which forwards it. */
TEST(another_cores_row_is_ended_by_the_boot_core)
{
    open_with(true, false, NULL, "borrowed");
    began = fake.tsc;
    deadline_begin(&core[2], 0);
    (void)shots_until_left(began, ROW);
    assert_int_equal(core[2].own_nmis, 1);
}

/* While a core measures its timer's speed it is held up, once before it counts and once after. */
TEST(an_apic_timer_is_never_thought_too_fast)
{
    open_with(false, false, NULL, NULL);
    assert_in_range(d.apic_hz, APIC_HZ / 100 * 99, APIC_HZ);
    for (unsigned i = 0; i < 2; i++) {
        fake.held_up_before = i ? 0 : A_SECOND / 20;
        fake.held_up = i ? A_SECOND / 20 : 0;
        assert_in_range(apic_timer_measure(own_lapic(), A_SECOND), APIC_HZ / 100 * 99, APIC_HZ);
    }
}

TEST(where_instructions_are_counted_a_core_is_the_last_source)
{
    open_with(false, true, NULL, NULL);
    assert_ptr_equal(deadline_source_of(&d, 0), &d.source[DEADLINE_COUNTER]);
    assert_ptr_equal(deadline_source_of(&d, DEADLINE_SOURCES - 1), &d.source[DEADLINE_CORE]);
    uint64_t began = fake.tsc;
    deadline_begin(&core[0], 0);
    assert_int_equal(fake.started[0], 1);
    (void)shots_until_left(began, DEADLINE_VIRTUAL * ROW);
    d.source[DEADLINE_HPET].why_not = d.source[DEADLINE_PIT].why_not = "not here";
    deadline_end(&core[0]);
    deadline_begin(&core[0], 0);
    assert_true(core[1].watches);
}

TEST(a_core_that_does_not_answer_is_not_a_source)
{
    open_with(false, false, NULL, NULL);
    fake.deaf = true;
    deadline_begin(&core[0], 0);
    assert_int_equal(fake.started[0], 1);
    assert_int_equal(fake.started[PIT], 0);
    /* It arrives too late, and leaves the others alone. */
    interrupt(1);
    assert_true(fake.timer_at[0]);
    deadline_end(&core[0]);
    assert_int_equal(fake.timer_at[0], 0);
}

static void begin_on_core_1(void)
{
    unsigned before = fake.here;

    fake.here = 1;
    core[1].asleep = false;
    deadline_begin(&core[1], 0);
    fake.here = before;
}

/* The watcher has passed core 1, which begins a row before the watcher reports that none is
 * left. */
TEST(a_row_that_begins_while_the_watcher_looks_is_ended)
{
    open_with(false, false, NULL, NULL);
    core[1].asleep = false; /* core 2 watches */
    deadline_begin(&core[0], 0);
    deadline_begin(&core[3], 0);
    assert_true(core[2].watches);
    deadline_end(&core[0]);
    fake.tsc = core[3].deadline;
    fake.apic_counts[2] = 0;
    fake.meanwhile = begin_on_core_1;
    interrupt(2);
    assert_int_equal(fake.nmis[3], 1);
    assert_true(nmi(3));
    deadline_end(&core[3]);
    fake.left = 0;
    began = core[1].deadline - ROW;
    (void)shots_until_left(began, ROW);
    assert_int_equal(core[1].own_nmis, 1);
}

/* The last row ends, and its HPET is stopped: core 1 has found it set. */
TEST(a_row_that_begins_while_the_timer_is_stopped_is_ended)
{
    open_with(true, false, NULL, "borrowed");
    deadline_begin(&core[0], 0);
    fake.meanwhile = begin_on_core_1;
    deadline_end(&core[0]);
    assert_int_equal(fake.started[0], 2);
    (void)shots_until_left(core[1].deadline - ROW, ROW);
}

/* The HPET fires for core 2; core 1 begins while its NMI is sent. */
TEST(a_row_that_begins_while_an_nmi_is_handled_is_ended)
{
    open_with(true, false, NULL, "borrowed");
    deadline_begin(&core[2], 0);
    fake.tsc = fake.timer_at[0];
    fake.timer_at[0] = 0;
    fake.meanwhile = begin_on_core_1;
    assert_true(nmi(0));
    assert_true(nmi(2));
    deadline_end(&core[2]);
    fake.left = 0;
    (void)shots_until_left(core[1].deadline - ROW, ROW);
}

static void next_row_on_core_0(void)
{
    deadline_end(&core[0]);
    deadline_begin(&core[0], 0);
}

/* The watcher is held up before it sends the NMI, and core 0 ends its row in time. */
TEST(a_late_nmi_in_the_next_row_is_recognised)
{
    open_with(false, false, NULL, NULL);
    deadline_begin(&core[0], 0);
    fake.tsc = core[0].deadline;
    fake.apic_counts[1] = 0;
    fake.before_nmi = next_row_on_core_0;
    interrupt(1);
    began = core[0].deadline - ROW;
    assert_true(nmi(0));
    assert_int_equal(fake.left, 0);
    (void)shots_until_left(began, ROW);
    next_row_on_core_0();
    assert_false(nmi(0));
}

static void take_the_nmi_on_core_0(void)
{
    assert_true(nmi(0));
}

/* Core 0 has not ended the row yet when the watcher checks again. */
TEST(a_row_is_ended_by_one_nmi)
{
    open_with(false, false, NULL, NULL);
    deadline_begin(&core[0], 0);
    fake.tsc = core[0].deadline;
    fake.apic_counts[1] = 0;
    fake.meanwhile = take_the_nmi_on_core_0;
    interrupt(1);
    assert_int_equal(fake.left, 1);
    assert_int_equal(fake.nmis[0], 0);
}

/* The NMI arrived after the deadline had moved. */
TEST(a_row_with_a_later_deadline_gets_another_nmi)
{
    open_with(false, false, NULL, NULL);
    deadline_begin(&core[0], 0);
    fake.tsc = core[0].deadline;
    fake.apic_counts[1] = 0;
    interrupt(1);
    deadline_later(&core[0], ROW);
    assert_true(nmi(0));
    assert_int_equal(fake.left, 0);
    fake.tsc = core[0].deadline;
    interrupt(1);
    assert_true(fake.nmis[0] == 1 && nmi(0));
    assert_int_equal(fake.left, 1);
}

TEST(a_watching_core_that_wakes_up_makes_another_core_watch)
{
    open_with(false, false, NULL, NULL);
    began = fake.tsc;
    deadline_begin(&core[0], 0);
    fake.here = 1;
    core[1].asleep = false;
    deadline_awake(&core[1]);
    assert_false(core[1].watches);
    assert_int_equal(apic_at(1), 0);
    assert_true(core[2].watches);
    fake.here = 0;
    (void)shots_until_left(began, ROW);
}

/* All cores measure: the last that slept was the watcher. */
TEST(without_a_sleeper_a_timer_is_set)
{
    open_with(false, false, NULL, NULL);
    for (unsigned i = 0; i < CORES; i++) {
        fake.here = i;
        core[i].asleep = false;
        deadline_begin(&core[i], 0);
    }
    assert_int_equal(fake.started[0], 1);
    assert_true(fake.timer_at[0]);
    for (unsigned i = 0; i < CORES; i++) {
        assert_int_equal(apic_at(i), 0);
        deadline_end(&core[i]);
    }
    assert_int_equal(fake.timer_at[0], 0);
}

TEST(an_nmi_without_a_cause_is_not_taken_for_the_deadlines)
{
    open_with(true, false, NULL, "borrowed");
    assert_false(nmi(0));
    deadline_begin(&core[0], 0);
    assert_false(nmi(0)); /* long before the HPET's is due */
    assert_false(nmi(1));
    fake.tsc = fake.timer_at[0];
    assert_false(nmi(1)); /* which the HPET does not reach */
    deadline_close(&d);
    assert_false(nmi(0));
}

/* Each core sets its own counter; a timer is used if that is not available. */
TEST(each_core_has_a_counter)
{
    open_with(true, false, NULL, "borrowed");
    d.source[DEADLINE_COUNTER].why_not = NULL;
    fake.counter_early = 4;
    deadline_begin(&core[0], 0);
    deadline_begin(&core[2], 0);
    assert_true(core[0].overflow.set && core[2].overflow.set);
    assert_int_equal(fake.started[0], 0);
    fake.tsc = fake.counter_at[2];
    assert_true(nmi(2)); /* too early: it is set again */
    assert_int_equal(fake.left, 0);
    assert_in_range(fake.counter_at[2], core[2].deadline - 1000, core[2].deadline + 1000);
    fake.tsc = core[2].deadline + 1000;
    assert_true(nmi(2));
    assert_int_equal(fake.left, 1);
    assert_false(nmi(1));
    deadline_end(&core[2]);
    deadline_end(&core[0]);
    assert_false(core[0].overflow.set || core[2].overflow.set);
    fake.no_counter = true;
    deadline_begin(&core[0], 0);
    assert_int_equal(fake.started[0], 1);
}

TEST(without_a_source_no_row_is_ended)
{
    open_with(true, false, "no HPET table", "borrowed");
    deadline_begin(&core[0], 0);
    assert_false(next_event());
    deadline_end(&core[0]);
}
