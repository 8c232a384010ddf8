/* The suites as an object: all that is compiled of bench/suites, as the program holds it beside its
 * own code (suites_object.asm). Rows are placed from there. */
#ifndef BENCH_OBJECTS_SUITES_H
#define BENCH_OBJECTS_SUITES_H

#include "lib/object/elf.h"
#include "lib/text/sink.h"

/* Opened at the first call, before other cores run. NULL: a message, as of elf_open(). */
const struct elf *suites_elf(struct sink *err);

#endif
