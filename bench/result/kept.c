#include "bench/result/kept.h"
#include "lib/text/fmt.h"

static const char *const kept_names[WINDOW_KEPT] = {
    [WINDOW_RSP] = "rsp",
    [WINDOW_RBX] = "rbx",
    [WINDOW_RBP] = "rbp",
    [WINDOW_R12] = "r12",
    [WINDOW_R13] = "r13",
    [WINDOW_R14] = "r14",
    [WINDOW_R15] = "r15",
    [WINDOW_DF] = "RFLAGS.DF",
    [WINDOW_FLAGS] = "RFLAGS (AC, NT, IOPL or IF)",
    [WINDOW_MXCSR] = "MXCSR",
    [WINDOW_CONTROL] = "the x87 control word",
    [WINDOW_X87] = "the x87 stack or MMX registers",
    [WINDOW_PKRU] = "PKRU",
};

void window_kept_text(uint32_t changed, struct sink *out)
{
    const char *before = "";

    for (unsigned i = 0; i < WINDOW_KEPT; i++)
        if (changed >> i & 1 && kept_names[i]) {
            fmt(out, "%s%s", before, kept_names[i]);
            before = ", ";
        }
}
