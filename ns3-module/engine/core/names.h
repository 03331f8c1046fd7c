/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of things in what users read. */
#ifndef WEFT_ENGINE_NAMES_H
#define WEFT_ENGINE_NAMES_H

#include "engine.h"

/** Longest name that port_name writes, with its terminator. */
#define PORT_NAME_MAX (2 * WEFT_NODE_NAME_MAX + 2)

/** "s4->s5". Returns @p buf. */
const char *port_name(const struct weft_engine *e, uint32_t port, char buf[PORT_NAME_MAX]);

#endif
