/* The suites as an object: all compiled code of bench/suites, which the program contains in
 * addition to its linked code (suites_object.asm). Rows are placed from it. */
#ifndef BENCH_OBJECTS_SUITES_H
#define BENCH_OBJECTS_SUITES_H

#include "lib/object/elf.h"
#include "lib/text/sink.h"

/* Returns the object. Opens it at the first call, which must be before other cores run. NULL: `err`
 * has the message of elf_open(). */
const struct elf *suites_elf(struct sink *err);

#endif
