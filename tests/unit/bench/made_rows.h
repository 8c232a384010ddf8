/*
 * Objects with rows, made by hand: struct baretick_row as a compiler leaves it in a file, with its
 * pointers as relocations. A row starts as good_row(); a test changes the part that it is about.
 */
#ifndef TESTS_MADE_ROWS_H
#define TESTS_MADE_ROWS_H

#include <string.h>
#include "bench/api/baretick.h"
#include "tests/unit/made_object.h"

/* Sections, and the symbols of their starts; a symbol that the object does not define. */
enum {
    ROWS_CODE = 1, /* 80 bytes */
    ROWS_TEXTS,
    ROWS_STRUCTS,
    ROWS_LIST,
    ROWS_DATA, /* 16 bytes */
    ROWS_BSS,  /* as many */
    ROWS_OUTSIDE,
};

/* symbol 0: NULL. */
struct made_pointer {
    unsigned symbol;
    int64_t addend;
};

/* row: its numbers. The list's pointer to it is `at`. */
struct made_row {
    struct baretick_row row;
    struct made_pointer suite, name, what, body, empty, setup, check, before, compared_with, unit,
        at;
};

/* What the texts of one object are made of; emptied by made_rows_begin(). */
static char made_texts[1024];
static size_t made_texts_size;

static inline void made_rows_begin(void)
{
    memset(made_texts, 0, sizeof made_texts);
    made_texts_size = 0;
}

static inline struct made_pointer made_text(const char *text)
{
    struct made_pointer p = {ROWS_TEXTS, (int64_t)made_texts_size};

    memcpy(made_texts + made_texts_size, text, strlen(text) + 1);
    made_texts_size += strlen(text) + 1;
    return p;
}

/* The i-th row of an object. */
static inline struct made_row good_row(unsigned i, const char *name)
{
    return (struct made_row){
        .row = {.version = BARETICK_VERSION, .size = sizeof(struct baretick_row), .ops = 100},
        .name = made_text(name),
        .what = made_text("one operation"),
        .body = {ROWS_CODE, 0},
        .at = {ROWS_STRUCTS, (int64_t)(i * sizeof(struct baretick_row))},
    };
}

static inline void made_rows_pointer(struct made *m, size_t at, struct made_pointer to)
{
    if (to.symbol)
        made_rela(m, ROWS_STRUCTS, at, ELF_R_64, to.symbol, to.addend);
}

static inline void made_rows_relas(struct made *m, const struct made_row *r, size_t at)
{
#define MADE_FIELD(field_)                                                                         \
    made_rows_pointer(m, at + offsetof(struct baretick_row, field_), r->field_)
    MADE_FIELD(suite);
    MADE_FIELD(name);
    MADE_FIELD(what);
    MADE_FIELD(body);
    MADE_FIELD(empty);
    MADE_FIELD(setup);
    MADE_FIELD(check);
    MADE_FIELD(before);
    MADE_FIELD(compared_with);
    MADE_FIELD(unit);
#undef MADE_FIELD
}

/* The body calls memset, and refers to a word of the data. At most 7 rows with 4 pointers, or 3
 * with all. */
static inline void made_rows(struct made *m, const struct made_row *rows, unsigned n)
{
    static const uint8_t code[80] = {0xe8, 0, 0, 0, 0, 0x48, 0x8d, 5, 0, 0, 0, 0, 0x31, 0xc0, 0xc3},
                         zeros[8 * MADE_MAX];
    struct baretick_row structs[8];

    made_begin(m);
    made_section(m, ".text", ELF_PROGBITS, ELF_ALLOC | ELF_EXEC, 16, code, sizeof code);
    made_section(m, ".rodata", ELF_PROGBITS, ELF_ALLOC, 1, made_texts, made_texts_size);
    for (unsigned i = 0; i < n; i++)
        structs[i] = rows[i].row;
    made_section(m, ".data.rel.ro", ELF_PROGBITS, ELF_ALLOC | ELF_WRITE, 8, structs,
                 n * sizeof *structs);
    made_section(m, BARETICK_SECTION, ELF_PROGBITS, ELF_ALLOC, 8, zeros, n * 8);
    made_section(m, ".data", ELF_PROGBITS, ELF_ALLOC | ELF_WRITE, 8, zeros, 16);
    made_section(m, ".bss", ELF_NOBITS, ELF_ALLOC | ELF_WRITE, 8, NULL, 16);
    for (unsigned i = ROWS_CODE; i <= ROWS_BSS; i++)
        made_symbol(m, "", true, ELF_SECTION, (uint16_t)i, 0);
    made_symbol(m, "memset", false, ELF_NOTYPE, ELF_UNDEFINED, 0);
    made_rela(m, ROWS_CODE, 1, ELF_R_PLT32, ROWS_OUTSIDE, -4);
    made_rela(m, ROWS_CODE, 8, ELF_R_PC32, ROWS_DATA, 4);
    for (unsigned i = 0; i < n; i++) {
        made_rows_relas(m, &rows[i], i * sizeof *structs);
        if (rows[i].at.symbol)
            made_rela(m, ROWS_LIST, (uint64_t)i * 8, ELF_R_64, rows[i].at.symbol,
                      rows[i].at.addend);
    }
    made_end(m);
}

#endif
