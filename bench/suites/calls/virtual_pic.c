/* The A/A control: the functions of virtual.c, compiled separately from their caller with -fPIC. */
#ifdef __PIE__
#error "-fPIC belongs here (the Makefile's CFLAGS_<path>): a program's code is not a library's"
#endif
#include "bench/suites/calls/virtual.h"

CALLS_TABLES(calls_table_pic);
