/* SPDX-License-Identifier: GPL-2.0-only */
/* Pictures of large fabrics. */
#ifndef WEFT_CLI_TOPOLOGY_PICTURE_H
#define WEFT_CLI_TOPOLOGY_PICTURE_H

#include "topologies/fabric.h"

#include <stdio.h>

/** Writes the fabric as SVG, folded: what hangs together is one box. Needs gnuplot. */
int weft_topology_picture(const struct weft_fabric *f, FILE *out, struct weft_err *err);

#endif
