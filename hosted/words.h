/* Takes the words of the command line, one per argument, and answers without measuring. */
#ifndef HOSTED_WORDS_H
#define HOSTED_WORDS_H

#include <stdbool.h>
#include "lib/config/options.h"
#include "lib/cpu/cpu.h"
#include "lib/text/sink.h"

/* Takes the words. False: a word is wrong, selects nothing or asks for a recipe that this CPU
 * lacks; the message says which, in the image's words. */
bool words_take(struct options *o, int argc, char **argv, const struct cpu *cpu, struct sink *err);

/* Answers --help, -h or --version as text. These belong to the program, not to the image's words.
 * False: there is no such argument. */
bool words_usage(int argc, char **argv);

/* Answers `help` and `list` on standard output: as text, and with records if the format asks for
 * them. False: the options ask for a measurement. */
bool words_answer(const struct options *o, const struct cpu *cpu);

#endif
