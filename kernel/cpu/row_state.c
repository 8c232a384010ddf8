#include "kernel/cpu/row_state.h"
#include "kernel/cpu/msr.h"
#include "lib/text/fmt.h"

void row_state_keep(struct row_state *s)
{
    for (unsigned r = 0; r < ROW_REGISTERS; r++)
        s->before[r] = row_register_kinds[r].read();
    s->changed = s->changed_msrs = 0;
    s->msrs = 0;
    s->kept = true;
}

void row_state_keep_msrs(struct row_state *s, const uint32_t *msr)
{
    for (; *msr && s->msrs < ROW_MSRS; msr++) {
        if (!msr_read(*msr, &s->msr_before[s->msrs]))
            continue;
        s->msr[s->msrs++] = *msr;
    }
}

static bool put_back_msrs(struct row_state *s)
{
    bool changed = false;

    for (unsigned i = 0; i < s->msrs; i++) {
        uint64_t now;

        if (msr_read(s->msr[i], &now) && now == s->msr_before[i])
            continue;
        s->changed_msrs |= 1u << i;
        /* Only a restored register counts as changed: otherwise the same fault could repeat
         * forever. */
        changed |= msr_write(s->msr[i], s->msr_before[i]) && msr_read(s->msr[i], &now) &&
                   now == s->msr_before[i];
    }
    return changed;
}

bool row_state_put_back(struct row_state *s, bool in_handler)
{
    const uint32_t skipped = in_handler ? 1u << ROW_CS | 1u << ROW_SS : 0;
    bool changed = false;

    if (!s->kept)
        return false;
    for (unsigned r = 0; r < ROW_REGISTERS; r++) {
        uint64_t now = row_register_kinds[r].read();

        if (now == s->before[r] || skipped >> r & 1)
            continue;
        row_state_note(s, (enum row_register)r, now);
        row_register_kinds[r].write(s->before[r]);
        changed = changed || r != ROW_DR6; /* the CPU sets it when it raises #DB */
    }
    return put_back_msrs(s) || changed;
}

bool row_state_tell(struct row_state *s, struct sink *out)
{
    const char *before = "";
    bool any = s->changed != 0 || s->changed_msrs != 0;

    for (unsigned r = 0; r < ROW_REGISTERS; r++) {
        const struct row_register_kind *kind = &row_register_kinds[r];

        if (!(s->changed >> r & 1))
            continue;
        fmt(out, "%s", before);
        register_difference(kind->name, kind->bits, s->before[r], s->found[r], out);
        before = ", ";
    }
    for (unsigned i = 0; i < s->msrs; i++) {
        if (!(s->changed_msrs >> i & 1))
            continue;
        fmt(out, "%sMSR %xh", before, s->msr[i]);
        before = ", ";
    }
    s->changed = s->changed_msrs = 0;
    return any;
}
