#include "lib/cpu/controls.h"

struct rule {
    const char *topic;
    size_t fact;     /* offset in struct advice_facts */
    enum seen wrong; /* the answer that needs a change */
    const char *change, *well;
};

#define FACT(name) offsetof(struct advice_facts, name)

/* In the order of the effect on a figure. */
static const struct rule rules[] = {
    {"virtualised", FACT(virtualised), SEEN_YES,
     "a hypervisor may stop this CPU at any time, and may trap instructions: measure on the bare "
     "machine",
     "no hypervisor is visible"},
    {"smi", FACT(smi), SEEN_YES,
     "SMIs take the CPU for the firmware: in its setup switch off USB legacy support, then "
     "hardware monitoring and error polling",
     "no SMI occurred while rows were measured"},
    {"turbo", FACT(turbo), SEEN_YES,
     "turbo is on, so the clock follows load and heat: for ns that repeat switch it off in the "
     "setup, or use turbo=off",
     "turbo is off"},
    {"lfence", FACT(lfence), SEEN_NO,
     "LFENCE does not wait for earlier instructions, so a body may leave its window: compare with "
     "recipe=cpuid",
     "LFENCE waits for earlier instructions"},
    {"tsc", FACT(invariant), SEEN_NO,
     "CPUID does not promise that the TSC keeps its rate: trust cycles, not ns",
     "the TSC keeps its rate"},
    {"smt", FACT(smt), SEEN_YES,
     "SMT is on: the sibling sleeps here, but some CPUs divide buffers between threads even then: "
     "switch it off in the setup",
     "SMT is off"},
    {"c1e", FACT(c1e), SEEN_YES,
     "C1E is on: a core that slept wakes with a low clock: switch it off in the setup",
     "C1E is off"},
};
#define RULES (sizeof rules / sizeof rules[0])
_Static_assert(RULES <= ADVICE_MAX, "more advice than there is room for");

static enum seen answer(const struct advice_facts *f, const struct rule *r)
{
    return *(const enum seen *)(const void *)((const char *)f + r->fact);
}

size_t advice_choose(const struct advice_facts *f, struct advice out[ADVICE_MAX])
{
    size_t n = 0;

    if (f->emulated == SEEN_YES) {
        out[0] = (struct advice){"emulated", true,
                                 "an emulator executes this, so no CPU's settings can be judged: "
                                 "boot a real machine for that"};
        return 1;
    }
    for (unsigned pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < RULES; i++) {
            const struct rule *r = &rules[i];
            enum seen seen = answer(f, r);
            bool changes = seen == r->wrong;
            if (seen != SEEN_NOT && changes == (pass == 0))
                out[n++] = (struct advice){r->topic, changes, changes ? r->change : r->well};
        }
    return n;
}
