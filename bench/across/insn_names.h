/* Words of the records of suite `insn`: names of forms, of ends of a chain, and reasons. */
#ifndef BENCH_ACROSS_INSN_NAMES_H
#define BENCH_ACROSS_INSN_NAMES_H

#include "bench/model/insn.h"
#include "lib/text/json.h"

#define INSN_NAME_MOST 96

/* Writes why a form was not run: "the CPU does not have AVX512F". */
void insn_why_not(const struct insn_row *row, struct sink *out);

/* Writes an end of a chain: the operand's number, from 0, "b" or "i" for base or index of its
 * address, "f" for the flags. */
void insn_end_name(const struct insn_end *e, struct sink *out);

/* Writes a pair of two: "1b>0". */
void insn_pair_name(const struct insn_cell *c, struct sink *out);

/* Names as elements of an array: consecutive forms that begin with the same mnemonic are together
 * in an array, first the mnemonic, then what follows it in each name, which may be "", without a
 * blank after a comma. */
struct insn_names {
    char head[INSN_NAME_MOST]; /* of the open array; "": none is open */
    uint64_t bytes;            /* about how many were written */
};

/* Begins without an open array. With a j of NULL, the others only count `bytes`. */
void insn_names_begin(struct insn_names *n);
void insn_names_add(struct insn_names *n, const struct insn_row *row, struct json *j);
void insn_names_end(struct insn_names *n, struct json *j); /* closes the open array */

#endif
