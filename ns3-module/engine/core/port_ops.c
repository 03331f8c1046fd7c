/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of functions that port.c calls and that call port.c: see port_ops.h for the reason. */
#include "port_ops.h"
#include "port.h"

const struct port_ops port_ops = {
    .kick = port_kick,
    .enqueue = port_enqueue,
    .catch_up = port_catch_up,
};
