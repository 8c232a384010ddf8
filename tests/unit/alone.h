/* The engine's sources, and of what surrounds them nothing: no objects, no compiled bodies, no
 * other row to wait for. */
#ifndef TESTS_UNIT_ALONE_H
#define TESTS_UNIT_ALONE_H

#include "bench/api/report.c"
#include "bench/api/timer.c"
#include "bench/measure/check.c"
#include "bench/measure/compensate.c"
#include "bench/measure/cycle.c"
#include "bench/measure/engine.c"
#include "bench/measure/gathered.c"
#include "bench/measure/guard.c"
#include "bench/measure/headline.c"
#include "bench/measure/interleave.c"
#include "bench/measure/layout.c"
#include "bench/measure/loop_cost.c"
#include "bench/measure/method.c"
#include "bench/measure/method_adaptive.c"
#include "bench/measure/method_stream.c"
#include "bench/measure/pace.c"
#include "bench/measure/parts.c"
#include "bench/measure/sampler.c"
#include "bench/measure/step_window.c"
#include "bench/measure/steps.c"
#include "bench/measure/steps_compare.c"
#include "bench/measure/wide.c"
#include "tests/unit/fake_call.h"

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
