/*
 * SMBIOS as Linux hands it to root: the entry point and the table as two files of
 * /sys/firmware/dmi/tables.
 */
#ifndef HOSTED_PLATFORM_SMBIOS_FILES_H
#define HOSTED_PLATFORM_SMBIOS_FILES_H

#include "lib/firmware/smbios_processor.h"

#define SMBIOS_FILES "/sys/firmware/dmi/tables"

/* False: the folder has no such files, or they may not be read; nothing is known then. */
bool smbios_files_processors(const char *folder, struct smbios_processors *s);

#endif
