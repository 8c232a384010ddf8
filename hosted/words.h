/* The words on the command line, one an argument, and what is answered instead of measuring. */
#ifndef HOSTED_WORDS_H
#define HOSTED_WORDS_H

#include <stdbool.h>
#include "lib/config/options.h"
#include "lib/cpu/cpu.h"
#include "lib/text/sink.h"

/* False: a word is wrong, selects nothing or asks for a recipe that this CPU lacks; the message
 * says which, in the image's own words. */
bool words_take(struct options *o, int argc, char **argv, const struct cpu *cpu, struct sink *err);

/* Whether an argument is --help, -h or --version, which are a program's and no words of the image;
 * then it is answered, as text. */
bool words_usage(int argc, char **argv);

/* Whether these options, or an error (not empty), are answered without measuring; then it is done,
 * on standard output, in the format that the options ask for. */
bool words_answer(const struct options *o, const struct cpu *cpu, const char *error);

#endif
