#include "lib/insn/select.h"
#include "lib/insn/table.h"
#include "lib/text/glob.h"
#include "lib/text/str.h"

void insn_word(const struct insn_form *f, unsigned decoration, struct sink *out)
{
    char name[INSN_WORD_MOST];
    struct sink_buf text;

    sink_buf_init(&text, name, sizeof name);
    insn_name(f, decoration, &text.sink);
    for (size_t i = 0; i < text.used; i++)
        if (name[i] != ',')
            out->write(out, name[i] == ' ' ? "_" : &name[i], 1);
}

bool insn_selected(const char *list, const struct insn_form *f, unsigned decoration)
{
    char word[INSN_WORD_MOST], pattern[INSN_WORD_MOST * 2];
    struct sink_buf text;

    if (decoration == INSN_PLAIN && str_eq(list, "*"))
        return true;
    sink_buf_init(&text, word, sizeof word);
    insn_word(f, decoration, &text.sink);
    for (size_t i = 0; glob_list_at(list, i, pattern, sizeof pattern); i++)
        if (glob_match(pattern, word) && (decoration == INSN_PLAIN || str_has(pattern, "{")))
            return true;
    return false;
}

bool insn_any_selected(const char *list)
{
    for (unsigned i = 0; i < insn_count(); i++) {
        uint8_t decorations[INSN_DECORATIONS_MOST];
        unsigned n = insn_decorations(insn_form(i), decorations);
        for (unsigned k = 0; k < n; k++)
            if (insn_selected(list, insn_form(i), decorations[k]))
                return true;
    }
    return false;
}
