#include "bench/show/words.h"
#include "bench/model/row.h"

const char *const words_status[] = {
    [ROW_OK] = "ok",
    [ROW_WRONG] = "wrong",
    [ROW_UNSUPPORTED] = "unsupported",
};

const char *const words_form[] = {
    [FORM_EMPTY] = "empty",       [FORM_LOOP] = "loop",   [FORM_STRAIGHT] = "straight",
    [FORM_FUNCTION] = "function", [FORM_CORES] = "cores",
};
