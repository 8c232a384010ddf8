/* Stand-ins for what the engine calls in the rest of the program: no objects, no compiled
 * bodies, no other row to wait for. */
#ifndef TESTS_UNIT_BENCH_FAKE_PROGRAM_H
#define TESTS_UNIT_BENCH_FAKE_PROGRAM_H

#include "bench/api/registry.h"
#include "bench/api/step.h"
#include "bench/engine/guard.h"
#include "bench/engine/step_window.h"
#include "bench/engine/stepped.h"
#include "bench/engine/barrier.h"
#include "bench/engine/poll.h"
#include "bench/engine/cycle.h"
#include "bench/engine/row_figure.h"
#include "bench/engine/engine.h"
#include "bench/engine/method.h"
#include "bench/engine/compiled.h"
#include "bench/engine/layout.h"
#include "bench/engine/context.h"
#include "bench/engine/sampler.h"
#include "tests/unit/bench/fake_call.h"

/* The rows of the program; set by tests that look at more than one. */
static const struct bench *const *registered;
static size_t registered_rows;

const struct bench *const *registry(size_t *n)
{
    *n = registered_rows;
    return registered;
}

/* No test steps here: the platform of a test makes up the result of a step. */
const char step_back[1];

struct step_result step_enter(const uint64_t argument[STEP_ARGUMENTS], const void *code)
{
    return (struct step_result){0, 0};
}

struct step_result window_step(const uint64_t argument[STEP_ARGUMENTS], const void *code)
{
    return (struct step_result){0, 0};
}

void step_known(void)
{
}

uint32_t place_object(const struct placed *p)
{
    if (p->setup)
        p->setup(p->object);
    return 0;
}

void compiled_init(struct compiled *c)
{
}

bool gate_pass(const struct engine *e, uint64_t ticks, struct outcome *out)
{
    return true;
}

#endif
