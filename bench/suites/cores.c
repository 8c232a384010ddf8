/*
 * Rows of several cores: the transfer of a cache line between two cores, the difference of their
 * TSCs, and contention for one cache line or for words of it.
 */
#include "bench/api/bench.h"
#include "bench/kinds/kinds.h"
#include "bench/api/summary_parts.h"
#include "bench/kinds/team.h"
#include "bench/api/tsc.h"

#define CORES(name_, what_, meet_)                                                                 \
    BENCH(cores, name_, .what = what_, .kind = &kind_team, .ops = 1,                               \
          .of = &(const struct bench_team_row){meet_})

CORES(pingpong, "a cache line from one core to another, every pair: one way", team_pingpong);
CORES(tsc_skew, "how far two cores' TSCs are apart, every pair: the farthest", team_skew);
CORES(wake, "from the boot core's wake-up to a parked core's first instruction", team_wake);
CORES(ipi, "from the boot core's interrupt to another core's handler", team_ipi);

SUMMARY_PART(cores, pairs, .rank = 4, .label = "cores", .kind = SUMMARY_TIMES,
             .row = {"pingpong", "tsc_skew", "wake", "ipi"});

/*
 * Operations between two readings of the time, so that the reading is negligible: a contended
 * operation costs 50 ns or more, a plain addition a few cycles.
 */
#define CONTENDED 64
#define PLAIN     4096

#define CONTEST(name_, batch_, ops_, counted_, what_)                                              \
    static void name_##_meet(struct team *c)                                                       \
    {                                                                                              \
        team_contention(c, batch_, ops_, counted_);                                                \
    }                                                                                              \
    CORES(name_, what_, name_##_meet)

static bool atomic_batch(struct team *c, unsigned place, unsigned n)
{
    (void)place;
    for (; n; n--)
        atomic_fetch_add_explicit(&c->hot, 1, memory_order_relaxed);
    return true;
}

static uint64_t atomic_counted(const struct team *c, unsigned cores)
{
    (void)cores;
    return c->hot;
}

CONTEST(atomic_add, atomic_batch, CONTENDED, atomic_counted,
        "lock add of one word by 1, 2, 4 ... all cores: one core's time for it");

#define LOOKS 4096 /* polls of the lock between two readings of the time; most need far fewer */

/* Takes the ticket lock, which serves cores in order of arrival. */
static bool lock_take(struct team *c, unsigned place)
{
    uint64_t mine = atomic_fetch_add_explicit(&c->ticket, 1, memory_order_relaxed), began = 0;
    bool in_time = true;

    for (uint64_t looks = 1;
         atomic_load_explicit(&c->serving, memory_order_acquire) != mine && in_time; looks++) {
        if (looks == LOOKS) {
            team_waits(c, place, true);
            began = tsc_now();
        }
        if (looks % LOOKS == 0)
            in_time = tsc_now() - began <= c->patience;
        __builtin_ia32_pause();
    }
    if (began)
        team_waits(c, place, false);
    return in_time;
}

static bool lock_batch(struct team *c, unsigned place, unsigned n)
{
    for (; n; n--) {
        if (!lock_take(c, place))
            return false;
        c->guarded++;
        uint64_t next = atomic_load_explicit(&c->serving, memory_order_relaxed) + 1;
        atomic_store_explicit(&c->serving, next, memory_order_release);
    }
    return true;
}

static uint64_t lock_counted(const struct team *c, unsigned cores)
{
    (void)cores;
    return c->guarded;
}

CONTEST(lock, lock_batch, CONTENDED, lock_counted,
        "a counter protected by a ticket lock, by 1, 2, 4 ... all cores");

/* Does n ordinary additions to memory: load, add, store. */
static void add_up(_Atomic uint64_t *word, unsigned n)
{
    for (; n; n--)
        __asm__ volatile("addq $1, %0" : "+m"(*word) : : "cc");
}

static bool false_batch(struct team *c, unsigned place, unsigned n)
{
    add_up(&c->shared[place / TEAM_WORDS].word[place % TEAM_WORDS], n);
    return true;
}

static uint64_t false_counted(const struct team *c, unsigned cores)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < cores; i++)
        sum += c->shared[i / TEAM_WORDS].word[i % TEAM_WORDS];
    return sum;
}

CONTEST(false_sharing, false_batch, PLAIN, false_counted,
        "each core adds to its own word, eight words per line");

static bool padded_batch(struct team *c, unsigned place, unsigned n)
{
    add_up(&c->core[place].word, n);
    return true;
}

static uint64_t padded_counted(const struct team *c, unsigned cores)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < cores; i++)
        sum += c->core[i].word;
    return sum;
}

CONTEST(padded, padded_batch, PLAIN, padded_counted,
        "each core adds to its own word, each on a separate line");
