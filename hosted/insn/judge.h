/* The parts of a form that are not in its bytes: its name, the feature of CPUID, properties, why it
 * is not run. */
#ifndef HOSTED_INSN_JUDGE_H
#define HOSTED_INSN_JUDGE_H

#include "hosted/insn/described.h"

/* Sets `mnemonic`, and the form's `feature`, `why` and the properties that are not in its bytes.
 * Ends the program with a message if an ISA set is unknown. */
void judge(struct described *d);

#endif
