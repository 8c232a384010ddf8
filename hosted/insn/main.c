/*
 * insn_table: prints lib/insn/table.def, every form that Zydis' decoder knows (`make insn-table`).
 * The counts go to standard error. Exit status: 0; 1 if a form cannot be described, or not all
 * could be written.
 */
#include <stdio.h>
#include "hosted/insn/collect.h"
#include "hosted/insn/print.h"
#include "hosted/insn/walk.h"

int main(void)
{
    struct collected all = {0};

    walk(collect, &all);
    if (!collected_check(&all))
        return 1;
    print_table(&all);
    collected_free(&all);
    if (fflush(stdout) == 0 && !ferror(stdout))
        return 0;
    perror("insn_table: standard output");
    return 1;
}
