/*
 * The baretick.conf that `make image` puts on the boot volume: every option of lib/config/options.c with
 * its meaning, its values and its default, as a comment. Standard output. Exit 1: not all of it
 * could be written.
 */
#include <stdio.h>
#include "lib/config/options.h"

static const char head[] =
    "# baretick.conf: what to measure, and how. One or more key=value words a line; words given\n"
    "# when baretick is started (UEFI shell, boot entry) come after these and win. Every option\n"
    "# stands below with its values and, behind a #, its default: take that # away and write\n"
    "# what you want. The words `help` and `list` (suites and rows) print and measure nothing.\n";

int main(void)
{
    const struct option_doc *docs;
    size_t n = options_docs(&docs);

    fputs(head, stdout);
    for (size_t i = 0; i < n; i++)
        printf("\n# %s\n# %s=%s\n#%s=%s\n", docs[i].meaning, docs[i].key, docs[i].values,
               docs[i].key, docs[i].standard);
    if (fflush(stdout) == 0 && !ferror(stdout))
        return 0;
    perror("conf: standard output");
    return 1;
}
