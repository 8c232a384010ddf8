/* What of a form is not in its bytes: its name, the feature of CPUID, properties, why it is not
 * run. */
#ifndef HOSTED_INSN_JUDGE_H
#define HOSTED_INSN_JUDGE_H

#include "hosted/insn/described.h"

/* Fills in `mnemonic`, and the form's `feature`, `why` and the properties that are not of its
 * bytes. Ends the program with a message where an ISA set is unknown. */
void judge(struct described *d);

#endif
