/*
 * Under Secure Boot, shim starts only programs with a section .sbat that names the components and
 * their generations (shim, SBAT.md: component, generation, vendor, package, version, URL; CSV
 * lines). A generation is increased when older builds must no longer start. No code of the program
 * reads the section, so it is in no other unit.
 */
#include "build_id.h"

/* Generation 1, since no build was revoked. There is no URL, and a field may not be empty. */
#define SBAT                                                                                       \
    "sbat,1,SBAT Version,sbat,1,https://github.com/rhboot/shim/blob/main/SBAT.md\n"                \
    "baretick,1,The baretick authors,baretick," BARETICK_VERSION ",-\n"

static const char sbat[sizeof SBAT - 1] __attribute__((section(".sbat"), used)) = SBAT;
