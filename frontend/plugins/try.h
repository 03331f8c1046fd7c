/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Trying plug-ins: what each member of a family must do, for those that are loaded at run time. The
 * tests of the project ask more of weft's own.
 */
#ifndef WEFT_PLUGINS_TRY_H
#define WEFT_PLUGINS_TRY_H

#include "base/plugin.h"
#include "net/net.h"

/** How. */
struct weft_plugin_try {
    const struct weft_net_backend *const *backends;
    size_t nbackends;
    const char *const *sets; /**< "KEY=VALUE" for what is simulated */
    size_t nsets;
    void (*said)(void *ctx, const char *what); /**< told of each thing that holds */
    void *ctx;
};

/** Tries a member. WEFT_E_OUTCOME: it does not do what it must, and *err says what. */
int weft_plugin_try(const struct weft_plugin_try *how, const struct weft_plugin *p,
                    struct weft_err *err);

#endif
