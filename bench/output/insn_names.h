/* Words of the records of suite `insn`: names of forms, of ends of a chain, and reasons. */
#ifndef BENCH_OUTPUT_INSN_NAMES_H
#define BENCH_OUTPUT_INSN_NAMES_H

#include "bench/result/insn.h"
#include "lib/text/sink.h"

#define INSN_NAME_MOST 96

/* Writes why a form was not run: "the CPU does not have AVX512F". */
void insn_why_not(const struct insn_row *row, struct sink *out);

/* Writes an end of a chain: the operand's number, from 0, "b" or "i" for base or index of its
 * address, "f" for the flags. */
void insn_end_name(const struct insn_end *e, struct sink *out);

/* Writes a pair of two: "1b>0". */
void insn_pair_name(const struct insn_cell *c, struct sink *out);

/* Writes what follows the mnemonic in a form's name, which may be nothing, without the blank after
 * a comma: "r64,m64". */
void insn_rest_name(const struct insn_row *row, struct sink *out);

/* Writes the pairs of a form's latencies with blanks between them: "0>0 1>0". */
void insn_pairs_name(const struct insn_table *t, const struct insn_row *row, struct sink *out);
#define INSN_PAIRS_MOST (INSN_TESTS_MOST * 8)

#endif
