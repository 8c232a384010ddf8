/*
 * Shows what a machine will report about a user object, without measuring it.
 *   check_object FILE.o|FOLDER
 * reads the rows with the program's own code, next to the built-in rows, and places each as for a
 * measurement; no code of the object runs. Prints the rows and what is refused. Exit status: 0, 1
 * if something is refused, 2 if no object is named.
 */
#include <stdio.h>
#include <string.h>
#include "bench/api/registry.h"
#include "bench/engine/compiled.h"
#include "bench/engine/engine.h"
#include "bench/engine/place.h"
#include "bench/objects/objects.h"
#include "lib/text/fmt.h"
#include "hosted/platform/process.h"

enum { GOOD, REFUSED, USAGE };

static void write_out(struct sink *self, const char *bytes, size_t n)
{
    (void)self;
    for (size_t i = 0; i < n; i++)
        if (bytes[i] != '\r')
            putchar(bytes[i]);
}

static struct sink out = {write_out};

static void show_function(const struct bench *b, const char *what, enum bench_code_field field)
{
    const struct elf_spot *at = &b->code->at[field];
    uint64_t distance;

    if (!at->section)
        return;
    const char *name = elf_symbol_at(b->code->elf, at->section, at->offset, &distance);
    printf("    %-9s %s", what, name ? name : elf_section(b->code->elf, at->section).name);
    if (!name || distance)
        printf("+0x%llx", (unsigned long long)(name ? distance : at->offset));
    printf("\n");
}

static void show_number(const char *what, uint32_t value)
{
    if (value)
        printf("    %-9s %u\n", what, value);
}

static void show_cycles(const char *what, double cycles)
{
    if (cycles > 0)
        printf("    %-9s %g core cycles\n", what, cycles);
}

static void show_row(const struct bench *b)
{
    printf("%s/%s: %s\n", b->suite, b->name, b->what);
    show_function(b, "body", BENCH_CODE_FUNCTION);
    show_function(b, "empty", BENCH_CODE_EMPTY);
    show_function(b, "setup", BENCH_CODE_SETUP);
    show_function(b, "check", BENCH_CODE_CHECK);
    show_function(b, "before", BENCH_CODE_BEFORE);
    show_number("ops", b->ops);
    show_number("grain", b->window.grain);
    show_number("most_ops", b->window.most_ops);
    show_number("room", b->needs.room_bytes);
    if (b->code->args_of)
        printf("    arg       %u\n", b->code->arg);
    if (b->needs.platform & NEED_RING0)
        printf("    needs     ring 0: in a process the row is left out\n");
    if (b->window.not_doubled || b->window.cold || b->proof.may_be_elided)
        printf("    flags    %s%s%s\n", b->window.not_doubled ? " NOT_DOUBLED" : "",
               b->window.cold ? " COLD" : "", b->proof.may_be_elided ? " MAY_BE_ELIDED" : "");
    if (b->proof.least_instructions > 0)
        printf("    least     %g instructions\n", b->proof.least_instructions);
    show_cycles("truth", b->code->truth);
    if (b->shown.compared_with)
        printf("    compared  %s\n", b->shown.compared_with);
    if (b->shown.base_unit)
        printf("    unit      %s, %u an operation\n", b->shown.base_unit, b->shown.base_per_op);
}

/* --- placed as for a measurement -------------------------------------------------------------- */

static bool place(struct engine *e, const struct bench *b)
{
    static struct placed placed[LAYOUT_MAX];
    size_t size[ELF_KINDS] = {0};

    if (!place_row(e, b, RECIPE_LFENCE, placed, 0, LAYOUT_SHUFFLED)) {
        printf("    refused   %s\n", place_why(e));
        return false;
    }
    for (uint32_t i = 0; i < e->compiled->set.parts; i++)
        size[e->compiled->set.part[i].kind] += e->compiled->set.part[i].size;
    printf("    placed    %zu bytes of code, %zu of constants, %zu of data\n", size[ELF_CODE],
           size[ELF_LINKED] + size[ELF_CONSTANT], size[ELF_DATA]);
    return true;
}

static bool check_rows(void)
{
    static struct compiled compiled;
    struct options options;
    size_t n;
    bool good = true;
    const struct bench *const *rows = registry(&n);
    struct platform platform = {0};
    struct memory memory = memory_map(&platform, 1);
    struct engine *e = &(struct engine){.p = &platform, .facts.o = &options, .compiled = &compiled};

    options_default(&options);
    if (memory.what) {
        fprintf(stderr, "check_object: %s: %s\n", memory.what, strerror(memory.error));
        return false;
    }
    compiled_init(&compiled);
    for (size_t i = 0; i < n; i++)
        if (objects_name_of(rows[i])) {
            show_row(rows[i]);
            good = place(e, rows[i]) && good;
        }
    return good;
}

int main(int argc, char **argv)
{
    char error[4096];
    struct sink_buf text;

    sink_buf_init(&text, error, sizeof error);
    if (argc != 2 || !*argv[1]) {
        fprintf(stderr, "usage: make check-object OBJECT=FILE.o, or a folder\n");
        return USAGE;
    }
    objects_open();
    if (!folder_objects(argv[1], &text.sink)) {
        fprintf(stderr, "check-object: %s\n", error + strlen("objects="));
        return USAGE;
    }
    bool good = check_rows();
    objects_show(&out);
    return good && !objects_refusals() ? GOOD : REFUSED;
}
