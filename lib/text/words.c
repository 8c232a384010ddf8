#include "lib/text/words.h"

#include "lib/text/mem.h"

/* Advances by one code point; CR LF and a lone CR are one line end. */
static void step(struct words *w)
{
    bool after_cr = w->next == '\r';

    if (w->next == '\n' || after_cr)
        w->line++;
    w->next = utext_next(&w->text);
    if (after_cr && w->next == '\n')
        w->next = utext_next(&w->text);
    if (w->next == '\0' && w->ends_at_nul)
        w->next = UTEXT_END;
}

void words_open(struct words *w, const void *bytes, size_t n, bool ends_at_nul)
{
    *w = (struct words){.line = 1, .ends_at_nul = ends_at_nul};
    utext_open(&w->text, bytes, n);
    step(w);
}

static bool at_line_end(const struct words *w)
{
    return w->next == '\n' || w->next == '\r' || w->next == UTEXT_END;
}

static bool at_blank(const struct words *w)
{
    return w->next == ' ' || w->next == '\t';
}

static void append(struct word *word, const char *bytes, size_t n)
{
    if (word->cut || n > WORD_SIZE - 1 - word->n) {
        word->cut = true;
        return;
    }
    memcpy(word->at + word->n, bytes, n);
    word->n += n;
    word->at[word->n] = '\0';
}

static void append_next(const struct words *w, struct word *word)
{
    const struct utext *t = &w->text;
    char utf8[4];

    if (w->next == UTEXT_BAD)
        append(word, (const char *)t->bytes + t->began, t->at - t->began);
    else
        append(word, utf8, utext_encode(utf8, (uint32_t)w->next));
    if (w->next == UTEXT_BAD || w->next == '\0')
        word->bad = true;
}

static void skip_to_word(struct words *w)
{
    while (w->next != UTEXT_END) {
        if (w->next == '#') {
            while (!at_line_end(w))
                step(w);
        } else if (at_blank(w) || at_line_end(w)) {
            step(w);
        } else {
            return;
        }
    }
}

bool words_next(struct words *w, struct word *word)
{
    skip_to_word(w);
    if (w->next == UTEXT_END)
        return false;
    *word = (struct word){.line = w->line, .number = ++w->number};
    bool quoted = false;
    for (; !at_line_end(w) && (quoted || (!at_blank(w) && w->next != '#')); step(w)) {
        if (w->next == '"')
            quoted = !quoted;
        else
            append_next(w, word);
    }
    word->open = quoted;
    return true;
}
