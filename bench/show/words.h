/* The values that records have for enums. */
#ifndef BENCH_SHOW_WORDS_H
#define BENCH_SHOW_WORDS_H

/* By enum row_status: "ok", "wrong", "unsupported". */
extern const char *const words_status[];
/* By enum form: "empty" .. "cores"; FORM_WATCH and FORM_INSN have no row. */
extern const char *const words_form[];

#endif
