#include "bench/objects/object_rows.h"
#include "bench/api/baretick.h"
#include "lib/text/fmt.h"
#include "lib/text/mem.h"
#include "lib/text/str.h"

#define POINTER sizeof(uint64_t)

/* Bodies of both kinds use the same object layout. */
_Static_assert(offsetof(struct object, counter) == offsetof(struct baretick_object, counter) &&
                   offsetof(struct object, room) == offsetof(struct baretick_object, room) &&
                   offsetof(struct object, arg) == offsetof(struct baretick_object, arg),
               "one object");

/* The row that is being read, for messages. */
struct reading {
    const struct elf *elf;
    struct elf_spot row;
    size_t i;
    const char *name; /* NULL: not read yet */
    struct sink *err;
};

static bool refuse(struct reading *r, const char *why)
{
    if (r->name)
        fmt(r->err, "%s: row %s: %s", r->elf->name, r->name, why);
    else
        fmt(r->err, "%s: row %zu: %s", r->elf->name, r->i + 1, why);
    return false;
}

/* --- pointers and texts ----------------------------------------------------------------------- */

/* Returns the number of lists of rows; *found is the last one. */
static unsigned find_section(const struct elf *e, uint32_t *found)
{
    unsigned count = 0;

    *found = 0;
    for (uint32_t i = 1; i < e->sections; i++)
        if (str_eq(elf_section(e, i).name, BARETICK_SECTION) &&
            elf_section(e, i).type == ELF_PROGBITS) {
            *found = i;
            count++;
        }
    return count;
}

bool object_rows_count(const struct elf *e, size_t *n, struct sink *err)
{
    uint32_t section;
    unsigned lists = find_section(e, &section);

    *n = 0;
    if (lists == 0) {
        fmt(err,
            "%s: it has no rows: section " BARETICK_SECTION
            ", with a pointer to each, is not there",
            e->name);
        return false;
    }
    if (lists > 1) {
        fmt(err, "%s: it has %u sections " BARETICK_SECTION "; one is allowed", e->name, lists);
        return false;
    }
    struct elf_section s = elf_section(e, section);
    if (s.size == 0 || s.size % POINTER || !(s.flags & ELF_ALLOC)) {
        fmt(err, "%s: section " BARETICK_SECTION " is not a list of pointers: %llu bytes%s",
            e->name, (unsigned long long)s.size, s.flags & ELF_ALLOC ? "" : ", not allocated");
        return false;
    }
    *n = s.size / POINTER;
    return true;
}

/* Finds the target of the pointer at a spot. A pointer without a relocation must be NULL: a fixed
 * address is not in the object. */
static bool follow(struct reading *r, const char *what, struct elf_spot at, struct elf_spot *to)
{
    uint64_t address;
    char why[96];

    if (!elf_pointer(r->elf, at, to, r->err))
        return false;
    memcpy(&address, elf_section(r->elf, at.section).bytes + at.offset, sizeof address);
    if (to->section || address == 0)
        return true;
    fmt_buf(why, sizeof why, "%s is the address 0x%llx, which leads out of the object", what,
            (unsigned long long)address);
    return refuse(r, why);
}

/* Finds the target of a pointer field of the row. */
static bool pointer(struct reading *r, size_t field, const char *what, struct elf_spot *to)
{
    return follow(r, what, (struct elf_spot){r->row.section, r->row.offset + field}, to);
}

/* Finds the text that a field points to, of 1 to `most` bytes; NULL if the field is NULL. */
static bool text(struct reading *r, size_t field, const char *what, size_t most, const char **at)
{
    struct elf_spot to;
    char why[96];

    *at = NULL;
    if (!pointer(r, field, what, &to))
        return false;
    if (!to.section)
        return true;
    struct elf_section s = elf_section(r->elf, to.section);
    for (uint64_t n = 0; s.bytes && to.offset + n < s.size && n <= most; n++) {
        uint8_t c = s.bytes[to.offset + n];
        if (c == 0 && n > 0) {
            *at = (const char *)s.bytes + to.offset;
            return true;
        }
        if (c < ' ' || c == 0x7f)
            break;
    }
    fmt_buf(why, sizeof why, "%s must be 1 to %zu printable characters", what, most);
    return refuse(r, why);
}

static bool is_name(const char *name)
{
    for (; *name; name++)
        if (!((*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') ||
              (*name >= '0' && *name <= '9') || *name == '_' || *name == '-'))
            return false;
    return true;
}

/* Finds a text that is a valid name of a suite or row. */
static bool name(struct reading *r, size_t field, const char *what, const char **at)
{
    if (!text(r, field, what, OBJECT_NAME_MOST, at))
        return false;
    if (!*at || is_name(*at))
        return true;
    return refuse(r, "suite and name are made of letters, digits, _ and -");
}

/* --- a row ------------------------------------------------------------------------------------ */

#define FIELD(field) offsetof(struct baretick_row, field)

/* Reads the texts, which point into the object. The numbers have been copied. */
static bool read_texts(struct reading *r, const char *suite, struct bench *b)
{
    if (!name(r, FIELD(name), "its name", &b->name))
        return false;
    if (!b->name)
        return refuse(r, "it has no name");
    r->name = b->name;
    if (!name(r, FIELD(suite), "its suite", &b->suite) ||
        !text(r, FIELD(what), "what", OBJECT_WHAT_MOST, &b->what) ||
        !name(r, FIELD(compared_with), "compared_with", &b->shown.compared_with) ||
        !text(r, FIELD(unit), "unit", OBJECT_NAME_MOST, &b->shown.base_unit))
        return false;
    if (!b->what)
        return refuse(r, "it does not say what one operation is");
    if (!b->shown.base_unit != !b->shown.base_per_op)
        return refuse(r, "unit and units belong together: one of them is not given");
    if (!b->suite)
        b->suite = suite;
    if (b->shown.compared_with && str_eq(b->shown.compared_with, b->name))
        return refuse(r, "compared_with names the row itself");
    return true;
}

/* IEEE 754 binary64 of 1e18. A record cannot write numbers from this on (lib/text/decimal.h), and
 * readers of a report refuse numbers near infinity. */
#define AMOUNT_LIMIT 0x43abc16d674ec800ull

/* Returns whether these bits are a number that is not negative and that a record can hold. Compares
 * integers because SSE may be disabled when code of this room runs. */
static bool is_amount(uint64_t bits)
{
    return bits < AMOUNT_LIMIT;
}

static bool numbers_are_right(struct reading *r, const struct baretick_row *row)
{
    uint64_t truth, instructions, least = row->flags & BARETICK_NOT_DOUBLED ? 1 : 2;
    char why[128];

    memcpy(&truth, &row->truth, sizeof truth);
    memcpy(&instructions, &row->least_instructions, sizeof instructions);
    if (row->ops == 0 || row->ops > OBJECT_OPS_MOST) {
        fmt_buf(why, sizeof why, "ops is %u; 1 to %u are allowed", row->ops, OBJECT_OPS_MOST);
        return refuse(r, why);
    }
    if (row->grain && row->ops % row->grain) {
        fmt_buf(why, sizeof why, "ops is %u, which is not a multiple of its grain, %u", row->ops,
                row->grain);
        return refuse(r, why);
    }
    if (row->most_ops && row->most_ops < least * row->ops) {
        fmt_buf(why, sizeof why, "most_ops is %u; %s ops (%llu) or more are needed", row->most_ops,
                least == 1 ? "its" : "twice its", (unsigned long long)(least * row->ops));
        return refuse(r, why);
    }
    if (row->room > BARETICK_ROOM_MOST) {
        fmt_buf(why, sizeof why, "room is %u bytes; at most %u are allowed", row->room,
                BARETICK_ROOM_MOST);
        return refuse(r, why);
    }
    if (row->needs & ~(uint32_t)BARETICK_RING0)
        return refuse(r, "needs has bits that this version does not know");
    if (row->flags & ~(uint32_t)(BARETICK_NOT_DOUBLED | BARETICK_COLD | BARETICK_MAY_BE_ELIDED) ||
        row->reserved)
        return refuse(r, "flags or reserved has bits that this version does not know");
    if (!is_amount(truth))
        return refuse(r, "truth is cycles: 0 or above, and below 1e18");
    if (!is_amount(instructions))
        return refuse(r, "least_instructions is a number: 0 or above, and below 1e18");
    return true;
}

static void take_numbers(const struct baretick_row *row, struct object_row *to)
{
    struct bench *b = &to->bench;

    b->window.form = FORM_FUNCTION;
    b->ops = row->ops;
    b->window.grain = row->grain;
    b->window.most_ops = row->most_ops;
    b->needs.room_bytes = row->room;
    b->needs.platform = row->needs & BARETICK_RING0 ? NEED_RING0 : 0;
    b->window.not_doubled = row->flags & BARETICK_NOT_DOUBLED;
    b->window.cold = row->flags & BARETICK_COLD;
    b->proof.errors_are_wrong = true;
    b->shown.base_per_op = row->units;
    b->proof.may_be_elided = row->flags & BARETICK_MAY_BE_ELIDED;
    memcpy(&b->proof.least_instructions, &row->least_instructions,
           sizeof b->proof.least_instructions);
    memcpy(&to->code.truth, &row->truth, sizeof to->code.truth);
}

/* Reads the functions. size: bytes of the row's struct, which may be an older version. */
static bool read_functions(struct reading *r, uint32_t size, struct bench_code *code)
{
    static const struct {
        const char *name;
        size_t field;
    } of[BENCH_CODE_FIELDS] = {
        [BENCH_CODE_FUNCTION] = {"body", FIELD(body)},
        [BENCH_CODE_EMPTY] = {"empty", FIELD(empty)},
        [BENCH_CODE_SETUP] = {"setup", FIELD(setup)},
        [BENCH_CODE_CHECK] = {"check", FIELD(check)},
        [BENCH_CODE_BEFORE] = {"before", FIELD(before)},
    };
    char why[64];
    for (unsigned f = 0; f < BENCH_CODE_FIELDS; f++) {
        struct elf_spot *to = &code->at[f];
        if (of[f].field >= size)
            continue;
        if (!pointer(r, of[f].field, of[f].name, to))
            return false;
        if (to->section && !(elf_section(r->elf, to->section).flags & ELF_EXEC)) {
            fmt_buf(why, sizeof why, "%s points to data, not to a function", of[f].name);
            return refuse(r, why);
        }
    }
    return code->at[BENCH_CODE_FUNCTION].section ? true : refuse(r, "it has no body");
}

/* Sizes of version 1 before it had these fields, which are then not declared. */
#define FIRST_SIZE  FIELD(least_instructions)
#define SECOND_SIZE FIELD(before)
#define THIRD_SIZE  FIELD(args)

static bool is_size(uint32_t size)
{
    return size == FIRST_SIZE || size == SECOND_SIZE || size == THIRD_SIZE ||
           size == sizeof(struct baretick_row);
}

/* Copies the row's struct. */
static bool read_struct(struct reading *r, struct baretick_row *row)
{
    struct elf_section s = elf_section(r->elf, r->row.section);
    uint32_t size;
    char why[96];

    if (!s.bytes || !(s.flags & ELF_ALLOC) || s.size - r->row.offset < 2 * sizeof(uint32_t))
        return refuse(r, "its pointer leads to no struct baretick_row");
    memcpy(row, s.bytes + r->row.offset, 2 * sizeof(uint32_t));
    if (row->version != BARETICK_VERSION) {
        fmt_buf(why, sizeof why, "version %u; this program knows version %u", row->version,
                BARETICK_VERSION);
        return refuse(r, why);
    }
    if (!is_size(row->size)) {
        fmt_buf(why, sizeof why, "its struct has %u bytes; version %u has %zu, %zu, %zu or %zu",
                row->size, BARETICK_VERSION, sizeof *row, THIRD_SIZE, SECOND_SIZE, FIRST_SIZE);
        return refuse(r, why);
    }
    if (s.size - r->row.offset < row->size)
        return refuse(r, "its struct leads out of the section");
    size = row->size;
    memset(row, 0, sizeof *row);
    memcpy(row, s.bytes + r->row.offset, size);
    return true;
}

static bool read_args(struct reading *r, const struct baretick_row *row, struct object_args *args)
{
    char why[128];
    struct sink_buf said;

    sink_buf_init(&said, why, sizeof why);
    return object_args_list(&row->args, args, &said.sink) || refuse(r, why);
}

bool object_rows_read(const struct elf *e, size_t i, const char *suite, struct object_row *row,
                      struct object_args *args, struct sink *err)
{
    struct reading r = {.elf = e, .i = i, .err = err};
    struct elf_spot list = {0, i * POINTER};
    struct baretick_row in;

    *row = (struct object_row){.code.elf = e};
    if (find_section(e, &list.section) != 1 || !follow(&r, "its pointer", list, &r.row))
        return false;
    if (!r.row.section)
        return refuse(&r, "its pointer is NULL");
    if (!read_struct(&r, &in))
        return false;
    take_numbers(&in, row);
    return read_texts(&r, suite, &row->bench) && numbers_are_right(&r, &in) &&
           read_functions(&r, in.size, &row->code) && read_args(&r, &in, args);
}
