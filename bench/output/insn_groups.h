/*
 * The records of suite `insn`: names of forms, of ends of a chain, and reasons; the forms of a
 * record in groups; and the records, with several forms each, in columns.
 */
#ifndef BENCH_OUTPUT_INSN_GROUPS_H
#define BENCH_OUTPUT_INSN_GROUPS_H

#include "bench/result/insn.h"
#include "lib/text/sink.h"
#include "lib/text/json.h"
#include "bench/api/report.h"
#include "bench/result/facts.h"

#define INSN_NAME_MOST 96

/* Writes why a form was not run: "the CPU does not have AVX512F". */
void insn_why_not(const struct insn_row *row, struct sink *out);

/* Writes an end of a chain: the operand's number, from 0, "b" or "i" for base or index of its
 * address, "f" for the flags. */
void insn_end_name(const struct insn_end *e, struct sink *out);

/* Writes a pair of two: "1b>0". */
void insn_pair_name(const struct insn_cell *c, struct sink *out);

/* Writes the pairs of a form's latencies with blanks between them: "0>0 1>0". */
void insn_pairs_name(const struct insn_table *t, const struct insn_row *row, struct sink *out);
#define INSN_PAIRS_MOST (INSN_TESTS_MOST * 8)

/*
 * The forms of a record of suite `insn`, in groups by mnemonic. Many mnemonics have the same list
 * of operands, with the same pairs of inputs and outputs; such a group refers to the first one of
 * the record that has it.
 */

#define INSN_GROUPED_MOST 128 /* forms of a record */
#define INSN_WRITTEN_MOST 160 /* records that can be referred to */

struct insn_group {
    uint8_t first, rows; /* its forms in `row` below */
    uint8_t like;        /* the first group that has the same operands and pairs: maybe itself */
    uint32_t key;        /* equal for groups with the same operands and pairs */
};

struct insn_groups {
    const struct insn_table *t;
    bool pairs; /* groups are compared by their pairs too */
    const struct insn_row *row[INSN_GROUPED_MOST];
    unsigned rows;
    struct insn_group group[INSN_GROUPED_MOST];
    unsigned groups;
};

void insn_groups_clear(struct insn_groups *g, const struct insn_table *t, bool pairs);
void insn_groups_add(struct insn_groups *g, const struct insn_row *row); /* below the most */

/* Finds `like` of each group, when all forms are added. */
void insn_groups_match(struct insn_groups *g);

/* Records of forms, which those of other cores refer to. */
struct insn_written {
    unsigned n;
    struct {
        uint64_t seq;
        uint32_t key; /* equal for records with the same groups */
    } record[INSN_WRITTEN_MOST];
};

/* Returns the number of a record that has the same groups, with the same pairs. NULL: none; keeps
 * the record that is being written, whose number is `seq`. */
const uint64_t *insn_groups_written(const struct insn_groups *g, struct insn_written *written,
                                    uint64_t seq);

/* Writes the member "forms": per group an array of the mnemonic, and either what follows it in the
 * name of each form, or the number of the group that has the same, from 0. */
void insn_groups_record(const struct insn_groups *g, struct json *j);

/* Returns the bytes of that member, with the brace before it. */
uint64_t insn_groups_bytes(const struct insn_groups *g);

/* Returns whether the group of the form `row[i]` has its operands and pairs itself; otherwise it
 * refers to an earlier group. */
bool insn_groups_spelled(const struct insn_groups *g, unsigned i);

/* --- insn_record.c ---------------------------------------------------------------------------- */

/* Writes the forms that were run. written: the records of other cores. */
void insn_record_forms(const struct run_facts *run, const struct insn_table *t,
                       struct insn_written *written, struct report *r);

/* Writes the forms that were not run, sorted by reason. written: the records of other cores. */
void insn_record_left(const struct run_facts *run, const struct insn_table *t,
                      struct insn_written *written, struct report *r);

/* --- insn_bytes.c: the estimate, for the time on a serial line -------------------------------- */

/* Returns the approximate number of bytes that insn_record_forms() and insn_record_left() will
 * write. */
uint64_t insn_record_bytes(const struct insn_table *t);
/* The same for another core with the same forms. */
uint64_t insn_record_bytes_again(const struct insn_table *t);

#endif
