/* The A/A control: the functions of virtual.c, compiled apart from their caller. */
#include "bench/suites/calls/virtual.h"

CALLS_TABLES(calls_table_pic);
