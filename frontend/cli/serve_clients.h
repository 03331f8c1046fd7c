/* SPDX-License-Identifier: GPL-2.0-only */
/* Clients of weft serve. */
#ifndef WEFT_CLI_SERVE_CLIENTS_H
#define WEFT_CLI_SERVE_CLIENTS_H

#include "lib/serve.h"

#include <signal.h>

/** Serves a client on two descriptors until it closes. Returns 0 or a WEFT_E_* code. */
int weft_serve_client(const struct weft_serve_config *config, int in, int out,
                      struct weft_err *err);
/** Serves clients of the Unix socket @p path, each in a process of its own, until *@p interrupted
 * is not 0. */
int weft_serve_socket(const struct weft_serve_config *config, const char *path,
                      const volatile sig_atomic_t *interrupted, struct weft_err *err);

#endif
