/* SPDX-License-Identifier: GPL-2.0-only */
/* What transport.type=uet implies (docs/explanation/uet.md). */
#ifndef WEFT_UET_DEFAULTS_H
#define WEFT_UET_DEFAULTS_H

#include "net/net.h"
#include "packet_params.h"

/** Whether section uet goes together with section tcp; else WEFT_E_INPUT. */
int weft_uet_check_params(const struct weft_packet_params *p, struct weft_err *err);
/** struct weft_net_backend.control_of */
const char *weft_uet_control_of(const char *transport);
/** struct weft_net_backend.implies */
bool weft_uet_implies(const void *params);
/** struct weft_net_backend.imply */
int weft_uet_imply(const struct weft_net_config *config, weft_net_imply_fn fn, void *ctx,
                   struct weft_err *err);

#endif
