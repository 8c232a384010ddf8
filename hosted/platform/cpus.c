#include "hosted/platform/process.h"
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "bench/kinds/exchange.h"
#include "lib/config/choices.h"
#include "lib/text/fmt.h"
#include "hosted/platform/signal_guard.h"
#include "lib/config/status.h"

#define SAID 256 /* bytes for the message about a core */
/* For the exchange that compares TSCs: any TSC takes at least a second for this many ticks. If the
 * system gave a core no CPU, the exchange is repeated with a longer limit. */
#define PATIENCE_TICKS 5000000000
#define GAMES          3
#define LONGER         4

static int cpus[CORE_LIST_MAX];
static struct core_facts facts[CORE_LIST_MAX];
static struct core_place places[CORE_LIST_MAX];
static struct platform_cores cores;
static struct numa nodes;
static char (*said)[SAID];  /* one per core, shared */
static uint64_t *waited_ns; /* without a CPU in the last call of together(), one per core, shared */
static uint64_t began_ns;   /* start of that call */
static unsigned list_n, list_of[CORE_LIST_MAX];

unsigned cores_of_process(const struct process *p)
{
    cpus[0] = p->cpu;
    cores.count = 1;
    for (int i = 0; i < CPU_SETSIZE && cores.count < CORE_LIST_MAX; i++)
        if (CPU_ISSET(i, &p->allowed) && i != p->cpu)
            cpus[cores.count++] = i;
    return cores.count;
}

/* Stores what happened to a core for the next reader. */
static const char *say(unsigned core, const char *what)
{
    fmt_buf(said[core], SAID, "%s (the system's CPU %d)", what, cpus[core]);
    return said[core];
}

static int move(unsigned core)
{
    int error = process_move(0, cpus[core]);

    events_core(core);
    counter_core(core, cpus[core]);
    return error;
}

static const char *run(const struct platform *p, unsigned i, void (*fn)(void *, unsigned),
                       void *ctx)
{
    (void)p;
    int error = i > 0 ? move(i) : 0;
    if (error)
        return say(i, strerror(error));
    counter_resume();
    fn(ctx, i);
    if (i > 0)
        error = move(0);
    counter_resume();
    return error ? say(0, strerror(error)) : NULL;
}

/* Runs in a child process to its end; `mask` is its signal mask once it can handle signals. */
_Noreturn static void child(unsigned core, const sigset_t *mask, void (*fn)(void *, unsigned),
                            void *ctx)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    fault_say(said[core], SAID);
    sigprocmask(SIG_SETMASK, mask, NULL);
    int error = move(core);
    if (error) {
        fmt_buf(said[core], SAID, "%s", strerror(error));
        _exit(STATUS_FAULTED);
    }
    memory_touch();
    counter_after_fork();
    guard_row_begin(0); /* its work before or without a row is bounded too */
    fn(ctx, core);
    waited_ns[core] = clock_ns(CLOCK_MONOTONIC) - began_ns - clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    exit_guard_end(0);
}

/* Waits for one process; returns NULL, or what happened to it. */
static const char *await(pid_t pid, unsigned core)
{
    int status;
    char what[SAID];

    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return say(core, strerror(errno));
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return NULL;
    if (WIFSIGNALED(status))
        fmt_buf(what, sizeof what, "ended by SIG%s", sigabbrev_np(WTERMSIG(status)));
    else
        memcpy(what, said[core], SAID);
    return say(core, what);
}

/* The processes of a call; 0 for those that have ended and were waited for. */
static volatile pid_t pids[CORE_LIST_MAX];
static volatile unsigned started;

static void stop_all(void)
{
    for (unsigned i = 0; i < started; i++)
        if (pids[i] > 0)
            kill(pids[i], SIGTERM);
}

static const char *together(const struct platform *p, const unsigned *list, unsigned n,
                            void (*fn)(void *, unsigned), void *ctx)
{
    const char *why = NULL;
    sigset_t term, mask;

    (void)p;
    started = 0;
    list_n = n;
    memcpy(list_of, list, n * sizeof *list);
    memset(waited_ns, 0, cores.count * sizeof *waited_ns);
    began_ns = clock_ns(CLOCK_MONOTONIC);
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    fault_hand_on(stop_all);
    output_flush(); /* otherwise every process would write the buffer */
    while (!why && started < n) {
        sigprocmask(SIG_BLOCK, &term, &mask); /* no child gets SIGTERM before it can handle it */
        pid_t pid = fork();
        if (pid == 0)
            child(list[started], &mask, fn, ctx);
        sigprocmask(SIG_SETMASK, &mask, NULL);
        /* The parent moves the child: on this CPU a child of equal priority might never run. */
        if (pid < 0 || process_move(pid, cpus[list[started]]) != 0)
            why = say(list[started], strerror(errno));
        if (pid > 0) {
            pids[started] = pid;
            started++;
        }
    }
    if (fault_interrupted()) /* the last of them may have missed the signal */
        stop_all();
    for (unsigned i = 0; why && i < started; i++)
        kill(pids[i], SIGKILL);
    for (unsigned i = 0; i < started; i++) {
        const char *happened = await(pids[i], list[i]);
        pids[i] = 0;
        why = why ? why : happened;
    }
    fault_hand_on(NULL);
    memory_touch(); /* its pages were shared with theirs */
    return why;
}

static uint64_t starved(const struct platform *p, unsigned *core)
{
    uint64_t all = 0;

    (void)p;
    *core = list_of[0];
    for (unsigned i = 0; i < list_n; i++) {
        all += waited_ns[list_of[i]];
        if (waited_ns[list_of[i]] > waited_ns[*core])
            *core = list_of[i];
    }
    return all;
}

static void look_here(void *ctx, unsigned core)
{
    struct core_facts *f = &facts[core];
    struct core_place *place = &places[core];
    struct cpu cpu;

    (void)ctx;
    cpu_decode(&cpu, process_cpuid, NULL);
    topology_place(place, &cpu, process_cpuid, NULL);
    f->apic_id = place->apic_id;
    f->package = place->package;
    f->core = place->core;
    f->thread = place->thread;
    if (!nodes.from)
        f->node = place->node;
    f->microcode = process_microcode(cpus[core]);
    if (place->type != CORE_TYPE_UNKNOWN)
        f->type = core_type_names[place->type];
}

static void play_here(void *ctx, unsigned core)
{
    guard_row_end(); /* the game has its own limit, which can be longer than deadline= */
    exchange_play(ctx, core > 0);
}

static const char *play(const struct platform *p, struct exchange *x, const unsigned list[2])
{
    uint64_t patience = PATIENCE_TICKS;
    const char *why = NULL;

    for (unsigned i = 0; i < GAMES; i++, patience *= LONGER) {
        exchange_init(x, true, true, patience);
        why = together(p, list, 2, play_here, x);
        if (why || exchange_complete(x))
            break;
    }
    return why;
}

static void compare_tsc(const struct platform *p, struct exchange *x, unsigned core)
{
    const unsigned list[2] = {0, core};
    struct core_facts *f = &facts[core];

    const char *why = play(p, x, list);
    unsigned longest;
    f->tsc_unknown = !why && !exchange_complete(x) && starved(p, &longest) >= PLATFORM_STARVED_NS;
    if (f->tsc_unknown)
        return;
    if (!why && !exchange_complete(x))
        why = "did not answer in time";
    if (why) {
        f->why_not = why;
        return;
    }
    f->tsc_offset = (x->ahead_least + x->ahead_most) / 2;
    f->tsc_offset_error = (uint64_t)(x->ahead_most - x->ahead_least) / 2;
}

bool cores_open(struct platform *p)
{
    struct exchange *x = (struct exchange *)(void *)p->memory;

    said = mmap(NULL, cores.count * sizeof *said, PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    waited_ns = mmap(NULL, cores.count * sizeof *waited_ns, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (said == MAP_FAILED || waited_ns == MAP_FAILED || !events_open(p, cpus, cores.count))
        return false;
    if (nodes_read(&nodes, NODES_FOLDER))
        p->numa = &nodes;
    for (unsigned i = 0; i < cores.count; i++) {
        places[i] = places[0];
        facts[i].node = numa_of_cpu(&nodes, (uint32_t)cpus[i]);
        facts[i].why_not = run(p, i, look_here, NULL);
    }
    for (unsigned i = 1; i < cores.count; i++)
        if (!facts[i].why_not)
            compare_tsc(p, x, i);
    cores.facts = facts;
    cores.place = places;
    cores.parked = "the system";
    cores.run = run;
    cores.together = together;
    cores.starved = starved;
    p->cores = &cores;
    return true;
}
