/*
 * Objects with rows, of any bytes: if one opens, its rows are read, and each row that is not
 * refused has its functions linked, as bench/engine/compiled.c does, within memory of exactly
 * their size.
 */
#include <string.h>
#include "bench/objects/object_rows.h"
#include "tests/unit/fuzz/fuzz.h"
#include "tests/unit/fuzz/fuzz_link.h"
#include "tests/unit/bench/made_rows.h"

#define ROWS_MOST 16 /* of one object that are looked at */

static struct made_row full(unsigned i, const char *name)
{
    struct made_row r = good_row(i, name);

    r.row.grain = 10;
    r.row.most_ops = 1000;
    r.row.room = 4096;
    r.row.floor = 0.5;
    r.row.least_instructions = 0.5;
    r.row.truth = 3;
    r.row.units = 8;
    r.suite = made_text("suite");
    r.empty = (struct made_pointer){ROWS_CODE, 16};
    r.setup = (struct made_pointer){ROWS_CODE, 32};
    r.check = (struct made_pointer){ROWS_CODE, 48};
    r.before = (struct made_pointer){ROWS_CODE, 56};
    r.compared_with = made_text("other");
    r.unit = made_text("byte");
    return r;
}

size_t fuzz_seed(size_t index, uint8_t *out, size_t room)
{
    static struct made m;
    struct made_row rows[3];

    made_rows_begin();
    if (index > 4)
        return 0;
    for (unsigned i = 0; i < 3; i++)
        rows[i] = index % 2 ? full(i, "row") : good_row(i, "row");
    if (index == 2)
        rows[1].row.version = 2;
    if (index == 3)
        rows[1].row.size = offsetof(struct baretick_row, least_instructions);
    if (index == 4)
        rows[1].row.size = offsetof(struct baretick_row, before);
    made_rows(&m, rows, index < 2 ? 1 : 3);
    if (m.size > room)
        return 0;
    memcpy(out, m.bytes, m.size);
    return m.size;
}

static const char suite_given[] = "suite"; /* for rows that name none */

static bool is_text(const struct elf *e, const char *text, size_t most)
{
    const char *bytes = (const char *)e->bytes;
    size_t length = strlen(text);

    if (text == suite_given)
        return true;
    return length >= 1 && length <= most && text >= bytes && text + length < bytes + e->size;
}

/* The properties of a row that is not refused. */
static void check_row(const struct elf *e, const struct object_row *row)
{
    const struct bench *b = &row->bench;

    FUZZ_CHECK(is_text(e, b->suite, OBJECT_NAME_MOST) && is_text(e, b->name, OBJECT_NAME_MOST));
    FUZZ_CHECK(is_text(e, b->what, OBJECT_WHAT_MOST));
    FUZZ_CHECK(!b->shown.compared_with || is_text(e, b->shown.compared_with, OBJECT_NAME_MOST));
    FUZZ_CHECK(!b->shown.base_unit ||
               (is_text(e, b->shown.base_unit, OBJECT_NAME_MOST) && b->shown.base_per_op));
    FUZZ_CHECK(b->ops >= 1 && b->ops <= OBJECT_OPS_MOST && b->ops % bench_grain(b) == 0);
    FUZZ_CHECK(b->needs.room_bytes <= BARETICK_ROOM_MOST && b->proof.least_instructions >= 0 &&
               row->code.truth >= 0);
    FUZZ_CHECK(row->code.at[BENCH_CODE_FUNCTION].section != 0);
}

static void link_row(const struct elf *e, const struct object_row *row, struct sink_buf *said)
{
    static const struct elf_given givens[] = {
        {"memcpy", 0x1234567890}, {"memset", 0x1234567890}, {NULL, 0}};
    static struct elf_set set;
    struct elf_entry entry;

    elf_set_init(&set, e, givens);
    for (unsigned f = 0; f < BENCH_CODE_FIELDS; f++)
        if (row->code.at[f].section && !elf_add(&set, row->code.at[f], &entry, &said->sink)) {
            FUZZ_CHECK(said->used > 0);
            return;
        }
    FUZZ_CHECK(said->used == 0);
    fuzz_link(&set, 0x100000000000);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char text[256];
    struct object_row row;
    struct object_args args;
    struct sink_buf said;
    struct elf e;
    size_t n;

    sink_buf_init(&said, text, sizeof text);
    if (!elf_open(&e, "fuzz.o", data, size, &said.sink) || !object_rows_count(&e, &n, &said.sink)) {
        FUZZ_CHECK(said.used > 0);
        return 0;
    }
    FUZZ_CHECK(said.used == 0 && n > 0 && n <= size / 8);
    for (size_t i = 0; i < n && i < ROWS_MOST; i++) {
        sink_buf_init(&said, text, sizeof text);
        if (!object_rows_read(&e, i, suite_given, &row, &args, &said.sink)) {
            FUZZ_CHECK(said.used > 0);
            continue;
        }
        FUZZ_CHECK(said.used == 0);
        check_row(&e, &row);
        link_row(&e, &row, &said);
    }
    return 0;
}
