/*
 * SMBIOS as Linux shows it to root: the entry point and the table as two files in
 * /sys/firmware/dmi/tables.
 */
#ifndef HOSTED_PLATFORM_SMBIOS_FILES_H
#define HOSTED_PLATFORM_SMBIOS_FILES_H

#include "lib/firmware/smbios.h"

#define SMBIOS_FILES "/sys/firmware/dmi/tables"

/* False: the folder lacks these files, or they are not readable; then nothing is known. */
bool smbios_files_processors(const char *folder, struct smbios_processors *s);

#endif
