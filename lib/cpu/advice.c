#include "lib/cpu/advice.h"

#include "lib/text/fmt.h"

/* In the order of how much each does to a figure. */
enum rule { VIRTUALISED, SMI, TURBO, LFENCE, INVARIANT, SMT, C1E, RULES };
_Static_assert(RULES <= ADVICE_MAX, "more advice than there is room for");

static const char topics[RULES][12] = {"virtualised", "smi", "turbo", "lfence",
                                       "tsc",         "smt", "c1e"};

static enum seen answer(const struct advice_facts *f, enum rule rule)
{
    switch (rule) {
    case VIRTUALISED:
        return f->virtualised;
    case SMI:
        return f->smi;
    case TURBO:
        return f->turbo;
    case LFENCE:
        return f->lfence;
    case INVARIANT:
        return f->invariant;
    case SMT:
        return f->smt;
    default:
        return f->c1e;
    }
}

static const char *change(enum rule rule)
{
    switch (rule) {
    case VIRTUALISED:
        return "a hypervisor stops this CPU unseen, and may trap instructions: measure on the bare "
               "machine";
    case SMI:
        return "SMIs take the CPU for the firmware: in its setup switch off USB legacy support, "
               "then hardware monitoring and error polling";
    case TURBO:
        return "turbo is on, so the clock follows load and heat: for ns that repeat switch it off "
               "in the setup, or say turbo=off";
    case LFENCE:
        return "LFENCE does not wait for what stands before it, so a body may leave its window: "
               "compare with recipe=cpuid";
    case INVARIANT:
        return "the TSC is not said to keep its rate: believe cycles, not ns";
    case SMT:
        return "SMT is on: the sibling sleeps here, but some CPUs split buffers between threads "
               "all the same: switch it off in the setup";
    default:
        return "C1E is on: a core that slept comes back with a low clock: switch it off in the "
               "setup";
    }
}

static const char *well(enum rule rule)
{
    switch (rule) {
    case VIRTUALISED:
        return "no hypervisor shows itself";
    case SMI:
        return "no SMI came while rows were measured";
    case TURBO:
        return "turbo is off";
    case LFENCE:
        return "LFENCE waits for what stands before it";
    case INVARIANT:
        return "the TSC keeps its rate";
    case SMT:
        return "SMT is off";
    default:
        return "C1E is off";
    }
}

/* Which answer asks for a change. */
static enum seen wrong(enum rule rule)
{
    return rule == LFENCE || rule == INVARIANT ? SEEN_NO : SEEN_YES;
}

size_t advice_choose(const struct advice_facts *f, struct advice out[ADVICE_MAX])
{
    size_t n = 0;
    if (f->emulated == SEEN_YES) {
        out[0] = (struct advice){"emulated", true,
                                 "an emulator executes this, and its settings are none of a CPU's: "
                                 "boot a machine for those"};
        return 1;
    }
    for (unsigned pass = 0; pass < 2; pass++)
        for (enum rule i = 0; i < RULES; i++) {
            enum seen seen = answer(f, i);
            bool changes = seen == wrong(i);
            if (seen != SEEN_NOT && changes == (pass == 0))
                out[n++] = (struct advice){topics[i], changes, changes ? change(i) : well(i)};
        }
    return n;
}
