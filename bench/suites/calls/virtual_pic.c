/* The A/A control: the functions of calls_virtual.c, compiled apart from their caller. */
#include "bench/suites/calls/virtual.h"

CALLS_TABLES(calls_table_pic);
