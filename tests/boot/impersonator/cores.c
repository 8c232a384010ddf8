/* The other cores. */
#include "imp.h"

void cores_prepare(void)
{
}

void cores_nested_fault(struct core *c)
{
    fail("a nested page fault at, by", *v64(c, V_INFO2), *v64(c, V_RIP));
}
