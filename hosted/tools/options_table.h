/* Writes the options of lib/config/options.c as a Markdown table for the documentation. */
#ifndef HOSTED_TOOLS_OPTIONS_TABLE_H
#define HOSTED_TOOLS_OPTIONS_TABLE_H

#include <stdio.h>
#include "lib/config/options.h"

/* Escapes `|`, which separates alternatives in the text, but cells in the table. */
static inline void options_cell(FILE *out, const char *text)
{
    for (; *text != '\0'; text++)
        fprintf(out, *text == '|' ? "\\|" : "%c", *text);
}

static inline void options_table(FILE *out)
{
    const struct option_doc *docs;
    size_t n = options_docs(&docs);

    fputs("| key | values | default | meaning |\n| --- | --- | --- | --- |\n", out);
    for (size_t i = 0; i < n; i++) {
        fprintf(out, "| `%s=` | `", docs[i].key);
        options_cell(out, docs[i].values);
        fputs("` | `", out);
        options_cell(out, docs[i].standard);
        fputs("` | ", out);
        options_cell(out, docs[i].meaning);
        fputs(" |\n", out);
    }
}

#endif
