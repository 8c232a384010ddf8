/* Tables of suite insn for a CPU that has every feature. */
#ifndef TESTS_UNIT_BENCH_MADE_INSN_H
#define TESTS_UNIT_BENCH_MADE_INSN_H

#include "bench/kinds/forms.h"
#include "tests/unit/cmocka_unit.h"

static struct insn_links links;
static struct insn_support support;
static void *memory; /* the last table's; the test frees it at its end */

/* The table of the forms that `bench` selects. */
static struct insn_table *made_insn_table(const char *bench, bool exact)
{
    struct options o;

    options_default(&o);
    snprintf(o.bench, sizeof o.bench, "%s", bench);
    assert_null(insn_links_find(&links));
    for (unsigned i = 0; i < INSN_FEATURES; i++)
        support.has[i] = true;
    support.avx_on = support.avx512_on = true;
    free(memory);
    memory = malloc(insn_table_bytes(&o));
    assert_non_null(memory);
    return insn_table_make(memory, &o, &support, &links, exact);
}

#endif
