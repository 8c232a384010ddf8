/*
 * An enum and its words, from one list, so that neither can be changed without the other:
 *
 *   #define SHARE_CHOICES(WORD) WORD(SHARE_ALONE, "alone") WORD(SHARE_TOGETHER, "together")
 *   enum share { SHARE_CHOICES(WORD_ID) };
 *   const char *const share_names[] = {SHARE_CHOICES(WORD_NAME)};
 *   WORD_LIST(SHARE_CHOICES) is "alone|together", as help and error messages show it.
 */
#ifndef LIB_CONFIG_WORD_LIST_H
#define LIB_CONFIG_WORD_LIST_H

#define WORD_ID(id, word)   id,
#define WORD_NAME(id, word) [id] = (word),

#define WORD_OR_NEXT(id, word) "|" word
/* Without the '|' before the first word. */
#define WORD_LIST(list) (&(list(WORD_OR_NEXT))[1])

#endif
