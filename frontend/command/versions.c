/* SPDX-License-Identifier: GPL-2.0-only */
/* Versions. WEFT_VERSION and WEFT_BUILD_TYPE come from CMake, WEFT_COMMIT from cmake/Commit.cmake.
 */
#include "command/versions.h"

#include "weft_commit.h"

#include <libxml/xmlversion.h>
#include <protobuf-c/protobuf-c.h>
#include <zstd.h>

void weft_versions(const struct weft_cli *cli, struct weft_version out[WEFT_VERSIONS])
{
    out[0] = (struct weft_version){"weft", WEFT_VERSION};
    out[1] =
        (struct weft_version){"ns-3", cli->ns3_version ? cli->ns3_version : "none (built without)"};
    out[2] = (struct weft_version){"libxml2", LIBXML_DOTTED_VERSION};
    out[3] = (struct weft_version){"protobuf-c", protobuf_c_version()};
    out[4] = (struct weft_version){"zstd", ZSTD_versionString()};
    out[5] = (struct weft_version){"compiler", "gcc " __VERSION__};
    out[6] = (struct weft_version){"build type", WEFT_BUILD_TYPE};
    out[7] = (struct weft_version){"commit", WEFT_COMMIT[0] ? WEFT_COMMIT
                                                            : "none (not built from a repository)"};
}

void weft_program_version(const struct weft_cli *cli)
{
    struct weft_version v[WEFT_VERSIONS];
    weft_versions(cli, v);
    for (int i = 0; i < WEFT_VERSIONS; i++)
        fprintf(cli->out, "%s %s\n", v[i].name, v[i].value);
}
