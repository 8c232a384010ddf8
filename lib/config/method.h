/* The methods, which compute figures from windows. All but doubled are from the literature
 * (docs/literature.md; bench/method/method.h). The only list of their names. */
#ifndef LIB_CONFIG_METHOD_H
#define LIB_CONFIG_METHOD_H

#include "lib/config/word_list.h"

#define METHOD_CHOICES(WORD)                                                                       \
    WORD(METHOD_DOUBLED, "doubled")                                                                \
    WORD(METHOD_PLAIN, "plain")                                                                    \
    WORD(METHOD_KBEST, "kbest")                                                                    \
    WORD(METHOD_ENSEMBLES, "ensembles")                                                            \
    WORD(METHOD_ADAPTIVE, "adaptive")

enum method { METHOD_CHOICES(WORD_ID) METHOD_COUNT };

extern const char *const method_names[METHOD_COUNT];

#endif
