/* SPDX-License-Identifier: GPL-2.0-only */
/* Versions of weft and of the libraries it runs with, for --version, doctor and run.json. */
#ifndef WEFT_CLI_VERSIONS_H
#define WEFT_CLI_VERSIONS_H

#include "command/command.h"

/** One line of versions. */
struct weft_version {
    const char *name; /**< "weft", "ns-3", "libxml2", "protobuf-c", "zstd", "compiler", "build
                         type", "commit" */
    const char *value;
};
enum { WEFT_VERSIONS = 8 };
/** Fills in all of them; the texts live as long as the program. */
void weft_versions(const struct weft_cli *cli, struct weft_version out[WEFT_VERSIONS]);

#endif
