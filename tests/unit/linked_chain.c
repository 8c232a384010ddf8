/* The inline function under another name, and then as a function. */
#define chain_adds real_adds
#include "bench/api/tsc.h"
#undef chain_adds
#include "tests/unit/linked_tsc.h"

void chain_adds(uint32_t adds)
{
    real_adds(adds);
}
