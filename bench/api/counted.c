/* A separate unit, since the Makefile links it into the object from which rows are placed. */
#include "bench/api/counted.h"

const char *check_counted(const struct object *o, uint64_t operations)
{
    return o->counter == operations ? NULL : "the counter is not the number of operations";
}
