/* The engine's sources, and of what surrounds them nothing: no objects, no compiled bodies, no
 * other row to wait for. */
#ifndef TESTS_UNIT_ALONE_H
#define TESTS_UNIT_ALONE_H

#include "bench/api/report.c"
#include "bench/api/timer.c"
#include "bench/check/check.c"
#include "bench/figure/compensate.c"
#include "bench/sample/cycle.c"
#include "bench/measure/engine.c"
#include "bench/sample/gathered.c"
#include "bench/check/guard.c"
#include "bench/figure/headline.c"
#include "bench/sample/interleave.c"
#include "bench/place/layout.c"
#include "bench/figure/loop_cost.c"
#include "bench/method/method.c"
#include "bench/method/method_adaptive.c"
#include "bench/method/method_stream.c"
#include "bench/context/pace.c"
#include "bench/place/parts.c"
#include "bench/sample/sampler.c"
#include "bench/check/step_window.c"
#include "bench/check/steps.c"
#include "bench/check/steps_compare.c"
#include "bench/place/wide.c"
#include "tests/unit/fake_call.h"

/* The rows of the program; set by tests that look at more than one. */
static const struct bench *const *registered;
static size_t registered_rows;

const struct bench *const *registry(size_t *n)
{
    *n = registered_rows;
    return registered;
}

/* No test steps: its platform makes up what a step came to. */
const char step_back[1];

struct step_result step_enter(const uint64_t argument[STEP_ARGUMENTS], const void *code)
{
    (void)argument, (void)code;
    return (struct step_result){0, 0};
}

struct step_result window_step(const uint64_t argument[STEP_ARGUMENTS], const void *code)
{
    (void)argument, (void)code;
    return (struct step_result){0, 0};
}

void step_known(void)
{
}

uint32_t place_object(const struct placed *p)
{
    (void)p;
    return 0;
}

void compiled_init(struct compiled *c)
{
    (void)c;
}

bool gate_pass(const struct engine *e, uint64_t ticks, struct row *row)
{
    (void)e, (void)ticks, (void)row;
    return true;
}

#endif
