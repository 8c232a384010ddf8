/*
 * Writes the baretick.conf that `make image` puts on the boot volume: every option of
 * lib/config/options.c with its meaning, values and default, as a comment. With --table: the same
 * as a Markdown table. Standard output. Exit 1: not all of it could be written; 2: another word.
 */
#include <stdio.h>
#include <string.h>
#include "lib/config/options.h"

static const char head[] =
    "# baretick.conf: what to measure, and how. A line has one or more key=value words. Words of\n"
    "# the UEFI shell or boot entry come after these and win. Below are all options with their\n"
    "# values and, as a comment, their default: remove the # before it to set the option.\n"
    "# The words `help`, `list` (suites and rows) and `dump` (the machine, for a bug report)\n"
    "# print and measure nothing.\n";

static void conf(void)
{
    const struct option_doc *docs;
    size_t n = options_docs(&docs);

    fputs(head, stdout);
    for (size_t i = 0; i < n; i++)
        printf("\n# %s\n# %s=%s\n#%s=%s\n", docs[i].meaning, docs[i].key, docs[i].values,
               docs[i].key, docs[i].standard);
}

/* Escapes `|`, which separates alternatives in the text, but cells in the table. */
static void write_cell(FILE *out, const char *text)
{
    for (; *text != '\0'; text++)
        fprintf(out, *text == '|' ? "\\|" : "%c", *text);
}

static void write_table(FILE *out)
{
    const struct option_doc *docs;
    size_t n = options_docs(&docs);

    fputs("| key | values | default | meaning |\n| --- | --- | --- | --- |\n", out);
    for (size_t i = 0; i < n; i++) {
        fprintf(out, "| `%s=` | `", docs[i].key);
        write_cell(out, docs[i].values);
        fputs("` | `", out);
        write_cell(out, docs[i].standard);
        fputs("` | ", out);
        write_cell(out, docs[i].meaning);
        fputs(" |\n", out);
    }
}

int main(int argc, char **argv)
{
    if (argc == 1) {
        conf();
    } else if (argc == 2 && strcmp(argv[1], "--table") == 0) {
        write_table(stdout);
    } else {
        fputs("usage: conf [--table]\n", stderr);
        return 2;
    }
    if (fflush(stdout) == 0 && !ferror(stdout))
        return 0;
    perror("conf: standard output");
    return 1;
}
