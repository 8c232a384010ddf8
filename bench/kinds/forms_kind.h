/*
 * The passes of suite `insn`, within time=: a quick one over all forms, so that each has a figure;
 * then three over all forms, each at another placement. Before the last of these come three of
 * mixes, and two over tests whose placements disagree; at the end, more of both.
 */
#ifndef BENCH_KINDS_FORMS_KIND_H
#define BENCH_KINDS_FORMS_KIND_H

#include "bench/kinds/forms.h"
#include "lib/insn/form.h"

#endif
