/* The value of `upload=`: auto, off, or the URL of a folder on a server, with a login. */
#ifndef LIB_CONFIG_UPLOAD_CHOICE_H
#define LIB_CONFIG_UPLOAD_CHOICE_H

#include <stdbool.h>
#include "lib/text/url.h"

#define UPLOAD_LOGIN_MOST  128 /* bytes, including the NUL */
#define UPLOAD_FOLDER_MOST 192 /* the same; leaves room for the name of a report in URL_MOST */

struct upload_choice {
    enum { UPLOAD_AUTO, UPLOAD_OFF, UPLOAD_URL } kind;
    char url[UPLOAD_FOLDER_MOST];  /* of the folder, without the login; ends with a slash */
    char login[UPLOAD_LOGIN_MOST]; /* "user:password", never shown; or empty */
};

/* Parses auto, off, or a URL of scheme http, https or tftp. False: none of these. */
bool upload_choice_parse(struct upload_choice *c, const char *text);
/* Returns the choice as a word, without the login. */
const char *upload_choice_text(const struct upload_choice *c);

#endif
