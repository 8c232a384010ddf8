/* Kinds for tests that link the rows of suites, and measure none of them. */
#include "bench/kinds/kinds.h"

const struct kind kind_curve = {.name = "curve"};
const struct kind kind_shared_curve = {.name = "curve", .conducted = true};
const struct kind kind_forward = {.name = "forward"};
const struct kind kind_limit = {.name = "limit"};
const struct kind kind_forms = {.name = "insn"};
const struct kind kind_team = {.name = "cores", .conducted = true};
