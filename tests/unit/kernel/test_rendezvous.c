/* A core that was given up does not count when it finishes later: neither for the rendezvous that
 * runs then nor for later ones. Each core is a thread. */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include "tests/unit/kernel/fake_cpu.h"
#include "tests/unit/cmocka_unit.h"
#include "kernel/cores/deadline.h"

enum { CORES = 3, LATE = 1, OTHER = 2 };

static struct core core[CORES];
static struct core *list[CORES];
static struct core_facts facts[CORES];
static struct handoff handoff;
static struct irq_masked irq;
static struct parking parking;
static struct cores cores;
static pthread_t thread[CORES];
static __thread struct core *here;

static sem_t begun, may_end;
static bool waits; /* the boot core does not lose its patience */
static bool unsent;
static volatile bool finished;
static unsigned given_up;
/* While a later rendezvous runs: wake-ups of the boot core, and cores that have not finished. */
static uint32_t boot_wakes, left_then;

uint64_t rdtsc(void)
{
    return __builtin_ia32_rdtsc();
}

/* Bounds of waits whose condition comes true, except for two microseconds. */
uint64_t cores_ticks(const struct cores *c, uint64_t microseconds)
{
    return microseconds < 10 ? microseconds : microseconds * 100000;
}

void write_cr8(uint64_t v)
{
}

void take_irqs(void)
{
    sched_yield();
}

/* The waker counts the interrupt at once; the core sees it. */
void sleep_hlt(void)
{
    sched_yield();
}

void sleep_mwait(uint32_t hint)
{
    fail();
}

bool lapic_ipi(const struct lapic *l, uint32_t apic_id, uint32_t command)
{
    assert_int_equal(command & 0xff, VECTOR_WAKE);
    if (unsent)
        return false;
    park_interrupt(&core[apic_id], VECTOR_WAKE);
    return true;
}

void lapic_write(const struct lapic *l, uint32_t offset, uint32_t v)
{
}

void paging_use(const struct paging *p, const struct core *c, bool own)
{
}

void deadline_awake(struct core *c)
{
}

/* The boot core loses its patience once the late core has begun. */
bool deadline_may_sleep(struct core *c, struct deadline_patience *p)
{
    return waits || sem_trywait(&begun) != 0;
}

void fault_describe(const struct core *c, const struct trap_frame *f, char *text, size_t size)
{
    snprintf(text, size, "a fault");
}

/* An INIT that the core does not get. */
static void give_up(struct core *c)
{
    given_up++;
}

static void stop(struct core *c)
{
    c->asleep = true;
    pthread_exit(NULL);
}

static const struct core_origin origin = {.give_up = give_up, .stop = stop};

static void *serve(void *c)
{
    here = c;
    core_serve(c);
    return NULL;
}

static void set_up(void)
{
    memset(core, 0, sizeof core);
    memset(facts, 0, sizeof facts);
    cores = (struct cores){.core = list, .facts = facts, .count = CORES, .parking.lapic = NULL};
    cores.given.boot = &core[0];
    cores.given.handoff = &handoff;
    cores.given.irq = &irq;
    waits = unsent = finished = false;
    given_up = boot_wakes = 0;
    sem_init(&begun, 0, 0);
    sem_init(&may_end, 0, 0);
    for (unsigned i = 0; i < CORES; i++) {
        core[i].index = core[i].apic_id = i;
        core[i].cores = &cores;
        core[i].parking = &parking;
        core[i].origin = i > 0 ? &origin : NULL;
        list[i] = &core[i];
        if (i > 0)
            assert_int_equal(pthread_create(&thread[i], NULL, serve, &core[i]), 0);
    }
    here = &core[0];
}

static void tear_down(void)
{
    for (unsigned i = 1; i < CORES; i++) {
        core[i].go_home = true;
        unsent = false;
        (void)park_wake(&core[i]);
        pthread_join(thread[i], NULL);
    }
}

BEFORE_EACH(set_up);
AFTER_EACH(tear_down);

static void end_late(void *ctx, unsigned i)
{
    sem_post(&begun);
    while (sem_wait(&may_end) != 0)
        ;
}

static void fault_late(void *ctx, unsigned i)
{
    end_late(ctx, i);
    core_faulted(here, NULL, NULL);
}

static void await_begun(void *ctx)
{
    while (sem_wait(&begun) != 0)
        ;
}

/* On another core: lets the late one end, and counts what that does to the boot core. */
static void outlast(void *ctx, unsigned i)
{
    sem_post(&may_end);
    while (core[LATE].wakes != core[LATE].slept || !core[LATE].asleep)
        sched_yield();
    boot_wakes = core[0].wakes - core[0].slept;
    left_then = cores.rendezvous.left;
    finished = true;
}

static void other_is_not_ended_by_the_late_core(void)
{
    waits = true;
    assert_null(cores_run(&cores, OTHER, outlast, NULL));
    assert_true(finished);
    assert_int_equal(boot_wakes, 0);
    assert_int_equal(left_then, 1);
    assert_int_equal(cores.rendezvous.left, 0);
}

TEST(a_core_that_was_given_up_and_ends_later_counts_no_more)
{
    assert_non_null(strstr(cores_run(&cores, LATE, end_late, NULL), "it hangs"));
    assert_int_equal(given_up, 1);
    other_is_not_ended_by_the_late_core();
    assert_non_null(cores_run(&cores, LATE, end_late, NULL)); /* it is not called again */
}

TEST(a_core_that_was_given_up_and_faults_later_counts_no_more)
{
    assert_non_null(cores_run(&cores, LATE, fault_late, NULL));
    other_is_not_ended_by_the_late_core();
    assert_non_null(strstr(core[LATE].fault, "it hangs"));
}

TEST(a_core_that_did_not_answer_in_time_counts_no_more)
{
    const unsigned late = LATE;

    assert_false(cores_try(&cores, &late, 1, end_late, NULL, await_begun, 0));
    assert_int_equal(given_up, 1);
    other_is_not_ended_by_the_late_core();
}

/* Its wake-up arrives when the caller is gone, with what the job would use. */
TEST(a_core_that_was_given_up_before_it_began_does_not_begin)
{
    unsent = true;
    assert_non_null(cores_run(&cores, LATE, end_late, NULL));
    unsent = false;
    assert_true(park_wake(&core[LATE]));
    other_is_not_ended_by_the_late_core();
    assert_int_equal(sem_trywait(&begun), -1);
}

TEST(a_wake_up_from_before_does_not_end_a_rendezvous)
{
    waits = true;
    assert_true(park_wake(&core[0]));
    assert_null(cores_run(&cores, OTHER, outlast, NULL));
    assert_true(finished);
    assert_int_equal(cores.rendezvous.left, 0);
}
