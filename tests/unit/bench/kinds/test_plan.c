/* Which rows run where, on a machine whose cores are functions. */
#include "tests/unit/bench/fake_plan.h"

TEST(missing_cores_are_refused_by_number)
{
    refused("0-5", &cores, NULL);
    refused("all", &cores, NULL);
    refused("all", NULL, NULL);
    refused("bsp", NULL, NULL);
    refused("4-8,12", &cores, "cores=4-8,12: there is no core 6-8,12; there are 0 to 5");
    refused("1", NULL, "cores=1: there is no core 1; there is 0");
    refused("5", &cores, "cores=5: none of these can be used: 5: does not answer;");
}

TEST(the_boot_core_measures_alone)
{
    struct plan *plan = plan_of("bsp", SHARE_ALONE);

    assert_int_equal(plan->n, 1);
    assert_ptr_equal(plan->core[0].engine.memory, platform.memory);
    assert_int_equal((int)plan->core[0].engine.facts.step, 26);
    const struct row *row = measure(plan, 0);
    assert_int_equal(row->out.core, 0);
    assert_int_equal(row->out.nmis, 1);
    assert_int_equal(row->beside.together, 0);
    assert_int_equal(plan_interruptions(plan), 0);
    done();
}

static unsigned visits[CORES];

static void visit(void *ctx, unsigned core)
{
    visits[core]++;
    plan_core(ctx, core)->back = true;
}

TEST(one_core_of_each_type_measures)
{
    static const char *const types[CORES] = {"performance", "performance", "efficiency",
                                             "efficiency"};

    start();
    for (unsigned i = 0; i < CORES; i++)
        facts[i].type = types[i] ? core_type_names[types[i][0] == 'p' ? 1 : 2] : NULL;
    struct plan *plan = plan_of("types", SHARE_ALONE);
    assert_int_equal(plan->n, 3); /* core 4 does not tell its type */
    assert_int_equal(plan->list[0], 0);
    assert_int_equal(plan->list[1], 2);
    assert_int_equal(plan->list[2], 4);
    /* Rows of several cores run on the others too, but not on core 5, which did not come up. */
    static const unsigned every[] = {0, 2, 4, 1, 3};
    assert_int_equal(plan->all, 5);
    assert_int_equal(plan->cores.all, 5);
    assert_memory_equal(plan->list, every, sizeof every);
    for (unsigned k = 0; k < plan->all; k++)
        assert_int_equal(plan->core[k].engine.facts.core, every[k]);
    plan->places[0] = 0, plan->places[1] = 4, plan->places[2] = 3;
    assert_null(plan_on_all(plan, plan->places, 3, visit, plan));
    assert_int_equal(at_once, 3);
    for (unsigned i = 0; i < CORES; i++)
        assert_int_equal(visits[i], i == 0 || i == 1 || i == 3);
    done();
    for (unsigned i = 0; i < CORES; i++)
        facts[i].type = NULL;
    plan = plan_of("types", SHARE_ALONE);
    assert_int_equal(plan->n, 1);
    assert_int_equal(plan->all, 5);
    done();
    plan = plan_of("1,3", SHARE_ALONE);
    assert_int_equal(plan->all, 2);
    done();
}

TEST(one_core_of_each_node_measures)
{
    static const int nodes[CORES] = {1, 1, 0, 1, NUMA_NONE};

    start();
    for (unsigned i = 0; i < CORES; i++)
        facts[i].node = nodes[i];
    struct plan *plan = plan_of("nodes", SHARE_ALONE);
    assert_int_equal(plan->n, 3);
    assert_int_equal(plan->list[0], 0);
    assert_int_equal(plan->list[1], 2);
    assert_int_equal(plan->list[2], 4); /* which is on no node */
    assert_int_equal(plan->all, 5);
    done();
    for (unsigned i = 0; i < CORES; i++)
        facts[i].node = NUMA_NONE;
    plan = plan_of("nodes", SHARE_ALONE);
    assert_int_equal(plan->n, 1);
    done();
}

TEST(cores_measure_one_after_the_other)
{
    struct plan *plan = plan_of("all", SHARE_ALONE);

    assert_int_equal(plan->n, 5); /* core 5 did not come up */
    for (unsigned round = 1; round <= 2; round++)
        for (unsigned k = 0; k < plan->n; k++) {
            const struct row *row = measure(plan, k);
            assert_int_equal(row->out.core, k);
            assert_int_equal(row->out.nmis, 1);
            assert_int_equal((int)plan->core[k].engine.figures[0].ticks, k);
            assert_int_equal((int)plan->core[k].engine.facts.step, k ? k : 26);
            assert_ptr_equal(plan->core[k].engine.memory, platform.memory);
        }
    const unsigned want[] = {0, 1, 2, 3, 4, 0, 1, 2, 3, 4};
    assert_int_equal(measurements, 10);
    assert_memory_equal(measured, want, sizeof want);
    plan_release(plan);
    for (unsigned i = 0; i < CORES; i++) {
        assert_int_equal(opened[i], i > 0 && i < 5);
        assert_int_equal(closed[i], i > 0 && i < 5);
    }
    for (unsigned k = 1; k < plan->n; k++)
        assert_int_equal(plan->core[k].engine.facts.cycle.by, CYCLES_COUNTER);
    nmis_of[2] += 7; /* while it was parked */
    assert_int_equal(plan_interruptions(plan), 7);
    assert_int_equal(plan_interruptions(plan), 0);
    done();
}

TEST(cores_measure_all_at_once)
{
    struct plan *plan = plan_of("1,3-4", SHARE_TOGETHER);

    assert_int_equal(plan->n, 3);
    for (unsigned k = 0; k < 3; k++) {
        const struct row *row = measure(plan, k);
        assert_int_equal(row->out.core, plan->list[k]);
        assert_int_equal(row->beside.together, 3);
        assert_int_equal((int)row->figure.ticks, 100 + (int)plan->list[k]);
        assert_int_equal((int)row->beside.alone.ticks, plan->list[k]);
        assert_int_equal(row->out.nmis, 2); /* alone, and together */
    }
    const unsigned want[] = {1, 3, 4, 1, 3, 4};
    assert_int_equal(measurements, 6);
    assert_memory_equal(measured, want, sizeof want);
    for (unsigned i = 0; i < 6; i++)
        assert_int_equal(gated[i], i >= 3);
    assert_int_equal(at_once, 3);
    for (unsigned k = 0; k < 3; k++) { /* nobody wrote into another's memory */
        assert_int_equal(plan->core[k].engine.memory[0], plan->list[k]);
        assert_int_equal(plan->core[k].engine.memory[9], plan->list[k]);
    }
    assert_int_equal(plan->line[0].offset, 10);
    done();
}

/* A core that got no CPU from the system fails no row; one that got it does. */
TEST(a_core_that_misses_the_others_fails_unless_starved)
{
    static const struct {
        bool can_be_starved;
        uint64_t ns;
        enum row_status status;
        const char *why;
    } cases[] = {
        {false, PLATFORM_STARVED_NS, ROW_WRONG, "core 4 did not come"},
        {true, PLATFORM_STARVED_NS - 1, ROW_WRONG, "core 4 did not come"},
        {true, PLATFORM_STARVED_NS, ROW_UNSUPPORTED, "core 4 was not given the CPU in time"},
    };

    missed = true;
    EACH_CASE (c, cases) {
        cores.starved = c->can_be_starved ? starved : NULL;
        starved_ns = c->ns;
        struct plan *plan = plan_of("1,3-4", SHARE_TOGETHER);
        for (unsigned k = 0; k < 3; k++) {
            const struct row *row = measure(plan, k);
            assert_int_equal(row->out.status, c->status);
            assert_string_equal(row->out.why, c->why);
        }
        done();
    }
    cores.starved = NULL;
    missed = false;
}

TEST(a_core_that_faults_is_not_called_again)
{
    struct plan *plan = plan_of("0-4", SHARE_ALONE);

    faulty = 3;
    for (unsigned k = 0; k < 5; k++) {
        const struct row *row = measure(plan, k);
        assert_int_equal(row->out.status, k == 3 ? ROW_WRONG : ROW_OK);
        assert_int_equal(row->out.core, k);
    }
    assert_string_equal(plan->core[3].row.out.why, "#UD");
    assert_string_equal(plan->core[3].gone, "#UD");
    assert_true(plan->core[3].engine.figures[0].ticks != plan->core[3].engine.figures[0].ticks);
    for (unsigned k = 0; k < 5; k++) /* it is not called again, the others are */
        assert_int_equal(measure(plan, k) == NULL, k == 3);
    assert_int_equal(calls[3], 2); /* its probe, the row */
    assert_int_equal(plan_interruptions(plan), 0);
    done();
}

TEST(a_core_that_faulted_alone_is_not_measured_together)
{
    struct plan *plan = plan_of("0-4", SHARE_TOGETHER);

    faulty = 3;
    for (unsigned k = 0; k < 5; k++) {
        const struct row *row = measure(plan, k);
        assert_int_equal(row->out.status, k == 3 ? ROW_WRONG : ROW_OK);
    }
    assert_int_equal(at_once, 4); /* it faulted alone, before */
    for (unsigned k = 0; k < 5; k++)
        assert_int_equal(measure(plan, k) == NULL, k == 3);
    done();
}

/* --- rounds ----------------------------------------------------------------------------------- */

/* Row `a` on all cores in rounds [from, end). */
static void pass_rounds(struct plan *plan, unsigned from, unsigned end)
{
    for (plan->round = from; plan->round < end; plan->round++)
        for (unsigned k = 0; k < plan->n; k++)
            measure(plan, k);
    plan->round = end - 1;
}

TEST(each_core_gathers_its_own_rounds)
{
    for (enum share share = SHARE_ALONE; share <= SHARE_TOGETHER; share++) {
        rounds = 3;
        struct plan *plan = plan_of("1,3-4", share);
        assert_int_equal(plan->rounds, 3);
        pass_rounds(plan, 0, 2);
        for (unsigned k = 0; k < 3; k++) {
            assert_null(plan_row(plan, k)); /* not before its end */
            assert_int_equal(plan_gathered(plan, 0, k)->rounds, 2);
        }
        pass_rounds(plan, 2, 3);
        for (unsigned k = 0; k < 3; k++) {
            const struct row *row = plan_row(plan, k);
            unsigned core = plan->list[k];
            assert_true(row->out.core == core && row->spread.rounds == 3 &&
                        row->out.status == ROW_OK);
            if (share == SHARE_TOGETHER) {
                assert_true(row->beside.together == 3 && row->figure.ticks == 100 + core);
                assert_true(row->beside.alone.ticks == core && row->out.nmis == 6);
            } else {
                assert_true(row->figure.ticks == core && row->out.nmis == 3);
            }
        }
        rounds = 1;
        done();
    }
}

TEST(a_stopped_run_has_whole_rounds)
{
    for (enum share share = SHARE_ALONE; share <= SHARE_TOGETHER; share++) {
        rounds = 4;
        struct plan *plan = plan_of("0-2", share);
        pass_rounds(plan, 0, 2);
        plan->poll->stopped = true;
        for (unsigned k = 0; k < 3; k++) {
            plan_end(plan, 0, k);
            assert_int_equal(plan_row(plan, k)->spread.rounds, 2);
            assert_int_equal(plan_row(plan, k)->beside.together, share == SHARE_TOGETHER ? 3 : 0);
        }
        done();
        plan = plan_of("0-2", share);
        plan_end(plan, 0, 1); /* nothing was begun */
        assert_null(plan_row(plan, 1));
        assert_null(plan_gathered(plan, 0, 1));
        rounds = 1;
        done();
    }
}

/* It was lost in the second round of this row: the row fails there, and another keeps its
 * results. */
TEST(a_core_lost_between_rounds_keeps_its_whole_rounds)
{
    for (enum share share = SHARE_ALONE; share <= SHARE_TOGETHER; share++) {
        rounds = 3;
        struct plan *plan = plan_of("0-4", share);
        pass_rounds(plan, 0, 1);
        faulty = 3;
        pass_rounds(plan, 1, 3);
        for (unsigned k = 0; k < 5; k++)
            assert_int_equal(plan_row(plan, k)->out.status, k == 3 ? ROW_WRONG : ROW_OK);
        assert_string_equal(plan_row(plan, 3)->out.why, "#UD");
        done();
        plan = plan_of("0-4", share);
        pass_rounds(plan, 0, 2);
        plan->core[3].gone = "lost elsewhere";
        pass_rounds(plan, 2, 3);
        for (unsigned k = 0; k < 5; k++) {
            assert_int_equal(plan_row(plan, k)->spread.rounds, k == 3 ? 2 : 3);
            assert_int_equal(plan_row(plan, k)->out.status, ROW_OK);
            unsigned together = share == SHARE_ALONE ? 0 : k == 3 ? 5 : 4;
            assert_int_equal(plan_row(plan, k)->beside.together, together);
        }
        rounds = 1;
        done();
    }
}

TEST(rows_that_do_not_fit_the_memory_have_one_round)
{
    rounds = 4;
    words_of_a_row = PLAN_STORE / sizeof(uint64_t) / 10; /* ten of them fit: 5 cores, twice */
    struct plan *plan = plan_of("0-4", SHARE_TOGETHER);
    assert_true(plan->rounds == 4 && !plan->one_for_memory);
    done();
    words_of_a_row++;
    plan = plan_of("0-4", SHARE_TOGETHER);
    assert_true(plan->rounds == 1 && plan->one_for_memory);
    assert_int_equal(plan->core[0].engine.facts.rounds, 1);
    assert_true(bench_memory_need(&options, CORES) < words_of_a_row);
    done();
    plan = plan_of("0-4", SHARE_ALONE);
    assert_true(plan->rounds == 4 && !plan->one_for_memory);
    words_of_a_row = 1000;
    rounds = 1;
    done();
}

/* Figures of two kinds must not be in one column of a report that passes. */
TEST(a_core_executed_in_another_way_does_not_measure)
{
    boot_execution = EXEC_INSTRUCTIONS;
    for (unsigned i = 0; i < CORES; i++)
        executions[i] = EXEC_INSTRUCTIONS;
    executions[2] = EXEC_EMULATED;
    struct plan *plan = plan_of("0-3", SHARE_ALONE);
    for (unsigned k = 0; k < 4; k++) {
        assert_int_equal(measure(plan, k) == NULL, k == 2);
        assert_int_equal(plan->core[k].unlike[0] != 0, k == 2);
    }
    assert_non_null(
        strstr(plan->core[2].unlike, "\"emulated\", that of the boot core \"instructions\""));
    done();

    no_counter = 3; /* nor does a named counter replace another there */
    executions[2] = EXEC_INSTRUCTIONS;
    plan = plan_of("0-3", SHARE_ALONE);
    for (unsigned k = 0; k < 4; k++)
        assert_int_equal(measure(plan, k) == NULL, k == 3);
    assert_string_equal(plan->core[3].unlike_in, "cycle");
    assert_non_null(strstr(plan->core[3].unlike, "pmc does not start: in use"));
    no_counter = 0;
    done();

    boot_execution = EXEC_EMULATED; /* everything is noise then, and reported as such */
    executions[1] = EXEC_SILICON;
    plan = plan_of("0-3", SHARE_ALONE);
    for (unsigned k = 0; k < 4; k++) {
        assert_non_null(measure(plan, k));
        assert_int_equal(plan->core[k].engine.facts.execution, EXEC_EMULATED);
    }
    done();
    boot_execution = EXEC_SILICON;
    memset(executions, 0, sizeof executions);
}
