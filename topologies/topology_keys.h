/* SPDX-License-Identifier: GPL-2.0-only */
/* Which parameters the topologies of a fabric have: for advice. */
#ifndef WEFT_TOPOLOGY_KEYS_H
#define WEFT_TOPOLOGY_KEYS_H

#include "topologies/fabric.h"

WEFT_C_BEGIN

/** Whether some dimension of @p f is of a kind with the parameter @p key: what a file describes has
 * none to set. */
bool weft_topology_has_key(const struct weft_fabric *f, const char *key);

WEFT_C_END
#endif
