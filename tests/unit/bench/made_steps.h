/* A row whose windows are stepped (bench/engine/stepped.h) on a simulated machine: the results of a
 * step and of a free window are planted. */
#ifndef TESTS_UNIT_BENCH_MADE_STEPS_H
#define TESTS_UNIT_BENCH_MADE_STEPS_H

#include "tests/unit/bench/made_engine.h"

#define FRAME 10 /* instructions of any stepped window besides its operations */

static struct {
    uint64_t of_body, of_empty; /* instructions of an operation */
    uint64_t of_left;           /* in windows before the first setup, if not 0 */
    bool set_up;
    uint64_t repeats; /* of an operation: iterations after the first one */
    enum stepping_end end;
    uint64_t at_end; /* windows from this one on, counted from 1, end so; 0: none */
    int failed;      /* what each body returns */
    uint64_t known;  /* instructions of step_known() */
    uint64_t windows, most_operations;
} made;

static uint64_t instructions_of(bool of_body, uint64_t n)
{
    uint64_t of = made.of_left && !made.set_up ? made.of_left : made.of_body;

    return FRAME + n * (of_body ? of : made.of_empty);
}

static struct step_result step_row(struct stepping *s, step_entry *entry, const void *code,
                                   const uint64_t *argument)
{
    stepping_begin(s);
    s->end = STEPPING_BACK;
    if (entry == step_enter) {
        s->instructions = made.known;
        return (struct step_result){0, 0};
    }
    bool of_body = code == body_code;
    if (of_body && argument[2] > made.most_operations)
        made.most_operations = argument[2];
    s->instructions = instructions_of(of_body, argument[2]);
    s->repeats = of_body ? argument[2] * made.repeats : 0;
    s->iterations = of_body && made.repeats ? argument[2] * (made.repeats + 1) : 0;
    s->traps = s->instructions + s->repeats + 1;
    if (s->traps >= s->most)
        s->end = STEPPING_MOST;
    if (++made.windows >= made.at_end && made.at_end)
        s->end = made.end;
    return (struct step_result){0, (uint64_t)made.failed};
}

static inline void sets_up(struct object *o)
{
    (void)o;
    made.set_up = true;
}

static struct platform steppable;
static struct bench loop;
static struct row walked_row;

static void begin_row(void)
{
    start();
    memset(&made, 0, sizeof made);
    made.of_body = 5;
    made.of_empty = 2;
    made.known = STEP_KNOWN;
    steppable = platform;
    steppable.step = step_row;
    engine.p = &steppable;
    engine.placed = places;
    engine.facts.execution = EXEC_SILICON;
    engine.facts.ticks_per_instruction = 128;
    places[0] = (struct placed){
        .kind = {[KIND_EMPTY] = {.fn = empty}, [KIND_BODY] = {.fn = body, .part = {BODY_PART}}}};
    loop = bench;
    loop.window.form = FORM_LOOP;
}

static const struct stepped *go(void)
{
    memset(&walked_row, 0, sizeof walked_row);
    walked_row.out.bench = &loop;
    places[0].check = loop.check;
    places[0].setup = loop.setup;
    made.set_up = false;
    stepped_row(&engine, &walked_row, 0);
    return &walked_row.stepped;
}

#endif
