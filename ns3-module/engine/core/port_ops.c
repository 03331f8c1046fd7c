/* SPDX-License-Identifier: GPL-2.0-only */
/* See port_ops.h. */
#include "port_ops.h"
#include "port.h"

const struct port_ops port_ops = {
    .kick = port_kick,
    .enqueue = port_enqueue,
    .catch_up = port_catch_up,
};
