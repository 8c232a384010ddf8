#include "bench/objects/objects.h"
#include "bench/api/registry.h"
#include "bench/objects/object_rows.h"
#include "bench/objects/suites.h"
#include "bench/api/declare.h"
#include "lib/object/elf_place.h"
#include "lib/text/bytes.h"
#include "lib/text/fmt.h"
#include "lib/text/str.h"
#include "lib/text/json.h"
#include "lib/text/mem.h"

#define WHY_MOST 200

const char objects_too_large[] =
    "larger than the 1 MiB that an object may have; in place of glibc's libc.a "
    "link " ELF_C_LIBRARY " (docs/own-code.md)";

struct object_file {
    char name[OBJECTS_NAME_MOST];
    char suite[OBJECT_NAME_MOST + 1]; /* of rows that name no suite */
    struct elf elf;
    unsigned rows;
};

#define BUILT_IN_ROWS 16

static struct object_file built_in, files[OBJECTS_MOST];
static struct object_row built_in_rows[BUILT_IN_ROWS], rows[OBJECTS_ROWS];
static unsigned files_used, rows_used, refusals; /* `refusals` counts all; the first ones have a
                                                  * text: */
static char refusal[OBJECTS_REFUSALS][WHY_MOST];
static const char *left_out;

static bool ends_in_o(const char *name)
{
    size_t n = strlen(name);

    return n > 2 && name[n - 2] == '.' && (name[n - 1] == 'o' || name[n - 1] == 'O');
}

bool objects_want(const char *choice, const char *name)
{
    return ends_in_o(name) && !str_eq(choice, "off") &&
           (str_eq(choice, "on") || glob_list_match(choice, name));
}

/* Keeps the text if there is room, and counts the refusal. */
static void refuse(const char *why)
{
    if (refusals < OBJECTS_REFUSALS)
        fmt_buf(refusal[refusals], WHY_MOST, "%s", why);
    refusals++;
}

void objects_refuse(const char *name, const char *why)
{
    char text[WHY_MOST];

    fmt_buf(text, sizeof text, "%s: %s", name, why);
    refuse(text);
}

void objects_leave_out(const char *why)
{
    left_out = why;
}

/* Makes a suite's name: "hash-2.o" gives "hash-2"; characters that are not allowed become _. */
static void suite_of(char *suite, const char *name)
{
    size_t n = strlen(name) - (ends_in_o(name) ? 2 : 0), used = 0;

    for (size_t i = 0; i < n && used < OBJECT_NAME_MOST; i++) {
        char c = name[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                     c == '_' || c == '-';
        suite[used++] = plain ? c : '_';
    }
    suite[used] = 0;
}

/* Returns the memory for a file's next row; NULL: there is no more room. */
static struct object_row *next_row(const struct object_file *f)
{
    if (f == &built_in)
        return built_in.rows < BUILT_IN_ROWS ? &built_in_rows[built_in.rows] : NULL;
    return rows_used < OBJECTS_ROWS ? &rows[rows_used] : NULL;
}

/* Adds a row to the registry. arg NULL: the row has no argument. */
static bool add_row(struct object_file *f, const struct object_row *read, const uint32_t *arg,
                    struct sink *err)
{
    char text[128];
    struct sink_buf said;
    const char *why = text;
    struct object_row *row = next_row(f);

    if (!row) {
        fmt(err, "%s: row %s: at most %u rows are allowed, over all objects", f->name,
            read->bench.name, OBJECTS_ROWS);
        return false;
    }
    *row = *read;
    sink_buf_init(&said, text, sizeof text);
    if (arg && !object_args_apply(&row->bench, &row->code, &row->names, *arg, &said.sink)) {
        fmt(err, "%s: row %s: %s", f->name, read->bench.name, why);
        return false;
    }
    row->code.user = f != &built_in;
    row->bench.code = &row->code;
    if (!registry_add(&row->bench, &why)) {
        fmt(err, "%s: row %s of suite %s: %s", f->name, row->bench.name, row->bench.suite, why);
        return false;
    }
    f->rows++;
    rows_used += f != &built_in;
    return true;
}

static bool take_row(struct object_file *f, size_t i, struct sink *err)
{
    struct object_row read;
    struct object_args args;

    if (!object_rows_read(&f->elf, i, f->suite, &read, &args, err))
        return false;
    if (args.count == 0)
        return add_row(f, &read, NULL, err);
    for (uint32_t k = 0; k < args.count; k++)
        if (!add_row(f, &read, &args.value[k], err))
            return false;
    return true;
}

static bool open_file(struct object_file *f, const void *bytes, size_t size, size_t *n,
                      struct sink *err)
{
    return elf_open(&f->elf, f->name, bytes, size, err) && object_rows_count(&f->elf, n, err);
}

static void take_rows(struct object_file *f, size_t n)
{
    char why[WHY_MOST];
    struct sink_buf said;

    /* Stops at an object with too many invalid rows. */
    for (size_t i = 0; i < n && refusals <= OBJECTS_REFUSALS; i++) {
        sink_buf_init(&said, why, sizeof why);
        if (!take_row(f, i, &said.sink))
            refuse(why);
    }
}

void objects_open(void)
{
    char why[WHY_MOST];
    struct sink_buf said;
    size_t n;

    sink_buf_init(&said, why, sizeof why);
    const struct elf *suites = suites_elf(&said.sink);
    if (suites)
        built_in.elf = *suites;
    if (suites && object_rows_count(&built_in.elf, &n, &said.sink))
        take_rows(&built_in, n);
    else
        refuse(why);
}

void objects_take(const char *name, const void *bytes, size_t size)
{
    struct object_file *f = &files[files_used];
    struct sink_buf said;
    char why[WHY_MOST];
    size_t n;

    if (files_used == OBJECTS_MOST) {
        fmt_buf(why, sizeof why, "at most %u objects are allowed", OBJECTS_MOST);
        objects_refuse(name, why);
        return;
    }
    files_used++;
    fmt_buf(f->name, sizeof f->name, "%s", name);
    suite_of(f->suite, f->name);
    sink_buf_init(&said, why, sizeof why);
    if (!open_file(f, bytes, size, &n, &said.sink)) {
        refuse(why);
        return;
    }
    take_rows(f, n);
}

const char *objects_name_of(const struct bench *b)
{
    return b->code && b->code->user ? b->code->elf->name : NULL;
}

/* --- reports ---------------------------------------------------------------------------------- */

static void show_file(const struct object_file *f, struct sink *out)
{
    fmt(out, "object    %s: %zu bytes, %u row%s\r\n", f->name, f->elf.size, f->rows,
        f->rows == 1 ? "" : "s");
}

static void record_file(const struct object_file *f, struct report *r)
{
    struct json line, *j = &line;

    if (!report_record(r, j, "object"))
        return;
#include "bench/api/fields/object.def"
    json_end(j);
}

static const char *refused(unsigned i)
{
    return i < OBJECTS_REFUSALS ? refusal[i] : "and more, which are not listed";
}

static unsigned refusals_listed(void)
{
    return refusals <= OBJECTS_REFUSALS ? refusals : OBJECTS_REFUSALS + 1;
}

unsigned objects_refusals(void)
{
    return refusals;
}

void objects_explain(struct sink *err)
{
    for (unsigned i = 0; i < refusals_listed(); i++)
        fmt(err, "; object refused: %s", refused(i));
    if (left_out)
        fmt(err, "; %s", left_out);
}

void objects_show(struct sink *out)
{
    for (unsigned i = 0; i < files_used; i++)
        show_file(&files[i], out);
    for (unsigned i = 0; i < refusals_listed(); i++)
        fmt(out, "object refused: %s\r\n", refused(i));
    if (left_out)
        fmt(out, "%s\r\n", left_out);
}

static bool is_row(const char *suite, const char *name)
{
    size_t n;
    const struct bench *const *all = registry(&n);

    for (size_t i = 0; i < n; i++)
        if (str_eq(all[i]->suite, suite) && str_eq(all[i]->name, name))
            return true;
    return false;
}

/* Warns of rows whose partner is missing. Called after all objects are loaded. */
static void warn_of_partners(struct report *r)
{
    for (unsigned i = 0; i < rows_used; i++) {
        const struct bench *b = &rows[i].bench;
        if (!b->shown.compared_with || is_row(b->suite, b->shown.compared_with))
            continue;
        report_eventf(r, "warning", "%s: row %s: compared_with is %s, which suite %s does not have",
                      objects_name_of(b), b->name, b->shown.compared_with, b->suite);
    }
}

void objects_tell(struct report *r)
{
    warn_of_partners(r);
    if (left_out)
        report_event(r, "warning", left_out);
    for (unsigned i = 0; i < files_used; i++) {
        if (report_table(r))
            show_file(&files[i], r->out);
        record_file(&files[i], r);
    }
    for (unsigned i = 0; i < refusals_listed(); i++) {
        report_eventf(r, "error", "object refused: %s", refused(i));
        report_failed(r, "an object of rows", NULL);
    }
}
